import { isObject } from "./objects.js";

/** Maximum duration of one `typing.started` in ms, whatever the server's clock says. */
const LONGEST = 15_000;
/** Maximum number of users shown. */
const SHOWN = 100;
/**
 * Minimum time between the user's own `typing.start` commands in one channel, in ms. On the server, each lasts 10 s.
 */
const REPEAT = 5_000;

/** The users typing in one channel. Each entry expires by itself. */
export class Typing {
  #typing = new Map();
  #timer = null;
  #changed;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
  }

  /** @returns {User[]} in the order they started */
  get users() {
    return [...this.#typing.values()].map(({ user }) => user);
  }

  /** @param {any} typing @param {number} at the event's time, by the server's clock */
  started(typing, at) {
    if (!isObject(typing) || typeof typing.user?.id !== "string") return;
    const lasts = Math.max(0, Math.min(LONGEST, (typing.expires_at ?? at + LONGEST) - at));
    const isNew = !this.#typing.has(typing.user.id);
    if (isNew && this.#typing.size >= SHOWN) return;
    // The clocks of client and server may differ, so use only the duration from the server.
    this.#typing.set(typing.user.id, { user: typing.user, until: Date.now() + lasts });
    this.#schedule();
    if (isNew) this.#changed();
  }

  stopped(userId) {
    if (!this.#typing.delete(userId)) return;
    this.#schedule();
    this.#changed();
  }

  clear() {
    this.#typing.clear();
    this.#schedule();
  }

  #schedule() {
    clearTimeout(this.#timer);
    if (this.#typing.size === 0) return;
    const next = Math.min(...[...this.#typing.values()].map(({ until }) => until));
    this.#timer = setTimeout(() => this.#expire(), Math.max(0, next - Date.now()));
  }

  #expire() {
    const now = Date.now();
    for (const [id, { until }] of this.#typing) if (until <= now) this.#typing.delete(id);
    this.#schedule();
    this.#changed();
  }
}

/** Announces that the user is typing, at a limited rate. */
export class OwnTyping {
  /** Maps a channel to the time of the last `typing.start`, in ms of the local clock. */
  #said = new Map();
  #rpc;

  /** @param {(method: string, data: any) => Promise<any>} rpc */
  constructor(rpc) {
    this.#rpc = rpc;
  }

  start(channelId) {
    if (Date.now() - (this.#said.get(channelId) ?? -Infinity) < REPEAT) return;
    if (this.#said.size > 100) this.#said.clear();
    this.#said.set(channelId, Date.now());
    // If the user may not write, sending the message will report it.
    this.#rpc("typing.start", { channel_id: channelId }).catch(() => {});
  }

  stop(channelId) {
    if (!this.#said.delete(channelId)) return;
    this.#rpc("typing.stop", { channel_id: channelId }).catch(() => {});
  }

  /**
   * Handles a sent message, which ends typing for everyone. The server relays typing once a second, so an earlier start
   * would be lost.
   */
  sent(channelId) {
    if (this.#said.has(channelId)) this.#said.set(channelId, Date.now() - REPEAT + 1_000);
  }
}
