import { h, fill } from "../dom.js";
import { icon } from "../icons.js";
import { avatar } from "../avatar.js";
import { badge, shortCount } from "../controls.js";
import { fullTime, shortTime, userName } from "../format.js";
import { paths } from "../router.js";
import { summaryOf } from "../conversation/words.js";

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
    if (shown?.entry === entry && shown.author === author && shown.where === where) return;
    shown = { entry, author, where };
    const { thread, parent } = entry;
    const unread = thread.unread_count ?? 0;
    const about = thread.title || summaryOf(parent) || "Message unavailable";
    const at = last.created_at;
    const name = last.user?.id === app.chat.me?.id ? "You" : userName(author);
    const count = unread > 0 ? `, ${shortCount(unread)} unread` : "";
    link.setAttribute("aria-label", `${where}: ${about}. ${name}: ${summaryOf(last)}${count}`);
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
        h("span", { class: "thread-reply ellipsis" }, h("strong", null, name), " ", summaryOf(last)),
        h("time", { datetime: new Date(at).toISOString(), title: fullTime(at) }, shortTime(at)),
      ),
    );
  }

  return { element: h("li", null, link), update };
}
