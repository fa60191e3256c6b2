// Texts with marked places, and the part of a found text that is shown.

import { h } from "../dom.js";

/** The length of the part, and of what comes before its first mark, in UTF-16 units. */
const SHOWN = 280;
const BEFORE = 60;
const SPACE = /\s/u;

/**
 * @param {string} text
 * @param {[number, number][]} marks ascending, apart and inside the text
 * @returns {{text: string, isMarked: boolean}[]} never half of a surrogate pair
 */
export function excerpt(text, marks) {
  const first = marks[0]?.[0] ?? 0;
  const begin = first > BEFORE ? beginning(text, first - BEFORE, first) : 0;
  const end = whole(text, Math.min(text.length, begin + SHOWN));
  const parts = splitAtMarks(text, marks, begin, end);
  if (begin > 0) parts.unshift({ text: "…", isMarked: false });
  if (end < text.length) parts.push({ text: "…", isMarked: false });
  return parts;
}

/**
 * Splits a text at marks.
 * @param {string} text
 * @param {[number, number][]} marks start and length, ascending by start and inside the text; they may overlap
 * @returns {{text: string, isMarked: boolean}[]} never half of a surrogate pair
 */
export function splitAtMarks(text, marks, begin = 0, end = text.length) {
  const parts = [];
  let at = begin;
  const add = (to, isMarked) => {
    if (to > at) parts.push({ text: text.slice(at, to), isMarked });
    at = Math.max(at, to);
  };
  for (const [start, length] of marks) {
    if (start >= end) break;
    add(whole(text, start), false);
    add(Math.min(end, whole(text, start + length, 1)), true);
  }
  add(end, false);
  return parts;
}

/** The nodes of marked parts. @param {{text: string, isMarked: boolean}[]} parts */
export const highlighted = (parts) => parts.map(({ text, isMarked }) => (isMarked ? h("mark", null, text) : text));

/** Returns the beginning of a word between two places, or that of a character. */
function beginning(text, from, until) {
  for (let at = from; at < until; at += 1) if (SPACE.test(text[at])) return at + 1;
  return whole(text, from);
}

/** Moves a place out of the middle of a surrogate pair. @param {-1 | 1} [way] */
function whole(text, at, way = -1) {
  const isInside = /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[at] ?? "");
  return isInside ? at + way : at;
}
