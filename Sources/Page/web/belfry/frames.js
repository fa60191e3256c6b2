/**
 * The objects of one text frame: JSON, one per line. Centrifuge client protocol, JSON form.
 * @param {unknown} text
 * @returns {object[]}
 * @throws {Error} when it is not text, or a line is not a JSON object
 */
export function parseFrame(text) {
  if (typeof text !== "string") throw new Error("a frame that is not text");
  const messages = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const message = JSON.parse(line);
    if (!isObject(message)) throw new Error("a frame that holds no object");
    messages.push(message);
  }
  return messages;
}

/** @returns {boolean} whether it is an object of JSON: neither null nor an array */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
