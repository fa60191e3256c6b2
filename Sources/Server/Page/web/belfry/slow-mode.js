/** The user's own wait in a channel with slow mode. Times are in ms of the local clock. */
export class SlowMode {
  #sentAt = -Infinity;

  /** Records a message of the user. @param {number} at clocks may differ, so it may be in the future */
  sent(at) {
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
