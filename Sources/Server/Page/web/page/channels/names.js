// Names for unnamed channels, made from their members: "Bob, Carol and 2 more".

import { userName } from "../format.js";

/** Maximum number of channels whose members are cached; the oldest is dropped first. */
const KEPT = 500;
const SHOWN = 3;
/** Maximum number of concurrent requests; others are queued. */
const AT_ONCE = 4;

/**
 * @param {import("../../belfry.js").Chat} chat
 * @returns {{of(channel): string, others(channel): object[], on(fn: () => void): () => void, version: number}} `of`:
 *   the best known name; loads members if needed and calls the `on` listeners when they arrive; `version` counts these
 *   updates
 */
export function channelNames(chat) {
  const known = new Map();
  const listeners = new Set();
  /** Queued channel ids, most recently requested last; at most `KEPT`. */
  const waiting = [];
  let asking = 0;

  function want(channel) {
    const entry = { count: channel.member_count, others: known.get(channel.id)?.others };
    known.delete(channel.id);
    known.set(channel.id, entry);
    if (known.size > KEPT) known.delete(known.keys().next().value);
    if (!waiting.includes(channel.id)) waiting.push(channel.id);
    if (waiting.length > KEPT) waiting.shift();
    next();
  }

  async function next() {
    if (asking >= AT_ONCE || waiting.length === 0) return;
    asking += 1;
    const id = waiting.shift();
    const entry = known.get(id);
    try {
      // One more than shown, because the user may be among them.
      const { members } = await chat.rpc("member.list", { channel_id: id, limit: SHOWN + 1 });
      if (entry) entry.others = members.map(({ user }) => user).filter((user) => user.id !== chat.me?.id);
      names.version += 1;
      for (const fn of listeners) fn();
    } catch {
      // Keep the old name; the next lookup of the channel retries.
      if (entry) entry.count = undefined;
    }
    asking -= 1;
    next();
  }

  function others(channel) {
    // Invited users cannot list the members.
    if (channel.my?.state !== "joined") return [];
    const entry = known.get(channel.id);
    if (entry?.count !== channel.member_count) want(channel);
    return known.get(channel.id).others ?? [];
  }

  const names = {
    version: 0,
    others,
    of(channel) {
      if (channel.name) return channel.name;
      if (channel.invitation?.inviter) return userName(channel.invitation.inviter);
      const people = others(channel);
      if (!people.length) return channel.member_count === 1 ? "Just you" : "Unnamed channel";
      const names = people.slice(0, SHOWN).map((user) => userName(chat.user(user.id) ?? user));
      const more = channel.member_count - 1 - names.length;
      return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
    },
    on(fn) {
      listeners.add(fn);
      return () => listeners.delete(fn);
    },
  };
  return names;
}
