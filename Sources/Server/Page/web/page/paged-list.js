// A list that is loaded page by page.

import { button, notice } from "./controls.js";
import { fill, h } from "./dom.js";
import { errorText } from "./errors.js";

/**
 * @template Item
 * @param {{label: string, empty: object, row: (item: Item) => HTMLElement, className?: string,
 *   load: (next?: string) => Promise<{items: Item[], next?: string}>}} options `empty`: see `notice`; `row` returns an
 *   `li`; `className`: of the list
 * @returns {{element: HTMLElement, reload(): Promise<void>, remove(row: HTMLElement): void, close(): void}} `remove`
 *   moves the focus to the next row's button
 */
export function pagedList({ label, empty, row, className = "people", load }) {
  const list = h("ul", { class: className, "aria-label": label });
  const state = h("div");
  const more = button("Show more", showMore, { plain: true, hidden: true });
  const element = h("div", null, list, state, more);
  let generation = 0;

  const settle = () => {
    if (list.childElementCount === 0 && more.hidden) fill(state, notice(empty));
  };

  async function show(next) {
    const mine = (generation += 1);
    more.hidden = true;
    fill(state, notice({ busy: true, text: "Loading…" }));
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

  async function showMore() {
    const at = list.childElementCount;
    await show(more.next);
    // The button has moved: go on where the new rows begin.
    const first = list.children[at];
    const target = first?.querySelector("a, button") ?? first;
    if (target === first) first?.setAttribute("tabindex", "-1");
    target?.focus();
  }

  show();
  return {
    element,
    reload: () => show(),
    remove(element) {
      const next = element.nextElementSibling ?? element.previousElementSibling;
      element.remove();
      next?.querySelector("button")?.focus();
      settle();
    },
    close: () => void (generation += 1),
  };
}
