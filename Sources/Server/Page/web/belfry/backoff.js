/** Exponential backoff with jitter. Delays double up to a maximum, and each is randomly reduced by up to half. */
export class Backoff {
  #minDelay;
  #maxDelay;
  #random;
  #tries = 0;

  /** @param {number} minDelay ms @param {number} maxDelay ms @param {() => number} [random] 0 to below 1 */
  constructor(minDelay, maxDelay, random = Math.random) {
    this.#minDelay = minDelay;
    this.#maxDelay = Math.max(minDelay, maxDelay);
    this.#random = random;
  }

  /** @returns {number} ms */
  next() {
    const whole = Math.min(this.#maxDelay, this.#minDelay * 2 ** Math.min(this.#tries, 30));
    this.#tries += 1;
    return whole * (0.5 + this.#random() / 2);
  }

  reset() {
    this.#tries = 0;
  }
}
