// The list of banned users, where operators can lift bans and ban someone who is not a member.

import { avatar } from "../avatar.js";
import { button } from "../controls.js";
import { h } from "../dom.js";
import { errorText } from "../errors.js";
import { untilText, userName } from "../format.js";
import { pagedList } from "../paged-list.js";
import { sanctionDialog } from "./sanction.js";

/** @param {import("../app.js").App} app */
export function bannedDialog(app, channelId) {
  const { chat } = app;

  function row({ user, until, description }) {
    const name = userName(user);
    const lift = async () => {
      unban.disabled = true;
      const done = await app.attempt(
        chat.rpc("member.unban", { channel_id: channelId, user_id: user.id }),
        `${name} may come back.`,
      );
      unban.disabled = false;
      if (done) bans.remove(element);
    };
    const unban = button("Lift ban", lift, { small: true, "aria-label": `Lift the ban of ${name}` });
    const why = [untilText(until), description].filter(Boolean).join(" · ");
    const element = h(
      "li",
      { class: "person", "data-user": user.id },
      avatar(user, { size: 36 }),
      h("span", { class: "lines" }, h("span", { class: "name ellipsis" }, name), h("span", { class: "last" }, why)),
      unban,
    );
    return element;
  }

  const bans = pagedList({
    label: "Banned people",
    empty: { icon: "ban", title: "Nobody is banned" },
    row,
    async load(next) {
      const page = await chat.rpc("member.list_banned", { channel_id: channelId, limit: 50, next });
      return { items: page.bans, next: page.next };
    },
  });
  const form = banForm(app, async (user) => {
    if (await sanctionDialog(app, "member.ban", channelId, user)) bans.reload();
  });
  return app.dialog({ title: "Banned people", body: [form, bans.element], onclose: bans.close });
}

/** A field for the id of someone to ban, who need not be a member. */
function banForm(app, ban) {
  const problem = h("span", { class: "problem", role: "alert", id: "ban-problem", hidden: true });
  const input = h("input", {
    class: "input", id: "ban-id", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 100,
    "aria-describedby": "ban-hint ban-problem",
  });

  function say(text) {
    problem.textContent = text;
    problem.hidden = !text;
    input.setAttribute("aria-invalid", String(Boolean(text)));
    if (text) input.focus();
  }

  async function submit(event) {
    event.preventDefault();
    const id = input.value.trim();
    if (!id) return say("Enter an id first.");
    if (id === app.chat.me?.id) return say("That is you.");
    say("");
    try {
      const [user] = await app.chat.loadUsers([id]);
      if (!user) return say(`Nobody here has the id ${id}.`);
      input.value = "";
      ban(user);
    } catch (error) {
      say(errorText(error));
    }
  }

  return h(
    "form",
    { class: "form ban-form", onsubmit: submit, novalidate: true },
    h("div", { class: "field" },
      h("label", { class: "label", for: input.id }, "Ban by user id"),
      h("div", { class: "field-line" }, input, button("Ban…", undefined, { type: "submit", danger: true })),
      problem,
      h("span", { class: "hint", id: "ban-hint" }, "Also keeps out people who are not members; they are not told.")),
  );
}
