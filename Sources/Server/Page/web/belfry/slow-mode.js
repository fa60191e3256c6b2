/** The user's own wait in a channel with slow mode. Times are in ms of the local clock. */
export class SlowMode {
  #sentAt = -Infinity;
  /** `created_at` of the user's newest message known. */
  #newest = -Infinity;

  /**
   * Records a message of the user. Only a newer one than those known starts the wait, however often it is seen.
   * @param {number} createdAt ms of the server's clock
   * @param {number} [at] may be in the future, because the clocks may differ
   */
  sent(createdAt, at = createdAt) {
    if (createdAt <= this.#newest) return;
    this.#newest = createdAt;
    this.#sentAt = Math.max(this.#sentAt, Math.min(at, Date.now()));
  }

  /** Records a refusal, which knows the wait exactly. @param {number} retryAfter ms @param {number} seconds */
  refused(retryAfter, seconds) {
    this.#sentAt = Date.now() + retryAfter - seconds * 1_000;
  }

  /** Forgets the messages, which do not count if they were sent before the slow mode began. */
  restart() {
    this.#sentAt = -Infinity;
  }

  /** @param {ChannelJSON | null} channel @returns {number} when the user may send the next message; 0 for now */
  until(channel) {
    const { slow_mode_seconds: seconds = 0, my } = channel ?? {};
    if (seconds === 0 || my?.role === "operator") return 0;
    const end = this.#sentAt + seconds * 1_000;
    return end > Date.now() ? end : 0;
  }
}
