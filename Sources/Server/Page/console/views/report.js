// One report: the reported message, user or channel in its context, and the actions on it.

import { findRow, SEARCHED } from "../api.js";
import { askNote, askSanction, askToDelete } from "../ask.js";
import { block, channelLink, facts, failure, sectionView, userLink, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { messageRows } from "./messages.js";
import { reporterOf, stateTag } from "./reports.js";
import { button, notice } from "../../page/controls.js";
import { fill, h } from "../../page/dom.js";
import { userName } from "../../page/format.js";

/** How many messages are shown on either side of the reported one. */
const AROUND = 10;

/** @param {import("../app.js").Console} app */
export function reportView(app, id) {
  const body = h("div", { class: "loaded" });
  const back = paths.section("reports");

  const closing = new AbortController();

  async function reload() {
    try {
      const { signal } = closing;
      const { row: report, isCut } = await findRow(app.api, "report.list", "reports", (one) => one.id === id, { signal });
      if (report) return await draw(report);
      const text = isCut
        ? `This report is not among the newest ${SEARCHED.toLocaleString("en")}.`
        : "This report no longer exists.";
      fill(body, notice({ icon: "flag", text }));
    } catch (error) {
      if (!closing.signal.aborted) fill(body, failure(error));
    }
  }

  async function draw(report) {
    const context = report.message_id ? await contextOf(app, report) : null;
    const message = context?.messages.find((one) => one.id === report.message_id);
    const user = message?.user ?? (report.user_id && (await userOf(app, report.user_id)));
    fill(
      body,
      facts([
        ["State", stateTag(report.state)],
        ["Reason", report.category],
        ["Description", report.description && userText(report.description), true],
        ["Reported", when(report.at)],
        ["By", reporterOf(app, report)],
        ["Channel", report.channel_id && channelLink(app, report.channel_id)],
        [message ? "Author" : "User", user && userLink(app, user)],
        ["Decided", report.settled_at && when(report.settled_at)],
        ["Note", report.note && userText(report.note), true],
      ]),
      context && block("In context", context.problem
        ? notice({ icon: "warning", text: context.problem, role: "alert" })
        : messageRows(app, context.messages, { marked: report.message_id, label: "reported" })),
      actions(report, message, user),
    );
  }

  function actions(report, message, user) {
    const person = user && { id: user.id, name: userName(user) };
    const sanction = (command, text) =>
      person && app.can(command) && (command.startsWith("app.") || report.channel_id) &&
      button(text, () => askSanction(app, command, person, report.channel_id), { small: true });
    const decide = (command, text, props) =>
      report.state === "open" && app.can(command) &&
      button(text, async () => {
        if (!(await askNote(app, command, report.id))) return;
        await reload();
        body.closest(".view")?.querySelector("h2").focus();
      }, props);
    const buttons = [
      message && !message.deleted_at && app.can("message.delete") &&
        button("Delete message", () => removeMessage(message), { small: true, danger: true }),
      sanction("member.mute", "Mute in channel"),
      sanction("member.ban", "Ban from channel"),
      sanction("app.mute", "Mute in app"),
      sanction("app.ban", "Ban from app"),
    ].filter(Boolean);
    const decisions = [
      decide("report.resolve", "Resolve", { primary: true }),
      decide("report.dismiss", "Dismiss"),
    ].filter(Boolean);
    return [
      buttons.length > 0 && block("Actions", h("div", { class: "buttons" }, buttons)),
      decisions.length > 0 && block("Decision", h("div", { class: "buttons" }, decisions)),
    ];
  }

  async function removeMessage(message) {
    if (await askToDelete(app, message)) await reload();
  }

  fill(body, notice({ text: "Loading…", busy: true }));
  reload();
  return { element: sectionView(app, { title: "Report", back }, body), close: () => closing.abort() };
}

async function contextOf(app, report) {
  try {
    return await app.api.call("message.list", {
      channel_id: report.channel_id,
      message_id: report.message_id,
      previous: AROUND,
      next: AROUND,
      replies: "all",
      include_deleted: true,
    });
  } catch (error) {
    return { messages: [], problem: error.message };
  }
}

async function userOf(app, id) {
  if (!app.can("user.get")) return { id };
  return app.api.call("user.get", { user_id: id }).then(({ user }) => user, () => ({ id }));
}
