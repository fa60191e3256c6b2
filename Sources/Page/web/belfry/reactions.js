import { isObject } from "./objects.js";

/** Of how many reactions it is remembered when they changed; beyond it the oldest are forgotten. */
const REMEMBERED = 5_000;
/** How many people a reaction shows by default. */
const SHOWN = 10;

/**
 * Applies `reaction.updated` in any order: the people of a key are those whose last operation was to add, the count is
 * that of the greatest `updated_at`.
 */
export class ReactionFold {
  /** When a key of a message, or one person's, changed last. @type {Map<string, number>} */
  #times = new Map();

  /** @returns {Message} the same one when there is nothing new */
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

/** What the own click is taken to come to, until the server says so. @returns {Message} */
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

/** Members who may not see the message hear its id alone. */
function isChange(change) {
  return isObject(change) && typeof change.key === "string" && typeof change.user_id === "string"
    && Number.isSafeInteger(change.count) && Number.isFinite(change.updated_at);
}

function people(ids, id, operation) {
  if (operation !== "add") return ids.filter((other) => other !== id);
  return ids.includes(id) || ids.length >= SHOWN ? ids : [...ids, id];
}

/** In the order in which the keys were first given; those that nobody gives any more are gone. */
function replaced(reactions, next) {
  const at = reactions.findIndex((reaction) => reaction.key === next.key);
  if (next.count <= 0) return reactions.filter((_, index) => index !== at);
  return at < 0 ? [...reactions, next] : reactions.map((reaction, index) => (index === at ? next : reaction));
}
