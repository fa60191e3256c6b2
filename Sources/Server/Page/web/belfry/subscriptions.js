import { Backoff } from "./backoff.js";
import { noAnswer } from "./calls.js";
import { RPCError } from "./rpc-error.js";

/** Maximum number of client-side subscriptions. */
const MOST = 1_000;
/** Already subscribed. Centrifuge client protocol, error codes. */
const ALREADY = 105;
/** The position is no longer recoverable. Centrifuge client protocol, error codes. */
const UNRECOVERABLE = 112;
/** Unsubscribe codes from here on ask the client to resubscribe. Centrifuge client protocol, unsubscribe codes. */
const AGAIN = 2_500;

/** Client-side subscriptions, maintained across connections. Once entered, such a room works like a server-side one. */
export class Subscriptions {
  /** @type {Map<string, {backoff: Backoff, timer: any, isPending: boolean, waiting: {resolve, reject}[]}>} */
  #wishes = new Map();
  #rooms;
  #connection;
  #delays;

  /**
   * @param {Rooms} rooms
   * @param {{isLive(): boolean, call(command: object, answered?: (sub: any) => void): Promise<any>,
   *   entered(channel: string, sub: any): void, left(channel: string, code: number, reason: string): void}} connection
   *   `call`: `answered` is called synchronously, before messages after the reply are handled
   * @param {{minDelay: number, maxDelay: number}} delays ms between attempts
   */
  constructor(rooms, connection, { minDelay, maxDelay }) {
    this.#rooms = rooms;
    this.#connection = connection;
    this.#delays = [minDelay, maxDelay];
  }

  /** @param {{epoch: string, offset: number} | undefined} recover @returns {Promise<void>} @throws {RPCError} */
  add(channel, recover) {
    if (!this.#wishes.has(channel)) {
      if (this.#wishes.size >= MOST) return Promise.reject(new RPCError({ code: 0, message: "too many subscriptions" }));
      this.#wishes.set(channel, { backoff: new Backoff(...this.#delays), isPending: false, waiting: [] });
      if (recover) this.#rooms.recoverFrom(channel, recover);
    }
    if (this.#rooms.isIn(channel)) return Promise.resolve();
    const wish = this.#wishes.get(channel);
    return new Promise((resolve, reject) => {
      wish.waiting.push({ resolve, reject });
      this.#subscribe(channel);
    });
  }

  /** @returns {boolean} whether it existed */
  remove(channel) {
    return this.#drop(channel, noAnswer("unsubscribed"));
  }

  /** Handles a new connection, whose server-side rooms are already entered: subscribes to the others. */
  connected() {
    for (const [channel, wish] of this.#wishes) {
      wish.isPending = false;
      if (this.#rooms.isIn(channel)) this.#settle(channel);
      else this.#subscribe(channel);
    }
  }

  /** Handles an unsubscribe by the server; the room has already been removed. */
  ended(channel, code) {
    if (!this.#wishes.has(channel)) return;
    if (code >= AGAIN) this.#subscribe(channel);
    else this.#drop(channel, new RPCError({ code: code ?? 0, message: "unsubscribed" }));
  }

  clear(reason) {
    for (const channel of [...this.#wishes.keys()]) this.#drop(channel, noAnswer(reason));
  }

  async #subscribe(channel, isRecovering = true) {
    const wish = this.#wishes.get(channel);
    if (!wish || wish.isPending || !this.#connection.isLive()) return;
    clearTimeout(wish.timer);
    wish.isPending = true;
    const position = isRecovering ? this.#rooms.position(channel) : undefined;
    try {
      await this.#connection.call({ subscribe: { channel, ...position } }, (sub) => this.#answered(channel, sub));
    } catch (error) {
      // The error is stale if the subscription was dropped or belongs to another connection.
      if (this.#wishes.get(channel) === wish && wish.isPending) this.#refused(channel, wish, error, isRecovering);
    }
  }

  #answered(channel, sub) {
    const wish = this.#wishes.get(channel);
    // Unsubscribed while the command was in progress.
    if (!wish) return void this.#connection.call({ unsubscribe: { channel } }).catch(() => {});
    wish.isPending = false;
    wish.backoff.reset();
    this.#connection.entered(channel, sub);
    this.#settle(channel);
  }

  #refused(channel, wish, error, isRecovering) {
    wish.isPending = false;
    if (error.code === UNRECOVERABLE && isRecovering) return this.#subscribe(channel, false);
    if (error.code === ALREADY && this.#rooms.isIn(channel)) return this.#settle(channel);
    if (error.temporary) {
      wish.timer = setTimeout(() => this.#subscribe(channel), error.retryAfter ?? wish.backoff.next());
      return;
    }
    this.#rooms.remove(channel);
    this.#drop(channel, error);
    this.#connection.left(channel, error.code, error.message);
  }

  #settle(channel) {
    const wish = this.#wishes.get(channel);
    for (const { resolve } of wish?.waiting.splice(0) ?? []) resolve();
  }

  #drop(channel, error) {
    const wish = this.#wishes.get(channel);
    if (!wish) return false;
    clearTimeout(wish.timer);
    this.#wishes.delete(channel);
    for (const { reject } of wish.waiting) reject(error);
    return true;
  }
}
