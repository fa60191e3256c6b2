import { h } from "../dom.js";
import { withNames } from "./mentioned.js";

/** Only http and https, because other schemes may run code or open programs. */
const LINK = /\bhttps?:\/\/[^\s<>"'`]+/giu;
const ONLY_EMOJIS = /^(?:(?=[^0-9#*])[\p{Emoji}\u{FE0F}\u{200D}\s])+$/u;
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Maximum length of three emojis, including joined sequences. */
const FEW = 48;
/** Punctuation that ends a sentence rather than an address. */
const TRAILING = /[.,;:!?…]+$/u;

/**
 * Renders a text as nodes, with links and mentioned names; nothing is parsed as HTML. Links open in a new window
 * without opener or referrer. No previews are fetched.
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

/** Removes the sentence's punctuation, and brackets opened before the address. */
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

/** Returns whether to show the text large: it is one to three emojis and nothing else. */
export function isFewEmojis(text) {
  return text.length <= FEW && ONLY_EMOJIS.test(text) && [...GRAPHEMES.segment(text.replace(/\s/gu, ""))].length <= 3;
}
