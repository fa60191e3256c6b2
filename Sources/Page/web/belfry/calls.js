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
   * @param {(id: number) => {isRPC: boolean, frame: {bytes: number, count: number} | null}} send gives what was sent
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
        this.#calls.get(id).sent = send(id);
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

  /** The largest frame with commands that nobody has answered. @returns {{bytes: number, count: number} | undefined} */
  get largestFrame() {
    const frames = [...this.#calls.values()].map(({ sent }) => sent?.frame).filter(Boolean);
    return frames.reduce((largest, frame) => (largest && largest.bytes >= frame.bytes ? largest : frame), undefined);
  }

  /**
   * Rejects those that left and are to blame.
   * @param {(sent: {isRPC: boolean, frame: object}) => boolean} isToBlame
   * @param {RPCError} error
   * @returns {boolean} whether there was one
   */
  refuse(isToBlame, error) {
    const refused = [...this.#calls].filter(([, { sent }]) => sent?.frame && isToBlame(sent));
    for (const [id, { reject }] of refused) this.#end(id, reject, error);
    return refused.length > 0;
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
