// The footer of the left column: the signed-in user, the connection's state, and the user menu.

import { avatar } from "../avatar.js";
import { blockedPeopleDialog, mayBlock } from "../block.js";
import { connectionStatus } from "../connection.js";
import { iconButton } from "../controls.js";
import { fill, h, scope } from "../dom.js";
import { plural, userName } from "../format.js";

/** @param {import("../app.js").App} app */
export function profileBar(app) {
  const ends = scope();
  const status = connectionStatus(app);
  const face = h("span", { class: "portrait" });
  const name = h("span", { class: "name ellipsis" });
  const more = iconButton("more", "Your menu", menu, { "aria-haspopup": "menu" });

  function menu() {
    const { unread_count: unread = 0, unread_channel_count: channels = 0 } = app.chat.totals ?? {};
    app.menu(
      more,
      [
        {
          label: "Mark all as read",
          reason: unread > 0 ? `${plural(unread, "message")} in ${plural(channels, "channel")}` : "Nothing is unread",
          icon: "check",
          disabled: !(unread > 0),
          action: () => app.attempt(app.chat.markAllRead(), "All channels are read."),
        },
        mayBlock(app) && { label: "Blocked people…", icon: "ban", action: () => blockedPeopleDialog(app) },
        "-",
        { label: "Sign out", icon: "exit", action: () => app.signOut() },
      ],
      { label: "Your menu" },
    );
  }

  function update() {
    const { me } = app.chat;
    fill(face, me && avatar(me, { size: 36 }));
    name.textContent = me ? userName(me) : "";
  }

  ends.add(app.chat.on("change", update), status.close);
  update();
  const element = h("footer", { class: "profile" }, face, h("span", { class: "lines" }, name, status.element), more);
  return { element, close: ends.close };
}
