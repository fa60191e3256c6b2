import { noAnswer } from "./calls.js";

/** Commands waiting for a connection, limited in number and time. */
export class Waiting {
  #limit;
  /** @type {Set<(error?: Error) => void>} */
  #settles = new Set();

  /** @param {number} limit */
  constructor(limit) {
    this.#limit = limit;
  }

  /** @param {number} timeout ms @returns {Promise<void>} @throws {RPCError} `code` 0 */
  join(timeout) {
    if (this.#settles.size >= this.#limit) return Promise.reject(noAnswer("too many commands wait"));
    return new Promise((resolve, reject) => {
      const settle = (error) => {
        clearTimeout(timer);
        this.#settles.delete(settle);
        if (error) reject(error);
        else resolve();
      };
      const timer = setTimeout(() => settle(noAnswer("timeout")), timeout);
      this.#settles.add(settle);
    });
  }

  proceed() {
    for (const settle of [...this.#settles]) settle();
  }

  fail(reason) {
    for (const settle of [...this.#settles]) settle(noAnswer(reason));
  }
}
