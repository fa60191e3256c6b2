import { isObject } from "./objects.js";

/**
 * The position in each room (a channel of the protocol), so that a new connection can recover missed publications and
 * none is emitted twice.
 */
export class Rooms {
  /**
   * `isRequested`: the client subscribed. `isAway`: not subscribed now, but the position is kept.
   * @type {Map<string, {epoch: string, offset: number, recoverable: boolean, isRequested: boolean, isAway?: boolean}>}
   */
  #rooms = new Map();

  get names() {
    return [...this.#rooms.keys()];
  }

  has(name) {
    return this.#rooms.has(name);
  }

  /** Returns whether this connection receives the room's publications. */
  isIn(name) {
    return this.#rooms.has(name) && !this.#rooms.get(name).isAway;
  }

  isRequested(name) {
    return this.#rooms.get(name)?.isRequested === true;
  }

  /** Marks the client's own subscriptions, so that the next connection resubscribes. */
  leaveRequested() {
    for (const room of this.#rooms.values()) if (room.isRequested) room.isAway = true;
  }

  /** Sets the position to recover from in a room not yet entered. */
  recoverFrom(name, { epoch, offset }) {
    if (!this.#rooms.has(name)) this.#rooms.set(name, { epoch, offset, recoverable: true, isRequested: true, isAway: true });
  }

  /**
   * Returns the position for a subscribe command.
   * @returns {{recover: true, epoch: string, offset: number} | undefined}
   */
  position(name) {
    const room = this.#rooms.get(name);
    return room?.recoverable ? { recover: true, epoch: room.epoch, offset: room.offset } : undefined;
  }

  remove(name) {
    return this.#rooms.delete(name);
  }

  clear() {
    this.#rooms.clear();
  }

  /**
   * The positions for the connect command.
   * @returns {Record<string, {recover: true, epoch: string, offset: number}>}
   */
  get positions() {
    // Rooms without history have no position to recover from.
    const recoverable = [...this.#rooms].filter(([, room]) => room.recoverable && !room.isRequested);
    return Object.fromEntries(recoverable.map(([name]) => [name, this.position(name)]));
  }

  /**
   * Updates a room from the server.
   * @param {any} sub from a connect reply, a subscribe reply or a subscribe push
   * @param {boolean} [isRequested] whether it is a subscribe reply
   * @returns {{wasRecovering: boolean, recovered: boolean, publications: any[]}} `publications`: the new ones
   */
  enter(name, sub, isRequested = false) {
    const before = this.#rooms.get(name);
    const offset = offsetOf(sub.offset) ?? 0;
    const epoch = typeof sub.epoch === "string" ? sub.epoch : "";
    const publications = Array.isArray(sub.publications) ? sub.publications.filter(isObject) : [];
    this.#rooms.set(name, { epoch, offset, recoverable: sub.recoverable === true || sub.positioned === true, isRequested });
    if (!before) return { wasRecovering: false, recovered: false, publications };
    if (!before.recoverable) return { wasRecovering: true, recovered: false, publications };
    const missed = publications.filter((publication) => offsetOf(publication.offset) > before.offset);
    const recovered = before.epoch === epoch
      && (sub.recovered === true ? leads(before.offset, missed, offset) : before.offset === offset);
    return { wasRecovering: true, recovered, publications: recovered ? missed : [] };
  }

  /**
   * @param {string} name
   * @param {number | undefined} offset absent if the publication is not stored
   * @returns {"new" | "known" | "gap" | "unknown"} `gap`: earlier publications were missed
   */
  advance(name, offset) {
    const room = this.#rooms.get(name);
    if (!room || room.isAway) return "unknown";
    if (offset === undefined) return "new";
    if (offset <= room.offset) return "known";
    if (room.recoverable && offset > room.offset + 1) return "gap";
    room.offset = offset;
    return "new";
  }
}

/** Verifies a `recovered` reply, whose publications must have no gaps. */
function leads(from, publications, to) {
  let offset = from;
  for (const publication of publications) {
    if (offsetOf(publication.offset) !== offset + 1) return false;
    offset += 1;
  }
  return offset === to;
}

/** @returns {number | undefined} undefined if there is none; the protocol does not distinguish 0 from absent */
export function offsetOf(value) {
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
