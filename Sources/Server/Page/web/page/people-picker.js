// A field for choosing people. The server has no public directory, so users enter ids or pick from people they know.

import { avatar } from "./avatar.js";
import { fill, h } from "./dom.js";
import { errorText } from "./errors.js";
import { userName } from "./format.js";
import { icon } from "./icons.js";

/** The limit of `channel.create` and `channel.invite`. */
const MOST = 250;
const SUGGESTED = 6;
let serial = 0;

/**
 * @param {import("./app.js").App} app
 * @param {{label: string, hint?: string, exclude?: Set<string>}} options `exclude`: ids that cannot be picked
 * @returns {{element: HTMLElement, input: HTMLInputElement, ids(): string[], settle(): Promise<boolean>}} `settle` adds
 *   the people still in the input; false if any is unknown or refused
 */
export function peoplePicker(app, { label, hint, exclude = new Set() }) {
  const id = `people-${++serial}`;
  const chosen = new Map();
  const chips = h("ul", { class: "chips", "aria-label": "Chosen people" });
  const problem = h("span", { class: "problem", role: "alert", id: `${id}-problem`, hidden: true });
  const box = { class: "suggestions", role: "listbox", id: `${id}-options`, "aria-label": "People", hidden: true };
  const options = h("ul", box);
  const input = h("input", {
    class: "input",
    id,
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "Name or id",
    role: "combobox",
    "aria-expanded": false,
    "aria-controls": options.id,
    "aria-autocomplete": "list",
    "aria-describedby": `${id}-hint ${id}-problem`,
  });
  let at = -1;

  function say(text) {
    problem.textContent = text;
    problem.hidden = !text;
    input.setAttribute("aria-invalid", String(Boolean(text)));
  }

  function choose(user) {
    say("");
    if (user.id === app.chat.me?.id) return say("You are always included.");
    if (exclude.has(user.id)) return say(`${userName(user)} is in the channel already.`);
    if (chosen.size >= MOST) return say(`At most ${MOST} people at once.`);
    chosen.set(user.id, user);
    draw();
  }

  function draw() {
    const remove = (user) => {
      chosen.delete(user.id);
      draw();
      input.focus();
    };
    const chip = (user) => {
      const off = { type: "button", "aria-label": `Remove ${userName(user)}`, onclick: () => remove(user) };
      const face = avatar(user, { size: 22 });
      return h("li", { class: "chip", "data-user": user.id }, face, userName(user), h("button", off, icon("close")));
    };
    fill(chips, [...chosen.values()].map(chip));
    chips.hidden = chosen.size === 0;
    suggest();
  }

  const suggestions = () => {
    const text = input.value.trim().toLowerCase();
    return app.people.known().filter(({ id, nickname }) =>
      !chosen.has(id) && !exclude.has(id) && id !== app.chat.me?.id
      && (id.toLowerCase().includes(text) || nickname?.toLowerCase().includes(text))).slice(0, SUGGESTED);
  };

  function suggest() {
    at = -1;
    const users = document.activeElement === input ? suggestions() : [];
    fill(options, users.map((user, index) => {
      const pick = (event) => (event.preventDefault(), (input.value = ""), choose(user));
      const props = { role: "option", id: `${id}-option-${index}`, "aria-selected": false, "data-user": user.id };
      return h("li", { ...props, onmousedown: pick },
        avatar(user, { size: 28, online: user.online }), h("span", { class: "name ellipsis" }, userName(user)),
        user.nickname && h("span", { class: "id ellipsis" }, user.id));
    }));
    options.hidden = users.length === 0;
    input.setAttribute("aria-expanded", String(users.length > 0));
    input.removeAttribute("aria-activedescendant");
  }

  function mark(step) {
    const rows = [...options.children];
    if (!rows.length) return;
    at = (at + step + rows.length + (at < 0 && step < 0 ? 1 : 0)) % rows.length;
    rows.forEach((row, index) => row.setAttribute("aria-selected", String(index === at)));
    input.setAttribute("aria-activedescendant", rows[at].id);
    rows[at].scrollIntoView({ block: "nearest" });
  }

  /** Looks up the typed ids, separated by commas or spaces, on the server. */
  async function settle() {
    const ids = [...new Set(input.value.split(/[\s,;]+/).filter(Boolean))].slice(0, MOST);
    if (!ids.length) return true;
    try {
      const users = await app.chat.loadUsers(ids);
      const unknown = ids.filter((one) => !users.some((user) => user.id === one));
      input.value = unknown.join(", ");
      users.forEach(choose);
      if (unknown.length) say(`Nobody here has the id ${unknown.join(", ")}.`);
      return unknown.length === 0 && problem.hidden;
    } catch (error) {
      say(errorText(error));
      return false;
    }
  }

  input.addEventListener("input", () => (say(""), suggest()));
  input.addEventListener("focus", suggest);
  input.addEventListener("blur", suggest);
  input.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (steps[event.key]) mark(steps[event.key]);
    else if (event.key === "Enter" && at >= 0) {
      const picked = suggestions()[at];
      input.value = "";
      if (picked) choose(picked);
    } else if ((event.key === "Enter" || event.key === ",") && input.value.trim()) settle();
    else if (event.key === "Backspace" && !input.value && chosen.size) {
      chosen.delete([...chosen.keys()].at(-1));
      draw();
      return;
    } else if (event.key === "Escape" && !options.hidden) {
      options.hidden = true;
      input.setAttribute("aria-expanded", "false");
      event.stopPropagation();
    } else return;
    event.preventDefault();
  });

  draw();
  const element = h("div", { class: "field people-picker" },
    h("label", { class: "label", for: id }, label), chips, h("div", { class: "combobox" }, input, options), problem,
    h("span", { class: "hint", id: `${id}-hint` }, hint ?? "Press Enter after each."));
  return { element, input, ids: () => [...chosen.keys()], settle };
}
