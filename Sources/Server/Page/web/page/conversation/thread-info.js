import { h } from "../dom.js";
import { avatar } from "../avatar.js";
import { shortTime, userName } from "../format.js";
import { repliesText } from "./words.js";

/** Maximum number of avatars under a parent. */
const FACES = 4;

/**
 * The thread summary under a parent in the channel: avatars of the most active repliers, the number of replies, and the
 * time of the last one. Clicking it opens the thread. Null if there are no replies.
 *
 * @param {object} app
 * @param {import("../../belfry/types.js").Message} message
 * @param {() => void} open
 */
export function threadInfo(app, message, open) {
  const thread = message.thread;
  const count = thread?.reply_count ?? 0;
  if (count === 0) return null;
  const people = (thread.most_replied_users ?? []).slice(0, FACES);
  const names = people.map((user) => userName(user)).join(", ");
  return h(
    "button",
    {
      type: "button", class: "thread-info", tabindex: -1, "data-part": "thread-info", onclick: open,
      "aria-label": `${repliesText(count)}${names ? `, by ${names}` : ""}. Open thread`,
    },
    h("span", { class: "faces" }, people.map((user) => avatar(app.chat.user(user.id) ?? user, { size: 22 }))),
    h("span", { class: "count" }, repliesText(count)),
    thread.last_reply_at && h("span", { class: "when" }, shortTime(thread.last_reply_at)),
  );
}
