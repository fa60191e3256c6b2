// Whose names a message holds because it mentions them.

import { h } from "../dom.js";
import { userName } from "../format.js";
import { usersOf } from "../users.js";

/** As many people one message may mention. ClientProtocol.md, Mentions. */
const MOST = 100;

/** @typedef {{name: string, isMe: boolean}} Mentioned */

/**
 * Longest names first: of "Ann" and "Ann Lee" the one that stands there is meant. Who is not known yet is asked for.
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
 * A text with the names in it marked.
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
