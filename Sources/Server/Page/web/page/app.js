// The signed-in page: three columns, and the context that their views share.

import { announcer } from "./announce.js";
import { channelListView } from "./channels/channel-list.js";
import { channelNames } from "./channels/names.js";
import { publicChannelsView } from "./channels/public-channels.js";
import { welcomeView } from "./channels/welcome.js";
import { connectionBanner, connectionWatch } from "./connection.js";
import { conversationView } from "./conversation/conversation.js";
import { confirmDialog, openDialog } from "./dialog.js";
import { h, scope } from "./dom.js";
import { errorText } from "./errors.js";
import { bannedView, goneView, refusedView } from "./farewell.js";
import { membersView } from "./members/members.js";
import { openMenu } from "./menu.js";
import { people } from "./people.js";
import { router } from "./router.js";
import { listenForSearchKey } from "./search/search-key.js";
import { searchView } from "./search/search-view.js";
import { threadView } from "./thread/thread.js";
import { threadListView } from "./threads/thread-list.js";
import { titleView } from "./title.js";
import { toasts } from "./toasts.js";

/**
 * The context passed to every view.
 * @typedef {object} App
 * @property {Client} client @property {Chat} chat
 * @property {import("./router.js").Route} route the current route
 * @property {(path: string, options?: {replace?: boolean}) => void} navigate see `paths`
 * @property {{on(listener: (words: {kind, text}) => void): () => void}} connection see connection.js
 * @property {{of(channel): string, on(fn): () => void}} names display names of channels, see channels/names.js
 * @property {{known(): object[], load(): Promise}} people people to suggest, see people.js
 * @property {(view: object) => {element, close()}} dialog see dialog.js
 * @property {(anchor: HTMLElement, items: object[], options?: object) => {element, close()}} menu see menu.js
 * @property {(question: object) => Promise<boolean>} confirm see dialog.js
 * @property {(text: string, options?: object) => void} toast see toasts.js
 * @property {(text: string) => void} announce to screen readers only
 * @property {(work: Promise | () => Promise, done?: string) => Promise<any>} attempt awaits `work`, then shows `done`
 *   or the error as a toast; resolves to undefined on failure
 * @property {object} [lastSearch] what the search view leaves for the way back, see search-view.js
 * @property {(problem?: string) => void} signOut
 * @property {(name: "route", fn: (route) => void) => () => void} on subscribes to route changes
 */

/** @returns {{element: HTMLElement, close(): void}} */
export function appView(client, chat, { signOut }) {
  const ends = scope();
  const notes = toasts();
  const voice = announcer();
  const listeners = new Set();

  const list = h("nav", { class: "column list", "aria-label": "Channels" });
  const main = h("main", { class: "column main", tabindex: -1 });
  const side = h("aside", { class: "column side", hidden: true });
  const banner = h("div", { class: "banner-place" });
  const element = h("div", { class: "app" }, banner, list, main, side, notes.element, voice.element);

  /** @type {App} */
  const app = {
    client,
    chat,
    connection: connectionWatch(client),
    names: channelNames(chat),
    people: people(chat),
    route: { main: "home", side: null, path: "/" },
    dialog: openDialog,
    menu: openMenu,
    confirm: confirmDialog,
    toast: notes.toast,
    announce: voice.announce,
    navigate: (path, options) => routing.navigate(path, options),
    async attempt(work, done) {
      try {
        const result = await (typeof work === "function" ? work() : work);
        if (done) notes.toast(done);
        return result ?? true;
      } catch (error) {
        notes.toast(errorText(error), { error: true });
        return undefined;
      }
    },
    signOut(problem) {
      client.disconnect();
      signOut(problem);
    },
    on(_, fn) {
      listeners.add(fn);
      return () => listeners.delete(fn);
    },
  };

  // A column keeps its view while the key is the same. A conversation scrolls to messages of its own channel, and stays
  // in place when a thread opens beside it.
  const columns = { list: slot(list), main: slot(main), side: slot(side) };
  const mainViews = {
    home: () => welcomeView(app),
    public: () => publicChannelsView(app),
    threads: () => threadListView(app),
    search: ({ text, channelId }) => searchView(app, { text, channelId }),
    channel: ({ channelId, messageId }) => conversationView(app, { channelId, messageId }),
  };
  const sideViews = {
    thread: ({ channelId, parentId }) => threadView(app, { channelId, parentId }),
    members: ({ channelId }) => membersView(app, { channelId }),
  };

  function show(route) {
    app.route = route;
    const { main: name, side: sideName, channelId, messageId, parentId } = route;
    element.dataset.column = sideName ? "side" : name === "home" ? "list" : "main";
    element.dataset.side = sideName ? "open" : "closed";
    side.hidden = !sideName;
    main.setAttribute("aria-label", LABELS[name]);
    side.setAttribute("aria-label", sideName === "members" ? "Members" : "Thread");
    const key = name === "channel" ? `channel ${channelId}` : name;
    const moved = columns.main.show(key, () => mainViews[name](route));
    if (!moved && messageId) columns.main.view.go(messageId);
    if (!moved && name === "search") columns.main.view.go(route);
    const sideKey = sideName && `${sideName} ${channelId} ${parentId ?? ""}`;
    const opened = columns.side.show(sideKey, () => sideViews[sideName](route));
    for (const fn of listeners) fn(route);
    if (opened && sideName) focusOn(side);
    else if (moved && name !== "home") focusOn(main);
  }

  columns.list.show("channels", () => channelListView(app));
  const connection = connectionBanner(app);
  banner.append(connection.element);
  const routing = router(show);
  // These run in reverse order.
  ends.add(
    () => client.disconnect(),
    () => Object.values(columns).forEach((column) => column.show(null)),
    () => connection.close(),
    () => app.connection.close(),
    () => routing.close(),
    () => chat.close(),
    titleView(app),
    listenForSearchKey(app),
    goneView(app),
    refusedView(app),
    bannedView(app),
  );

  return { element, close: ends.close };
}

/** The main landmark's label for each view. */
const LABELS = { home: "Start", public: "Public channels", threads: "Threads", search: "Search", channel: "Conversation" };

/** A container for one view at a time. */
function slot(parent) {
  let key = null;
  let view = null;
  return {
    get view() {
      return view;
    },
    /** @returns {boolean} whether the view was replaced */
    show(next, make) {
      if (next === key) return false;
      view?.close();
      key = next || null;
      view = key ? make() : null;
      parent.replaceChildren(...(view ? [view.element] : []));
      return true;
    },
  };
}

/**
 * Moves the focus into the new view: to its autofocus element, or else to its heading, which screen readers then
 * announce. Does nothing if the user moves the focus before the view is drawn.
 */
function focusOn(column) {
  const before = document.activeElement;
  const drawn = new AbortController();
  let hasActed = false;
  for (const type of ["keydown", "pointerdown"])
    addEventListener(type, () => (hasActed = true), { capture: true, signal: drawn.signal });
  requestAnimationFrame(() => {
    drawn.abort();
    if (hasActed && document.activeElement !== before) return;
    const target = column.querySelector("[data-autofocus]:not(:disabled)") ?? column.querySelector("h1, h2");
    target?.focus({ preventScroll: true });
  });
}
