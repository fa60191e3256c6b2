// A channel's messages, newest first, or those around one message.

import { askSanction, askToDelete } from "../ask.js";
import { cardList, loaded } from "../parts.js";
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
  let refresh;
  const actions = (message) => actionsOn(app, message, () => refresh());
  if (messageId) {
    const element = h("div", null);
    refresh = () => element.replaceChildren(
      loaded(app.api.call("message.list", { ...common, message_id: messageId, previous: AROUND, next: AROUND }),
        ({ messages }) => messageRows(app, messages, { actions, marked: messageId, label: "linked" })),
      h("a", { href: "#" + paths.channel(channelId) }, "Newest messages"),
    );
    refresh();
    return { element, close() {} };
  }
  const list = cardList({
    label: "Messages",
    empty: "There are no messages.",
    async load(next) {
      const answer = await app.api.call("message.list", { ...common, limit: 30, reverse: true, ...(next && { next }) });
      return { items: answer.messages, next: answer.next };
    },
    row: (message) => messageRow(app, message, { actions }),
  });
  refresh = list.reload;
  return list;
}

function actionsOn(app, message, refresh) {
  const { user } = message;
  return [
    app.can("message.delete") &&
      button("Delete", async () => (await askToDelete(app, message)) && refresh(), { small: true }),
    user && app.can("member.mute") && button("Mute author", () =>
      askSanction(app, "member.mute", { id: user.id, name: userName(user) }, message.channel_id), { small: true }),
  ];
}
