// One channel in the list: name, last message, time, unread count.

import { avatar, channelAvatar } from "../avatar.js";
import { badge, iconButton, shortCount } from "../controls.js";
import { fill, h } from "../dom.js";
import { fullTime, plural, shortTime } from "../format.js";
import { icon } from "../icons.js";
import { paths } from "../router.js";
import { channelMenu } from "./channel-menu.js";
import { lastLine } from "./last-message.js";

/** Marks for the kinds of channels: flag, icon, label. */
const MARKS = [
  ["is_frozen", "snow", "Frozen"],
  ["is_ephemeral", "spark", "Ephemeral"],
  ["is_public", "globe", "Public"],
];

/** An unnamed channel of two members shows the other member's avatar. */
export function channelFace(app, channel, size) {
  const others = channel.name || channel.member_count > 2 ? [] : app.names.others(channel);
  if (others.length !== 1) return channelAvatar(channel, { size });
  const user = app.chat.user(others[0].id) ?? others[0];
  return avatar(user, { size, online: user.online });
}

export function channelMarks(channel) {
  const marks = MARKS.filter(([flag]) => channel[flag]);
  return marks.map(([, name, label]) => h("span", { class: "kind", title: label }, icon(name)));
}

/** Returns the row's accessible name: everything it shows, most important first. */
function label(app, channel) {
  const { unread_count: unread = 0, unread_mention_count: mentions = 0 } = channel.my ?? {};
  return [
    app.names.of(channel),
    ...MARKS.filter(([flag]) => channel[flag]).map(([, , text]) => text.toLowerCase()),
    unread > 0 && `${shortCount(unread)} unread`,
    mentions > 0 && `${plural(mentions, "mention")} of you`,
    lastLine(app.chat, channel),
    channel.last_message && shortTime(channel.last_message.created_at),
  ]
    .filter(Boolean)
    .join(", ");
}

/**
 * @param {import("../app.js").App} app
 * @param {{id: string}} channel
 * @param {{now: string}} surroundings changes whenever other data shown in rows does
 * @returns {{element: HTMLElement, update(channel): void}}
 */
export function channelRow(app, { id }, surroundings) {
  let shown = null;
  let around = "";
  const link = h("a", { class: "channel-link", href: "#" + paths.channel(id), "data-row": true, tabindex: -1 });
  const more = iconButton("more", "Channel actions", () => channelMenu(app, more, shown), {
    class: "more",
    tabindex: -1,
    "aria-haspopup": "menu",
  });
  const element = h("li", { class: "channel-row", "data-channel": id }, link, more);

  element.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    const pointed = event.clientX || event.clientY;
    channelMenu(app, link, shown, pointed ? { x: event.clientX, y: event.clientY } : undefined);
  });
  // The list has one tab stop. The right arrow moves to the row's actions, as in a tree.
  link.addEventListener("keydown", (event) => event.key === "ArrowRight" && (event.preventDefault(), more.focus()));
  more.addEventListener("keydown", (event) => event.key === "ArrowLeft" && (event.preventDefault(), link.focus()));

  return {
    element,
    update(channel) {
      const current = app.route.channelId === id;
      if (current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      // There may be thousands of rows. The library replaces changed objects, so comparing identity is enough.
      if (channel === shown && around === surroundings.now) return;
      shown = channel;
      around = surroundings.now;
      const { unread_count: unread = 0, unread_mention_count: mentions = 0 } = channel.my ?? {};
      const last = channel.last_message;
      const words = label(app, channel);
      element.classList.toggle("unread", unread > 0);
      element.dataset.unread = unread;
      link.setAttribute("aria-label", words);
      more.setAttribute("aria-label", `Actions for ${app.names.of(channel)}`);
      fill(
        link,
        channelFace(app, channel, 44),
        h(
          "span",
          { class: "lines" },
          h(
            "span",
            { class: "line" },
            h("span", { class: "name ellipsis" }, app.names.of(channel)),
            channelMarks(channel),
            last && h("time", { datetime: new Date(last.created_at).toISOString(), title: fullTime(last.created_at) },
              shortTime(last.created_at)),
          ),
          h(
            "span",
            { class: "line" },
            h("span", { class: "last ellipsis" }, lastLine(app.chat, channel)),
            mentions > 0 && h("span", { class: "mention", title: "You were mentioned" }, icon("mention")),
            badge(unread, "unread"),
          ),
        ),
      );
    },
  };
}
