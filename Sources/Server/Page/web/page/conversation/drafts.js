/** Drafts with their mentions, by key, until the page is closed. Above the limit, the oldest is dropped. */
const drafts = new Map();
const MOST = 100;

/** @typedef {{text: string, people: Map<string, string>}} Draft `people`: id → name of the mentioned users */

/** @param {string} key @returns {Draft | undefined} */
export const draftOf = (key) => drafts.get(key);

/** @param {string} key @param {Draft} draft dropped if its text is blank */
export function keepDraft(key, draft) {
  drafts.delete(key);
  if (draft.text.trim() !== "") drafts.set(key, draft);
  if (drafts.size > MOST) drafts.delete(drafts.keys().next().value);
}

export const dropDraft = (key) => drafts.delete(key);
