import { isObject } from "./objects.js";

/** Maximum number of change times kept; the oldest are dropped first. */
const REMEMBERED = 5_000;
/** Number of users that a reaction lists by default. */
const SHOWN = 10;

/**
 * Applies `reaction.updated` events in any order. A key's users are those whose last operation was "add"; its count is
 * the one with the latest `updated_at`.
 */
export class ReactionFold {
  /** The time of the last change per message and key, and per user. @type {Map<string, number>} */
  #times = new Map();

  /** @returns {Message} the same object if nothing is new */
  apply(message, change, myID) {
    if (!isChange(change)) return message;
    const { message_id, key, operation, user_id, count, updated_at } = change;
    const reactions = message.reactions ?? [];
    const old = reactions.find((reaction) => reaction.key === key);
    const knownAt = Math.max(old?.updated_at ?? 0, this.#times.get(`${message_id} ${key}`) ?? 0);
    const isNews = this.#isNews(`${message_id} ${key} ${user_id}`, updated_at);
    if (!isNews && updated_at <= knownAt) return message;
    this.#isNews(`${message_id} ${key}`, updated_at);
    const next = {
      key,
      count: updated_at >= knownAt ? count : old?.count ?? 0,
      mine: isNews && user_id === myID ? operation === "add" : old?.mine ?? false,
      user_ids: isNews ? people(old?.user_ids ?? [], user_id, operation) : old?.user_ids ?? [],
      updated_at: Math.max(updated_at, knownAt),
    };
    return { ...message, reactions: replaced(reactions, next) };
  }

  #isNews(name, time) {
    if ((this.#times.get(name) ?? 0) >= time) return false;
    this.#times.delete(name);
    this.#times.set(name, time);
    if (this.#times.size > REMEMBERED) this.#times.delete(this.#times.keys().next().value);
    return true;
  }
}

/** Optimistically applies the user's own click until the server confirms it. @returns {Message} */
export function anticipated(message, key, on, myID) {
  const reactions = message.reactions ?? [];
  const old = reactions.find((reaction) => reaction.key === key) ?? { key, count: 0, mine: false, user_ids: [], updated_at: 0 };
  if (old.mine === on) return message;
  const next = {
    ...old, mine: on, count: Math.max(0, old.count + (on ? 1 : -1)),
    user_ids: people(old.user_ids, myID, on ? "add" : "remove"),
  };
  return { ...message, reactions: replaced(reactions, next) };
}

/** Members who may not see the message receive only its id. */
function isChange(change) {
  return isObject(change) && typeof change.key === "string" && typeof change.user_id === "string"
    && Number.isSafeInteger(change.count) && Number.isFinite(change.updated_at);
}

function people(ids, id, operation) {
  if (operation !== "add") return ids.filter((other) => other !== id);
  return ids.includes(id) || ids.length >= SHOWN ? ids : [...ids, id];
}

/** Keeps the keys in the order they first appeared, and drops keys without users. */
function replaced(reactions, next) {
  const at = reactions.findIndex((reaction) => reaction.key === next.key);
  if (next.count <= 0) return reactions.filter((_, index) => index !== at);
  return at < 0 ? [...reactions, next] : reactions.map((reaction, index) => (index === at ? next : reaction));
}
