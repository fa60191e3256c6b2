// A channel's last message as a single line.

import { FOLDED } from "../conversation/folded.js";
import { userName } from "../format.js";

const FILE_KINDS = [["image/", "Photo"], ["video/", "Video"], ["audio/", "Audio"]];

/** Returns a message's content as a single line, without the author. @param {object} message */
export function messageLine(message) {
  if (message.deleted_at) return "Message deleted";
  if (message.text) return message.text.replaceAll(/\s+/g, " ");
  const files = message.files ?? [];
  if (files.length > 1) return `${files.length} files`;
  const [file] = files;
  if (!file) return "";
  return FILE_KINDS.find(([type]) => file.mime_type?.startsWith(type))?.[1] ?? file.name ?? "File";
}

/**
 * @param {import("../../belfry.js").Chat} chat
 * @param {object} channel
 * @returns {string} "You: hi"
 */
export function lastLine(chat, channel) {
  const { me, blocked } = chat;
  const message = channel.last_message;
  if (!message) return channel.is_ephemeral ? "Messages here are not kept" : "No messages yet";
  if (blocked.wrote(message)) return FOLDED;
  const line = messageLine(message);
  if (message.kind === "admin" || !message.user) return line;
  // In an unnamed channel of two, the author is obvious because the channel is named after them.
  if (!channel.name && channel.member_count === 2 && message.user.id !== me?.id) return line;
  return `${message.user.id === me?.id ? "You" : userName(message.user)}: ${line}`;
}
