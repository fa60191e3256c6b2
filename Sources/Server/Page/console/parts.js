// Parts that several sections share: sections, tables, facts, links, times and paged lists.

import { paths } from "./router.js";
import { notice, viewHeader } from "../page/controls.js";
import { fill, h } from "../page/dom.js";
import { fullTime, sameDay, shortTime, timeText, userName } from "../page/format.js";
import { pagedList } from "../page/paged-list.js";

/**
 * A section with a header and a scrolling body.
 * @param {import("./app.js").Console} app
 * @param {{title: Node | string, back?: string, actions?: Node[]}} head
 * @param {...any} children
 */
export function sectionView(app, { title, back = paths.menu, actions }, ...children) {
  return h(
    "div",
    { class: "view" },
    viewHeader(app, { title, back, actions }),
    h("div", { class: "scroll section" }, children),
  );
}

/** A heading with what belongs to it. */
export const block = (title, ...children) => h("section", { class: "block" }, h("h3", null, title), children);

/**
 * @param {any} caption for screen readers: text or nodes
 * @param {string[]} columns
 * @param {any[][]} rows cells: text or nodes
 */
export function table(caption, columns, rows) {
  return h(
    "table",
    { class: "table" },
    h("caption", { class: "visually-hidden" }, caption),
    h("thead", null, h("tr", null, columns.map((column) => h("th", { scope: "col" }, column)))),
    h(
      "tbody",
      null,
      // In a narrow window, each cell is a line of its own under its column's name.
      rows.map((cells) => h("tr", null, cells.map((cell, at) => h("td", { "data-column": columns[at] }, cell)))),
    ),
  );
}

/**
 * A list of names with values; entries without a value are left out.
 * @param {[string, any, boolean?][]} entries the third is true for a value that needs a line of its own
 */
export const facts = (entries) =>
  h(
    "dl",
    { class: "facts" },
    entries
      .filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false)
      .map(([name, value, isWide]) =>
        h("div", { class: [isWide && "wide"] }, h("dt", null, name), h("dd", null, value)),
      ),
  );

/** Text from users, which may be in any direction. */
export const userText = (text, props = {}) => h("bdi", { dir: "auto", ...props }, text);

/** @param {{id: string, nickname?: string} | undefined} user */
export function userLink(app, user) {
  if (!user) return "the app";
  const name = userText(userName(user));
  return app.can("user.get") ? h("a", { href: "#" + paths.user(user.id) }, name) : name;
}

export function channelLink(app, id, name) {
  const text = userText(name || id);
  return app.can("channel.get") ? h("a", { href: "#" + paths.channel(id) }, text) : text;
}

/** "14:05", "Yesterday, 14:05"; in full after today. @param {number} at ms since 1970 */
export function whenText(at, now = Date.now()) {
  if (sameDay(at, now)) return timeText(at);
  return at > now ? fullTime(at) : `${shortTime(at, now)}, ${timeText(at)}`;
}

/** @param {number} at ms since 1970 */
export const when = (at) =>
  h("time", { datetime: new Date(at).toISOString(), title: fullTime(at) }, whenText(at));

/**
 * A list of cards that loads page by page.
 * @param {{label: string, empty: string, row(item: any): HTMLElement, load(next?: string): Promise<object>}} options see
 *   page/paged-list.js
 */
export const cardList = ({ empty, row, ...options }) =>
  pagedList({
    ...options, className: "rows", empty: { icon: "check", text: empty }, row: (item) => h("li", null, row(item)),
  });

/** A form that opens the section of an id. @param {(id: string) => string} path */
export function openById(app, label, path, maxlength) {
  const id = lineInput(label, { maxlength });
  const open = (event) => {
    event.preventDefault();
    if (id.value) app.navigate(path(id.value));
  };
  return h("form", { class: "search-line", onsubmit: open }, id, h("button", { type: "submit", class: "button" }, "Open"));
}

/** A row of links of which one is current. @param {[string, string][]} entries title and path */
export const tabs = (label, entries, current) =>
  h(
    "nav",
    { class: "tabs", "aria-label": label },
    entries.map(([title, path]) =>
      h("a", { class: "tab", href: "#" + path, "aria-current": path === current ? "true" : undefined }, title),
    ),
  );

/** A text field whose label is its placeholder. @param {object} [props] for `h` */
export const lineInput = (label, props = {}) =>
  h("input", { class: "input", "aria-label": label, placeholder: label, autocomplete: "off", ...props });

/** A select field. @param {string[][]} entries value and text @param {object} [props] for `h` */
export const choice = (entries, current, props = {}) =>
  h("select", { class: "input", ...props },
    entries.map(([value, text]) => h("option", { value, selected: value === current }, text)));

/** The placeholder of a part that could not be loaded. @param {Error} error @param {Node} [action] */
export const failure = (error, action) => notice({ icon: "warning", text: error.message, role: "alert", action });

/** Shows what a promise gives, or why it fails. @param {(value: any) => any} draw */
export function loaded(promise, draw) {
  const element = h("div", { class: "loaded" }, notice({ text: "Loading…", busy: true }));
  promise.then(
    (value) => fill(element, draw(value)),
    (error) => fill(element, failure(error)),
  );
  return element;
}
