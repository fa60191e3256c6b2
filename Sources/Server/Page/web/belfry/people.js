import { Emitter } from "./emitter.js";
import { isObject } from "./objects.js";
import { without } from "./messages.js";

/** Maximum number of users kept; the least recently updated are dropped first. */
const REMEMBERED = 10_000;

/** Known users, with their names, pictures and presence. Emits "users" with the changed ids, once per turn. */
export class People extends Emitter {
  /** @type {Map<string, User>} */
  #users = new Map();
  #news = null;

  get(id) {
    return this.#users.get(id);
  }

  /**
   * @param {any} user
   * @param {{isOld?: boolean}} [options] `isOld`: the data comes from a recovered event, and the known data may be
   *   newer
   */
  learn(user, { isOld = false } = {}) {
    if (!isObject(user) || typeof user.id !== "string") return;
    const old = this.#users.get(user.id);
    if (old && isOld) return;
    // A message's author has only a name and a picture, so keep the other fields, except those of a deleted user.
    const kept = user.is_deleted || old?.is_deleted ? undefined : old;
    const next = without({
      ...user, metadata: user.metadata ?? kept?.metadata, is_active: user.is_active ?? kept?.is_active,
      online: user.online ?? kept?.online, last_seen_at: user.last_seen_at ?? kept?.last_seen_at,
    });
    if (!old || !isSame(old, next)) this.#set(next);
  }

  /** @param {any} presence */
  updatePresence(presence) {
    if (!isObject(presence) || typeof presence.user_id !== "string") return;
    const old = this.#users.get(presence.user_id);
    // A user who was never loaded is not shown.
    if (!old) return;
    const next = without({ ...old, online: presence.online === true, last_seen_at: presence.last_seen_at ?? old.last_seen_at });
    if (!isSame(old, next)) this.#set(next);
  }

  /** Returns users with known presence, most recently updated first. @returns {string[]} */
  watched(limit) {
    const ids = [];
    for (const user of [...this.#users.values()].reverse()) {
      if (user.online !== undefined) ids.push(user.id);
      if (ids.length >= limit) break;
    }
    return ids;
  }

  clear() {
    this.#users.clear();
  }

  #set(user) {
    this.#users.delete(user.id);
    this.#users.set(user.id, user);
    if (this.#users.size > REMEMBERED) this.#users.delete(this.#users.keys().next().value);
    if (this.#news) return this.#news.add(user.id);
    this.#news = new Set([user.id]);
    queueMicrotask(() => {
      const news = this.#news;
      this.#news = null;
      this.emit("users", news);
    });
  }
}

function isSame(a, b) {
  const names = Object.keys(b);
  return Object.keys(a).length === names.length
    && names.every((name) => a[name] === b[name] || (name === "metadata" && JSON.stringify(a[name]) === JSON.stringify(b[name])));
}
