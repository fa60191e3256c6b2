// Parts that several sections share: sections, tables, facts, links, times and paged lists.

import { paths } from "./router.js";
import { button, notice, viewHeader } from "../page/controls.js";
import { fill, h } from "../page/dom.js";
import { fullTime, sameDay, shortTime, timeText, userName } from "../page/format.js";

/** The end of a sanction without an end. */
const ENDLESS = 253_402_300_799_000;

/**
 * A section with a header and a scrolling body.
 * @param {import("./app.js").Console} app
 * @param {{title: Node | string, subtitle?: string, back?: string, actions?: Node[]}} head
 * @param {...any} children
 */
export function sectionView(app, { title, subtitle, back = paths.menu, actions }, ...children) {
  return h(
    "div",
    { class: "view" },
    viewHeader(app, { title, subtitle, back, actions }),
    h("div", { class: "scroll section" }, children),
  );
}

/** A heading with what belongs to it. */
export const block = (title, ...children) => h("section", { class: "block" }, h("h3", null, title), children);

/**
 * @param {string} caption for screen readers
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

/** @param {number} at ms since 1970 */
export function when(at) {
  const text = sameDay(at, Date.now()) ? timeText(at) : `${shortTime(at)}, ${timeText(at)}`;
  return h("time", { datetime: new Date(at).toISOString(), title: fullTime(at) }, text);
}

/** The end of a ban or mute. */
export const untilText = (until) => (until >= ENDLESS ? "until it is lifted" : ["until ", when(until)]);

/**
 * A list that loads page by page.
 * @param {{load(next?: string): Promise<{rows: any[], next?: string}>, row(value: any): HTMLElement, empty: string,
 *   label: string, failed?(error: Error): void}} options
 * @returns {{element: HTMLElement, reload(): Promise<void>, close(): void}}
 */
export function pagedList({ load, row, empty, label, failed }) {
  const list = h("ul", { class: "rows", "aria-label": label });
  const foot = h("div", { class: "rows-foot" });
  const element = h("div", { class: "paged" }, list, foot);
  let generation = 0;

  async function page(next, isFresh) {
    const mine = ++generation;
    fill(foot, notice({ text: "Loading…", busy: true }));
    try {
      const { rows, next: more } = await load(next);
      if (mine !== generation) return;
      if (isFresh) list.replaceChildren();
      list.append(...rows.map((value) => h("li", null, row(value))));
      const furtherRows = more && moreButton(more);
      fill(foot, furtherRows || (list.childElementCount ? null : notice({ icon: "check", text: empty })));
    } catch (error) {
      if (mine !== generation) return;
      failed?.(error);
      fill(foot, failure(error, button("Try again", () => page(next, isFresh))));
    }
  }

  const moreButton = (next) =>
    button("Show more", async () => {
      const at = list.childElementCount;
      await page(next, false);
      // The button is gone: go on where the new rows begin.
      list.children[at]?.querySelector("a, button")?.focus();
    });

  page(undefined, true);
  return { element, reload: () => page(undefined, true), close: () => generation++ };
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
