/**
 * Coordinates the loads of a paged list. Loading another page waits for the current load; loading from the start does
 * not.
 */
export class Loads {
  #now = null;

  /** @param {() => Promise<void>} load @returns {Promise<void>} */
  begin(load) {
    const now = load().finally(() => {
      if (this.#now === now) this.#now = null;
    });
    return (this.#now = now);
  }

  /** @param {() => Promise<void>} load @returns {Promise<void>} */
  more(load) {
    return this.#now ?? this.begin(load);
  }
}
