// Picture URLs for <img>. Files on this server require the token, which <img> cannot send, so they become blob URLs.

/** Maximum number of cached pictures; the least recently used is dropped. */
const KEPT = 80;
/** Formats that every browser supports. An SVG may contain a whole page, so it is treated as an ordinary file. */
const TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
/** Larger pictures are shown as files, because scrolling past would download them. */
const MAX_BYTES = 12_000_000;

/** Maps a picture's URL to its blob URL or the promise of one; least recently used first. */
const kept = new Map();
/** Blob URLs of files being sent, kept as long as the file. */
const local = new WeakMap();

/** @param {import("../../belfry/types.js").MessageFile & {file?: File}} file */
export function isPicture(file) {
  if (!TYPES.has(file.mime_type)) return false;
  if (file.file) return true;
  return file.id !== undefined && (file.thumbnails?.length > 0 || (file.size ?? 0) <= MAX_BYTES);
}

/**
 * @param {import("../../belfry/chat.js").Chat} chat
 * @param {{whole?: boolean}} [options] `whole`: full size instead of the thumbnail
 * @returns {string | Promise<string>} synchronous if cached, so that re-rendering a row does not flicker
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
