// The dialog for banning or muting: duration and reason.

import { h } from "../dom.js";
import { field, formDialog } from "../form-dialog.js";
import { userName } from "../format.js";

/** Labels, with seconds. */
const DURATIONS = [
  ["10 minutes", 600],
  ["1 hour", 3_600],
  ["1 day", 86_400],
  ["1 week", 604_800],
  ["Until it is lifted", undefined],
];

const KINDS = {
  "member.ban": {
    verb: "Ban",
    text: (name) => `${name} is removed immediately and cannot return until the ban ends.`,
    done: (name) => `${name} is banned.`,
  },
  "member.mute": {
    verb: "Mute",
    text: (name) => `${name} can read but not write.`,
    done: (name) => `${name} is muted.`,
  },
};

/** The fields of a ban or mute. @returns {{fields: HTMLElement[], read(): {seconds?: number, description?: string}}} */
export function sanctionFields() {
  const duration = h("select", { class: "input", "data-autofocus": true },
    DURATIONS.map(([label], index) => h("option", { value: index, selected: index === DURATIONS.length - 1 }, label)));
  const reason = h("input", { class: "input", id: "sanction-reason", maxlength: 1024, autocomplete: "off" });
  return {
    fields: [field("For how long", duration), field("Reason (optional)", reason)],
    read: () => ({ seconds: DURATIONS[duration.value][1], description: reason.value.trim() || undefined }),
  };
}

/**
 * @param {import("../app.js").App} app
 * @param {"member.ban" | "member.mute"} method
 * @param {string} channelId
 * @param {object} user
 * @returns {Promise<boolean>} whether it was done
 */
export function sanctionDialog(app, method, channelId, user) {
  const kind = KINDS[method];
  const name = userName(user);
  const { fields, read } = sanctionFields();
  return formDialog(app, {
    title: `${kind.verb} ${name}?`,
    text: kind.text(name),
    fields,
    action: kind.verb,
    danger: true,
    run: () => app.chat.rpc(method, { channel_id: channelId, user_id: user.id, ...read() }),
    done: kind.done(name),
  });
}
