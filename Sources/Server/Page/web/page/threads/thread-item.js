import { h, fill } from "../dom.js";
import { icon } from "../icons.js";
import { avatar } from "../avatar.js";
import { badge, shortCount } from "../controls.js";
import { fullTime, shortTime, userName } from "../format.js";
import { paths } from "../router.js";
import { shownSummary } from "../conversation/words.js";

/**
 * One thread in the list: its channel, its title or the parent's text, the last message's author, text and time, and
 * the unread count.
 */
export function threadItem(app, { thread: { channel_id: channelId, parent_message_id: parentId } }) {
  const link = h("a", {
    class: "thread-item", href: "#" + paths.thread(channelId, parentId), "data-row": true, "data-thread": parentId,
    tabindex: -1,
  });
  let shown;

  function update(entry) {
    const last = entry.replies.at(-1) ?? entry.parent;
    const author = last.user && (app.chat.user(last.user.id) ?? last.user);
    const where = app.names.of(entry.channel);
    const { thread, parent } = entry;
    const { blocked } = app.chat;
    const [summary, answer] = [parent, last].map((message) => shownSummary(app.chat, message));
    const now = [entry, author, where, summary, answer];
    if (shown?.every((value, i) => value === now[i])) return;
    shown = now;
    const unread = thread.unread_count ?? 0;
    const about = thread.title || summary || "Message unavailable";
    const at = last.created_at;
    const isHidden = blocked.wrote(last);
    const name = last.user?.id === app.chat.me?.id ? "You" : userName(author);
    const spoken = isHidden ? answer : `${name}: ${answer}`;
    const count = unread > 0 ? `, ${shortCount(unread)} unread` : "";
    link.setAttribute("aria-label", `${where}: ${about}. ${spoken}${count}`);
    link.classList.toggle("unread", unread > 0);
    fill(
      link,
      h(
        "span",
        { class: "thread-where" },
        icon("thread"),
        h("span", { class: "ellipsis" }, where),
        badge(unread, "unread"),
      ),
      h("span", { class: "thread-about ellipsis" }, about),
      h(
        "span",
        { class: "thread-last" },
        avatar(author, { size: 28 }),
        h("span", { class: "thread-reply ellipsis" }, !isHidden && [h("strong", null, name), " "], answer),
        h("time", { datetime: new Date(at).toISOString(), title: fullTime(at) }, shortTime(at)),
      ),
    );
  }

  return { element: h("li", null, link), update };
}
