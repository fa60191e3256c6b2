// Dialogs for the parameters of commands: duration and reason, a note, or a confirmation.

import { h } from "../page/dom.js";
import { UserError } from "../page/errors.js";
import { field, formDialog } from "../page/form-dialog.js";
import { sanctionFields } from "../page/members/sanction.js";

const KINDS = {
  "member.ban": ["Ban", "in this channel", "is removed and cannot return until the ban ends", "banned in the channel"],
  "member.mute": ["Mute", "in this channel", "can read this channel but not write in it", "muted in the channel"],
  "app.ban": ["Ban", "in the whole app", "is disconnected and refused everything until the ban ends", "banned in the app"],
  "app.mute": ["Mute", "in the whole app", "can read but not write, in every channel", "muted in the app"],
};

/**
 * Asks for duration and reason, and bans or mutes.
 * @param {"member.ban" | "member.mute" | "app.ban" | "app.mute"} command
 * @param {{id: string, name: string}} user
 * @param {string} [channelId] for `member.…`
 * @returns {Promise<boolean>} whether it was done
 */
export function askSanction(app, command, user, channelId) {
  const [verb, where, effect, done] = KINDS[command];
  const { fields, read } = sanctionFields();
  return formDialog(app, {
    title: `${verb} ${user.name} ${where}?`,
    text: `${user.name} ${effect}.`,
    fields,
    action: verb,
    danger: true,
    run: () => app.api.call(command, { user_id: user.id, ...(channelId && { channel_id: channelId }), ...read() }),
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

/** Asks for confirmation, and deletes a message. @returns {Promise<boolean>} whether it was deleted */
export async function askToDelete(app, { channel_id, id: message_id }) {
  const isSure = await app.confirm({
    title: "Delete the message?", text: "Its text disappears for everyone.", action: "Delete", danger: true,
  });
  if (!isSure) return false;
  const work = () => app.api.call("message.delete", { channel_id, message_id });
  return (await app.attempt(work, "The message is deleted.")) !== undefined;
}

/** Reads a number field. @param {HTMLInputElement} input @throws {UserError} for an empty field or no number */
export function numberOf(input) {
  // An empty field would be read as 0.
  const value = input.value.trim() === "" ? NaN : Number(input.value);
  if (!Number.isFinite(value)) throw new UserError("Enter a number first.");
  return value;
}
