// Users who are banned or muted in the whole app.

import { pagedList, sectionView, tabs, untilText, userLink, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { button } from "../../page/controls.js";
import { h } from "../../page/dom.js";

const KINDS = {
  bans: { title: "Bans", list: "app.list_banned", lift: "app.unban", text: "Lift the ban", done: "The ban is lifted." },
  mutes: { title: "Mutes", list: "app.list_muted", lift: "app.unmute", text: "Lift the mute", done: "The mute is lifted." },
};
const path = (name) => `${paths.section("sanctions")}/${name}`;

/** @param {import("../app.js").Console} app */
export function sanctionsView(app, given) {
  const name = given in KINDS ? given : "bans";
  const kind = KINDS[name];
  const list = pagedList({
    label: kind.title,
    empty: "There are none.",
    async load(next) {
      const answer = await app.api.call(kind.list, { limit: 50, ...(next && { next }) });
      return { rows: answer[name], next: answer.next };
    },
    row: ({ user, until, at, description }) => h(
      "article",
      { class: "card", "data-user": user.id },
      h("p", { class: "line" }, userLink(app, user), h("span", { class: "faint" }, "since ", when(at), ", ", untilText(until))),
      description && h("p", null, userText(description)),
      app.can(kind.lift) && h("div", { class: "buttons" }, button(kind.text, async () => {
        if (await app.attempt(() => app.api.call(kind.lift, { user_id: user.id }), kind.done)) list.reload();
      }, { small: true })),
    ),
  });
  const element = sectionView(app, { title: "Bans and mutes" },
    tabs("Kind", Object.entries(KINDS).map(([one, { title }]) => [title, path(one)]), path(name)), list.element);
  return { element, close: list.close };
}
