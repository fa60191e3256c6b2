/** How late the server's ping may be, in ms. */
const DELAY = 10_000;
/** The longest delay that timers take, in ms. */
const LONGEST = 2 ** 31 - 1;

/** Tells when a server that pings has not been heard for too long. */
export class Watchdog {
  #silent;
  #patience = 0;
  #timer = null;

  /** @param {() => void} silent */
  constructor(silent) {
    this.#silent = silent;
  }

  /** @param {unknown} ping seconds between the server's pings, as its connect reply says; without, it is not watched */
  begin(ping) {
    this.end();
    if (Number.isFinite(ping) && ping > 0) this.#patience = Math.min(ping * 1_000 + DELAY, LONGEST);
    this.heard();
  }

  heard() {
    if (this.#patience === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#silent, this.#patience);
  }

  end() {
    clearTimeout(this.#timer);
    this.#patience = 0;
  }
}
