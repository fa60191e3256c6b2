// Finding a channel: by id, among the public ones, or among those with listeners now.

import { block, cardList, channelLink, lineInput, loaded, openById, sectionView, table, userText } from "../parts.js";
import { paths } from "../router.js";
import { h } from "../../page/dom.js";
import { icon } from "../../page/icons.js";

/** How many rooms with listeners are shown. */
const ROOMS = 20;
const PAUSE = 300;

/** @param {import("../app.js").Console} app */
export function channelsView(app) {
  const words = lineInput("Public channels whose name contains", { type: "search", oninput: search });
  const list = cardList({
    label: "Public channels",
    empty: "None.",
    async load(next) {
      const name = words.value.trim();
      const answer = await app.api.call("channel.list_public", {
        limit: 30, include_empty: true, ...(name && { name_contains: name }), ...(next && { next }),
      });
      return { items: answer.channels, next: answer.next };
    },
    row: (channel) => channelRow(app, channel),
  });
  let timer = 0;
  function search() {
    clearTimeout(timer);
    timer = setTimeout(list.reload, PAUSE);
  }
  const element = sectionView(
    app,
    { title: "Channels" },
    h("div", { class: "tools" }, openById(app, "Channel id", paths.channel, 200)),
    app.has("read") && block("With listeners now", loaded(app.api.get(`/rooms?limit=${ROOMS}`), ({ rooms, next }) => {
      // Channels come first, and inboxes after them.
      const channels = rooms.filter(({ room }) => !room.startsWith("#"));
      if (channels.length === 0) return h("p", { class: "hint" }, "Nobody listens to a channel.");
      const rows = channels.map((one) => [channelLink(app, one.room), one.subscribers, one.publications]);
      return [
        table("Channels with listeners", ["Channel", "Connections", "Events since"], rows),
        next && channels.length === ROOMS && h("p", { class: "hint" }, `The first ${ROOMS} by id.`),
      ];
    })),
    block("Public channels", h("div", { class: "search" }, icon("search"), words), list.element),
  );
  return { element, close: () => (clearTimeout(timer), list.close()) };
}

function channelRow(app, channel) {
  return h(
    "article",
    { class: "card line", "data-channel": channel.id },
    channelLink(app, channel.id, channel.name),
    channel.name && h("span", { class: "faint" }, userText(channel.id)),
    channel.is_frozen && h("span", { class: "tag danger" }, "frozen"),
    h("span", { class: "faint" }, `${channel.joined_member_count} joined`),
  );
}
