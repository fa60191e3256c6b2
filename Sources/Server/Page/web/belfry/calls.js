import { RPCError } from "./rpc-error.js";

/** Pending commands, each with a deadline. */
export class Calls {
  #calls = new Map();
  #nextID = 1;

  get size() {
    return this.#calls.size;
  }

  /**
   * @param {number} timeout ms
   * @param {(id: number) => {isRPC: boolean, frame: {bytes: number, count: number} | null}} send sends the command and
   *   returns what was sent
   * @returns {Promise<object>} the reply
   * @throws {RPCError} with `code` 0 if there was no reply
   */
  start(timeout, send) {
    const id = this.#nextID;
    // The protocol's ids have 32 bits. When they wrap, the first commands have long been answered.
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

  /** @returns {boolean} whether the command was pending */
  answer(id, reply) {
    const call = this.#calls.get(id);
    if (!call) return false;
    if (reply.error) this.#end(id, call.reject, RPCError.from(reply.error));
    else this.#end(id, call.resolve, reply);
    return true;
  }

  /** The largest sent frame with pending commands. @returns {{bytes: number, count: number} | undefined} */
  get largestFrame() {
    const frames = [...this.#calls.values()].map(({ sent }) => sent?.frame).filter(Boolean);
    return frames.reduce((largest, frame) => (largest && largest.bytes >= frame.bytes ? largest : frame), undefined);
  }

  /**
   * Rejects the sent commands that caused an error.
   * @param {(sent: {isRPC: boolean, frame: object}) => boolean} isToBlame
   * @param {RPCError} error
   * @returns {boolean} whether there were any
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

/** Makes the error for a command whose outcome is unknown. */
export const noAnswer = (message) => new RPCError({ code: 0, message, temporary: true });
