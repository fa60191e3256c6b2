// Finds members by name prefix, because a supergroup's list is never loaded completely.

import { h } from "../dom.js";
import { errorText } from "../errors.js";
import { icon } from "../icons.js";

/** Pause after the last key press before the server is queried, in ms. */
const PAUSE = 200;
const SHOWN = 50;

/**
 * @param {import("../app.js").App} app
 * @param {string} channelId
 * @param {(members: object[] | null) => void} show null if there is no search
 */
export function memberSearch(app, channelId, show) {
  let timer;
  let latest = 0;
  const input = h("input", {
    type: "search",
    class: "input",
    placeholder: "Find a member",
    "aria-label": "Find a member",
    autocomplete: "off",
    maxlength: 80,
  });

  async function search() {
    const text = input.value.trim();
    const mine = ++latest;
    if (!text) return show(null);
    try {
      const data = { channel_id: channelId, nickname_prefix: text, limit: SHOWN };
      const { members } = await app.chat.rpc("member.list", data);
      // Drop responses overtaken by a later query.
      if (mine === latest) show(members);
    } catch (error) {
      if (mine === latest) app.toast(errorText(error), { error: true });
    }
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, input.value ? PAUSE : 0);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !input.value) return;
    event.preventDefault();
    input.value = "";
    search();
  });
  return {
    element: h("div", { class: "search", role: "search", hidden: true }, icon("search"), input),
    close: () => (clearTimeout(timer), (latest = -1)),
  };
}
