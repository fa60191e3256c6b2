// The channel's settings, for operators.

import { button } from "../controls.js";
import { h } from "../dom.js";
import { errorText } from "../errors.js";
import { exactDurationText } from "../format.js";

/** The slow modes offered, in seconds. */
const SLOW_MODES = [0, 5, 10, 30, 60, 300, 900, 3_600];

/** @param {import("../app.js").App} app @param {import("../../belfry/types.js").ChannelJSON} channel */
export function settingsDialog(app, channel) {
  const now = channel.slow_mode_seconds ?? 0;
  // The app may have set any other number.
  const choices = [...new Set([...SLOW_MODES, now])].sort((a, b) => a - b);
  const option = (value) =>
    h("option", { value, selected: value === now }, value === 0 ? "Off" : `One message in ${exactDurationText(value)}`);
  const slow = h(
    "select",
    { class: "input", id: "slow-mode", "data-autofocus": true, "aria-describedby": "slow-mode-hint" },
    choices.map(option),
  );
  const problem = h("p", { class: "problem", role: "alert", hidden: true });

  async function submit(event) {
    event?.preventDefault();
    save.disabled = true;
    try {
      const slow_mode_seconds = Number(slow.value);
      await app.chat.rpc("channel.update", { channel_id: channel.id, slow_mode_seconds });
      dialog.close();
      app.toast("The settings are saved.");
    } catch (error) {
      problem.textContent = errorText(error);
      problem.hidden = false;
      save.disabled = false;
    }
  }

  const save = button("Save", submit, { primary: true });
  const dialog = app.dialog({
    title: "Channel settings",
    body: h(
      "form",
      { class: "form", onsubmit: submit, novalidate: true },
      h("div", { class: "field" }, h("label", { class: "label", for: slow.id }, "Slow mode"), slow,
        h("span", { class: "hint", id: "slow-mode-hint" }, "Members wait between two messages; operators do not.")),
      problem,
      h("button", { type: "submit", hidden: true, tabindex: -1 }),
    ),
    actions: [button("Cancel", () => dialog.close()), save],
  });
  return dialog;
}
