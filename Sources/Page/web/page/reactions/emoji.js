import { hasVoice } from "../conversation/barrier.js";
import { h } from "../dom.js";

/** How many emojis the bar of a message's menu shows, in the order of their registration. */
export const BAR_SIZE = 6;

/** "thumbs up" for `thumbs_up`: what a screen reader says of an emoji. */
export function emojiName(key) {
  return key.replaceAll(/[_-]+/g, " ").trim() || key;
}

/**
 * An emoji as it looks: its character, a picture of this server, or else its name. Decoration: what carries it has the
 * name.
 *
 * @param {import("../../belfry/types.js").Emoji | undefined} emoji undefined: one that left the list; its key is shown
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
 * Whether one may react to this message: reactions exist on text and files, an app may do without, and whoever is muted has
 * none to give.
 */
export function canReact(chat, channel, message) {
  const takesReactions = chat.settings?.reactions !== false && !channel?.is_ephemeral;
  return takesReactions && message.kind !== "admin" && !message.local && hasVoice(channel);
}

/** Adds or takes back one's own reaction. */
export function toggle(app, message, key) {
  const mine = message.reactions?.some((reaction) => reaction.key === key && reaction.mine) ?? false;
  app.attempt(app.chat.react(message.channel_id, message.id, key, !mine));
}
