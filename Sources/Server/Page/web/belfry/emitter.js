/** Named events with listeners. A listener that throws does not affect the others. */
export class Emitter {
  #listeners = new Map();
  #changing = false;

  /**
   * @param {string} name
   * @param {(value: any) => void} listener
   * @returns {() => void} removes the listener
   */
  on(name, listener) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    const entry = { listener };
    listeners.add(entry);
    return () => listeners.delete(entry);
  }

  /** @protected */
  emit(name, value) {
    for (const { listener } of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(value);
      } catch (error) {
        // Rethrown asynchronously, because a listener's bug must be reported but must not stop the fold.
        queueMicrotask(() => { throw error; });
      }
    }
  }

  /** Emits "change", at most once per turn. @protected */
  changed() {
    if (this.#changing) return;
    this.#changing = true;
    queueMicrotask(() => {
      this.#changing = false;
      this.emit("change", this);
    });
  }
}
