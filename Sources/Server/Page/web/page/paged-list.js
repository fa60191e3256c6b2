// A list in a dialog that is loaded page by page.

import { button, notice } from "./controls.js";
import { fill, h } from "./dom.js";
import { errorText } from "./errors.js";

/**
 * @template Item
 * @param {{label: string, empty: {icon: string, title: string}, row: (item: Item) => HTMLElement,
 *   load: (next?: string) => Promise<{items: Item[], next?: string}>}} options
 * @returns {{parts: HTMLElement[], reload(): void, remove(row: HTMLElement): void}} `remove` moves the focus to the
 *   next row's button
 */
export function pagedList({ label, empty, row, load }) {
  const list = h("ul", { class: "people", "aria-label": label });
  const state = h("div");
  const more = button("Show more", () => show(more.next), { plain: true, hidden: true });
  let generation = 0;

  const settle = () => {
    if (list.childElementCount === 0 && more.hidden) fill(state, notice(empty));
  };

  async function show(next) {
    const mine = (generation += 1);
    more.hidden = true;
    if (!next) fill(state, notice({ busy: true, text: "Loading…" }));
    try {
      const page = await load(next);
      if (mine !== generation) return;
      fill(state);
      if (!next) fill(list);
      list.append(...page.items.map(row));
      more.next = page.next;
      more.hidden = !page.next;
      settle();
    } catch (error) {
      if (mine !== generation) return;
      const action = button("Try again", () => show(next), { small: true });
      const text = errorText(error);
      fill(state, notice({ icon: "warning", title: "That could not be loaded", text, action, role: "alert" }));
    }
  }

  show();
  return {
    parts: [list, state, more],
    reload: () => show(),
    remove(element) {
      const next = element.nextElementSibling ?? element.previousElementSibling;
      element.remove();
      next?.querySelector("button")?.focus();
      settle();
    },
  };
}
