/** Maximum number of events kept while a page loads. */
const LOGGED = 2_000;

/** Events received while a page loads, later folded over it. */
export class EventLog {
  #events = [];
  #loads = 0;
  #isTooLong = false;

  begin() {
    this.#loads += 1;
  }

  /**
   * Drops the events so far. The pending reply includes them, and folding them again could be wrong, e.g. after the
   * history was cleared.
   */
  clear() {
    this.#events = [];
    this.#isTooLong = false;
  }

  record(event) {
    if (this.#loads === 0) return;
    if (this.#events.length < LOGGED) this.#events.push(event);
    else this.#isTooLong = true;
  }

  get events() {
    return this.#events;
  }

  /** @returns {boolean} whether events were dropped, so that the data must be fetched again */
  end() {
    this.#loads -= 1;
    if (this.#loads > 0) return false;
    const wasTooLong = this.#isTooLong;
    this.clear();
    return wasTooLong;
  }
}
