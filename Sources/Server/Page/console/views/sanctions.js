// Users who are banned or muted in the whole app.

import { cardList, sectionView, tabs, userLink, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { button } from "../../page/controls.js";
import { h } from "../../page/dom.js";
import { untilText } from "../../page/format.js";

const KINDS = {
  bans: { title: "Bans", list: "app.list_banned", lift: "app.unban", text: "Lift the ban", done: "The ban is lifted." },
  mutes: { title: "Mutes", list: "app.list_muted", lift: "app.unmute", text: "Unmute", done: "The mute is lifted." },
};

/** @param {import("../app.js").Console} app */
export function sanctionsView(app, given) {
  const name = given in KINDS ? given : "bans";
  const kind = KINDS[name];
  const list = cardList({
    label: kind.title,
    empty: "None.",
    async load(next) {
      const answer = await app.api.call(kind.list, { limit: 50, ...(next && { next }) });
      return { items: answer[name], next: answer.next };
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
    tabs("Type", Object.entries(KINDS).map(([one, { title }]) => [title, paths.sanctions(one)]), paths.sanctions(name)),
    list.element);
  return { element, close: list.close };
}
