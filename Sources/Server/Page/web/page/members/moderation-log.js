// The channel's moderation log, for operators: who moderated whom, newest first.

import { h } from "../dom.js";
import { fullTime, shortTime, untilText, userName } from "../format.js";
import { pagedList } from "../paged-list.js";
import { usersOf } from "../users.js";

/** The sentences, without what follows the person. */
const SENTENCES = {
  "member.ban": (by, whom) => `${by} banned ${whom}`,
  "member.unban": (by, whom) => `${by} lifted the ban of ${whom}`,
  "member.mute": (by, whom) => `${by} muted ${whom}`,
  "member.unmute": (by, whom) => `${by} unmuted ${whom}`,
  "member.remove": (by, whom) => `${by} removed ${whom}`,
  "operator.add": (by, whom) => `${by} made ${whom} an operator`,
  "operator.remove": (by, whom) => `${by} removed ${whom} as an operator`,
  "channel.freeze": (by) => `${by} froze the channel`,
  "channel.unfreeze": (by) => `${by} unfroze the channel`,
  "message.delete": (by, whom) => `${by} deleted a message from ${whom}`,
  "message.update": (by, whom) => `${by} edited a message from ${whom}`,
  "app.ban": (by, whom) => `${by} banned ${whom} from the app`,
  "app.unban": (by, whom) => `${by} lifted the ban of ${whom} from the app`,
  "app.mute": (by, whom) => `${by} muted ${whom} in the app`,
  "app.unmute": (by, whom) => `${by} unmuted ${whom} in the app`,
  "user.deactivate": (by, whom) => `${by} deactivated ${whom}`,
  "user.activate": (by, whom) => `${by} activated ${whom}`,
  "user.disconnect": (by, whom) => `${by} disconnected ${whom}`,
  "text_rule.set": (by) => `${by} changed text rules`,
  "text_rule.delete": (by) => `${by} deleted text rules`,
  "role.set": (by) => `${by} changed what roles may do`,
  "hook.set": (by) => `${by} changed the hook`,
  "settings.update": (by) => `${by} changed settings`,
  "report.resolve": (by) => `${by} resolved a report`,
  "report.dismiss": (by) => `${by} dismissed a report`,
  "report.delete": (by) => `${by} deleted a report`,
};

/**
 * "Ann muted Bob until 14:05: loud". An action without a user was one of the app's backend.
 * @param {{action: string, at: number, by?: string, user_id?: string, until?: number, description?: string}} entry
 * @param {(id: string, you?: string) => string} nameOf `you`: what stands for the user
 */
export function sentenceOf({ action, at, by, user_id: whom, until, description }, nameOf) {
  const who = by === undefined ? "The app" : nameOf(by);
  const slowMode = action === "channel.update" && /^slow_mode_seconds (\d+)$/.exec(description ?? "")?.[1];
  if (slowMode) return slowMode === "0" ? `${who} ended slow mode` : `${who} set slow mode to ${slowMode} s`;
  const sentence = SENTENCES[action] ?? ((by, whom) => `${by}: ${action}${whom ? ` of ${whom}` : ""}`);
  const end = until === undefined ? "" : ` ${untilText(until, at)}`;
  return `${sentence(who, whom && nameOf(whom, "you"))}${end}${description ? `: ${description}` : ""}`;
}

/** @param {import("../app.js").App} app */
export function moderationLogDialog(app, channelId) {
  const { chat } = app;
  const nameOf = (id, you = "You") => (id === chat.me?.id ? you : userName(chat.user(id) ?? { id }));
  const rows = [];
  const log = pagedList({
    label: "Moderation log",
    empty: { icon: "flag", title: "Nothing has been moderated yet" },
    row(entry) {
      const text = h("span", { class: "log-text", dir: "auto" });
      const update = () => (text.textContent = sentenceOf(entry, nameOf));
      rows.push(update);
      update();
      const time = { datetime: new Date(entry.at).toISOString(), title: fullTime(entry.at) };
      return h("li", { class: "log-entry", "data-action": entry.action }, text, h("time", time, shortTime(entry.at)));
    },
    async load(next) {
      const { entries, next: more } = await chat.rpc("member.moderation_log", { channel_id: channelId, limit: 50, next });
      usersOf(chat, [...new Set(entries.flatMap(({ by, user_id: whom }) => [by, whom]).filter(Boolean))]);
      return { items: entries, next: more };
    },
  });
  const off = chat.on("users", () => rows.forEach((update) => update()));
  return app.dialog({ title: "Moderation log", body: log.element, onclose: () => (off(), log.close()) });
}
