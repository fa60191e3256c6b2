// One report: what was reported, in its context, and what to do about it.

import { askNote, askSanction } from "../ask.js";
import { block, channelLink, facts, failure, sectionView, userLink, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { messageRows } from "./messages.js";
import { stateTag } from "./reports.js";
import { button, notice } from "../../page/controls.js";
import { fill, h } from "../../page/dom.js";
import { userName } from "../../page/format.js";

/** How many messages are shown on either side of the reported one. */
const AROUND = 10;

/** @param {import("../app.js").Console} app */
export function reportView(app, id) {
  const body = h("div", { class: "loaded" });
  const back = paths.section("reports");

  async function reload() {
    try {
      const report = await findReport(app, id);
      if (report) await draw(report);
      else fill(body, notice({ icon: "flag", text: "This report does not exist any longer." }));
    } catch (error) {
      fill(body, failure(error));
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
        ["By", userLink(app, { id: report.by })],
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
      buttons.length > 0 && block("What to do", h("div", { class: "buttons" }, buttons)),
      decisions.length > 0 && block("Decision", h("div", { class: "buttons" }, decisions)),
    ];
  }

  async function removeMessage(message) {
    const isSure = await app.confirm({
      title: "Delete the message?", text: "Its text disappears for everyone.", action: "Delete", danger: true,
    });
    if (!isSure) return;
    const data = { channel_id: message.channel_id, message_id: message.id };
    await app.attempt(() => app.api.call("message.delete", data), "The message is deleted.");
    await reload();
  }

  fill(body, notice({ text: "Loading…", busy: true }));
  reload();
  return { element: sectionView(app, { title: "Report", back }, body), close() {} };
}

/** Looks through the list, because reports cannot be fetched one by one. */
async function findReport(app, id) {
  let next;
  do {
    const answer = await app.api.call("report.list", { limit: 100, ...(next && { next }) });
    const found = answer.reports.find((report) => report.id === id);
    if (found) return found;
    next = answer.next;
  } while (next);
  return null;
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
