import { isObject } from "./objects.js";
import { offsetOf, Rooms } from "./rooms.js";
import { Subscriptions } from "./subscriptions.js";

/**
 * Delivers the publications of all rooms, whether the server or the client subscribed to them. Each offset is delivered
 * once and in order, across connections.
 */
export class Publications {
  #rooms = new Rooms();
  #subscriptions;
  #connection;

  /**
   * @param {{isLive(): boolean, call(command: object, answered?: (sub: any) => void): Promise<any>, emit(name: string,
   *   value: any): void, missed(): void}} connection `call`: `answered` is called synchronously, before messages after
   *   the reply are handled; `missed`: publications were missed, and the next connection recovers them
   * @param {{minDelay: number, maxDelay: number}} delays ms between attempts to subscribe
   */
  constructor(connection, delays) {
    this.#connection = connection;
    this.#subscriptions = new Subscriptions(this.#rooms, {
      isLive: connection.isLive, call: connection.call,
      entered: (channel, sub) => this.#enter(channel, sub, true),
      left: (channel, code, reason) => connection.emit("unsubscribed", { channel, code, reason }),
    }, delays);
  }

  /** The positions that the connect command recovers from; undefined if there are none. */
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
    if (!this.#rooms.isRequested(channel)) return;
    const wasIn = this.#rooms.isIn(channel);
    this.#rooms.remove(channel);
    if (wasIn) this.#connection.call({ unsubscribe: { channel } }).catch(() => {});
    if (wasWanted) this.#connection.emit("unsubscribed", { channel, code: 0, reason: "unsubscribe called" });
  }

  /** Enters the rooms in a connect reply, with the publications missed in them. @param {unknown} subs */
  enter(subs) {
    const named = isObject(subs) ? subs : {};
    for (const channel of this.#rooms.names) {
      if (this.#rooms.isRequested(channel) || (Object.hasOwn(named, channel) && isObject(named[channel]))) continue;
      this.#rooms.remove(channel);
      const reason = "not among the subscriptions of the new connection";
      this.#connection.emit("unsubscribed", { channel, reason });
    }
    for (const [channel, sub] of Object.entries(named)) {
      if (isObject(sub)) this.#enter(channel, sub);
    }
  }

  /** Subscribes to the rooms missing from the connect reply. */
  resubscribe() {
    this.#subscriptions.connected();
  }

  /** @param {any} push a push with a channel */
  pushed(push) {
    const { channel } = push;
    if (isObject(push.pub)) this.#published(channel, push.pub);
    else if (isObject(push.subscribe)) this.#enter(channel, push.subscribe);
    else if (isObject(push.unsubscribe)) {
      if (this.#rooms.remove(channel)) this.#connection.emit("unsubscribed", { channel, ...push.unsubscribe });
      this.#subscriptions.ended(channel, push.unsubscribe.code);
    } else this.#connection.emit("push", push);
  }

  /** Handles the loss of the connection. Positions are kept for the next one. */
  pause() {
    this.#rooms.leaveRequested();
  }

  clear(reason) {
    this.#rooms.clear();
    this.#subscriptions.clear(reason);
  }

  #published(channel, publication) {
    switch (this.#rooms.advance(channel, offsetOf(publication.offset))) {
      case "new": return this.#emitPublication(channel, publication, false);
      // Keep the position, because the next connection recovers from it.
      case "gap": return this.#connection.missed();
      default:
    }
  }

  #emitPublication(channel, { offset, data, info, tags }, recovered) {
    this.#connection.emit("publication", { channel, offset: offsetOf(offset), data, recovered, info, tags });
  }

  #enter(channel, sub, isRequested = false) {
    const { wasRecovering, recovered, publications } = this.#rooms.enter(channel, sub, isRequested);
    this.#connection.emit("subscribed", { channel, wasRecovering, recovered });
    for (const publication of publications) this.#emitPublication(channel, publication, true);
  }
}
