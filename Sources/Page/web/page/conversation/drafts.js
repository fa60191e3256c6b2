/** Unsent texts, and whom they mention, by their place, while the page lives; the oldest of too many is forgotten. */
const drafts = new Map();
const MOST = 100;

/** @typedef {{text: string, people: Map<string, string>}} Draft `people`: id → name of those who were picked */

/** @param {string} key @returns {Draft | undefined} */
export const draftOf = (key) => drafts.get(key);

/** @param {string} key @param {Draft} draft without a text it is forgotten */
export function keepDraft(key, draft) {
  drafts.delete(key);
  if (draft.text.trim() !== "") drafts.set(key, draft);
  if (drafts.size > MOST) drafts.delete(drafts.keys().next().value);
}

export const dropDraft = (key) => drafts.delete(key);
