// The moderation log: who did what to whom, newest first.

import { channelLink, pagedList, sectionView, untilText, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { h } from "../../page/dom.js";

/** @param {import("../app.js").Console} app */
export function logView(app) {
  const list = logList(app, "app.moderation_log", {});
  return { element: sectionView(app, { title: "Moderation log" }, list.element), close: list.close };
}

/** @param {"app.moderation_log" | "member.moderation_log"} command */
export function logList(app, command, data) {
  return pagedList({
    label: "Actions",
    empty: "Nothing was moderated yet.",
    async load(next) {
      const answer = await app.api.call(command, { ...data, limit: 50, ...(next && { next }) });
      return { rows: answer.entries, next: answer.next };
    },
    row: (entry) => entryRow(app, entry),
  });
}

function entryRow(app, entry) {
  const user = (id) => (app.can("user.get") ? h("a", { href: "#" + paths.user(id) }, userText(id)) : userText(id));
  return h(
    "article",
    { class: "card", "data-action": entry.action },
    h("p", { class: "line" }, h("strong", null, entry.action), h("span", { class: "faint" }, when(entry.at), " by ",
      entry.by ? user(entry.by) : "the app")),
    h("p", { class: "line" },
      entry.user_id && h("span", null, "user ", user(entry.user_id)),
      entry.channel_id && h("span", null, "in ", channelLink(app, entry.channel_id)),
      entry.message_id && entry.channel_id &&
        h("a", { href: "#" + paths.message(entry.channel_id, entry.message_id) }, "message"),
      entry.report_id && app.can("report.list") && h("a", { href: "#" + paths.report(entry.report_id) }, "report"),
      entry.until !== undefined && h("span", { class: "faint" }, untilText(entry.until))),
    entry.description && h("p", null, userText(entry.description)),
  );
}
