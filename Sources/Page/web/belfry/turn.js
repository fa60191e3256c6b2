/** What one message that is on its way lets those behind it know. */
export class Turn {
  /** Its files, and those of all before it, are on the server, or will not be. @type {Promise<void>} */
  loaded;
  /** It has left, with what kept it from that. @type {Promise<Error | undefined>} */
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
