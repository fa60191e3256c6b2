/** The browser's network status. Outside browsers, it is always online. */
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
