// Pictures as addresses that an <img> can show: those of this server need the token, which an <img> cannot send.

/** Pictures kept; the one that was not shown for longest makes room. */
const KEPT = 80;
/** What browsers draw everywhere. An SVG may be a page of its own, so it is a file like any other. */
const TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
/** Larger ones are shown as files: they would be fetched just because one scrolls past. */
const MAX_BYTES = 12_000_000;

/** address of the picture → its blob's, or the promise of it; in the order of use. */
const kept = new Map();
/** The addresses of files that are being sent live as long as the file does. */
const local = new WeakMap();

/** @param {import("../../belfry/types.js").MessageFile & {file?: File}} file */
export function isPicture(file) {
  if (!TYPES.has(file.mime_type)) return false;
  if (file.file) return true;
  return file.id !== undefined && (file.thumbnails?.length > 0 || (file.size ?? 0) <= MAX_BYTES);
}

/**
 * @param {import("../../belfry/chat.js").Chat} chat
 * @param {{whole?: boolean}} [options] `whole`: not the smaller form
 * @returns {string | Promise<string>} at once if it is known, so that a row that is made again does not flicker
 */
export function pictureURL(chat, file, { whole = false } = {}) {
  if (file.file) {
    let url = local.get(file.file);
    if (!url) local.set(file.file, (url = URL.createObjectURL(file.file)));
    return url;
  }
  const address = (!whole && file.thumbnails?.[0]?.url) || file.url;
  const known = kept.get(address);
  if (known !== undefined) {
    kept.delete(address);
    kept.set(address, known);
    return known;
  }
  const coming = chat.fetchFile(address).then(
    (blob) => {
      const url = URL.createObjectURL(blob);
      if (kept.has(address)) kept.set(address, url);
      return url;
    },
    (error) => {
      kept.delete(address);
      throw error;
    },
  );
  kept.set(address, coming);
  while (kept.size > KEPT) {
    const [oldest, url] = kept.entries().next().value;
    kept.delete(oldest);
    if (typeof url === "string") URL.revokeObjectURL(url);
  }
  return coming;
}
