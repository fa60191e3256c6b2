import { h } from "../dom.js";
import { withNames } from "./mentioned.js";

/** http and https alone: other schemes may run code or open programs. */
const LINK = /\bhttps?:\/\/[^\s<>"'`]+/giu;
const ONLY_EMOJIS = /^(?:(?=[^0-9#*])[\p{Emoji}\u{FE0F}\u{200D}\s])+$/u;
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Characters of three emojis at most, however they are put together. */
const FEW = 48;
/** What ends a sentence rather than an address. */
const TRAILING = /[.,;:!?…]+$/u;

/**
 * A message's text with its links and the names of whom it mentions, as nodes: text is text. Links open in a window of
 * their own, which learns nothing of this one; nothing is fetched to show them.
 *
 * @param {string} text
 * @param {import("./mentioned.js").Mentioned[]} [mentioned]
 * @returns {(string | HTMLElement)[]}
 */
export function linked(text, mentioned = []) {
  return withNames(text, mentioned).flatMap((part) => (typeof part === "string" ? withLinks(part) : part));
}

function withLinks(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(LINK)) {
    const address = trimmed(match[0]);
    if (!isAddress(address)) continue;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, address));
    end = match.index + address.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Without the end of the sentence, and without a bracket that was opened before the address. */
function trimmed(found) {
  let address = found.replace(TRAILING, "");
  while (/[)\]}]$/u.test(address)) {
    const close = address.at(-1);
    const open = { ")": "(", "]": "[", "}": "{" }[close];
    if (address.split(open).length >= address.split(close).length) break;
    address = address.slice(0, -1).replace(TRAILING, "");
  }
  return address;
}

function isAddress(text) {
  try {
    return new URL(text).hostname !== "";
  } catch {
    return false;
  }
}

/** Text of emojis alone, up to three of them, is shown large. */
export function isFewEmojis(text) {
  return text.length <= FEW && ONLY_EMOJIS.test(text) && [...GRAPHEMES.segment(text.replace(/\s/gu, ""))].length <= 3;
}
