// The window's title: how much is unread, and where one is.

import { shortCount } from "./controls.js";
import { scope } from "./dom.js";

/** @param {import("./app.js").App} app @returns {() => void} ends it */
export function titleView(app) {
  const ends = scope();
  const update = () => {
    const { unread_count: count = 0 } = app.chat.totals ?? {};
    const channel = app.route.channelId && app.chat.channels.items.find(({ id }) => id === app.route.channelId);
    const place = { threads: "Threads", public: "Public channels" }[app.route.main] ?? (channel && app.names.of(channel));
    document.title = `${count > 0 ? `(${shortCount(count)}) ` : ""}${place ? `${place} – ` : ""}Belfry`;
  };
  ends.add(app.chat.on("change", update), app.chat.channels.on("change", update), app.names.on(update), app.on("route", update));
  update();
  return ends.close;
}
