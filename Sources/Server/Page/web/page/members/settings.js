// The channel's settings, for operators.

import { h } from "../dom.js";
import { field, formDialog } from "../form-dialog.js";
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
  const slow = h("select", { class: "input", "data-autofocus": true }, choices.map(option));
  return formDialog(app, {
    title: "Channel settings",
    fields: [field("Slow mode", slow, "Members wait between two messages; operators do not.")],
    action: "Save",
    run: () => app.chat.rpc("channel.update", { channel_id: channel.id, slow_mode_seconds: Number(slow.value) }),
    done: "The settings are saved.",
  });
}
