// Texts of the conversation: names and counts in display form.

import { shortCount } from "../controls.js";
import { userName } from "../format.js";
import { FOLDED } from "./folded.js";

/** Returns the line above a quote: who replied to whom; the user is "You". */
export function repliedTo(message, me) {
  const who = (user) => (user.id === me?.id ? "You" : userName(user));
  const author = message.user ? who(message.user) : "Someone";
  return message.parent?.user ? `${author} replied to ${who(message.parent.user)}` : `${author} replied to a message`;
}

/** `1 reply`, `12 replies`, `99+ replies`. */
export function repliesText(count) {
  if (count === 1) return "1 reply";
  return `${shortCount(count)} replies`;
}

/** Returns a message as a single line, for lists and quotes. @returns {string} */
export function summaryOf(message) {
  if (message.text) return message.text;
  const files = message.files ?? (message.file ? [message.file] : []);
  if (files.length > 1) return `${files.length} files`;
  if (files.length === 1) return files[0].name || "File";
  return "";
}

/** Returns the summary, or what stands in for a message of someone blocked. @param {import("../../belfry.js").Chat} chat */
export const shownSummary = (chat, message) => (chat.blocked.wrote(message) ? FOLDED : summaryOf(message));

/** Returns the text in place of a quoted message that cannot be shown. */
export function quoteProblem(parent) {
  if (parent.state === "unavailable") return "Message unavailable: it is from before you could see this channel.";
  if (parent.state === "not_found") return "Couldn't find the original message for this reply.";
  return null;
}

/** "Ann is typing…" @param {import("../../belfry/types.js").User[]} users @returns {string} empty for nobody */
export function typingText(users) {
  if (users.length === 0) return "";
  if (users.length === 1) return `${userName(users[0])} is typing…`;
  if (users.length === 2) return `${userName(users[0])} and ${userName(users[1])} are typing…`;
  return "Several people are typing…";
}

/** @param {number} bytes */
export function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB"];
  let value = bytes;
  let unit = -1;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
