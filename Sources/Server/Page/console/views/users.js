// All users by nickname.

import { cardList, lineInput, openById, sectionView, userLink, userText } from "../parts.js";
import { paths } from "../router.js";
import { avatar } from "../../page/avatar.js";
import { h } from "../../page/dom.js";
import { icon } from "../../page/icons.js";

/** The pause in typing after which the list is searched, in ms. */
const PAUSE = 300;

/** @param {import("../app.js").Console} app */
export function usersView(app) {
  const input = lineInput("Nickname begins with", { type: "search", maxlength: 80, oninput: search });
  const list = cardList({
    label: "Users",
    empty: "No nickname begins like this.",
    async load(next) {
      const prefix = input.value.trim();
      const answer = await app.api.call("user.list_all", {
        limit: 50, ...(prefix && { nickname_prefix: prefix }), ...(next && { next }),
      });
      return { items: answer.users, next: answer.next };
    },
    row: (user) => userRow(app, user),
  });
  let timer = 0;
  function search() {
    clearTimeout(timer);
    timer = setTimeout(list.reload, PAUSE);
  }
  const open = openById(app, "User id", paths.user, 80);
  const element = sectionView(app, { title: "Users" },
    h("div", { class: "tools" }, h("div", { class: "search" }, icon("search"), input), open), list.element);
  return { element, close: () => (clearTimeout(timer), list.close()) };
}

function userRow(app, user) {
  return h(
    "article",
    { class: "card person-row", "data-user": user.id },
    avatar({ ...user, profile_url: undefined }, { size: 32, online: user.online }),
    h("div", { class: "lines" }, userLink(app, user), h("span", { class: "faint" }, userText(user.id))),
    user.is_guest && h("span", { class: "tag bronze" }, "guest"),
    user.is_active === false && h("span", { class: "tag danger" }, "deactivated"),
  );
}
