// A channel's members, and those who are banned from it.

import { askSanction } from "../ask.js";
import { cardList, userLink, userText } from "../parts.js";
import { button } from "../../page/controls.js";
import { h } from "../../page/dom.js";
import { untilText, userName } from "../../page/format.js";

/** @param {import("../app.js").Console} app */
export function memberList(app, channelId) {
  const list = cardList({
    label: "Members",
    empty: "There are no members.",
    async load(next) {
      const answer = await app.api.call("member.list", {
        channel_id: channelId, limit: 50, order: "operator_then_nickname", ...(next && { next }),
      });
      return { items: answer.members, next: answer.next };
    },
    row: (member) => memberRow(app, channelId, member, () => list.reload()),
  });
  return list;
}

function memberRow(app, channelId, { user, role, state, muted_until: mutedUntil }, reload) {
  const person = { id: user.id, name: userName(user) };
  const sanction = (command, text) => app.can(command) &&
    button(text, async () => (await askSanction(app, command, person, channelId)) && reload(), { small: true });
  return h(
    "article",
    { class: "card", "data-user": user.id },
    h("p", { class: "line" }, userLink(app, user), h("span", { class: "faint" }, userText(user.id)),
      role === "operator" && h("span", { class: "tag accent" }, "operator"),
      state === "invited" && h("span", { class: "tag" }, "invited"),
      mutedUntil && h("span", { class: "tag danger" }, "muted")),
    h("div", { class: "buttons" },
      mutedUntil
        ? lift(app, "member.unmute", "Unmute", "The mute is lifted.", channelId, user.id, reload)
        : sanction("member.mute", "Mute"),
      sanction("member.ban", "Ban"),
      app.can("member.remove") && button("Remove", async () => {
        const isSure = await app.confirm({
          title: `Remove ${person.name}?`, text: "They can return, unless the channel needs an invitation.",
          action: "Remove", danger: true,
        });
        if (!isSure) return;
        const data = { channel_id: channelId, user_id: user.id };
        if (await app.attempt(() => app.api.call("member.remove", data), `${person.name} is removed.`)) reload();
      }, { small: true })),
  );
}

export function bannedList(app, channelId) {
  const list = cardList({
    label: "Banned users",
    empty: "Nobody is banned from this channel.",
    async load(next) {
      const answer = await app.api.call("member.list_banned", { channel_id: channelId, limit: 50, ...(next && { next }) });
      return { items: answer.bans, next: answer.next };
    },
    row: (ban) => h(
      "article",
      { class: "card", "data-user": ban.user.id },
      h("p", { class: "line" }, userLink(app, ban.user), h("span", { class: "faint" }, untilText(ban.until))),
      ban.description && h("p", null, userText(ban.description)),
      h("div", { class: "buttons" },
        lift(app, "member.unban", "Lift the ban", "The ban is lifted.", channelId, ban.user.id, () => list.reload())),
    ),
  });
  return list;
}

function lift(app, command, text, done, channelId, userId, reload) {
  return app.can(command) && button(text, async () => {
    const data = { channel_id: channelId, user_id: userId };
    if (await app.attempt(() => app.api.call(command, data), done)) reload();
  }, { small: true });
}
