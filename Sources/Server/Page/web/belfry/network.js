/** The browser's network status; outside browsers it counts as online. */
export class Network {
  #changed;
  #online = () => this.#changed(true);
  #offline = () => this.#changed(false);

  /** @param {(isOnline: boolean) => void} changed */
  constructor(changed) {
    this.#changed = changed;
  }

  get isOffline() {
    return globalThis.navigator?.onLine === false;
  }

  watch() {
    globalThis.addEventListener?.("online", this.#online);
    globalThis.addEventListener?.("offline", this.#offline);
  }

  unwatch() {
    globalThis.removeEventListener?.("online", this.#online);
    globalThis.removeEventListener?.("offline", this.#offline);
  }
}
