// The window title: the unread count and the current place.

import { shortCount } from "./controls.js";
import { scope } from "./dom.js";

/** @param {import("./app.js").App} app @returns {() => void} unsubscribes */
export function titleView(app) {
  const ends = scope();
  const update = () => {
    const { unread_count: count = 0 } = app.chat.totals ?? {};
    const { main, channelId } = app.route;
    const channel = channelId && app.chat.channels.items.find(({ id }) => id === channelId);
    const named = { threads: "Threads", public: "Public channels" }[main];
    const place = named ?? (channel && app.names.of(channel));
    const unread = count > 0 ? `(${shortCount(count)}) ` : "";
    document.title = `${unread}${place ? `${place} – ` : ""}Belfry`;
  };
  ends.add(app.chat.on("change", update), app.chat.channels.on("change", update));
  ends.add(app.names.on(update), app.on("route", update));
  update();
  return ends.close;
}
