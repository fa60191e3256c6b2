// Loads users known only by id, once each. The results arrive as the chat's `users` events.

/** Ids already requested, per chat. Cleared when there are too many, so some may be requested again. */
const asked = new WeakMap();
const KEPT = 1_000;

/**
 * @param {import("../belfry.js").Chat} chat
 * @param {string[]} ids at most 1,000
 * @returns {import("../belfry/types.js").User[]} the users known so far, in the order of `ids`
 */
export function usersOf(chat, ids) {
  const users = ids.map((id) => chat.user(id)).filter(Boolean);
  if (users.length < ids.length) learn(chat, ids.filter((id) => !chat.user(id)));
  return users;
}

function learn(chat, ids) {
  if (!asked.has(chat) || asked.get(chat).size > KEPT) asked.set(chat, new Set());
  const known = asked.get(chat);
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  for (const id of unknown) known.add(id);
  // Without an answer, the id is shown as an unknown user.
  chat.loadUsers(unknown).catch(() => {});
}
