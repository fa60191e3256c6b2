// A channel: its facts and controls, and under tabs its messages, members, bans and log.

import { numberOf } from "../ask.js";
import { facts, failure, sectionView, tabs, userLink, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { bannedList, memberList } from "./channel-members.js";
import { channelMessages } from "./channel-messages.js";
import { logList } from "./log.js";
import { button, notice } from "../../page/controls.js";
import { fill, h } from "../../page/dom.js";
import { field, formDialog } from "../../page/form-dialog.js";
import { exactDurationText } from "../../page/format.js";

const TABS = [
  ["Messages", "messages", "message.list"],
  ["Members", "members", "member.list"],
  ["Banned", "banned", "member.list_banned"],
  ["Log", "log", "member.moderation_log"],
];

const KINDS = [
  ["is_public", "public"],
  ["is_super", "supergroup"],
  ["is_distinct", "distinct"],
  ["is_ephemeral", "ephemeral"],
];

/** @param {import("../app.js").Console} app */
export function channelView(app, id, given = "messages", messageId) {
  const allowed = TABS.filter(([, , command]) => app.can(command));
  const tab = allowed.some(([, name]) => name === given) ? given : allowed[0]?.[1];
  const head = h("div", { class: "loaded" }, notice({ text: "Loading…", busy: true }));
  const list = {
    messages: () => channelMessages(app, id, messageId),
    members: () => memberList(app, id),
    banned: () => bannedList(app, id),
    log: () => logList(app, "member.moderation_log", { channel_id: id }),
  }[tab]?.();
  const element = sectionView(
    app,
    { title: userText(id), back: paths.section("channels") },
    head,
    tabs("Parts of the channel", allowed.map(([title, name]) => [title, paths.channel(id, name)]), paths.channel(id, tab)),
    list?.element,
  );

  async function reload() {
    try {
      const { channel } = await app.api.call("channel.get", { channel_id: id });
      fill(element.querySelector("h2"), userText(channel.name || channel.id));
      draw(channel);
    } catch (error) {
      fill(head, failure(error));
    }
  }

  function draw(channel) {
    const invited = channel.member_count - channel.joined_member_count;
    fill(
      head,
      facts([
        ["Id", userText(channel.id)],
        ["Type", h("span", { class: "tags" },
          !channel.is_public && h("span", { class: "tag" }, "private"),
          KINDS.filter(([name]) => channel[name]).map(([, text]) => h("span", { class: "tag" }, text)),
          channel.is_frozen && h("span", { class: "tag danger" }, "frozen"))],
        ["Members", `${channel.joined_member_count} joined, ${invited} invited`],
        ["Created", [when(channel.created_at), " by ", userLink(app, channel.created_by && { id: channel.created_by })]],
        ["Slow mode", channel.slow_mode_seconds && `one message per ${exactDurationText(channel.slow_mode_seconds)}`],
        ["Custom type", channel.custom_type && userText(channel.custom_type)],
      ]),
      h("div", { class: "buttons" }, controls(channel)),
    );
  }

  function controls(channel) {
    const [freeze, text, done] = channel.is_frozen
      ? ["channel.unfreeze", "Unfreeze", "The channel is open again."]
      : ["channel.freeze", "Freeze", "The channel is frozen."];
    return [
      app.can(freeze) && button(text, async () => {
        await app.attempt(() => app.api.call(freeze, { channel_id: id }), done);
        await reload();
      }, { small: true }),
      app.can("channel.update") && !channel.is_ephemeral &&
        button("Slow mode", async () => (await askSlowMode(app, channel)) && reload(), { small: true }),
    ];
  }

  reload();
  return { element, close: () => list?.close() };
}

function askSlowMode(app, channel) {
  const value = channel.slow_mode_seconds ?? 0;
  const seconds = h("input", { class: "input", type: "number", min: 0, max: 86_400, value, "data-autofocus": true });
  return formDialog(app, {
    title: "Slow mode",
    text: "Members other than operators must wait between messages.",
    fields: [field("Seconds", seconds, "0 turns it off; at most a day (86,400).")],
    action: "Set",
    run: () => app.api.call("channel.update", { channel_id: channel.id, slow_mode_seconds: numberOf(seconds) }),
    done: "The slow mode is set.",
  });
}
