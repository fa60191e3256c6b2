// Menus: a list of actions beside an anchor. Arrow keys move, Escape and Tab close, and letters jump.

import { h } from "./dom.js";
import { focusPlace } from "./focus.js";
import { icon } from "./icons.js";

const EDGE = 8;
let open = null;

/**
 * @typedef {object} MenuItem
 * @property {string} label
 * @property {() => void} [action]
 * @property {string} [icon]
 * @property {boolean} [disabled] visible and focusable, but without effect
 * @property {string} [reason] why it is disabled; shown to the user
 * @property {boolean} [danger]
 * @property {boolean} [checked] makes it a checkbox item
 *
 * Opens a menu at `anchor` and closes any other. Falsy items are skipped; `"-"` is a separator.
 * @param {HTMLElement} anchor gets `aria-expanded` while the menu is open, and the focus when it closes
 * @param {(MenuItem | "-" | false | null | undefined)[]} items
 * @param {{label?: string, header?: Node, point?: {x: number, y: number}}} [options] `header`: shown above the items,
 *   e.g. a reaction bar; its buttons take part in arrow-key navigation. `point`: where to open instead of at the anchor
 * @returns {{element: HTMLElement, close(): void}}
 */
export function openMenu(anchor, items, { label = "Actions", header, point } = {}) {
  open?.close();
  const toAnchor = focusPlace(anchor);
  const toBefore = focusPlace(document.activeElement);
  const line = () => h("div", { role: "separator", class: "menu-line" });
  const rows = items.filter(Boolean).map((item) => (item === "-" ? line() : row(item)));
  const element = h("div", { class: "menu", tabindex: -1 },
    header && h("div", { class: "menu-header" }, header),
    h("div", { role: "menu", "aria-label": label }, rows));

  function row(item) {
    const role = item.checked === undefined ? "menuitem" : "menuitemcheckbox";
    const props = { type: "button", role, tabindex: -1, class: ["menu-item", item.danger && "danger"] };
    if (item.disabled) props["aria-disabled"] = "true";
    if (item.checked !== undefined) props["aria-checked"] = item.checked;
    const choose = () => {
      if (item.disabled) return;
      close();
      item.action?.();
    };
    return h("button", { ...props, onclick: choose },
      icon(item.checked ? "check" : (item.icon ?? (item.checked === undefined ? "chevron" : "more"))),
      h("span", { class: "menu-label" }, item.label, item.reason && h("small", null, item.reason)));
  }

  const focusable = () => [...element.querySelectorAll("button:not(:disabled)")];

  function keydown(event) {
    const all = focusable();
    const at = all.indexOf(document.activeElement);
    const bar = header && at >= 0 && header.contains(all[at]);
    const next = (step) => all[(at + step + all.length) % all.length];
    const target = {
      ArrowDown: () => (bar ? all.find((one) => !header.contains(one)) : next(1)),
      ArrowUp: () => next(-1),
      ArrowRight: () => bar && next(1),
      ArrowLeft: () => bar && next(-1),
      Home: () => all[0],
      End: () => all.at(-1),
    }[event.key]?.();
    if (target) target.focus();
    else if (event.key === "Escape") close();
    else if (event.key === "Tab") close();
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.key !== " ") {
      const letter = event.key.toLowerCase();
      const rest = [...all.slice(at + 1), ...all.slice(0, at + 1)];
      rest.find((one) => one.textContent.trim().toLowerCase().startsWith(letter))?.focus();
    } else return;
    event.stopPropagation();
    if (event.key !== "Tab") event.preventDefault();
  }

  const outside = (event) => !element.contains(event.target) && !anchor.contains(event.target) && close(false);
  const closeSoon = () => close(false);

  function close(giveBack = true) {
    if (open?.element !== element) return;
    open = null;
    element.remove();
    anchor.removeAttribute("aria-expanded");
    document.removeEventListener("pointerdown", outside, true);
    removeEventListener("resize", closeSoon);
    removeEventListener("hashchange", closeSoon);
    if (giveBack && !toAnchor()) toBefore();
  }

  element.addEventListener("keydown", keydown);
  document.addEventListener("pointerdown", outside, true);
  addEventListener("resize", closeSoon);
  addEventListener("hashchange", closeSoon);
  anchor.setAttribute("aria-expanded", "true");
  // Everything outside an open modal dialog is inert, so the menu must be inside it.
  (anchor.closest("dialog") ?? document.body).append(element);
  place(element, point ? DOMRect.fromRect(point) : anchor.getBoundingClientRect());
  open = { element, close };
  (element.querySelector("[role^=menuitem]") ?? focusable()[0] ?? element).focus({ preventScroll: true });
  return open;
}

/** Places the menu below the anchor, right-aligned, or above it or further left if it would leave the window. */
function place(element, at) {
  const { width, height } = element.getBoundingClientRect();
  const below = at.bottom + 4;
  const top = below + height + EDGE <= innerHeight ? below : Math.max(EDGE, at.top - height - 4);
  const left = Math.min(Math.max(EDGE, at.right - width), innerWidth - width - EDGE);
  element.style.setProperty("top", `${Math.max(EDGE, Math.min(top, innerHeight - height - EDGE))}px`);
  element.style.setProperty("left", `${Math.max(EDGE, left)}px`);
}
