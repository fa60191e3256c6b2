/**
 * The rendered rows. Each is created when it approaches the viewport, removed when it leaves it, and re-rendered when
 * its content changes.
 */
export class Rows {
  /** Maps a key to {element, shows}, for rows near the viewport. */
  #rows = new Map();
  #content;
  #first;
  #render;
  #observer;

  /**
   * @param {Element} content
   * @param {Element} first the rows' elements follow this one.
   * @param {(i: number) => Element} render
   * @param {ResizeObserver} observer
   */
  constructor(content, first, render, observer) {
    this.#content = content;
    this.#first = first;
    this.#render = render;
    this.#observer = observer;
  }

  element(key) {
    return this.#rows.get(key)?.element;
  }

  entries() {
    return this.#rows.entries();
  }

  /**
   * Renders rows `start` to `end` (exclusive) of `keys`.
   *
   * @param {(i: number) => unknown[]} shows what row i depends on; the row is re-rendered when any value changes.
   * @returns {string[]} the keys of rows rendered in this call, which must then be measured.
   */
  show(start, end, keyAt, indexOf, shows) {
    for (const [key, row] of this.#rows) {
      const i = indexOf(key);
      if (i < start || i >= end) this.#drop(key, row);
    }
    const fresh = [];
    let cursor = this.#first.nextSibling;
    for (let i = start; i < end; i++) {
      const key = keyAt(i);
      const now = shows(i);
      let row = this.#rows.get(key);
      if (row && !same(row.shows, now)) {
        if (cursor === row.element) cursor = row.element.nextSibling;
        this.#replace(row, this.#render(i));
        row.shows = now;
        fresh.push(key);
        if (cursor !== row.element.nextSibling) this.#content.insertBefore(row.element, cursor);
        continue;
      }
      if (!row) {
        row = { element: this.#render(i), shows: now };
        row.element.dataset.key = key;
        this.#rows.set(key, row);
        this.#observer.observe(row.element);
        fresh.push(key);
      }
      if (row.element === cursor) cursor = cursor.nextSibling;
      else this.#content.insertBefore(row.element, cursor);
    }
    return fresh;
  }

  clear() {
    for (const [key, row] of this.#rows) this.#drop(key, row);
  }

  #drop(key, row) {
    // Keep the focus in the list instead of losing it to the body, so that keyboard navigation continues.
    if (row.element.contains(document.activeElement)) this.#content.parentElement.focus({ preventScroll: true });
    this.#observer.unobserve(row.element);
    row.element.remove();
    this.#rows.delete(key);
  }

  #replace(row, element) {
    const focused = row.element.contains(document.activeElement) ? document.activeElement : null;
    element.dataset.key = row.element.dataset.key;
    element.tabIndex = row.element.tabIndex;
    this.#observer.unobserve(row.element);
    row.element.replaceWith(element);
    this.#observer.observe(element);
    row.element = element;
    if (!focused) return;
    const part = focused.dataset?.part;
    const again = part ? element.querySelector(`[data-part="${CSS.escape(part)}"]`) : null;
    (again ?? element).focus({ preventScroll: true });
  }
}

function same(a, b) {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
