import { h } from "../dom.js";
import { icon } from "../icons.js";
import { avatar } from "../avatar.js";
import { iconButton } from "../controls.js";
import { dayText, fullTime, sameDay, timeText, userName } from "../format.js";
import { reactionBox } from "../reactions/reaction-box.js";
import { filesView } from "./files.js";
import { FOLDED, foldedLine } from "./folded.js";
import { hasVoice } from "./barrier.js";
import { mentionedIn } from "./mentioned.js";
import { quoteView } from "./quote.js";
import { statusView } from "./status.js";
import { isFewEmojis, linked } from "./text.js";
import { repliedTo, summaryOf } from "./words.js";
import { threadInfo } from "./thread-info.js";

/** Maximum time between two messages of one author in the same block, in ms. */
const TOGETHER = 5 * 60_000;
const LABEL_CHARACTERS = 400;

/**
 * A message's row, including the separators above it (the day and the unread divider).
 *
 * @typedef {object} RowContext
 * @property {object} app
 * @property {import("../../belfry/types.js").ChannelJSON | null} channel
 * @property {string | undefined} firstUnreadId
 * @property {ReturnType<import("./folded.js").foldedMessages>} folded
 * @property {boolean} inThread in a thread, rows have no quote and no thread info
 * @property {(message, element: HTMLElement, point?: {x: number, y: number}) => void} openMenu
 * @property {(message) => void} openThread @property {(message) => void} followQuote
 * @property {(message) => void} [reply] @property {(message, anchor) => void} react
 * @property {(message) => number} readCount @property {(message) => boolean} isRefused see slow-mode.js
 */

/** Returns the values that the row of `messages[i]` depends on; see `timelineView`. @param {RowContext} context */
export function messageShows(context, messages, i) {
  const message = messages[i];
  const own = isOwn(context, message);
  return [
    message, place(context, messages, i), message.id === context.firstUnreadId, own ? context.readCount(message) : 0,
    context.channel?.my?.role, hasVoice(context.channel), context.highlighted === message.id, author(context, message),
    context.app.chat.settings,
    mentionedIn(context.app.chat, message).map(({ name }) => name).join(), context.folded.has(message),
    context.isRefused(message),
    Boolean(message.parent) && context.app.chat.blocked.wrote(message.parent),
  ];
}

/** @param {RowContext} context */
export function messageRow(context, messages, i) {
  const message = messages[i];
  const { app } = context;
  const at = place(context, messages, i);
  const own = isOwn(context, message);
  const isFolded = context.folded.has(message);
  const name = own ? "You" : userName(author(context, message));
  const person = isGuests(context, message) ? `${name}, guest` : name;
  const speaker = message.kind === "admin" ? "Announcement" : person;
  const time = timeText(message.created_at);
  const label = isFolded ? `${FOLDED}, ${time}` : `${speaker}, ${time}: ${summaryOf(message)}`;
  return h(
    "article",
    {
      class: ["row", message.kind === "admin" && "admin", own && "own", ...at.split(" ")],
      tabindex: -1, "aria-label": label.slice(0, LABEL_CHARACTERS), "data-message": message.id,
      "data-state": message.local?.state ?? "sent", "data-kind": message.kind,
    },
    at.includes("new-day") && separator("day", dayText(message.created_at)),
    message.id === context.firstUnreadId && separator("unread-divider", "New messages", { "data-divider": true }),
    content(context, message, { isFolded, app, own, at, name }),
  );
}

function content(context, message, { isFolded, ...parts }) {
  if (isFolded) return foldedLine(() => context.folded.open(message), { tabindex: -1 });
  return message.kind === "admin" ? adminMessage(message) : personMessage(context, message, parts);
}

function separator(name, text, props) {
  return h("div", { class: name, role: "separator", "aria-label": text, ...props }, h("span", null, text));
}

function adminMessage(message) {
  return h("div", { class: "admin-message" }, icon("bell"), h("p", { class: "text" }, linked(message.text ?? "")));
}

function personMessage(context, message, { app, own, at, name }) {
  const first = at.includes("first");
  const isReply = Boolean(message.parent_message_id) && !context.inThread;
  const edited = message.updated_at && !message.deleted_at;
  const guest = isGuests(context, message) && h("span", { class: "tag" }, "Guest");
  return h(
    "div",
    { class: ["message", context.highlighted === message.id && "highlighted"] },
    !own && h("div", { class: "face" }, first && avatar(author(context, message), { size: 36 })),
    h(
      "div",
      { class: "message-column" },
      first && !own && !isReply && h("div", { class: "author" }, name, guest),
      isReply && h("div", { class: "replied-to" }, icon("reply"), repliedTo(message, app.chat.me), guest),
      isReply && quoteView(app.chat, message, () => context.followQuote(message)),
      h(
        "div",
        { class: "bubble-line" },
        bubble(app, message),
        h(
          "time",
          {
            class: ["stamp", edited && "edited"], datetime: new Date(message.created_at).toISOString(),
            title: fullTime(message.created_at),
          },
          edited && "edited · ",
          timeText(message.created_at),
        ),
        message.expires_at && endsAt(message.expires_at),
        !message.local && toolbar(context, message),
      ),
      own && statusView(context, message, at.includes("last")),
      reactionBox(app, context.channel, message),
      !context.inThread && threadInfo(app, message, () => context.openThread(message)),
    ),
  );
}

function endsAt(time) {
  const title = `Disappears ${fullTime(time)}`;
  return h("span", { class: "ends", title, role: "img", "aria-label": title }, icon("clock"));
}

function bubble(app, message) {
  if (message.files?.length) return h("div", { class: "bubble with-files" }, filesView(app, message));
  const text = message.text ?? "";
  const words = h("p", { class: "text" }, linked(text, mentionedIn(app.chat, message)));
  return h("div", { class: ["bubble", isFewEmojis(text) && "few-emojis"] }, words);
}

function toolbar(context, message) {
  const tool = (name, label, part, action) =>
    iconButton(name, label, (event) => action(event.currentTarget), { tabindex: -1, "data-part": part });
  const { may } = context.rights(message);
  return h(
    "div",
    { class: "tools" },
    may.react && tool("emoji", "React", "react", (button) => context.react(message, button)),
    may.quote && tool("reply", "Reply", "reply", () => context.reply(message)),
    may.thread && tool("thread", "Reply in thread", "thread", () => context.openThread(message)),
    h(
      "button",
      {
        type: "button", class: "icon-button", tabindex: -1, "data-part": "more", "aria-label": "More actions",
        title: "More actions", "aria-haspopup": "menu",
        onclick: (event) => context.openMenu(message, event.currentTarget),
      },
      icon("more"),
    ),
  );
}

export function isOwn(context, message) {
  return message.kind !== "admin" && (Boolean(message.local) || message.user?.id === context.app.chat.me?.id);
}

function author(context, message) {
  return message.user && (context.app.chat.user(message.user.id) ?? message.user);
}

/** Whether to mark the author as a guest, because guests can choose any name. The user's own messages need no mark. */
const isGuests = (context, message) => !isOwn(context, message) && Boolean(author(context, message)?.is_guest);

/** Returns the message's position in its block, as classes. They change with its neighbours. */
function place({ firstUnreadId, folded }, messages, i) {
  const message = messages[i];
  const newDay = i === 0 || !sameDay(messages[i - 1].created_at, message.created_at);
  const begins = (j) =>
    messages[j].id === firstUnreadId || !isTogether(messages[j - 1], messages[j])
    || folded.has(messages[j - 1]) !== folded.has(messages[j]);
  const first = newDay || begins(i);
  const last = i + 1 >= messages.length || begins(i + 1);
  return [newDay && "new-day", first && "first", last && "last"].filter(Boolean).join(" ") || "middle";
}

function isTogether(a, b) {
  return (
    a.kind !== "admin" && b.kind !== "admin" && a.user?.id === b.user?.id &&
    b.created_at - a.created_at < TOGETHER && !b.parent_message_id && sameDay(a.created_at, b.created_at)
  );
}
