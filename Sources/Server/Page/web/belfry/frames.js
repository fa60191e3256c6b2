import { isObject } from "./objects.js";
import { RPCError } from "./rpc-error.js";

/** Maximum number of commands per text frame, with a safety margin. */
const COMMANDS_PER_FRAME = 64;
const LONE_SURROGATE = /\p{Surrogate}/u;
const encoder = new TextEncoder();

/**
 * Encodes a command as a line of a text frame.
 * @param {object} command
 * @param {number} limit maximum bytes of a frame
 * @returns {{text: string, bytes: number, isRPC: boolean, frame: object | null}} `frame` is set when the command is
 *   sent
 * @throws {RPCError} 107 if it is not valid Unicode or too large for the server
 */
export function encodeCommand(command, limit) {
  const text = JSON.stringify(command);
  // JSON.stringify escapes only lone surrogates like this, but the text itself may also contain "\ud".
  const broken = text.includes("\\ud") ? brokenField(command) : undefined;
  if (broken !== undefined) throw badRequest(`bad request: ${broken}: half of a surrogate pair`);
  const bytes = encoder.encode(text).length;
  if (bytes > limit) throw badRequest(`bad request, as it has ${bytes} bytes and the server takes ${limit}`);
  return { text, bytes, isRPC: command.rpc !== undefined, frame: null };
}

/** @returns {string | undefined} the first field with a lone surrogate in its name or value */
function brokenField(command) {
  let found;
  JSON.stringify(command, (key, value) => {
    if (LONE_SURROGATE.test(key) || (typeof value === "string" && LONE_SURROGATE.test(value))) found ??= key;
    return value;
  });
  return found;
}

/** Makes the error for a request that must not be sent (again) unchanged. @returns {RPCError} */
export const badRequest = (message) => new RPCError({ code: 107, message });

/**
 * Packs commands into as few frames as possible, in order.
 * @param {{text: string, bytes: number}[]} commands
 * @param {number} limit maximum bytes of a frame; 0 for one command per frame
 * @returns {{text: string, bytes: number, count: number}[]}
 */
export function framesOf(commands, limit) {
  const frames = [];
  for (const command of commands) {
    let frame = frames.at(-1);
    if (frame && frame.count < COMMANDS_PER_FRAME && frame.bytes + 1 + command.bytes <= limit) {
      frame.text += `\n${command.text}`;
      frame.bytes += 1 + command.bytes;
      frame.count += 1;
    } else {
      frames.push((frame = { text: command.text, bytes: command.bytes, count: 1 }));
    }
    command.frame = frame;
  }
  return frames;
}

/**
 * Parses a text frame: one JSON object per line. Centrifuge client protocol, JSON form.
 * @param {unknown} text
 * @returns {object[]}
 * @throws {Error} if it is not text, or a line is not a JSON object
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
