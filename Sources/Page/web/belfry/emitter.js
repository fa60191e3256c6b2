/** Named events with listeners; one listener that throws does not keep the others from hearing. */
export class Emitter {
  #listeners = new Map();
  #changing = false;

  /**
   * @param {string} name
   * @param {(value: any) => void} listener
   * @returns {() => void} takes the listener off again
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
        // A page's mistake must not stop the fold; it still has to be seen.
        queueMicrotask(() => { throw error; });
      }
    }
  }

  /** Tells "change" once per turn, however much changed. @protected */
  changed() {
    if (this.#changing) return;
    this.#changing = true;
    queueMicrotask(() => {
      this.#changing = false;
      this.emit("change", this);
    });
  }
}
