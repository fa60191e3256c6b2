/** An answer that says no, or none at all. */
export class RPCError extends Error {
  /**
   * @param {{code: number, message: string, temporary?: boolean, retry_after_ms?: number, field?: string}} error
   */
  constructor({ code, message, temporary = false, retry_after_ms, field }) {
    super(message);
    this.name = "RPCError";
    /** @type {number} the protocol's; 0: no answer (disconnected, or no room to wait) */
    this.code = code;
    /** @type {boolean} the same command may succeed later */
    this.temporary = temporary;
    /** @type {number | undefined} milliseconds, when the server said so */
    this.retryAfter = retry_after_ms;
    /** @type {string | undefined} the field that the server names in its message */
    this.field = field;
  }
}
