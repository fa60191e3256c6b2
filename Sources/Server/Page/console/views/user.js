// A user: profile, sanctions in the whole app, and actions.

import { findRow, SEARCHED } from "../api.js";
import { askSanction } from "../ask.js";
import { block, facts, failure, sectionView, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { button, notice } from "../../page/controls.js";
import { fill, h } from "../../page/dom.js";
import { untilText, userName } from "../../page/format.js";

/** @param {import("../app.js").Console} app */
export function userView(app, id) {
  const body = h("div", { class: "loaded" }, notice({ text: "Loading…", busy: true }));
  const element = sectionView(app, { title: userText(id), back: paths.section("users") }, body);

  const closing = new AbortController();
  const sanctionOf = (command, name) => app.can(command)
    ? findRow(app.api, command, name, ({ user }) => user.id === id, closing)
    : Promise.resolve({ isCut: false });

  async function reload() {
    try {
      const [{ user }, ban, mute] = await Promise.all([
        app.api.call("user.get", { user_id: id }),
        sanctionOf("app.list_banned", "bans"),
        sanctionOf("app.list_muted", "mutes"),
      ]);
      fill(element.querySelector("h2"), userText(userName(user)));
      draw(user, ban, mute);
    } catch (error) {
      if (!closing.signal.aborted) fill(body, failure(error));
    }
  }

  function draw(user, ban, mute) {
    const person = { id: user.id, name: userName(user) };
    const act = (command, text, done, question) =>
      app.can(command) && button(text, async () => {
        if (question && !(await app.confirm(question))) return;
        await app.attempt(() => app.api.call(command, { user_id: user.id }), done);
        await reload();
      }, { small: true });
    const sanction = (command, text) =>
      app.can(command) && button(text, async () => (await askSanction(app, command, person)) && reload(), { small: true });
    const isActive = user.is_active !== false;
    fill(
      body,
      facts([
        ["Id", userText(user.id)],
        ["State", h("span", { class: ["tag", isActive ? "accent" : "danger"] }, isActive ? "active" : "deactivated")],
        ["Guest", user.is_guest && "yes"],
        ["Online", user.online ? "now" : user.last_seen_at ? ["last seen ", when(user.last_seen_at)] : "never seen"],
        ["Picture", user.profile_url && userText(user.profile_url)],
        ["Metadata", user.metadata && Object.keys(user.metadata).length > 0 &&
          h("ul", null, Object.entries(user.metadata).map(([key, value]) => h("li", null, userText(`${key}: ${value}`))))],
        ["Banned", sanctionText(ban), true],
        ["Muted", sanctionText(mute), true],
      ]),
      block("Actions", h("div", { class: "buttons" },
        !mute.row && sanction("app.mute", "Mute in app"),
        (mute.row || mute.isCut) && act("app.unmute", "Unmute", "The mute is lifted."),
        !ban.row && sanction("app.ban", "Ban from app"),
        (ban.row || ban.isCut) && act("app.unban", "Lift the ban", "The ban is lifted."),
        act("user.disconnect", "Disconnect", "All connections of the user are closed."),
        isActive
          ? act("user.deactivate", "Deactivate", "The user is deactivated.", {
              title: `Deactivate ${person.name}?`,
              text: "They are disconnected, and locked out until somebody activates them.",
              action: "Deactivate", danger: true,
            })
          : act("user.activate", "Activate", "The user is active again."),
      )),
    );
  }

  reload();
  return { element, close: () => closing.abort() };
}

/** @param {{row?: object, isCut: boolean}} found see `findRow` */
function sanctionText({ row, isCut }) {
  if (isCut) return `unknown: not among the first ${SEARCHED.toLocaleString("en")}`;
  return row && [untilText(row.until), row.description && [": ", userText(row.description)]];
}
