// The list of banned users, where operators can lift bans.

import { avatar } from "../avatar.js";
import { button, notice } from "../controls.js";
import { fill, h } from "../dom.js";
import { errorText } from "../errors.js";
import { fullTime, userName } from "../format.js";

/** The end of the year 9999, which means permanent (ClientProtocol.md). */
export const NO_END = 253_402_300_799_000;

/** @param {number} until ms since 1970 */
export const untilText = (until) => (until >= NO_END ? "until it is lifted" : `until ${fullTime(until)}`);

/** @param {import("../app.js").App} app */
export function bannedDialog(app, channelId) {
  const list = h("ul", { class: "people", "aria-label": "Banned people" });
  const state = h("div");
  const more = button("Show more", () => load(more.next), { plain: true, hidden: true });

  function row({ user, until, description }) {
    const name = userName(user);
    const lift = async () => {
      unban.disabled = true;
      const done = await app.attempt(
        app.chat.rpc("member.unban", { channel_id: channelId, user_id: user.id }),
        `${name} may come back.`,
      );
      unban.disabled = false;
      if (!done) return;
      element.remove();
      if (!list.childElementCount) empty();
      else list.querySelector("button").focus();
    };
    const unban = button("Lift ban", lift, { small: true, "aria-label": `Lift the ban of ${name}` });
    const why = [untilText(until), description].filter(Boolean).join(" · ");
    const element = h(
      "li",
      { class: "person", "data-user": user.id },
      avatar(user, { size: 36 }),
      h("span", { class: "lines" }, h("span", { class: "name ellipsis" }, name), h("span", { class: "last" }, why)),
      unban,
    );
    return element;
  }

  const empty = () => fill(state, notice({ icon: "ban", title: "Nobody is banned" }));

  async function load(next) {
    more.hidden = true;
    if (!next) fill(state, notice({ busy: true, text: "Loading…" }));
    try {
      const page = await app.chat.rpc("member.list_banned", { channel_id: channelId, limit: 50, next });
      fill(state);
      list.append(...page.bans.map(row));
      more.next = page.next;
      more.hidden = !page.next;
      if (!list.childElementCount) empty();
    } catch (error) {
      const again = button("Try again", () => load(next), { small: true });
      const text = errorText(error);
      fill(state, notice({ icon: "warning", title: "That could not be loaded", text, action: again, role: "alert" }));
    }
  }

  load();
  return app.dialog({ title: "Banned people", body: [list, state, more] });
}
