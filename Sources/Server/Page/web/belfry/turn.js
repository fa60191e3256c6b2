/** What a message in delivery signals to the messages after it. */
export class Turn {
  /**
   * Resolves once the files of this message and of all before it are uploaded, or have failed.
   * @type {Promise<void>}
   */
  loaded;
  /** Resolves once the message was sent, or with the error if not. @type {Promise<Error | undefined>} */
  over;
  #load;
  #end;

  constructor() {
    this.loaded = new Promise((resolve) => { this.#load = resolve; });
    this.over = new Promise((resolve) => { this.#end = resolve; });
  }

  load() {
    this.#load();
  }

  /** @param {Error} [problem] */
  end(problem) {
    this.#load();
    this.#end(problem);
  }
}
