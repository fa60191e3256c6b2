// Small shared parts: buttons, headers, badges, notices.

import { h, hiddenText } from "./dom.js";
import { icon } from "./icons.js";

/**
 * Creates an icon-only button. The label is its accessible name and its tooltip.
 * @param {string} name see icons.js
 * @param {string} label
 * @param {(event: MouseEvent) => void} [onclick]
 */
export function iconButton(name, label, onclick, props = {}) {
  const own = { class: ["icon-button", props.class], "aria-label": label, title: label, onclick };
  return h("button", { type: "button", ...props, ...own }, icon(name));
}

/**
 * Creates a button with text.
 * @param {{primary?: boolean, danger?: boolean, plain?: boolean, small?: boolean, icon?: string}} [look] and further
 *   props for `h`
 */
export function button(text, onclick, { primary, danger, plain, small, icon: name, ...props } = {}) {
  const look = ["button", primary && "primary", danger && "danger", plain && "plain", small && "small", props.class];
  return h("button", { type: "button", ...props, class: look, onclick }, name && icon(name), text);
}

/**
 * Creates a view's header. `back` (a path) adds a back button in the one-column layout; `close` (a path) adds a close
 * button to a side column in wider layouts.
 *
 * @param {object} app
 * @param {{title: Node | string, subtitle?: Node | string | false, lead?: Node, back?: string, close?: string,
 *   actions?: Node[], level?: 1 | 2}} parts
 */
export function viewHeader(app, { title, subtitle, lead, back, close, actions = [], level = 2 }) {
  const leave = (path) => () => app.navigate(path);
  return h(
    "header",
    { class: "view-header" },
    back !== undefined && iconButton("back", "Back", leave(back), { class: "back only-narrow" }),
    lead,
    h(
      "div",
      { class: "titles" },
      h(`h${level}`, { class: "ellipsis", tabindex: -1 }, title),
      subtitle && h("div", { class: "subtitle ellipsis" }, subtitle),
    ),
    actions,
    close !== undefined && iconButton("close", "Close", leave(close), { class: "close-side" }),
  );
}

/** Returns the count for display: "99+" above 99. */
export const shortCount = (count) => (count > 99 ? "99+" : String(count));

/** Creates a badge with a count, or returns null for 0. Screen readers announce e.g. "3 unread". */
export function badge(count, unit) {
  if (!(count > 0)) return null;
  const text = shortCount(count);
  return h("span", { class: "badge" }, h("span", { "aria-hidden": "true" }, text), hiddenText(`${text} ${unit}`));
}

/** Creates a placeholder for a loading, empty or failed list. */
export function notice({ icon: name, title, text, action, busy = false, role = "status" }) {
  return h(
    "div",
    { class: "notice", role },
    busy ? h("span", { class: "spinner" }) : icon(name ?? "bell"),
    title && h("strong", null, title),
    text && h("p", null, text),
    action,
  );
}

/**
 * Adds a roving tabindex. Arrow keys, Home and End move the focus among the rows of a list, one of which is in the tab
 * order.
 * @param {HTMLElement} list
 * @param {string} [selector] matches the rows
 */
export function roving(list, selector = "[data-row]") {
  const rows = () => [...list.querySelectorAll(selector)].filter((row) => !row.hidden);
  const enter = (row) => {
    for (const other of list.querySelectorAll(selector)) other.tabIndex = other === row ? 0 : -1;
  };
  list.addEventListener("focusin", (event) => {
    const row = event.target.closest(selector);
    if (row && list.contains(row)) enter(row);
  });
  list.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = event.target.closest(selector);
    if (event.target !== row) return;
    const all = rows();
    const at = all.indexOf(row);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || !all[to]) return;
    event.preventDefault();
    all[to].focus();
  });
  /** Call this after the rows change: it keeps exactly one of them in the tab order. */
  return () => {
    const all = rows();
    if (all.length && !all.some((row) => row.tabIndex === 0)) enter(all[0]);
    else for (const row of all.filter((row) => row.tabIndex === 0).slice(1)) row.tabIndex = -1;
  };
}
