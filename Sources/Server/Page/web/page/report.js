// Reporting a channel, a user or a message.

import { h } from "./dom.js";
import { field, formDialog } from "./form-dialog.js";

const CATEGORIES = [
  ["spam", "Spam", "Advertising or repeated messages."],
  ["harassing", "Harassing", "Insults, threats, hate."],
  ["inappropriate", "Inappropriate", "Does not belong here."],
  ["suspicious", "Suspicious", "Fraud, a fake account, harmful links."],
];

/**
 * @param {import("./app.js").App} app
 * @param {{channel_id?: string, user_id?: string, message_id?: string}} target exactly one of a channel, a user, or a
 *   message with its channel
 * @param {string} name the target, for the heading: "General", "Bob", "Bob's message"
 */
export function reportDialog(app, target, name) {
  const choices = CATEGORIES.map(([value, label, hint], index) =>
    h(
      "label",
      { class: "check" },
      h("input", { type: "radio", name: "category", value, checked: index === 0, "data-autofocus": index === 0 }),
      h("span", null, label, h("span", { class: "hint" }, hint)),
    ),
  );
  const categories = h("fieldset", { class: "checks" }, h("legend", { class: "group-label" }, "What is wrong?"), choices);
  const description = h("textarea", { class: "input", id: "report-description", rows: 3, maxlength: 1024 });
  const hint = "Read by those who run this server. The reported person is not told.";
  return formDialog(app, {
    title: `Report ${name}`,
    fields: [categories, field("What happened (optional)", description, hint)],
    action: "Report",
    run: () => app.chat.rpc("report.create", {
      ...target,
      category: categories.querySelector("input:checked").value,
      description: description.value.trim() || undefined,
    }),
    done: "Reported. Thank you.",
  });
}
