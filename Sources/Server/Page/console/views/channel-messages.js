// A channel's messages, newest first, or those around one message.

import { loaded, pagedList } from "../parts.js";
import { askSanction } from "../ask.js";
import { paths } from "../router.js";
import { messageRow, messageRows } from "./messages.js";
import { button } from "../../page/controls.js";
import { h } from "../../page/dom.js";
import { userName } from "../../page/format.js";

const AROUND = 15;

/**
 * @param {import("../app.js").Console} app
 * @param {string} [messageId] the message to show in its context
 */
export function channelMessages(app, channelId, messageId) {
  const common = { channel_id: channelId, replies: "all", include_deleted: true };
  const options = { actions: (message) => actionsOn(app, message, () => refresh()) };
  if (messageId) {
    const element = h("div", null);
    const refresh = () => element.replaceChildren(
      loaded(app.api.call("message.list", { ...common, message_id: messageId, previous: AROUND, next: AROUND }),
        ({ messages }) => messageRows(app, messages, { ...options, marked: messageId, label: "linked" })),
      h("a", { href: "#" + paths.channel(channelId) }, "Newest messages"),
    );
    options.actions = (message) => actionsOn(app, message, refresh);
    refresh();
    return { element, close() {} };
  }
  const list = pagedList({
    label: "Messages",
    empty: "There are no messages.",
    async load(next) {
      const answer = await app.api.call("message.list", { ...common, limit: 30, reverse: true, ...(next && { next }) });
      return { rows: answer.messages, next: answer.next };
    },
    row: (message) => messageRow(app, message, options),
  });
  function refresh() {
    list.reload();
  }
  return list;
}

function actionsOn(app, message, refresh) {
  const { user } = message;
  return [
    app.can("message.delete") && button("Delete", async () => {
      const isSure = await app.confirm({
        title: "Delete the message?", text: "Its text disappears for everyone.", action: "Delete", danger: true,
      });
      if (!isSure) return;
      const data = { channel_id: message.channel_id, message_id: message.id };
      if (await app.attempt(() => app.api.call("message.delete", data), "The message is deleted.")) refresh();
    }, { small: true }),
    user && app.can("member.mute") && button("Mute author", () =>
      askSanction(app, "member.mute", { id: user.id, name: userName(user) }, message.channel_id), { small: true }),
  ];
}
