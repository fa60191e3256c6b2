import { blockItem } from "../block.js";
import { userName } from "../format.js";
import { reportDialog } from "../report.js";
import { reactionBar } from "../reactions/reaction-bar.js";
import { openEmojiList } from "../reactions/emoji-list.js";
import { hasVoice } from "./barrier.js";
import { openReaders } from "./readers.js";
import { isOwn } from "./message-row.js";

/**
 * Returns what the user may do with a message, given its kind, its place and the server's settings.
 *
 * `reply_type` none: no replies; quote_reply: quotes and threads; thread: threads only.
 *
 * @param {import("./message-row.js").RowContext} context
 */
export function rightsOf(context, message) {
  const { app, channel } = context;
  const settings = app.chat.settings ?? {};
  const joined = channel?.my?.state === "joined";
  const operator = channel?.my?.role === "operator";
  const stored = joined && !message.local && !channel.is_ephemeral;
  // What is folded cannot be answered before it is opened.
  const heard = stored && hasVoice(channel) && !context.folded.has(message);
  const replies = heard && settings.reply_type !== "none" && message.kind !== "admin";
  const isReply = Boolean(message.parent_message_id);
  const own = isOwn(context, message);
  return {
    isReply,
    hasReplies: (context.replyCount?.(message) ?? message.thread?.reply_count ?? 0) > 0,
    offersThread: replies && (isReply || !context.inThread),
    may: {
      react: heard && message.kind !== "admin" && settings.reactions !== false,
      quote: replies && !isReply && !context.inThread && settings.reply_type !== "thread",
      thread: replies && !isReply && !context.inThread,
      unread: stored && message.kind !== "admin" && Boolean(context.markUnread),
      edit: heard && message.kind === "text" && (own || operator),
      // Users who may not write can still delete their own messages.
      remove: stored && message.kind !== "admin" && (own || (operator && heard)),
      seeReaders: stored && own,
      report: stored && !own && message.kind !== "admin",
    },
  };
}

/**
 * Opens the menu of a message's actions, with a reaction bar on top.
 * @param {import("./message-row.js").RowContext} context
 * @param {HTMLElement} anchor
 * @param {{x: number, y: number}} [point]
 */
export function openMessageMenu(context, message, anchor, point) {
  const { app, folded } = context;
  const isFolded = folded.has(message);
  const { may, isReply, hasReplies, offersThread } = rightsOf(context, message);
  let menu = null;
  const header = may.react && reactionBar(app, message, {
    chosen: () => menu.close(),
    more: () => {
      menu.close();
      openEmojiList(app, message);
    },
  });
  const items = [
    isFolded && { label: "Show message", icon: "unread", action: () => folded.open(message) },
    may.quote && { label: "Reply", icon: "reply", action: () => context.reply(message) },
    offersThread && {
      label: "Reply in thread", icon: "thread", disabled: isReply,
      reason: isReply ? "This is already a reply" : undefined,
      action: () => context.openThread(message),
    },
    message.text && !isFolded && { label: "Copy text", icon: "copy", action: () => copy(app, message.text) },
    may.unread && { label: "Mark as unread", icon: "unread", action: () => context.markUnread(message) },
    may.seeReaders && { label: "Read by…", icon: "people", action: () => openReaders(app, message) },
    may.report && { label: "Report…", icon: "flag", action: () => report(app, message) },
    message.kind !== "admin" && blockItem(app, message.user),
    may.edit && { label: "Edit", icon: "edit", action: () => context.edit(message) },
    may.remove && "-",
    may.remove && {
      label: "Delete", icon: "trash", danger: true, disabled: hasReplies,
      reason: hasReplies ? "Delete its replies first" : undefined, action: () => remove(app, message),
    },
  ].filter(Boolean);
  if (items.length === 0) return;
  menu = app.menu(anchor, items, { label: "Message actions", header: header || undefined, point });
}

function report(app, message) {
  const target = { channel_id: message.channel_id, message_id: message.id };
  reportDialog(app, target, `${userName(message.user)}'s message`);
}

async function copy(app, text) {
  try {
    await navigator.clipboard.writeText(text);
    app.toast("Copied.");
  } catch {
    app.toast("The browser did not allow copying.", { error: true });
  }
}

async function remove(app, message) {
  const sure = await app.confirm({
    title: "Delete message?", text: "It disappears for everyone in the channel.", action: "Delete", danger: true,
  });
  if (sure) app.attempt(app.chat.remove(message.channel_id, message.id));
}
