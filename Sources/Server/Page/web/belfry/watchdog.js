/** How late the server's ping may be, in ms. */
const DELAY = 10_000;
/** The maximum timer delay, in ms. */
const LONGEST = 2 ** 31 - 1;

/** Calls back if a server that sends pings is silent for too long. */
export class Watchdog {
  #silent;
  #patience = 0;
  #timer = null;

  /** @param {() => void} silent */
  constructor(silent) {
    this.#silent = silent;
  }

  /** @param {unknown} ping the connect reply's ping interval in seconds; without it there is no watchdog */
  begin(ping) {
    this.end();
    if (Number.isFinite(ping) && ping > 0) this.#patience = Math.min(ping * 1_000 + DELAY, LONGEST);
    this.restart();
  }

  restart() {
    if (this.#patience === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#silent, this.#patience);
  }

  end() {
    clearTimeout(this.#timer);
    this.#patience = 0;
  }
}
