// People to suggest: the members of the user's channels.

/** Number of channels whose members are loaded. */
const CHANNELS = 5;
/** Maximum number of people remembered. */
const KEPT = 300;

/**
 * @param {import("../belfry.js").Chat} chat
 * @returns {{known(): object[], load(): Promise<void>}} `known`: sorted by name; `load` queries the server once
 */
export function people(chat) {
  const met = new Map();
  let asked = false;
  const meet = (user) => user && met.size < KEPT && met.set(user.id, user);
  return {
    known() {
      for (const { last_message: message } of chat.channels.items) meet(message?.user);
      const newest = [...met.values()].map((user) => chat.user(user.id) ?? user);
      return newest.filter((user) => !user.is_deleted).sort((a, b) => (a.nickname || a.id).localeCompare(b.nickname || b.id));
    },
    async load() {
      if (asked) return;
      asked = true;
      const joined = chat.channels.items.slice(0, CHANNELS);
      const lists = await Promise.allSettled(
        joined.map(({ id }) => chat.rpc("member.list", { channel_id: id, limit: 100 })),
      );
      for (const { value } of lists) value?.members?.forEach(({ user, online }) => meet({ online, ...user }));
    },
  };
}
