import { h } from "../dom.js";
import { icon } from "../icons.js";
import { BAR_SIZE, emojiGlyph, emojiName, toggle } from "./emoji.js";

const ALL = "All reactions";

/**
 * A row of the first emojis and a button for all of them, shown above the actions in a message's menu.
 *
 * @param {object} app
 * @param {import("../../belfry/types.js").Message} message
 * @param {{chosen(): void, more(): void}} on `chosen` is called after a reaction was added or removed
 */
export function reactionBar(app, message, { chosen, more }) {
  const pick = (key) => {
    toggle(app, message, key);
    chosen();
  };
  return h(
    "div",
    { class: "reaction-bar", role: "group", "aria-label": "React" },
    app.chat.emojis.slice(0, BAR_SIZE).map((emoji) => emojiButton(emoji, message, pick)),
    h(
      "button",
      { type: "button", class: "emoji-button add", "aria-label": ALL, title: ALL, onclick: more },
      icon("add"),
    ),
  );
}

/** Creates an emoji button, pressed if the user has reacted with it. @param {(key: string) => void} pick */
export function emojiButton(emoji, message, pick) {
  const mine = message.reactions?.some((reaction) => reaction.key === emoji.key && reaction.mine) ?? false;
  const name = emojiName(emoji.key);
  const props = { "aria-label": name, title: name, "aria-pressed": mine, "data-emoji": emoji.key };
  return h(
    "button",
    { type: "button", class: "emoji-button", ...props, onclick: () => pick(emoji.key) },
    emojiGlyph(emoji, emoji.key),
  );
}
