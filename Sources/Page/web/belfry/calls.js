import { RPCError } from "./rpc-error.js";

/** Commands that wait for their replies, each with a deadline. */
export class Calls {
  #calls = new Map();
  #nextID = 1;

  get size() {
    return this.#calls.size;
  }

  /**
   * @param {number} timeout ms
   * @param {(id: number) => void} send
   * @returns {Promise<object>} the reply
   * @throws {RPCError} `code` 0 when there was none
   */
  start(timeout, send) {
    const id = this.#nextID;
    // Ids are 32 bits of the protocol; after four billion commands the first ones have long been answered.
    this.#nextID = id >= 0xffff_ffff ? 1 : id + 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#end(id, reject, noAnswer("timeout")), timeout);
      this.#calls.set(id, { resolve, reject, timer });
      try {
        send(id);
      } catch (error) {
        this.#end(id, reject, error);
      }
    });
  }

  /** @returns {boolean} whether somebody waited for it */
  answer(id, reply) {
    const call = this.#calls.get(id);
    if (!call) return false;
    if (reply.error) this.#end(id, call.reject, RPCError.from(reply.error));
    else this.#end(id, call.resolve, reply);
    return true;
  }

  failAll(reason) {
    for (const [id, { reject }] of [...this.#calls]) this.#end(id, reject, noAnswer(reason));
  }

  #end(id, settle, value) {
    const call = this.#calls.get(id);
    if (!call) return;
    clearTimeout(call.timer);
    this.#calls.delete(id);
    settle(value);
  }
}

/** Nobody knows whether the command was carried out. */
export const noAnswer = (message) => new RPCError({ code: 0, message, temporary: true });
