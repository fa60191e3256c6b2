/** A message's signals to the messages sent after it. */
export class Turn {
  /**
   * Resolves once the files of this message and of all earlier ones were uploaded or have failed.
   * @type {Promise<void>}
   */
  loaded;
  /** Resolves once the message was sent, with the error if sending failed. @type {Promise<Error | undefined>} */
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
