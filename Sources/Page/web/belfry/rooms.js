import { isObject } from "./frames.js";

/**
 * Where the client stands in each room (a channel of the protocol): what it has heard, so that a connection that comes
 * back is told what it missed and nothing is told twice.
 */
export class Rooms {
  /** @type {Map<string, {epoch: string, offset: number, recoverable: boolean}>} */
  #rooms = new Map();

  get names() {
    return [...this.#rooms.keys()];
  }

  has(name) {
    return this.#rooms.has(name);
  }

  forget(name) {
    return this.#rooms.delete(name);
  }

  clear() {
    this.#rooms.clear();
  }

  /** What the connect command asks to recover from. @returns {Record<string, {recover: true, epoch: string, offset: number}>} */
  get positions() {
    // A room without history has no positions: it is only subscribed to.
    const recoverable = [...this.#rooms].filter(([, room]) => room.recoverable);
    return Object.fromEntries(recoverable.map(([name, { epoch, offset }]) => [name, { recover: true, epoch, offset }]));
  }

  /**
   * The room as the server says it now is.
   * @param {any} sub of a connect reply, a subscribe reply or a subscribe push
   * @returns {{wasRecovering: boolean, recovered: boolean, publications: any[]}} `publications`: those not heard before
   */
  enter(name, sub) {
    const before = this.#rooms.get(name);
    const offset = offsetOf(sub.offset) ?? 0;
    const epoch = typeof sub.epoch === "string" ? sub.epoch : "";
    const publications = Array.isArray(sub.publications) ? sub.publications.filter(isObject) : [];
    this.#rooms.set(name, { epoch, offset, recoverable: sub.recoverable === true || sub.positioned === true });
    if (!before) return { wasRecovering: false, recovered: false, publications };
    if (!before.recoverable) return { wasRecovering: true, recovered: false, publications };
    const unheard = publications.filter((publication) => offsetOf(publication.offset) > before.offset);
    const recovered = before.epoch === epoch
      && (sub.recovered === true ? leads(before.offset, unheard, offset) : before.offset === offset);
    return { wasRecovering: true, recovered, publications: recovered ? unheard : [] };
  }

  /**
   * @param {string} name
   * @param {number | undefined} offset absent: nothing that is stored
   * @returns {"new" | "known" | "gap" | "unknown"} `gap`: something before it was not heard
   */
  hear(name, offset) {
    const room = this.#rooms.get(name);
    if (!room) return "unknown";
    if (offset === undefined) return "new";
    if (offset <= room.offset) return "known";
    if (room.recoverable && offset > room.offset + 1) return "gap";
    room.offset = offset;
    return "new";
  }
}

/** A server that says `recovered` and skips something must not be believed. */
function leads(from, publications, to) {
  let offset = from;
  for (const publication of publications) {
    if (offsetOf(publication.offset) !== offset + 1) return false;
    offset += 1;
  }
  return offset === to;
}

/** @returns {number | undefined} undefined when there is none: 0 and absent are alike in the protocol */
export function offsetOf(value) {
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
