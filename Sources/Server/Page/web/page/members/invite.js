// The dialog for inviting people.

import { button } from "../controls.js";
import { h } from "../dom.js";
import { errorText, inviteErrorText } from "../errors.js";
import { plural, userName } from "../format.js";
import { peoplePicker } from "../people-picker.js";

/**
 * @param {import("../app.js").App} app
 * @param {object} channel
 * @param {Set<string>} inside ids of the known members
 */
export function inviteDialog(app, channel, inside) {
  app.people.load();
  const picker = peoplePicker(app, { label: "People", exclude: inside });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const say = (text) => {
    problem.textContent = text;
    problem.hidden = !text;
  };

  async function submit(event) {
    event?.preventDefault();
    say("");
    invite.disabled = true;
    try {
      if (!(await picker.settle())) return picker.input.focus();
      const ids = picker.ids();
      if (!ids.length) {
        say("Choose someone first.");
        return picker.input.focus();
      }
      const { joined = [], invited = [], refused = [] } = await app.chat.invite(channel.id, ids);
      const who = (id) => userName(app.chat.user(id) ?? { id });
      if (refused.length) {
        say(refused.map((one) => `${who(one.user_id)}: ${inviteErrorText(one)}`).join(" "));
        if (!joined.length && !invited.length) return;
      } else {
        dialog.close();
      }
      const parts = [joined.length && `${plural(joined.length, "person", "people")} joined`,
        invited.length && `${plural(invited.length, "person", "people")} invited`];
      app.toast(`${parts.filter(Boolean).join(", ")}.`);
    } catch (error) {
      say(errorText(error));
    } finally {
      invite.disabled = false;
    }
  }

  const invite = button("Invite", submit, { primary: true });
  const dialog = app.dialog({
    title: `Invite to ${app.names.of(channel)}`,
    body: h("form", { class: "form", onsubmit: submit, novalidate: true }, picker.element, problem),
    actions: [button("Cancel", () => dialog.close()), invite],
  });
  picker.input.focus();
  return dialog;
}
