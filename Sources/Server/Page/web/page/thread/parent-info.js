import { h, fill } from "../dom.js";
import { avatar } from "../avatar.js";
import { iconButton } from "../controls.js";
import { fullTime, userName } from "../format.js";
import { filesView } from "../conversation/files.js";
import { foldedLine } from "../conversation/folded.js";
import { mentionedIn } from "../conversation/mentioned.js";
import { linked } from "../conversation/text.js";
import { repliesText } from "../conversation/words.js";
import { reactionBox } from "../reactions/reaction-box.js";

/**
 * The thread's parent, shown above the replies: author, time, text or files, reactions, and the number of replies.
 *
 * @param {import("../conversation/message-row.js").RowContext} context of the parent
 * @param {import("../../belfry/thread.js").Thread} thread
 */
export function parentInfo(context, thread) {
  const element = h("div", { class: "parent-info" });
  let shown = [];

  function update() {
    const parent = thread.parent;
    const count = thread.thread?.reply_count ?? parent?.thread?.reply_count ?? 0;
    const user = parent?.user && (context.app.chat.user(parent.user.id) ?? parent.user);
    const isFolded = Boolean(parent) && context.folded.has(parent);
    const now = [parent, isFolded, count, user, context.channel?.my?.role, thread.thread?.title,
      parent && mentionedIn(context.app.chat, parent).map(({ name }) => name).join()];
    if (now.every((value, i) => value === shown[i]) && shown.length > 0) return;
    shown = now;
    const isOpening = document.activeElement?.dataset.part === "show" && element.contains(document.activeElement);
    const about = () => (isFolded ? foldedLine(() => context.folded.open(parent)) : content(parent, user));
    fill(element, parent && [about(), h("div", { class: "reply-count" }, repliesLine(count))]);
    if (isOpening) element.querySelector("button")?.focus();
  }

  function content(parent, user) {
    const { app } = context;
    const more = iconButton("more", "More actions", (event) => context.openMenu(parent, event.currentTarget), {
      "aria-haspopup": "menu", "data-part": "more",
    });
    return h(
      "article",
      { class: "parent", "data-message": parent.id, "aria-label": `Message of ${userName(user)}` },
      h("div", { class: "parent-head" },
        avatar(user, { size: 36 }),
        h("div", { class: "parent-facts" }, h("strong", { class: "ellipsis" }, userName(user)),
          h("time", { datetime: new Date(parent.created_at).toISOString() }, fullTime(parent.created_at))),
        more),
      thread.thread?.title && h("h3", { class: "thread-title" }, thread.thread.title),
      parent.text && h("p", { class: "text" }, linked(parent.text, mentionedIn(app.chat, parent))),
      parent.files?.length > 0 && filesView(app, parent),
      reactionBox(app, context.channel, parent),
    );
  }

  return { element, update };
}

function repliesLine(count) {
  return count === 0 ? "No replies yet" : repliesText(count);
}
