// Mention suggestions: "@" and a name prefix open a list of the channel's members above the field.

import { avatar } from "../avatar.js";
import { fill, h, scope } from "../dom.js";
import { userName } from "../format.js";

/** Pause after the last key press before the server is queried, in ms. */
const PAUSE = 80;
/** Maximum number of members listed; a longer prefix finds the others. */
const LISTED = 8;
/** The limit of mentions per message. ClientProtocol.md, Mentions. */
const MOST = 100;
/** Maximum length of a name prefix, in characters. */
const LONGEST = 80;
const BEGUN = new RegExp(`(?:^|[\\s([{"'])@([^@\\n]{0,${LONGEST}})$`, "u");
let serial = 0;

/**
 * Adds mention suggestions to a field. A textarea may not have the combobox role (ARIA in HTML §4), so it remains a
 * textbox with a listbox and an active option, which screen readers still announce.
 *
 * @param {import("../app.js").App} app
 * @param {HTMLTextAreaElement} field
 * @param {string} channelId
 * @returns {{element: HTMLElement, keydown(event: KeyboardEvent): boolean, people: Map<string, string>,
 *   edit(message): void, change(message, text: string): object, close(): void}} `element`: the list; `keydown`: whether
 *   the list handled the key; `people`: id → name of the users picked or, after `edit`, mentioned by the message;
 *   `change`: the mention fields for the new text if they differ: those whose names it contains
 */
export function mentionPicker(app, field, channelId) {
  const ends = scope();
  const id = `mentions-${++serial}`;
  const box = { class: "suggestions mentions", role: "listbox", id, "aria-label": "Mention", hidden: true };
  const element = h("ul", box);
  let people = new Map();
  let found = [];
  let at = 0;
  let timer = 0;
  let latest = 0;
  /**
   * Suppresses the list at this "@" while its text starts with `text`, because nothing matched or the user dismissed
   * the list.
   */
  let done = null;
  for (const [name, value] of [["autocomplete", "list"], ["controls", id], ["haspopup", "listbox"]]) {
    field.setAttribute(`aria-${name}`, value);
  }

  /** Returns the mention being typed: the position of its "@" and the text after it. */
  function begun() {
    if (field.selectionStart !== field.selectionEnd || document.activeElement !== field) return null;
    const match = BEGUN.exec(field.value.slice(0, field.selectionStart));
    return match && { start: field.selectionStart - match[1].length - 1, text: match[1] };
  }

  function update() {
    clearTimeout(timer);
    const name = begun();
    if (!name) done = null;
    if (!name || (done?.start === name.start && name.text.startsWith(done.text))) return close();
    timer = setTimeout(() => search(name), PAUSE);
  }

  async function search(name) {
    const mine = ++latest;
    const data = { channel_id: channelId, limit: LISTED + 1, nickname_prefix: name.text || undefined };
    // On failure, the user continues typing without suggestions.
    const { members = [] } = await app.chat.rpc("member.list", data).catch(() => ({}));
    const now = begun();
    if (mine !== latest || now?.start !== name.start || now.text !== name.text) return;
    found = members.map(({ user }) => user).filter((user) => user.id !== app.chat.me?.id).slice(0, LISTED);
    at = 0;
    if (found.length === 0) done = name;
    draw();
  }

  function draw() {
    fill(element, found.map((user, index) => {
      const choose = (event) => (event.preventDefault(), pick(index));
      const props = { role: "option", id: `${id}-${index}`, "aria-selected": index === at, "data-user": user.id };
      return h("li", { ...props, onmousedown: choose },
        avatar(user, { size: 28 }), h("span", { class: "name ellipsis" }, userName(user)),
        user.nickname && h("span", { class: "id ellipsis" }, user.id));
    }));
    element.hidden = found.length === 0;
    if (found.length === 0) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", `${id}-${at}`);
    element.children[at].scrollIntoView({ block: "nearest" });
  }

  function close() {
    clearTimeout(timer);
    latest += 1;
    if (found.length === 0) return;
    found = [];
    draw();
  }

  function pick(index) {
    const name = begun();
    const user = found[index];
    close();
    if (!name || !user) return;
    const text = userName(user);
    if (people.size < MOST) people.set(user.id, text);
    done = { start: name.start, text };
    field.setSelectionRange(name.start, field.selectionEnd);
    // Inserted as if typed, so that undo works and input listeners fire.
    document.execCommand("insertText", false, `@${text} `);
  }

  function keydown(event) {
    if (found.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      at = (at + step + found.length) % found.length;
      draw();
    } else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) pick(at);
    else if (event.key === "Escape") {
      done = { start: begun()?.start, text: "" };
      close();
      event.stopPropagation();
    } else return false;
    event.preventDefault();
    return true;
  }

  const moved = ({ type, key }) => (type === "click" || /^(Arrow|Home|End)/.test(key)) && found.length === 0 && update();
  const listeners = [["input", update], ["click", moved], ["keyup", moved], ["blur", close]];
  for (const [name, listener] of listeners) field.addEventListener(name, listener);
  ends.add(close, ...listeners.map(([name, listener]) => () => field.removeEventListener(name, listener)));

  return {
    element,
    keydown,
    get people() {
      return people;
    },
    set people(known) {
      people = known;
    },
    edit({ mentioned_user_ids: ids = [] }) {
      const known = ids.map((user) => app.chat.user(user)).filter(Boolean);
      people = new Map(known.map((user) => [user.id, userName(user)]));
    },
    change({ mention_type: type, mentioned_user_ids: before = [] }, text) {
      // Channel mentions cannot be made here, so leave them in place.
      if (type === "channel") return {};
      const named = [...people].filter(([, name]) => text.includes(`@${name}`)).map(([user]) => user);
      // The user cannot have removed people whose names are unknown here, so keep them.
      const now = [...new Set([...before.filter((user) => !people.has(user)), ...named])].slice(0, MOST);
      return now.join() === before.join() ? {} : { mention_type: "users", mentioned_user_ids: now };
    },
    close: ends.close,
  };
}
