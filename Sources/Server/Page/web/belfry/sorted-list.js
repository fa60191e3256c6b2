/** A sorted list indexed by id. A change costs O(log n) comparisons and a shift of the array. */
export class SortedList {
  /** @type {any[]} */
  items = [];
  #byID = new Map();
  #compare;
  #idOf;

  /**
   * @param {(a, b) => number} compare a total order: ties are broken by id
   * @param {(item) => string} idOf
   */
  constructor(compare, idOf) {
    this.#compare = compare;
    this.#idOf = idOf;
  }

  get size() {
    return this.items.length;
  }

  get(id) {
    return this.#byID.get(id);
  }

  /** Inserts the item, or replaces the one with the same id. */
  put(item) {
    this.remove(this.#idOf(item));
    this.items.splice(this.#place(item), 0, item);
    this.#byID.set(this.#idOf(item), item);
  }

  remove(id) {
    const item = this.#byID.get(id);
    if (item === undefined) return false;
    this.items.splice(this.#place(item), 1);
    this.#byID.delete(id);
    return true;
  }

  replaceAll(items) {
    this.#byID = new Map(items.map((item) => [this.#idOf(item), item]));
    this.items = [...this.#byID.values()].sort(this.#compare);
  }

  clear() {
    this.replaceAll([]);
  }

  #place(item) {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.items[middle], item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** -1, 0 or 1 */
export const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
