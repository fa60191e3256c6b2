import { h, fill } from "../dom.js";
import { openDialog } from "../dialog.js";
import { emojiName, toggle } from "./emoji.js";
import { emojiButton } from "./reaction-bar.js";

/** Maximum number of emojis shown. A registry may hold far more; search finds the rest. */
const SHOWN = 300;

/**
 * Opens a list of all the app's emojis by category, with the user's own reactions marked.
 * @param {object} app
 * @param {import("../../belfry/types.js").Message} message
 */
export function openEmojiList(app, message) {
  const list = h("div", { class: "emoji-list" });
  const search = h("input", {
    class: "input", type: "search", placeholder: "Search reactions", "aria-label": "Search reactions",
    "data-autofocus": true, oninput: show,
  });
  const dialog = openDialog({ title: "Reactions", body: [search, list] });
  list.addEventListener("keydown", (event) => moveInGrid(list, event));
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const first = list.querySelector("button");
    if (event.key === "Enter") first?.click();
    else first?.focus();
  });
  show();

  function pick(key) {
    toggle(app, message, key);
    dialog.close();
  }

  function show() {
    const words = search.value.trim().toLowerCase();
    const found = app.chat.emojis.filter((emoji) => emojiName(emoji.key).toLowerCase().includes(words)).slice(0, SHOWN);
    const categories = new Map();
    for (const emoji of found) {
      const name = emoji.category ?? "";
      if (!categories.has(name)) categories.set(name, []);
      categories.get(name).push(emoji);
    }
    fill(
      list,
      [...categories].map(([name, emojis]) => category(name, emojis)),
      found.length === 0 && h("p", { class: "emoji-none", role: "status" }, "No reaction with that name."),
    );
  }

  function category(name, emojis) {
    const title = name === "" || name === "default" ? "Everyday" : emojiName(name);
    return h(
      "section",
      { "aria-label": title },
      h("h3", { class: "emoji-category" }, title),
      h("div", { class: "emoji-grid" }, emojis.map((emoji) => emojiButton(emoji, message, pick))),
    );
  }
}

/** Moves to the visual neighbour with the arrow keys. */
function moveInGrid(list, event) {
  const all = [...list.querySelectorAll("button")];
  const at = all.indexOf(document.activeElement);
  if (at < 0) return;
  const box = all[at].getBoundingClientRect();
  const inRow = (step) => all[at + step];
  const inColumn = (step) => {
    const beyond = all.filter((one) => (one.getBoundingClientRect().top - box.top) * step > 4);
    const distance = (one) => {
      const other = one.getBoundingClientRect();
      return Math.abs(other.top - box.top) * 100 + Math.abs(other.left - box.left);
    };
    return beyond.sort((a, b) => distance(a) - distance(b))[0];
  };
  const move = {
    ArrowLeft: () => inRow(-1), ArrowRight: () => inRow(1), ArrowUp: () => inColumn(-1), ArrowDown: () => inColumn(1),
  }[event.key];
  if (!move) return;
  event.preventDefault();
  move()?.focus();
}
