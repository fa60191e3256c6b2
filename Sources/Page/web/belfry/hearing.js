import { isObject } from "./objects.js";
import { offsetOf, Rooms } from "./rooms.js";
import { Subscriptions } from "./subscriptions.js";

/**
 * What a client hears in the rooms it is in, those that the server puts it into and those that it asks for: each
 * offset once and in order, through all connections.
 */
export class Hearing {
  #rooms = new Rooms();
  #subscriptions;
  #connection;

  /**
   * @param {{isLive(): boolean, call(command: object, answered?: (sub: any) => void): Promise<any>,
   *   emit(name: string, value: any): void, missed(): void}} connection
   *   `call`: `answered` is told at once, before what comes behind the answer; `missed`: something was, and the next
   *   connection recovers it
   * @param {{minDelay: number, maxDelay: number}} delays ms between tries to subscribe
   */
  constructor(connection, delays) {
    this.#connection = connection;
    this.#subscriptions = new Subscriptions(this.#rooms, {
      isLive: connection.isLive, call: connection.call,
      entered: (channel, sub) => this.#enter(channel, sub, true),
      left: (channel, code, reason) => connection.emit("unsubscribed", { channel, code, reason }),
    }, delays);
  }

  /** What the connect command asks to recover from; undefined when there is nothing. */
  get positions() {
    const positions = this.#rooms.positions;
    return Object.keys(positions).length > 0 ? positions : undefined;
  }

  /** @returns {Promise<void>} @throws {RPCError} */
  subscribe(channel, recover) {
    return this.#subscriptions.add(channel, recover);
  }

  unsubscribe(channel) {
    const wasWanted = this.#subscriptions.remove(channel);
    if (!this.#rooms.isAsked(channel)) return;
    const wasIn = this.#rooms.isIn(channel);
    this.#rooms.forget(channel);
    if (wasIn) this.#connection.call({ unsubscribe: { channel } }).catch(() => {});
    if (wasWanted) this.#connection.emit("unsubscribed", { channel, code: 0, reason: "unsubscribe called" });
  }

  /** The rooms that a connect reply names, with what was missed in them. @param {unknown} subs */
  enter(subs) {
    const named = isObject(subs) ? subs : {};
    for (const channel of this.#rooms.names) {
      if (this.#rooms.isAsked(channel) || (Object.hasOwn(named, channel) && isObject(named[channel]))) continue;
      this.#rooms.forget(channel);
      const reason = "not among the subscriptions of the new connection";
      this.#connection.emit("unsubscribed", { channel, reason });
    }
    for (const [channel, sub] of Object.entries(named)) {
      if (isObject(sub)) this.#enter(channel, sub);
    }
  }

  /** Asks for what the connect reply did not name. */
  ask() {
    this.#subscriptions.connected();
  }

  /** @param {any} push of a room */
  pushed(push) {
    const { channel } = push;
    if (isObject(push.pub)) this.#published(channel, push.pub);
    else if (isObject(push.subscribe)) this.#enter(channel, push.subscribe);
    else if (isObject(push.unsubscribe)) {
      if (this.#rooms.forget(channel)) this.#connection.emit("unsubscribed", { channel, ...push.unsubscribe });
      this.#subscriptions.ended(channel, push.unsubscribe.code);
    } else this.#connection.emit("push", push);
  }

  /** The connection is gone; another one goes on from here. */
  pause() {
    this.#rooms.leaveAsked();
  }

  clear(reason) {
    this.#rooms.clear();
    this.#subscriptions.clear(reason);
  }

  #published(channel, publication) {
    switch (this.#rooms.hear(channel, offsetOf(publication.offset))) {
      case "new": return this.#tell(channel, publication, false);
      // The place is kept: the next connection recovers from it.
      case "gap": return this.#connection.missed();
      default:
    }
  }

  #tell(channel, { offset, data, info, tags }, recovered) {
    this.#connection.emit("publication", { channel, offset: offsetOf(offset), data, recovered, info, tags });
  }

  #enter(channel, sub, isAsked = false) {
    const { wasRecovering, recovered, publications } = this.#rooms.enter(channel, sub, isAsked);
    this.#connection.emit("subscribed", { channel, wasRecovering, recovered });
    for (const publication of publications) this.#tell(channel, publication, true);
  }
}
