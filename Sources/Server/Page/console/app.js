// The console's frame: the menu, one section at a time, and the context that the sections share.

import { seriesOf } from "./metrics.js";
import { paths, router } from "./router.js";
import { channelView } from "./views/channel.js";
import { channelsView } from "./views/channels.js";
import { eventsView } from "./views/events.js";
import { keysView } from "./views/keys.js";
import { logView } from "./views/log.js";
import { overviewView } from "./views/overview.js";
import { reportView } from "./views/report.js";
import { reportsView } from "./views/reports.js";
import { rolesView } from "./views/roles.js";
import { sanctionsView } from "./views/sanctions.js";
import { settingsView } from "./views/settings.js";
import { textRulesView } from "./views/text-rules.js";
import { userView } from "./views/user.js";
import { usersView } from "./views/users.js";
import { button } from "../page/controls.js";
import { confirmDialog, openDialog } from "../page/dialog.js";
import { h, scope } from "../page/dom.js";
import { icon } from "../page/icons.js";
import { toasts } from "../page/toasts.js";

/**
 * The context passed to every section.
 * @typedef {object} Console
 * @property {object} api see api.js
 * @property {import("./session.js").Session | null} session null without a key
 * @property {(command: string) => boolean} can whether the key may call a command
 * @property {(scope: string) => boolean} has whether the key has a scope
 * @property {object} series what is plotted, see metrics.js
 * @property {(path: string) => void} navigate see `paths`
 * @property {(view: object) => {element, close()}} dialog see dialog.js
 * @property {(question: object) => Promise<boolean>} confirm see dialog.js
 * @property {(text: string, options?: object) => void} toast see toasts.js
 * @property {(work: () => Promise, done?: string) => Promise<any>} attempt awaits `work`, then shows `done` or the error
 *   as a toast; resolves to undefined on failure
 */

/** The sections of the menu, in order: name, title, icon, and whether a session may see it. */
const SECTIONS = [
  ["overview", "Overview", "spark", () => true],
  ["reports", "Reports", "flag", (app) => app.can("report.list")],
  ["users", "Users", "people", (app) => app.can("user.list_all")],
  ["channels", "Channels", "hash", (app) => app.can("channel.get")],
  ["sanctions", "Bans and mutes", "ban", (app) => app.can("app.list_banned")],
  ["log", "Moderation log", "archive", (app) => app.can("app.moderation_log")],
  ["events", "Live events", "bell", (app) => app.has("read")],
  ["rules", "Text rules", "edit", (app) => app.can("text_rule.list")],
  ["roles", "Roles", "crown", (app) => app.can("role.list")],
  ["keys", "Keys", "lock", (app) => app.has("admin")],
  ["settings", "Settings", "menu", (app) => app.has("admin")],
];

/**
 * @param {{api: object, session: object | null, signIn(): void, signOut(): void}} options
 * @returns {{element: HTMLElement, close(): void}}
 */
export function consoleView({ api, session, signIn, signOut }) {
  const ends = scope();
  const notes = toasts();
  const nav = h("nav", { class: "column list", "aria-label": "Sections" });
  const main = h("main", { class: "column main", tabindex: -1 });
  const element = h("div", { class: "app console" }, nav, main, notes.element);

  /** @type {Console} */
  const app = {
    api,
    session,
    can: (command) => session?.commands.includes(command) ?? false,
    has: (scope) => session?.scopes.includes(scope) ?? false,
    series: seriesOf(api),
    dialog: openDialog,
    confirm: confirmDialog,
    toast: notes.toast,
    navigate: (path) => routing.navigate(path),
    async attempt(work, done) {
      try {
        const result = await work();
        if (done) notes.toast(done);
        return result ?? true;
      } catch (error) {
        notes.toast(error.message, { error: true });
        return undefined;
      }
    },
  };

  const sections = SECTIONS.filter(([, , , isAllowed]) => isAllowed(app));
  const links = sections.map(([name, title, symbol]) =>
    h("a", { class: "place", href: "#" + paths.section(name), "data-section": name }, icon(symbol),
      h("span", { class: "name" }, title)),
  );
  nav.append(
    h(
      "div",
      { class: "view" },
      h("header", { class: "view-header" }, h("h1", { tabindex: -1 }, "Belfry console")),
      h("div", { class: "places scroll" }, links),
      h(
        "footer",
        { class: "profile" },
        h("span", { class: "session" }, session ? ["Key ", h("bdi", { class: "name" }, session.id)] : "No key"),
        session
          ? button("Sign out", () => signOut(), { small: true })
          : button("Sign in", signIn, { small: true, primary: true }),
      ),
    ),
  );

  const views = {
    overview: () => overviewView(app),
    reports: ([state, id]) => (state === "one" && id ? reportView(app, id) : reportsView(app, state)),
    users: ([id]) => (id ? userView(app, id) : usersView(app)),
    channels: ([id, tab, messageId]) => (id ? channelView(app, id, tab, messageId) : channelsView(app)),
    sanctions: ([kind]) => sanctionsView(app, kind),
    log: () => logView(app),
    events: () => eventsView(app),
    rules: () => textRulesView(app),
    roles: () => rolesView(app),
    keys: () => keysView(app),
    settings: () => settingsView(app),
  };

  let view = null;
  let isFirst = true;
  function show(route) {
    const known = sections.find(([name]) => name === route.name);
    const name = known ? route.name : "overview";
    // In a narrow window, the menu is a place of its own.
    element.dataset.column = route.name === "menu" ? "list" : "main";
    for (const link of links) {
      if (link.dataset.section === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    view?.close();
    view = views[name](known ? route.parts : []);
    main.replaceChildren(view.element);
    main.setAttribute("aria-label", sections.find((section) => section[0] === name)[1]);
    document.title = `${main.querySelector("h2")?.textContent ?? "Console"} – Belfry console`;
    // The heading gets the focus, so that screen readers announce the section.
    if (!isFirst) main.querySelector("[data-autofocus], h2")?.focus({ preventScroll: true });
    isFirst = false;
  }

  const routing = router(show);
  ends.add(
    () => view?.close(),
    () => routing.close(),
    () => app.series.close(),
    () => document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close()),
  );
  return { element, close: ends.close };
}
