import { iconButton } from "../controls.js";
import { fill, h, scope } from "../dom.js";
import { errorText } from "../errors.js";
import { openReactionMenu } from "../reactions/reaction-menu.js";
import { paths } from "../router.js";
import { timelineView } from "../timeline-view.js";
import { composer } from "./composer.js";
import { composerPlace } from "./composer-place.js";
import { foldedMessages } from "./folded.js";
import { conversationHeader } from "./header.js";
import { historyStart, timelineState } from "./history.js";
import { openMessageMenu, rightsOf } from "./message-menu.js";
import { isOwn, messageRow, messageShows } from "./message-row.js";
import { readAloud } from "./read-aloud.js";
import { listenToRows } from "./row-events.js";
import { slowMode } from "./slow-mode.js";
import { typingLine } from "./typing-line.js";
import { unreadState } from "./unread.js";

/** Time for which a link's target message is highlighted, in ms. */
const HIGHLIGHT = 2500;

/**
 * A channel's messages and its composer.
 *
 * @param {import("../app.js").App} app
 * @param {{channelId: string, messageId?: string}} params `messageId`: the message to scroll to and highlight, instead
 *   of showing the newest
 * @returns {{element: HTMLElement, go(messageId: string): void, close(): void}}
 */
export function conversationView(app, { channelId, messageId }) {
  const ends = scope();
  const channel = app.chat.channel(channelId);
  const timeline = app.chat.timeline(channelId, { messageId });
  let highlightTimer = 0;

  const context = {
    app,
    inThread: false,
    highlighted: undefined,
    folded: foldedMessages(app.chat, () => view.refresh()),
    get channel() {
      return channel.value;
    },
    get firstUnreadId() {
      return unread?.dividerId;
    },
    isRefused: (message) => slow.isRefused(message),
    readCount: (message) => (message.offset ? channel.readCount(message) : 0),
    rights: (message) => rightsOf(context, message),
    openMenu: (message, anchor, point) => openMessageMenu(context, message, anchor, point),
    react: (message, anchor) => openReactionMenu(app, message, anchor),
    openThread: (message) => app.navigate(paths.thread(channelId, message.id)),
    followQuote,
    reply: (message) => writer.quote(message),
    edit: (message) => writer.edit(message),
    markUnread: (message) => unread.markUnread(message),
  };

  const start = historyStart(timeline);
  const view = timelineView({
    label: "Messages",
    key: (message) => message.key,
    render: (i, messages) => messageRow(context, messages, i),
    shows: (i, messages) => messageShows(context, messages, i),
    estimate: 52,
    header: start.element,
    reachesNow: () => !timeline.hasNext,
    onNearStart: () => start.wanted(),
    onNearEnd: () => timeline.hasNext && !timeline.loadingNext && timeline.loadNext(),
    onView: viewChanged,
  });
  view.keyOf = (id) => timeline.get(id)?.key ?? id;

  const list = h("div", { class: "timeline-frame" });
  const newest = iconButton("down", "To the newest messages", toNewest, { class: "to-newest", hidden: true });
  const typing = typingLine(app, channel);
  const element = h("section", { class: "view conversation", "data-channel": channelId });
  const unread = unreadState(app, channel, timeline, view, {
    moved: () => view.refresh(),
    go: (id) => goTo(id, { highlight: false }),
  });
  const slow = slowMode(app, channel, () => (writer.update(), view.refresh()));
  const writer = composer(app, {
    channelId,
    slow,
    label: "Message",
    placeholder: () => `Message ${channel.value ? app.names.of(channel.value) : "the channel"}`,
    draftKey: channelId,
    dropArea: element,
    lastOwn: () => timeline.messages.findLast((one) => isOwn(context, one) && rightsOf(context, one).may.edit),
    async send(content) {
      if (timeline.hasNext) await timeline.loadNewest();
      const sent = app.chat.send(channelId, content);
      unread.wrote();
      view.scrollToEnd();
      return sent;
    },
  });
  const foot = composerPlace(app, channel, writer, { muteEnded: () => view.refresh() });
  const header = conversationHeader(app, channel);
  const state = timelineState(timeline, channel);
  fill(list, view.element, state.element, unread.pill, newest);
  fill(element, header.element, list, typing.element, foot.element);

  function showChannel() {
    header.update();
    state.update();
    // After joining, messages that were refused before can be loaded.
    const isMember = channel.value?.my?.state === "joined";
    if (isMember && timeline.state === "failed" && [1001, 1002].includes(timeline.error?.code)) timeline.reload();
    writer.update();
    foot.update();
  }

  function showMessages() {
    state.update();
    start.update();
    view.set(timeline.messages);
    unread.update();
  }

  function viewChanged() {
    newest.hidden = view.atEnd && !timeline.hasNext;
    unread?.update();
  }

  async function goTo(id, { highlight = true } = {}) {
    if (timeline.indexOf(id) < 0 && !(await timeline.loadAround(id))) {
      const { state: now, error } = timeline;
      app.toast(now === "failed" && error?.temporary ? errorText(error) : "That message no longer exists.");
      // An invalid id fails like a failed load: show the newest messages anyway.
      if (now === "failed") await timeline.loadNewest();
      return;
    }
    view.set(timeline.messages);
    view.scrollTo(view.keyOf(id));
    if (!highlight) return;
    context.highlighted = id;
    view.refresh();
    view.focus(view.keyOf(id));
    clearTimeout(highlightTimer);
    highlightTimer = setTimeout(() => {
      context.highlighted = undefined;
      view.refresh();
    }, HIGHLIGHT);
  }

  async function toNewest() {
    if (timeline.hasNext) await timeline.loadNewest();
    view.set(timeline.messages);
    view.scrollToEnd();
  }

  /**
   * Follows a quote. A setting decides where the click leads; without threads it always leads to the message itself.
   */
  function followQuote(message) {
    const { reply_type: type, thread_reply_select: select } = app.chat.settings ?? {};
    if (type === "thread" && select !== "parent") app.navigate(paths.thread(channelId, message.parent_message_id));
    else goTo(message.parent_message_id);
  }

  ends.add(
    channel.on("change", () => {
      showChannel();
      view.refresh();
      unread.update();
    }),
    timeline.on("change", showMessages),
    app.chat.on("change", () => view.refresh()),
    app.chat.on("users", () => (showChannel(), view.refresh())),
    app.chat.blocked.on("change", () => (showChannel(), view.refresh())),
    app.names.on(() => showChannel()),
    app.chat.on("event", ({ event }) => event.type === "message.deleted" && writer.messageRemoved(event.message_id)),
    listenToRows(view, timeline, context),
    readAloud(app, channelId),
    () => clearTimeout(highlightTimer),
    () => start.close(),
    () => typing.close(),
    () => writer.close(),
    () => slow.close(),
    () => foot.close(),
    () => unread.close(),
    () => view.close(),
    () => timeline.close(),
  );
  showChannel();
  showMessages();
  if (messageId) whenReady(timeline, () => goTo(messageId), ends);
  return { element, go: goTo, close: ends.close };
}

function whenReady(timeline, action, ends) {
  if (timeline.state === "ready") return action();
  const off = timeline.on("change", () => {
    if (timeline.state !== "ready") return;
    off();
    action();
  });
  ends.add(off);
}
