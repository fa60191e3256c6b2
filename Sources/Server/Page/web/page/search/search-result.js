import { avatar } from "../avatar.js";
import { standsInChannel } from "../../belfry/messages.js";
import { shownSummary } from "../conversation/words.js";
import { fill, h } from "../dom.js";
import { fullTime, shortTime, userName } from "../format.js";
import { paths } from "../router.js";
import { excerpt, highlighted } from "./excerpt.js";

/** Returns where a found message is shown: in its channel, or in its thread if it is only there. */
const placeOf = (message) =>
  standsInChannel(message)
    ? paths.message(message.channel_id, message.id)
    : paths.thread(message.channel_id, message.parent_message_id);

/**
 * One message found: its author, channel and time, and its text with the words found marked.
 *
 * @param {import("../app.js").App} app
 * @param {{message: {id: string, channel_id: string}}} found
 */
export function searchResult(app, { message: { id, channel_id: channelId } }) {
  const link = h("a", { class: "found", "data-row": true, "data-found": id, tabindex: -1 });
  const channel = app.chat.channel(channelId);
  let shown;

  function update(found) {
    const { message, marks } = found;
    const author = message.user && (app.chat.user(message.user.id) ?? message.user);
    const where = channel.value ? app.names.of(channel.value) : "…";
    const isHidden = app.chat.blocked.wrote(message);
    const now = [found, author, where, isHidden];
    if (shown?.every((value, i) => value === now[i])) return;
    shown = now;
    const summary = shownSummary(app.chat, message);
    const name = message.kind === "admin" ? "Announcement" : author?.id === app.chat.me?.id ? "You" : userName(author);
    const at = message.created_at;
    link.setAttribute("href", "#" + placeOf(message));
    link.setAttribute("aria-label", `${name} in ${where}, ${fullTime(at)}: ${summary}`);
    fill(
      link,
      avatar(author ?? { id: "", nickname: name }, { size: 36 }),
      h(
        "span",
        { class: "found-lines" },
        h(
          "span",
          { class: "found-head" },
          h("bdi", { class: "found-author ellipsis" }, name),
          h("bdi", { class: "found-where ellipsis" }, where),
          h("time", { datetime: new Date(at).toISOString(), title: fullTime(at) }, shortTime(at)),
        ),
        h("span", { class: "found-text", dir: "auto" }, message.text && !isHidden ? highlighted(excerpt(message.text, marks)) : summary),
      ),
    );
  }

  return { element: h("li", null, link), update };
}
