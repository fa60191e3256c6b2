// The queue of reports: by default those that nobody has decided about.

import { cardList, channelLink, sectionView, tabs, userLink, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { h } from "../../page/dom.js";

const STATES = [["Open", "open"], ["Resolved", "resolved"], ["Dismissed", "dismissed"], ["All", "all"]];

/** @param {import("../app.js").Console} app */
export function reportsView(app, given) {
  const state = STATES.some(([, name]) => name === given) ? given : "open";
  const list = cardList({
    label: "Reports",
    empty: state === "open" ? "No open reports." : "None.",
    async load(next) {
      const answer = await app.api.call("report.list", {
        ...(state !== "all" && { state }), limit: 30, ...(next && { next }),
      });
      return { items: answer.reports, next: answer.next };
    },
    row: (report) => reportRow(app, report),
  });
  const element = sectionView(
    app,
    { title: "Reports" },
    tabs("State", STATES.map(([title, name]) => [title, paths.reports(name)]), paths.reports(state)),
    list.element,
  );
  return { element, close: list.close };
}

/** What a report is about, in a word. */
const subjectOf = (report) => (report.message_id ? "message" : report.user_id ? "user" : "channel");

/** The author of a report. @param {{by?: string, rule_id?: string}} report */
export const reporterOf = (app, { by, rule_id: rule }) =>
  rule === undefined ? userLink(app, by && { id: by }) : ["the text rule ", userText(rule)];

/** @param {string} state */
export const stateTag = (state) =>
  h("span", { class: ["tag", state === "open" ? "bronze" : state === "resolved" && "accent"], "data-state": state }, state);

function reportRow(app, report) {
  return h(
    "article",
    { class: "card", "data-report": report.id },
    h(
      "p",
      { class: "line" },
      h("a", { href: "#" + paths.report(report.id), class: "subject" }, `${report.category}: ${subjectOf(report)}`),
      stateTag(report.state),
      h("span", { class: "faint" }, when(report.at)),
    ),
    report.description && h("p", null, userText(report.description)),
    h(
      "p",
      { class: "faint" },
      "by ",
      reporterOf(app, report),
      report.channel_id && [" in ", channelLink(app, report.channel_id)],
    ),
    report.note && h("p", { class: "faint" }, "Note: ", userText(report.note)),
  );
}
