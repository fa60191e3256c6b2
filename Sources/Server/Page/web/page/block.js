// Blocking people, and the list of those blocked.

import { avatar } from "./avatar.js";
import { button, notice } from "./controls.js";
import { fill, h, keyed } from "./dom.js";
import { errorText } from "./errors.js";
import { userName } from "./format.js";

/** Rows added at a time, because a list may hold 10,000 people. */
const SHOWN = 100;

/** Whether the user can block others: guests cannot. @param {import("./app.js").App} app */
export const mayBlock = (app) => !app.chat.me?.is_guest;

/**
 * Returns the menu item that blocks or unblocks a person; undefined for oneself, for guests and for deleted users.
 * @param {import("./app.js").App} app @param {import("../belfry/types.js").User | undefined} user
 */
export function blockItem(app, user) {
  if (!user || user.is_deleted || user.id === app.chat.me?.id || !mayBlock(app)) return undefined;
  const name = userName(app.chat.user(user.id) ?? user);
  return app.chat.blocked.has(user.id)
    ? { label: `Unblock ${name}`, icon: "ban", action: () => unblock(app, user) }
    : { label: `Block ${name}…`, icon: "ban", action: () => block(app, user, name) };
}

async function block(app, user, name) {
  const sure = await app.confirm({
    title: `Block ${name}?`,
    text: `You will not see what ${name} writes unless you open it. ${name} cannot invite or mention you, write to you`
      + " alone, or see whether you are online, and is not told.",
    action: "Block",
    danger: true,
  });
  if (sure) await app.attempt(app.chat.block(user.id), `${name} is blocked.`);
}

/** @param {import("./app.js").App} app @param {import("../belfry/types.js").User} user */
export const unblock = (app, user) => app.attempt(app.chat.unblock(user.id), `${userName(user)} is no longer blocked.`);

/** Opens the list of the people whom the user has blocked. @param {import("./app.js").App} app */
export function blockedPeopleDialog(app) {
  const { blocked } = app.chat;
  const list = h("ul", { class: "people", "aria-label": "Blocked people" });
  const state = h("div");
  const more = button("Show more", () => ((shown += SHOWN), update()), { plain: true });
  let shown = SHOWN;
  let told;

  function row({ user }) {
    const free = async () => {
      act.disabled = true;
      if (!(await unblock(app, user))) act.disabled = false;
    };
    const name = h("span", { class: "name ellipsis" });
    const act = button("Unblock", free, { small: true });
    const face = h("span");
    const element = h("li", { class: "person", "data-user": user.id }, face, h("span", { class: "lines" }, name), act);
    return {
      element,
      update({ user: first }) {
        const now = app.chat.user(user.id) ?? first;
        fill(face, avatar(now, { size: 36 }));
        name.textContent = userName(now);
        act.setAttribute("aria-label", `Unblock ${userName(now)}`);
      },
    };
  }

  function placeholder() {
    if (blocked.state === "loading") return notice({ busy: true, text: "Loading…" });
    if (blocked.state === "ready") return notice({ icon: "ban", title: "You have blocked nobody" });
    const action = button("Try again", () => blocked.reload(), { small: true });
    const text = errorText(blocked.error);
    return notice({ icon: "warning", title: "That could not be loaded", text, action, role: "alert" });
  }

  function update() {
    const hadFocus = list.contains(document.activeElement);
    keyed(list, blocked.items.slice(0, shown), ({ user }) => user.id, row);
    more.hidden = blocked.items.length <= shown;
    list.hidden = blocked.items.length === 0;
    const now = blocked.items.length > 0 ? "" : blocked.state;
    if (now !== told) fill(state, now && placeholder());
    told = now;
    if (hadFocus && !list.contains(document.activeElement)) list.querySelector("button")?.focus();
  }

  const offs = [blocked.on("change", update), app.chat.on("users", update)];
  update();
  return app.dialog({ title: "Blocked people", body: [list, state, more], onclose: () => offs.forEach((off) => off()) });
}
