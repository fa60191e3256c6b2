/** Returns 128 random bits. `randomUUID` is unavailable on pages served over plain HTTP. */
export function randomID() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
