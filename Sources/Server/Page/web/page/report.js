// Reporting a channel, a user or a message.

import { button } from "./controls.js";
import { h } from "./dom.js";
import { errorText } from "./errors.js";

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
  const description = h("textarea", { class: "input", rows: 3, maxlength: 1024, id: "report-description" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });

  async function submit(event) {
    event?.preventDefault();
    send.disabled = true;
    const category = form.querySelector("input:checked").value;
    try {
      await app.chat.rpc("report.create", { ...target, category, description: description.value.trim() || undefined });
      dialog.close();
      app.toast("Reported. Thank you.");
    } catch (error) {
      problem.textContent = errorText(error);
      problem.hidden = false;
      send.disabled = false;
    }
  }

  const send = button("Report", submit, { primary: true });
  const form = h(
    "form",
    { class: "form", onsubmit: submit, novalidate: true },
    h("fieldset", { class: "checks" }, h("legend", { class: "group-label" }, "What is wrong?"), choices),
    h(
      "div",
      { class: "field" },
      h("label", { class: "label", for: description.id }, "What happened (optional)"),
      description,
      h("span", { class: "hint" }, "Read by those who run this server. The reported person is not told."),
    ),
    problem,
  );
  const dialog = app.dialog({
    title: `Report ${name}`,
    body: form,
    actions: [button("Cancel", () => dialog.close()), send],
  });
  return dialog;
}
