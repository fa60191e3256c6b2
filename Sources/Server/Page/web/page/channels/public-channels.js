// Public channels to browse and join.

import { channelAvatar } from "../avatar.js";
import { button, notice, viewHeader } from "../controls.js";
import { fill, h, keyed, scope } from "../dom.js";
import { errorText } from "../errors.js";
import { plural } from "../format.js";
import { icon } from "../icons.js";
import { paths } from "../router.js";
import { channelMarks } from "./channel-row.js";

/** Pause after the last key press before the server is queried, in ms. */
const SEARCH_PAUSE = 200;

function publicRow(app, { id }) {
  const face = h("span", { class: "portrait" });
  const lines = h("span", { class: "lines" });
  const action = h("span", { class: "answers" });
  const element = h("li", { class: "public-row", "data-channel": id }, face, lines, action);
  const open = () => app.navigate(paths.channel(id));

  async function join(event) {
    event.currentTarget.disabled = true;
    const joined = await app.attempt(app.chat.join(id));
    if (joined) open();
    else for (const one of action.querySelectorAll("button")) one.disabled = false;
  }

  return {
    element,
    update(channel) {
      const name = app.names.of(channel);
      const inside = channel.my?.state === "joined";
      fill(face, channelAvatar(channel, { size: 44 }));
      fill(
        lines,
        h(
          "span",
          { class: "line" },
          h("span", { class: "name ellipsis" }, name),
          channelMarks({ ...channel, is_public: false }),
        ),
        h("span", { class: "last" }, plural(channel.joined_member_count, "member"), inside && " · Joined"),
      );
      if (element.dataset.state === String(inside)) return;
      element.dataset.state = String(inside);
      fill(
        action,
        inside
          ? button("Open", open, { small: true, "aria-label": `Open ${name}` })
          : button("Join", join, { small: true, primary: true, "aria-label": `Join ${name}` }),
      );
    },
  };
}

/** @param {import("../app.js").App} app */
export function publicChannelsView(app) {
  const ends = scope();
  const list = h("ul", { class: "public-channels", "aria-label": "Public channels" });
  const state = h("div");
  const more = button("Show more", () => view.loadMore(), { plain: true });
  const search = h("input", {
    type: "search",
    class: "input",
    placeholder: "Search public channels",
    "aria-label": "Search public channels",
    maxlength: 200,
    "data-autofocus": true,
  });
  let view;
  let off;
  let timer;

  function update() {
    keyed(list, view.items, ({ id }) => id, (channel) => publicRow(app, channel));
    more.hidden = !view.hasMore;
    list.hidden = view.items.length === 0;
    fill(state, (view.items.length === 0 || view.state === "failed") && placeholder());
  }

  function placeholder() {
    if (view.state === "loading") return notice({ busy: true, text: "Loading public channels…" });
    if (view.state === "failed") {
      const action = button("Try again", () => view.reload(), { small: true });
      const text = errorText(view.error);
      return notice({ icon: "warning", title: "That could not be loaded", text, action, role: "alert" });
    }
    if (search.value.trim()) {
      return notice({ icon: "search", title: "Nothing found", text: "No public channel has that in its name." });
    }
    return notice({ icon: "globe", title: "No public channels yet", text: "A new channel can be made public." });
  }

  function runSearch() {
    close();
    view = app.chat.channels.publicChannels(search.value.trim());
    off = view.on("change", update);
    update();
  }

  function close() {
    off?.();
    view?.close();
  }

  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(runSearch, SEARCH_PAUSE);
  });
  runSearch();
  ends.add(close, () => clearTimeout(timer));
  const element = h(
    "section",
    { class: "view" },
    viewHeader(app, { title: "Public channels", subtitle: "Anyone can join these", back: paths.home }),
    h("div", { class: "scroll" }, h("div", { class: "page-width" },
      h("div", { class: "search", role: "search" }, icon("search"), search), list, state, more)),
  );
  return { element, close: ends.close };
}
