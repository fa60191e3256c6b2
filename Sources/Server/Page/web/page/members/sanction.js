// The dialog for banning or muting: duration and reason.

import { button } from "../controls.js";
import { h } from "../dom.js";
import { errorText } from "../errors.js";
import { userName } from "../format.js";

/** Labels, with seconds. */
export const DURATIONS = [
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

/**
 * @param {import("../app.js").App} app
 * @param {"member.ban" | "member.mute"} method
 * @param {string} channelId
 * @param {object} user
 * @param {() => void} [done] called after success
 */
export function sanctionDialog(app, method, channelId, user, done) {
  const kind = KINDS[method];
  const name = userName(user);
  const duration = h(
    "select",
    { class: "input", id: "sanction-duration", "data-autofocus": true },
    DURATIONS.map(([label], index) => h("option", { value: index, selected: index === DURATIONS.length - 1 }, label)),
  );
  const description = h("input", { class: "input", id: "sanction-reason", maxlength: 1024, autocomplete: "off" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });

  async function submit(event) {
    event?.preventDefault();
    act.disabled = true;
    try {
      await app.chat.rpc(method, {
        channel_id: channelId,
        user_id: user.id,
        seconds: DURATIONS[duration.value][1],
        description: description.value.trim() || undefined,
      });
      dialog.close();
      app.toast(kind.done(name));
      done?.();
    } catch (error) {
      problem.textContent = errorText(error);
      problem.hidden = false;
      act.disabled = false;
    }
  }

  const act = button(kind.verb, submit, { danger: true });
  const dialog = app.dialog({
    title: `${kind.verb} ${name}?`,
    body: h(
      "form",
      { class: "form", onsubmit: submit, novalidate: true },
      h("p", null, kind.text(name)),
      h("div", { class: "field" }, h("label", { class: "label", for: duration.id }, "For how long"), duration),
      h("div", { class: "field" }, h("label", { class: "label", for: description.id }, "Why (optional)"), description),
      problem,
      h("button", { type: "submit", hidden: true, tabindex: -1 }),
    ),
    actions: [button("Cancel", () => dialog.close()), act],
  });
  return dialog;
}
