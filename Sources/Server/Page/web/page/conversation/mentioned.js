// Finds and marks the names of the users that a message mentions.

import { h } from "../dom.js";
import { userName } from "../format.js";
import { usersOf } from "../users.js";

/** The limit of mentions per message. ClientProtocol.md, Mentions. */
const MOST = 100;

/** @typedef {{name: string, isMe: boolean}} Mentioned */

/**
 * Returns the mentioned names, longest first, so that "Ann Lee" is not matched as "Ann". Requests unknown users.
 *
 * @param {Chat} chat @param {import("../../belfry/types.js").Message} message
 * @returns {Mentioned[]}
 */
export function mentionedIn(chat, { mention_type: type, mentioned_user_ids: ids = [] }) {
  if (type !== "users") return [];
  const users = usersOf(chat, ids.slice(0, MOST));
  return users.map((user) => ({ name: userName(user), isMe: user.id === chat.me?.id }))
    .sort((a, b) => b.name.length - a.name.length);
}

/**
 * Splits a text and marks the mentioned names.
 * @param {string} text @param {Mentioned[]} mentioned
 * @returns {(string | HTMLElement)[]}
 */
export function withNames(text, mentioned) {
  const parts = [];
  let end = 0;
  for (let at = text.indexOf("@"); at >= 0 && mentioned.length > 0; at = text.indexOf("@", at)) {
    const one = mentioned.find(({ name }) => text.startsWith(name, at + 1));
    if (!one) {
      at += 1;
      continue;
    }
    if (at > end) parts.push(text.slice(end, at));
    parts.push(h("span", { class: ["mentioned", one.isMe && "me"] }, `@${one.name}`));
    at = end = at + 1 + one.name.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}
