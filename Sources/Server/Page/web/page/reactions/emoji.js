import { hasVoice } from "../conversation/barrier.js";
import { h } from "../dom.js";

/** Number of emojis in the reaction bar, in order of registration. */
export const BAR_SIZE = 6;

/** Returns an emoji's accessible name: "thumbs up" for `thumbs_up`. */
export function emojiName(key) {
  return key.replaceAll(/[_-]+/g, " ").trim() || key;
}

/**
 * Returns an emoji's glyph: its character, an image from this server, or else its key. Decorative, because the
 * container carries the name.
 *
 * @param {import("../../belfry/types.js").Emoji | undefined} emoji undefined if it was removed from the registry
 * @param {string} key
 */
export function emojiGlyph(emoji, key) {
  const own = emoji?.url?.startsWith("/") && !emoji.url.startsWith("//");
  if (emoji?.character) return h("span", { class: "emoji", "aria-hidden": "true" }, emoji.character);
  if (own) return h("img", { class: "emoji", src: emoji.url, alt: "", "aria-hidden": "true" });
  return h("span", { class: "emoji-name", "aria-hidden": "true" }, `:${key}:`);
}

/** @param {import("../../belfry/chat.js").Chat} chat @returns {Emoji | undefined} */
export function emojiOf(chat, key) {
  return chat.emojis.find((emoji) => emoji.key === key);
}

/**
 * Returns whether the user may react to a message. It must be stored and not from an admin, the app must offer
 * reactions, and the user must be allowed to write (see `hasVoice`).
 */
export function canReact(chat, channel, message) {
  const takesReactions = chat.settings?.reactions !== false && !channel?.is_ephemeral;
  return takesReactions && message.kind !== "admin" && !message.local && hasVoice(channel);
}

/** Adds or removes the user's reaction. */
export function toggle(app, message, key) {
  const mine = message.reactions?.some((reaction) => reaction.key === key && reaction.mine) ?? false;
  app.attempt(app.chat.react(message.channel_id, message.id, key, !mine));
}
