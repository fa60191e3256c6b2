import { h } from "../dom.js";
import { icon } from "../icons.js";
import { userName } from "../format.js";
import { emojiGlyph, emojiName, emojiOf, canReact, toggle } from "./emoji.js";
import { openEmojiList } from "./emoji-list.js";
import { openReactedUsers } from "./reacted-users.js";

/** Duration of a touch (or hover) that opens the list of users, in ms. */
const LONG_PRESS = 500;
const HOVER = 600;
/** Distance that a finger may move during a long press, in px. */
const SLIP = 10;
const NAMES = 3;

/**
 * The reactions under a message, with counts; the user's own are marked. Clicking adds or removes one; a long press,
 * hovering or the down arrow shows who reacted. Null if there are none.
 *
 * @param {object} app
 * @param {import("../../belfry/types.js").ChannelJSON | null} channel
 * @param {import("../../belfry/types.js").Message} message
 * @returns {HTMLElement | null}
 */
export function reactionBox(app, channel, message) {
  const reactions = (message.reactions ?? []).filter((reaction) => reaction.count > 0);
  if (reactions.length === 0) return null;
  const may = canReact(app.chat, channel, message);
  return h(
    "div",
    { class: "reaction-box", role: "group", "aria-label": "Reactions" },
    reactions.map((reaction) => chip(app, message, reaction, may)),
    may &&
      h(
        "button",
        {
          type: "button", class: "reaction-chip add", tabindex: -1, "data-part": "add-reaction",
          "aria-label": "Add reaction", title: "Add reaction", onclick: () => openEmojiList(app, message),
        },
        icon("emoji"),
      ),
  );
}

function chip(app, message, reaction, may) {
  const { key, count, mine } = reaction;
  const element = h(
    "button",
    {
      type: "button", class: "reaction-chip", tabindex: -1, "data-part": `reaction-${key}`, "data-emoji": key,
      "aria-pressed": mine, "aria-label": `${emojiName(key)}, ${people(app, reaction)}`,
      "aria-disabled": may ? undefined : "true",
    },
    emojiGlyph(emojiOf(app.chat, key), key),
    h("span", { class: "count", "aria-hidden": "true" }, String(count)),
  );
  const show = () => openReactedUsers(app, message, key, element);
  // Whether to ignore the click that ends a long press.
  let pressed = false;
  onRest(element, () => {
    pressed = true;
    show();
  });
  element.addEventListener("pointerdown", () => (pressed = false));
  element.addEventListener("click", () => {
    if (!pressed && may) toggle(app, message, key);
    pressed = false;
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ContextMenu") return;
    event.preventDefault();
    event.stopPropagation();
    show();
  });
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  onHover(element, show);
  return element;
}

/** "you, Ann and 2 others" */
function people(app, { user_ids: ids, mine, count }) {
  const others = ids.filter((id) => id !== app.chat.me?.id).map((id) => userName(app.chat.user(id) ?? { id }));
  const named = [...(mine ? ["you"] : []), ...others].slice(0, NAMES);
  const rest = count - named.length;
  const all = rest > 0 ? [...named, rest === 1 ? "1 other" : `${rest} others`] : named;
  return all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all.at(-1)}` : (all[0] ?? String(count));
}

function onRest(element, action) {
  let timer = 0;
  let from = null;
  const end = () => clearTimeout(timer);
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = event;
    timer = setTimeout(action, LONG_PRESS);
  });
  element.addEventListener("pointermove", (event) => {
    if (from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > SLIP) end();
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) element.addEventListener(name, end);
}

function onHover(element, action) {
  let timer = 0;
  element.addEventListener("pointerenter", (event) => {
    if (event.pointerType !== "mouse" || event.buttons !== 0) return;
    timer = setTimeout(() => element.isConnected && action(), HOVER);
  });
  for (const name of ["pointerleave", "pointerdown"]) element.addEventListener(name, () => clearTimeout(timer));
}
