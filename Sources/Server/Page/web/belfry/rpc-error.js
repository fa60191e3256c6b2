import { isObject } from "./objects.js";

/** The error of a command that was rejected or got no reply. */
export class RPCError extends Error {
  /**
   * @param {{code: number, message: string, temporary?: boolean, retryAfter?: number}} error
   */
  constructor({ code, message, temporary = false, retryAfter }) {
    super(message);
    this.name = "RPCError";
    /** @type {number} the protocol's code; 0: no reply, the outcome is unknown */
    this.code = code;
    /** @type {boolean} whether the same command may succeed later */
    this.temporary = temporary;
    /** @type {number | undefined} milliseconds, if the server specified them */
    this.retryAfter = retryAfter;
    /** @type {string | undefined} the word after the message's colon: a field, a limit or an id */
    this.field = /: ([A-Za-z_.0-9]+)/.exec(message)?.[1];
  }

  /** @param {any} error from the server */
  static from(error) {
    if (!isObject(error)) return new RPCError({ code: 100, message: "an error without a code" });
    const code = Number.isInteger(error.code) ? error.code : 100;
    return new RPCError({
      code,
      message: typeof error.message === "string" ? error.message : `error ${code}`,
      temporary: error.temporary === true,
      retryAfter: Number.isFinite(error.retry_after_ms) ? Math.max(0, error.retry_after_ms) : undefined,
    });
  }
}
