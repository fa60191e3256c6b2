// A user: profile, sanctions in the whole app, and what can be done.

import { allPages } from "../api.js";
import { askSanction } from "../ask.js";
import { block, facts, failure, sectionView, untilText, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { button, notice } from "../../page/controls.js";
import { fill, h } from "../../page/dom.js";
import { userName } from "../../page/format.js";

/** @param {import("../app.js").Console} app */
export function userView(app, id) {
  const body = h("div", { class: "loaded" }, notice({ text: "Loading…", busy: true }));
  const element = sectionView(app, { title: userText(id), back: paths.section("users") }, body);

  async function reload() {
    try {
      const [{ user }, ban, mute] = await Promise.all([
        app.api.call("user.get", { user_id: id }),
        sanctionOf(app, "app.list_banned", "bans", id),
        sanctionOf(app, "app.list_muted", "mutes", id),
      ]);
      fill(element.querySelector("h2"), userText(userName(user)));
      draw(user, ban, mute);
    } catch (error) {
      fill(body, failure(error));
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
        ["Banned", ban && [untilText(ban.until), ban.description && [": ", userText(ban.description)]], true],
        ["Muted", mute && [untilText(mute.until), mute.description && [": ", userText(mute.description)]], true],
      ]),
      block("What to do", h("div", { class: "buttons" },
        mute ? act("app.unmute", "Lift the mute", "The mute is lifted.") : sanction("app.mute", "Mute in app"),
        ban ? act("app.unban", "Lift the ban", "The ban is lifted.") : sanction("app.ban", "Ban from app"),
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
  return { element, close() {} };
}

/** Looks through the list of sanctions, because there is no command for those of one user. */
async function sanctionOf(app, command, name, id) {
  if (!app.can(command)) return undefined;
  return (await allPages(app.api, command, {}, name)).find(({ user }) => user.id === id);
}
