// One member: avatar, name, role, presence, and an action menu.

import { avatar } from "../avatar.js";
import { blockItem } from "../block.js";
import { iconButton } from "../controls.js";
import { hasVoice } from "../conversation/barrier.js";
import { fill, h } from "../dom.js";
import { agoText, fullTime, untilText, userName } from "../format.js";
import { icon } from "../icons.js";
import { reportDialog } from "../report.js";
import { removeItem } from "./remove.js";
import { sanctionDialog } from "./sanction.js";

const tag = (name, text, look, title) => h("span", { class: ["tag", look], title }, icon(name), text);

/** Mutes expire without an event. */
const isMuted = (member) => member.muted_until > Date.now();

function presenceText(member) {
  if (member.state === "invited") return "Has not answered yet";
  if (member.online) return "Online";
  return member.last_seen_at ? `Last seen ${agoText(member.last_seen_at)}` : "Offline";
}

/**
 * Returns the signed-in user's actions for another member.
 * @param {import("../app.js").App} app
 */
function actions(app, channel, member) {
  const { chat } = app;
  const name = userName(member.user);
  const command = (method, done, data) => () =>
    app.attempt(chat.rpc(method, { channel_id: channel.id, ...data }), done);
  const operator = member.role === "operator";
  const user = { user_id: member.user.id };
  const users = { user_ids: [member.user.id] };
  const mine = channel.my?.role === "operator" && hasVoice(channel);
  return [
    mine && !operator && !member.user.is_guest && {
      label: "Make operator",
      icon: "crown",
      action: command("operator.add", `${name} is an operator now.`, users),
    },
    mine && operator && {
      label: "Remove operator",
      icon: "crown",
      action: command("operator.remove", `${name} is no longer an operator.`, users),
    },
    mine && (isMuted(member)
      ? { label: "Unmute", icon: "mute", action: command("member.unmute", `${name} can write again.`, user) }
      : { label: "Mute…", icon: "mute", action: () => sanctionDialog(app, "member.mute", channel.id, member.user) }),
    mine && removeItem(app, channel, member),
    mine && {
      label: "Ban…",
      icon: "ban",
      danger: true,
      action: () => sanctionDialog(app, "member.ban", channel.id, member.user),
    },
    mine && "-",
    blockItem(app, member.user),
    { label: "Report person…", icon: "flag", action: () => reportDialog(app, user, name) },
  ];
}

/**
 * @param {import("../app.js").App} app
 * @param {() => object} channel returns the current channel
 * @param {object} first the member
 * @returns {{element: HTMLElement, update(member): void}}
 */
export function memberRow(app, channel, first) {
  let shown = first;
  const me = first.user.id === app.chat.me?.id;
  const face = h("span", { class: "portrait" });
  const name = h("span", { class: "name ellipsis" });
  const tags = h("span", { class: "tags" });
  const presence = h("span", { class: "last ellipsis" });
  const more = iconButton("more", "Actions", () => open(), { class: "more", tabindex: -1, "aria-haspopup": "menu" });
  const element = h(
    "li",
    { class: "person member", "data-user": first.user.id, "data-row": true, tabindex: -1 },
    face,
    h("span", { class: "lines" }, h("span", { class: "line" }, name, tags), presence),
    !me && more,
  );
  const open = (point) =>
    app.menu(more, actions(app, channel(), shown), { label: `Actions for ${userName(shown.user)}`, point });
  if (!me) {
    element.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      open(event.clientX || event.clientY ? { x: event.clientX, y: event.clientY } : undefined);
    });
    element.addEventListener("keydown", (event) => {
      if (event.target !== element || !["Enter", " ", "ArrowRight"].includes(event.key)) return;
      event.preventDefault();
      open();
    });
  }

  return {
    element,
    update(member) {
      shown = member;
      const user = app.chat.user(member.user.id) ?? member.user;
      const title = userName(user) + (me ? " (you)" : "");
      const operator = member.role === "operator";
      const muted = isMuted(member);
      const here = member.state === "joined" ? Boolean(member.online) : undefined;
      const isBlocked = app.chat.blocked.has(member.user.id);
      const state = presenceText(member);
      const words = [
        title, operator && "operator", user.is_guest && "guest", member.state === "invited" && "invited",
        muted && "muted", isBlocked && "blocked by you", state,
      ];
      const label = words.filter(Boolean).join(", ");
      if (element.getAttribute("aria-label") === label && element.picture === user.profile_url) return;
      element.picture = user.profile_url;
      element.setAttribute("aria-label", label);
      element.dataset.online = String(Boolean(here));
      element.dataset.role = member.role;
      more.setAttribute("aria-label", `Actions for ${userName(user)}`);
      fill(face, avatar(user, { size: 36, online: here }));
      name.textContent = title;
      presence.textContent = state;
      if (!member.online && member.last_seen_at) presence.title = fullTime(member.last_seen_at);
      fill(
        tags,
        operator && tag("crown", "Operator", "accent"),
        user.is_guest && tag("door", "Guest"),
        member.state === "invited" && tag("invite", "Invited", "bronze"),
        isBlocked && tag("ban", "Blocked", "", "You have blocked this person"),
        muted && tag("mute", "Muted", "danger", `Muted ${untilText(member.muted_until)}`),
      );
    },
  };
}
