// The left column: search, navigation, invitations, active and archived channels, the user's profile.

import { button, badge, iconButton } from "../controls.js";
import { fill, h, scope } from "../dom.js";
import { icon } from "../icons.js";
import { paths } from "../router.js";
import { SEARCH_KEYS } from "../search/search-key.js";
import { channelItems } from "./channel-items.js";
import { createChannelDialog } from "./create-channel.js";
import { invitationsView } from "./invitations.js";
import { profileBar } from "./profile.js";

/** Pause after the last key press before the server is queried, in ms. */
const SEARCH_PAUSE = 200;

function place(app, path, name, label, extra) {
  const link = h("a", { class: "place", href: "#" + path }, icon(name), h("span", { class: "name" }, label), extra);
  const mark = ({ main }) => {
    if (path.split("/")[1] === main) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  };
  mark(app.route);
  return { link, off: app.on("route", mark) };
}

/** @param {import("../app.js").App} app */
export function channelListView(app) {
  const { channels, threads } = app.chat;
  const ends = scope();
  const body = h("div", { class: "channel-body", id: "channel-body" });
  let shown = null;

  const kinds = {
    active: () =>
      channelItems(app, channels, {
        label: "Channels",
        empty: {
          icon: "hash",
          title: "No channels yet",
          text: "Make one, or join a public one.",
          action: button("New channel", create, { primary: true, small: true, icon: "add" }),
        },
      }),
    archived: () =>
      channelItems(app, channels.hidden, {
        label: "Archived channels",
        empty: { icon: "archive", title: "Nothing archived", text: "Channels that you archive are kept here." },
      }),
    search: (text) => {
      const found = channels.search(text);
      const rows = channelItems(app, found, {
        label: `Channels with “${text}”`,
        empty: {
          icon: "search",
          title: "None of your channels",
          text: `None of your channels has “${text}” in its name.`,
          action: button("Look in public channels", () => app.navigate(paths.public), { small: true }),
        },
      });
      return { element: rows.element, close: () => (rows.close(), found.close()) };
    },
  };

  function show(kind, text) {
    shown?.close();
    shown = kinds[kind](text);
    fill(body, shown.element);
    for (const tab of tabs) {
      const selected = tab.dataset.tab === kind;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected || (kind === "search" && tab === tabs[0]) ? 0 : -1;
    }
    body.setAttribute("aria-label", { active: "Active", archived: "Archived", search: "Search" }[kind]);
  }

  const create = () => createChannelDialog(app);
  const tabs = [["active", "Active"], ["archived", "Archived"]].map(([kind, label]) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        class: "tab",
        "data-tab": kind,
        "aria-controls": body.id,
        onclick: () => ((search.value = ""), show(kind)),
      },
      label,
    ),
  );
  const tablist = h("div", { role: "tablist", class: "tabs", "aria-label": "Channel filter" }, tabs);
  tablist.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = tabs.find((tab) => tab !== document.activeElement);
    other.focus();
    other.click();
  });
  body.setAttribute("role", "tabpanel");

  const search = h("input", {
    type: "search",
    class: "input",
    placeholder: "Search channels",
    "aria-label": "Search channels",
    autocomplete: "off",
    maxlength: 200,
  });
  let timer;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    const text = search.value.trim();
    timer = setTimeout(() => (text ? show("search", text) : show("active")), text ? SEARCH_PAUSE : 0);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && search.value) {
      search.value = "";
      show("active");
    }
    if (event.key === "ArrowDown") {
      event.preventDefault();
      body.querySelector("[data-row]")?.focus();
    }
  });

  const fresh = h("span");
  const updateThreads = () => fill(fresh, badge(threads.newCount ?? 0, "new"));
  const toThreads = place(app, paths.threads, "thread", "Threads", fresh);
  const toPublic = place(app, paths.public, "globe", "Public channels");
  const toSearch = place(app, paths.search(), "search", "Search messages");
  toSearch.link.setAttribute("aria-keyshortcuts", SEARCH_KEYS);
  const invitations = invitationsView(app);
  const profile = profileBar(app);

  ends.add(
    threads.on("change", updateThreads),
    toThreads.off,
    toPublic.off,
    toSearch.off,
    invitations.close,
    profile.close,
    () => clearTimeout(timer),
    () => shown?.close(),
  );
  updateThreads();
  show("active");

  const element = h(
    "section",
    { class: "view channel-list" },
    h(
      "header",
      { class: "view-header" },
      h("h1", { class: "titles", tabindex: -1 }, "Channels"),
      iconButton("add", "New channel", create),
    ),
    h("div", { class: "search", role: "search" }, icon("search"), search),
    h("div", { class: "places" }, toSearch.link, toThreads.link, toPublic.link),
    h("div", { class: "scroll" }, invitations.element, tablist, body),
    profile.element,
  );
  return { element, close: ends.close };
}
