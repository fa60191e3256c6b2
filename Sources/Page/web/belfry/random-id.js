/** 128 random bits. Not by `randomUUID`, which pages that are served over plain HTTP do not have. */
export function randomID() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
