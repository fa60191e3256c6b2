// My channels.

import { connectionStatus } from "../connection.js";
import { viewHeader } from "../controls.js";
import { h, keyed, scope } from "../dom.js";
import { paths } from "../router.js";

/** @param {import("../app.js").App} app */
export function channelListView(app) {
  const ends = scope();
  const list = h("ul", { class: "scroll" });
  const status = connectionStatus(app);
  const update = () =>
    keyed(list, app.chat.channels.items, ({ id }) => id, ({ id }) => {
      const link = h("a", { href: "#" + paths.channel(id) });
      return { element: h("li", { "data-channel": id }, link), update: (channel) => (link.textContent = channel.name || channel.id) };
    });
  ends.add(app.chat.channels.on("change", update), status.close);
  update();
  return { element: h("section", { class: "view" }, viewHeader(app, { title: "Channels", level: 1 }), list, status.element), close: ends.close };
}
