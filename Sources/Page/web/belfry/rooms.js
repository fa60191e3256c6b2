import { isObject } from "./objects.js";

/**
 * Where the client stands in each room (a channel of the protocol): what it has heard, so that a connection that comes
 * back is told what it missed and nothing is told twice.
 */
export class Rooms {
  /**
   * `isAsked`: by the client itself. `isAway`: one is not in it now, and goes on from there.
   * @type {Map<string, {epoch: string, offset: number, recoverable: boolean, isAsked: boolean, isAway?: boolean}>}
   */
  #rooms = new Map();

  get names() {
    return [...this.#rooms.keys()];
  }

  has(name) {
    return this.#rooms.has(name);
  }

  /** Whether what is said there is heard on this connection. */
  isIn(name) {
    return this.#rooms.has(name) && !this.#rooms.get(name).isAway;
  }

  isAsked(name) {
    return this.#rooms.get(name)?.isAsked === true;
  }

  /** Those that were asked for are asked for again on the next connection. */
  leaveAsked() {
    for (const room of this.#rooms.values()) if (room.isAsked) room.isAway = true;
  }

  /** A room that one is not in yet is entered where somebody has left it. */
  recoverFrom(name, { epoch, offset }) {
    if (!this.#rooms.has(name)) this.#rooms.set(name, { epoch, offset, recoverable: true, isAsked: true, isAway: true });
  }

  /** What a subscribe command asks to recover from. @returns {{recover: true, epoch: string, offset: number} | undefined} */
  position(name) {
    const room = this.#rooms.get(name);
    return room?.recoverable ? { recover: true, epoch: room.epoch, offset: room.offset } : undefined;
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
    const recoverable = [...this.#rooms].filter(([, room]) => room.recoverable && !room.isAsked);
    return Object.fromEntries(recoverable.map(([name]) => [name, this.position(name)]));
  }

  /**
   * The room as the server says it now is.
   * @param {any} sub of a connect reply, a subscribe reply or a subscribe push
   * @param {boolean} [isAsked] whether it is a subscribe reply
   * @returns {{wasRecovering: boolean, recovered: boolean, publications: any[]}} `publications`: those not heard before
   */
  enter(name, sub, isAsked = false) {
    const before = this.#rooms.get(name);
    const offset = offsetOf(sub.offset) ?? 0;
    const epoch = typeof sub.epoch === "string" ? sub.epoch : "";
    const publications = Array.isArray(sub.publications) ? sub.publications.filter(isObject) : [];
    this.#rooms.set(name, { epoch, offset, recoverable: sub.recoverable === true || sub.positioned === true, isAsked });
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
    if (!room || room.isAway) return "unknown";
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
