// The moderation log: who did what to whom, newest first.

import { cardList, channelLink, sectionView, userLink, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { h } from "../../page/dom.js";
import { sentenceOf } from "../../page/members/moderation-log.js";

/** @param {import("../app.js").Console} app */
export function logView(app) {
  const list = logList(app, "app.moderation_log", {});
  return { element: sectionView(app, { title: "Moderation log" }, list.element), close: list.close };
}

/** @param {"app.moderation_log" | "member.moderation_log"} command */
export function logList(app, command, data) {
  return cardList({
    label: "Actions",
    empty: "No moderation actions yet.",
    async load(next) {
      const answer = await app.api.call(command, { ...data, limit: 50, ...(next && { next }) });
      return { items: answer.entries, next: answer.next };
    },
    row: (entry) => entryRow(app, entry),
  });
}

function entryRow(app, entry) {
  const { by, user_id: whom, channel_id: channel, message_id: message, report_id: report } = entry;
  return h(
    "article",
    { class: "card", "data-action": entry.action },
    h("p", { class: "line" }, h("strong", null, userText(sentenceOf(entry, (id) => id))),
      h("span", { class: "faint" }, when(entry.at))),
    h("p", { class: "line" },
      by && h("span", null, "by ", userLink(app, { id: by })),
      whom && h("span", null, "user ", userLink(app, { id: whom })),
      channel && h("span", null, "in ", channelLink(app, channel)),
      message && channel && h("a", { href: "#" + paths.message(channel, message) }, "message"),
      report && app.can("report.list") && h("a", { href: "#" + paths.report(report) }, "report")),
  );
}
