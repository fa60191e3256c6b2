/** How many events are kept while a page is on its way. */
const LOGGED = 2_000;

/** What happens while a page is on its way, to be folded over it when it comes. */
export class EventLog {
  #events = [];
  #loads = 0;
  #isTooLong = false;

  begin() {
    this.#loads += 1;
  }

  /** What was heard up to now is in what will be answered; over that it may be wrong: the history was cleared, say. */
  clear() {
    this.#events = [];
    this.#isTooLong = false;
  }

  heard(event) {
    if (this.#loads === 0) return;
    if (this.#events.length < LOGGED) this.#events.push(event);
    else this.#isTooLong = true;
  }

  get events() {
    return this.#events;
  }

  /** @returns {boolean} whether something was not kept, so that what is shown has to be fetched again */
  end() {
    this.#loads -= 1;
    if (this.#loads > 0) return false;
    const wasTooLong = this.#isTooLong;
    this.clear();
    return wasTooLong;
  }
}
