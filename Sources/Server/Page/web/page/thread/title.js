// Thread titles: participants and operators may set one.

import { hasVoice } from "../conversation/barrier.js";
import { h } from "../dom.js";
import { errorText } from "../errors.js";
import { field, formDialog } from "../form-dialog.js";

/** Maximum length of a title, in characters. ClientProtocol.md, Threads. */
const LONGEST = 200;

/**
 * Returns whether the user might be allowed to set the title. Until all replies are loaded, it assumes that the user
 * has replied.
 * @param {import("../app.js").App} app @param {import("../../belfry/types.js").ChannelJSON | null} channel
 * @param {import("../../belfry/thread.js").Thread} thread
 */
export function mayTitle(app, channel, thread) {
  if (!hasVoice(channel) || !thread.parent || !(thread.thread?.reply_count > 0)) return false;
  const mine = ({ user }) => user?.id === app.chat.me?.id;
  return channel.my.role === "operator" || mine(thread.parent) || thread.messages.some(mine) || thread.hasPrevious
    || thread.hasNext;
}

/** @param {import("../app.js").App} app @param {import("../../belfry/thread.js").Thread} thread */
export function titleDialog(app, thread) {
  const title = h("input", {
    class: "input", id: "thread-title-field", maxlength: LONGEST, autocomplete: "off", "data-autofocus": true,
    value: thread.thread?.title ?? "",
  });
  const hint = "Everyone sees it above the replies and in the thread list. Empty removes it.";
  const done = formDialog(app, {
    title: "Title of the thread",
    fields: [field("Title", title, hint)],
    action: "Save",
    run() {
      const { channelId: channel_id, parentId: parent_message_id } = thread;
      return app.chat.rpc("thread.update", { channel_id, parent_message_id, title: title.value.trim() });
    },
    problemText: (error) =>
      error.code === 1007 ? "Only those who take part in the thread can do that." : errorText(error),
  });
  title.select();
  return done;
}
