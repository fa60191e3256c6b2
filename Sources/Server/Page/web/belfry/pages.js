/** A list that arrives page by page. A page that arrives after a newer request, or after the end, is ignored. */
export class Pages {
  #query;
  #list;
  #next;
  #generation = 0;
  #now = null;

  /**
   * @param {(next: string | undefined) => Promise<any>} query requests the page with a token; without one, the first
   * @param {{begun(): void, arrived(page: any, isFirst: boolean): void, failed(error: Error): void}} list
   */
  constructor(query, list) {
    this.#query = query;
    this.#list = list;
  }

  get hasMore() {
    return this.#next !== undefined;
  }

  /** Loads the first page again, without waiting for a load in progress. @returns {Promise<void>} never rejects */
  reload() {
    this.#next = undefined;
    return this.#begin(true);
  }

  /** Loads the next page, or waits for the load in progress. @returns {Promise<void>} never rejects */
  async loadMore() {
    if (this.hasMore) await (this.#now ?? this.#begin(false));
  }

  end() {
    this.#generation += 1;
  }

  #begin(isFirst) {
    const now = this.#load(isFirst).finally(() => {
      if (this.#now === now) this.#now = null;
    });
    return (this.#now = now);
  }

  async #load(isFirst) {
    const generation = (this.#generation += 1);
    this.#list.begun();
    try {
      const page = await this.#query(isFirst ? undefined : this.#next);
      if (generation !== this.#generation) return;
      this.#list.arrived(page, isFirst);
      this.#next = typeof page.next === "string" ? page.next : undefined;
    } catch (error) {
      if (generation === this.#generation) this.#list.failed(error);
    }
  }
}
