// People of whom only the id is known: they are asked for once, and heard of by the chat's `users`.

/** Those who were asked for, by chat; forgotten when there are too many, and then asked for again. */
const asked = new WeakMap();
const KEPT = 1_000;

/**
 * @param {import("../belfry.js").Chat} chat
 * @param {string[]} ids at most 1,000
 * @returns {import("../belfry/types.js").User[]} those who are known by now, in the order of `ids`
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
  // Without an answer it is shown as if there was nobody of that id.
  chat.loadUsers(unknown).catch(() => {});
}
