/**
 * Row positions of a long list in which few rows have been measured.
 *
 * Offsets are prefix sums of heights in px, rebuilt from the first row that changed. For 10,000 rows this takes far
 * less than a millisecond, so a tree is not worth it.
 */
export class Heights {
  #keys = [];
  #index = new Map();
  /** Maps a key to its measured height in px, for keys in the list only. */
  #measured = new Map();
  /** offsets[i] is the top of row i; the last entry is the list's height. */
  #offsets = new Float64Array(1);
  #validUpTo = 0;
  #estimate;

  /** @param {number} estimate height in px of a row not measured yet. */
  constructor(estimate) {
    this.#estimate = estimate;
  }

  get count() {
    return this.#keys.length;
  }

  /** @param {string[]} keys all rows, in order, without duplicates. */
  set(keys) {
    const index = new Map();
    for (let i = 0; i < keys.length; i++) index.set(keys[i], i);
    if (this.#measured.size > 0) {
      for (const key of this.#measured.keys()) if (!index.has(key)) this.#measured.delete(key);
    }
    this.#keys = keys;
    this.#index = index;
    if (this.#offsets.length < keys.length + 1) this.#offsets = new Float64Array(keys.length * 2 + 1);
    this.#validUpTo = 0;
  }

  key(i) {
    return this.#keys[i];
  }

  /** @returns {number} -1 if there is no such row. */
  index(key) {
    return this.#index.get(key) ?? -1;
  }

  /**
   * @returns {boolean} whether the height changed. Ignores differences below half a pixel, because layouts vary by
   *   fractions.
   */
  measure(key, height) {
    const i = this.index(key);
    if (i < 0) return false;
    const known = this.#measured.get(key);
    if (known !== undefined && Math.abs(known - height) < 0.5) return false;
    this.#measured.set(key, height);
    this.#validUpTo = Math.min(this.#validUpTo, i);
    return true;
  }

  /** @returns {number} px, measured or estimated. */
  height(i) {
    return this.#measured.get(this.#keys[i]) ?? this.#estimate;
  }

  /** @returns {number} px from the top of the list to the top of row `i`; for `count`, the height of the list. */
  offset(i) {
    this.#build();
    return this.#offsets[Math.max(0, Math.min(i, this.count))];
  }

  get total() {
    return this.offset(this.count);
  }

  /** @returns {number} the row at `y` px, clamped to the list; 0 for an empty list. */
  at(y) {
    this.#build();
    let low = 0;
    let high = Math.max(0, this.count - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#offsets[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #build() {
    const count = this.count;
    if (this.#validUpTo >= count) return;
    let sum = this.#validUpTo > 0 ? this.#offsets[this.#validUpTo] : 0;
    for (let i = this.#validUpTo; i < count; i++) {
      this.#offsets[i] = sum;
      sum += this.#measured.get(this.#keys[i]) ?? this.#estimate;
    }
    this.#offsets[count] = sum;
    this.#validUpTo = count;
  }
}
