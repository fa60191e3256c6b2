import { Emitter } from "./emitter.js";

/** One channel. */
export class Channel extends Emitter {
  /** @type {string} */
  id;
  /** @type {ChannelJSON | null} null until loaded */
  value = null;
  /** @type {"loading" | "ready" | "failed" | "gone"} gone: deleted, left, banned, declined */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  /** @type {User[]} who types now, except oneself, in the order they began */
  typing = [];
  /** @type {Map<string, number>} user id → offset up to which they have read, as far as heard (≤ 100 members) */
  receipts = new Map();
  /** How many others have read it, as far as known. @param {Message} message @returns {number} */
  readCount(message) {}
  async reload() {}
}
