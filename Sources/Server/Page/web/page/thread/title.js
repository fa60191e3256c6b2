// Thread titles: participants and operators may set one.

import { hasVoice } from "../conversation/barrier.js";
import { button } from "../controls.js";
import { h } from "../dom.js";
import { errorText } from "../errors.js";

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
  const field = h("input", {
    class: "input", id: "thread-title-field", maxlength: LONGEST, autocomplete: "off", "data-autofocus": true,
    value: thread.thread?.title ?? "",
  });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });

  async function submit(event) {
    event?.preventDefault();
    save.disabled = true;
    try {
      const { channelId: channel_id, parentId: parent_message_id } = thread;
      await app.chat.rpc("thread.update", { channel_id, parent_message_id, title: field.value.trim() });
      dialog.close();
    } catch (error) {
      const isOutside = error.code === 1007;
      problem.textContent = isOutside ? "Only those who take part in the thread can do that." : errorText(error);
      problem.hidden = false;
      save.disabled = false;
    }
  }

  const save = button("Save", submit, { primary: true });
  const dialog = app.dialog({
    title: "Title of the thread",
    body: h("form", { class: "form", onsubmit: submit, novalidate: true },
      h("div", { class: "field" },
        h("label", { class: "label", for: field.id }, "Title"), field,
        h("span", { class: "hint" }, "Everyone sees it above the replies and in the thread list. Empty removes it.")),
      problem,
      // Enter in a field submits only if the form has a submit button.
      h("button", { type: "submit", hidden: true, tabindex: -1 })),
    actions: [button("Cancel", () => dialog.close()), save],
  });
  field.select();
  return dialog;
}
