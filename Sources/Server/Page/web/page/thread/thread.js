import { h, fill, scope } from "../dom.js";
import { button, iconButton, notice, viewHeader } from "../controls.js";
import { errorText } from "../errors.js";
import { paths } from "../router.js";
import { timelineView } from "../timeline-view.js";
import { composer } from "../conversation/composer.js";
import { composerPlace } from "../conversation/composer-place.js";
import { foldedMessages } from "../conversation/folded.js";
import { openMessageMenu, rightsOf } from "../conversation/message-menu.js";
import { isOwn, messageRow, messageShows } from "../conversation/message-row.js";
import { readAloud } from "../conversation/read-aloud.js";
import { listenToRows } from "../conversation/row-events.js";
import { slowMode } from "../conversation/slow-mode.js";
import { openReactionMenu } from "../reactions/reaction-menu.js";
import { parentInfo } from "./parent-info.js";
import { threadReader } from "./thread-reader.js";
import { mayTitle, titleDialog } from "./title.js";

/**
 * A thread: its parent, its replies (oldest first, the user's own on the right), and a composer.
 *
 * @param {import("../app.js").App} app
 * @param {{channelId: string, parentId: string}} params
 * @returns {{element: HTMLElement, close(): void}}
 */
export function threadView(app, { channelId, parentId }) {
  const ends = scope();
  const channel = app.chat.channel(channelId);
  const thread = app.chat.thread(channelId, parentId);
  const element = h("section", { class: "view thread-view", "data-thread": parentId });
  const head = h("div", { class: "thread-head" });
  const frame = h("div", { class: "timeline-frame" });

  const context = {
    app,
    inThread: true,
    folded: foldedMessages(app.chat, () => (parent.update(), view.refresh())),
    get channel() {
      return channel.value;
    },
    isRefused: (message) => slow.isRefused(message),
    readCount: () => 0,
    replyCount: (message) => (message.id === parentId ? (thread.thread?.reply_count ?? 0) : 0),
    rights: (message) => rightsOf(context, message),
    openMenu: (message, anchor, point) => openMessageMenu(context, message, anchor, point),
    react: (message, anchor) => openReactionMenu(app, message, anchor),
    edit: (message) => writer.edit(message),
    markUnread: (message) => reader.markUnread(message),
  };
  // Replies cannot have replies. The parent looks as in the channel, with unavailable actions disabled.
  const parent = parentInfo(context, thread);
  const above = h("div", null, parent.element, h("div", { class: "thread-more", role: "status" }));
  const view = timelineView({
    label: "Replies",
    key: (message) => message.key,
    render: (i, messages) => messageRow(context, messages, i),
    shows: (i, messages) => messageShows(context, messages, i),
    estimate: 52,
    header: above,
    reachesNow: () => !thread.hasNext,
    onNearStart: () => thread.hasPrevious && !thread.loadingPrevious && thread.loadPrevious(),
    onNearEnd: () => thread.hasNext && !thread.loadingNext && thread.loadNext(),
    onView: () => reader?.update(),
  });
  view.element.classList.add("from-top");
  const reader = threadReader(app, thread, view);

  const toChannel = h("input", { type: "checkbox", checked: true });
  const also = h("label", { class: "to-channel" }, toChannel, "Also show it in the channel");
  const slow = slowMode(app, channel, () => (writer.update(), view.refresh()));
  const writer = composer(app, {
    channelId,
    slow,
    label: "Reply",
    placeholder: () => ((thread.thread?.reply_count ?? 0) > 0 ? "Reply to thread" : "Reply in thread"),
    draftKey: `${channelId} ${parentId}`,
    dropArea: element,
    extra: also,
    lastOwn: () => thread.messages.findLast((one) => isOwn(context, one) && rightsOf(context, one).may.edit),
    async send(content) {
      if (thread.hasNext) await thread.loadNewest();
      const reply = { parent_message_id: parentId, reply_to_channel: toChannel.checked };
      const sent = app.chat.send(channelId, { ...content, ...reply });
      view.scrollToEnd();
      return sent;
    },
  });

  const title = iconButton("edit", "Give it a title", () => titleDialog(app, thread));
  let headed;
  function showHead() {
    const name = channel.value ? app.names.of(channel.value) : channelId;
    title.hidden = !mayTitle(app, channel.value, thread);
    for (const attribute of ["aria-label", "title"]) {
      title.setAttribute(attribute, thread.thread?.title ? "Change the title" : "Give it a title");
    }
    if (name === headed) return;
    headed = name;
    const link = h("a", { href: "#" + paths.message(channelId, parentId), "aria-label": `Show in ${name}` }, name);
    const back = paths.channel(channelId);
    fill(head, viewHeader(app, { title: "Thread", subtitle: link, back, close: back, actions: [title] }));
  }

  const foot = composerPlace(app, channel, writer, {
    mayWrite: () => Boolean(thread.parent),
    muteEnded: () => view.refresh(),
  });

  function showState() {
    const failed = thread.state === "failed" || (thread.state === "ready" && !thread.parent);
    const problem = thread.state === "failed" && thread.error?.code !== 1000 && thread.error?.code !== 1022;
    if (!failed) return fill(frame, view.element);
    const text = problem ? errorText(thread.error) : "It was deleted, or it is from before you could see this channel.";
    const again = problem && button("Try again", () => thread.reload());
    const title = problem ? "The thread could not be loaded" : "Message unavailable";
    fill(frame, notice({ icon: "thread", title, text, action: again, role: "alert" }));
  }

  let state;
  function show() {
    const now = `${thread.state} ${Boolean(thread.parent)}`;
    if (now !== state) showState();
    state = now;
    showHead();
    parent.update();
    fill(above.lastChild, (thread.state === "loading" || thread.hasPrevious) && h("span", { class: "spinner" }));
    view.set(thread.messages);
    writer.update();
    foot.update();
    reader.update();
  }

  ends.add(
    channel.on("change", () => (showHead(), foot.update(), parent.update(), view.refresh())),
    thread.on("change", show),
    app.names.on(showHead),
    app.chat.on("users", () => (parent.update(), view.refresh())),
    app.chat.blocked.on("change", () => (foot.update(), parent.update(), view.refresh())),
    app.chat.on("event", ({ event }) => event.type === "message.deleted" && writer.messageRemoved(event.message_id)),
    listenToRows(view, thread, context),
    readAloud(app, channelId, (message) => message.parent_message_id === parentId),
    () => writer.close(),
    () => slow.close(),
    () => foot.close(),
    () => reader.close(),
    () => view.close(),
    () => thread.close(),
  );
  fill(element, head, frame, foot.element);
  showHead();
  show();
  return { element, close: ends.close };
}
