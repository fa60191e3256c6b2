// The dialog for creating a channel.

import { button } from "../controls.js";
import { h } from "../dom.js";
import { inviteErrorText } from "../errors.js";
import { check } from "../form-dialog.js";
import { peoplePicker } from "../people-picker.js";
import { paths } from "../router.js";

let serial = 0;

function field(label, input, hint) {
  input.id = `channel-field-${++serial}`;
  return h(
    "div",
    { class: "field" },
    h("label", { class: "label", for: input.id }, label),
    input,
    hint && h("span", { class: "hint" }, hint),
  );
}

/** @param {import("../app.js").App} app */
export function createChannelDialog(app) {
  app.people.load();
  const name = h("input", { class: "input", maxlength: 200, autocomplete: "off", "data-autofocus": true });
  const id = h("input", {
    class: "input",
    maxlength: 100,
    autocomplete: "off",
    spellcheck: "false",
    pattern: "[A-Za-z0-9_.~\\-]+",
  });
  const isPublic = check("Public", "Anyone can find it and join without an invitation.");
  const isSuper = check("Supergroup", "For thousands of members.");
  const isDistinct = check("Distinct", "The same people always share this one channel.");
  const isEphemeral = check("Ephemeral", "Only people present now get the messages; nothing is stored.");
  const operator = check("Make me an operator", "Operators can freeze the channel, mute and ban.", { checked: true });
  const members = peoplePicker(app, {
    label: "Members",
    hint: "Ids or names; press Enter after each. You are always included.",
  });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });

  // The server rejects a distinct supergroup (1016), so do not offer that combination.
  const exclude = (one, other) =>
    one.input.addEventListener("change", () => {
      other.input.disabled = one.input.checked;
      if (one.input.checked) other.input.checked = false;
    });
  exclude(isSuper, isDistinct);
  exclude(isDistinct, isSuper);

  const say = (text) => {
    problem.textContent = text;
    problem.hidden = !text;
  };

  async function submit(event) {
    event?.preventDefault();
    say("");
    if (!id.checkValidity()) {
      say("An id has letters, digits and _ . ~ - only.");
      return id.focus();
    }
    make.disabled = true;
    try {
      if (!(await members.settle())) return members.input.focus();
      const data = {
        name: name.value.trim() || undefined,
        id: id.value.trim() || undefined,
        user_ids: members.ids(),
        operator_user_ids: operator.input.checked ? [app.chat.me.id] : [],
        is_public: isPublic.input.checked,
        is_super: isSuper.input.checked,
        is_distinct: isDistinct.input.checked,
        is_ephemeral: isEphemeral.input.checked,
      };
      const { channel, created } = await app.chat.rpc("channel.create", data);
      dialog.close();
      app.navigate(paths.channel(channel.id));
      if (!created) app.toast("This channel already exists and was opened.");
    } catch (error) {
      say(inviteErrorText(error));
    } finally {
      make.disabled = false;
    }
  }

  const make = button("Create channel", submit, { primary: true });
  const form = h(
    "form",
    { class: "form", onsubmit: submit, novalidate: true },
    field("Name", name, "If empty, named after its members."),
    members.element,
    h(
      "fieldset",
      { class: "checks pairs" },
      h("legend", { class: "group-label" }, "Kind"),
      [isPublic, isSuper, isDistinct, isEphemeral, operator].map(({ element }) => element),
    ),
    h("details", { class: "more-fields" }, h("summary", null, "More"), field("Channel id", id, "Generated if empty.")),
    problem,
    // Enter in a field submits only if the form has a submit button.
    h("button", { type: "submit", hidden: true, tabindex: -1 }),
  );
  const dialog = app.dialog({
    title: "New channel",
    wide: true,
    body: form,
    actions: [button("Cancel", () => dialog.close()), make],
  });
  return dialog;
}
