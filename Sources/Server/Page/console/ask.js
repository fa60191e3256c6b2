// Dialogs that ask for what a command needs: a duration and a reason, or a note.

import { button } from "../page/controls.js";
import { h } from "../page/dom.js";
import { DURATIONS } from "../page/members/sanction.js";

let serial = 0;

/** A labelled control. */
export function field(label, control, hint) {
  control.id ||= `field-${++serial}`;
  const id = hint && `${control.id}-hint`;
  if (id) control.setAttribute("aria-describedby", id);
  return h("div", { class: "field" }, h("label", { class: "label", for: control.id }, label), control,
    hint && h("span", { class: "hint", id }, hint));
}

/**
 * Asks, runs a command, and closes when it is done; a refusal is shown in the dialog.
 * @param {import("./app.js").Console} app
 * @param {{title: string, text?: string, fields: Node[], action: string, danger?: boolean, run(): Promise<any>,
 *   done: string}} form
 * @returns {Promise<boolean>} whether it was done
 */
export function formDialog(app, { title, text, fields, action, danger = false, run, done }) {
  return new Promise((resolve) => {
    let isDone = false;
    const problem = h("p", { class: "problem", role: "alert", hidden: true });
    const act = button(action, submit, { primary: !danger, danger });

    async function submit(event) {
      event?.preventDefault();
      act.disabled = true;
      try {
        await run();
        isDone = true;
        dialog.close();
        app.toast(done);
      } catch (error) {
        problem.textContent = error.message;
        problem.hidden = false;
        act.disabled = false;
      }
    }

    const dialog = app.dialog({
      title,
      body: h(
        "form",
        { class: "form", onsubmit: submit, novalidate: true },
        text && h("p", null, text),
        fields,
        problem,
        h("button", { type: "submit", hidden: true, tabindex: -1 }),
      ),
      actions: [button("Cancel", () => dialog.close()), act],
      onclose: () => resolve(isDone),
    });
  });
}

const KINDS = {
  "member.ban": ["Ban", "in this channel", "is removed and cannot return until the ban ends", "banned in the channel"],
  "member.mute": ["Mute", "in this channel", "can read this channel but not write in it", "muted in the channel"],
  "app.ban": ["Ban", "in the whole app", "is disconnected and refused everything until the ban ends", "banned in the app"],
  "app.mute": ["Mute", "in the whole app", "can read but not write, in every channel", "muted in the app"],
};

/**
 * Asks for how long and why, and bans or mutes.
 * @param {"member.ban" | "member.mute" | "app.ban" | "app.mute"} command
 * @param {{id: string, name: string}} user
 * @param {string} [channelId] for `member.…`
 */
export function askSanction(app, command, user, channelId) {
  const [verb, where, effect, done] = KINDS[command];
  const duration = h("select", { class: "input", "data-autofocus": true },
    DURATIONS.map(([label], index) => h("option", { value: index, selected: index === DURATIONS.length - 1 }, label)));
  const reason = h("input", { class: "input", maxlength: 1024, autocomplete: "off" });
  return formDialog(app, {
    title: `${verb} ${user.name} ${where}?`,
    text: `${user.name} ${effect}.`,
    fields: [field("For how long", duration), field("Why (optional)", reason)],
    action: verb,
    danger: true,
    run: () =>
      app.api.call(command, {
        user_id: user.id,
        ...(channelId && { channel_id: channelId }),
        seconds: DURATIONS[duration.value][1],
        description: reason.value.trim() || undefined,
      }),
    done: `${user.name} is ${done}.`,
  });
}

/** Asks for a note on a decision about a report. @param {"report.resolve" | "report.dismiss"} command */
export function askNote(app, command, reportId) {
  const resolves = command === "report.resolve";
  const note = h("textarea", { class: "input", rows: 3, maxlength: 1024, "data-autofocus": true });
  return formDialog(app, {
    title: resolves ? "Resolve the report?" : "Dismiss the report?",
    text: resolves ? "Something was done about it." : "Nothing has to be done about it.",
    fields: [field("Note (optional)", note, "Kept with the report and in the log. The reporter is not told.")],
    action: resolves ? "Resolve" : "Dismiss",
    run: () => app.api.call(command, { report_id: reportId, note: note.value.trim() || undefined }),
    done: resolves ? "The report is resolved." : "The report is dismissed.",
  });
}
