// A channel's members: presence, roles and operator actions.

import { button, iconButton, notice, roving, viewHeader } from "../controls.js";
import { hasVoice } from "../conversation/barrier.js";
import { fill, h, keyed, scope } from "../dom.js";
import { errorText } from "../errors.js";
import { plural } from "../format.js";
import { loadNearEnd } from "../paging.js";
import { reportDialog } from "../report.js";
import { paths } from "../router.js";
import { bannedDialog } from "./banned.js";
import { drawChannelCard } from "./channel-card.js";
import { inviteDialog } from "./invite.js";
import { leaveChannel } from "./leave.js";
import { memberRow } from "./member-row.js";
import { memberSearch } from "./member-search.js";
import { moderationLogDialog } from "./moderation-log.js";
import { settingsDialog } from "./settings.js";

/** Channels with at least this many members get a search field. */
const SEARCH_FROM = 8;

/**
 * @param {import("../app.js").App} app
 * @param {{channelId: string}} params
 */
export function membersView(app, { channelId }) {
  const { chat } = app;
  const ends = scope();
  const channel = chat.channel(channelId);
  const members = chat.members(channelId, { order: "operator_then_nickname" });
  const value = () => channel.value ?? { id: channelId, name: "", member_count: 0 };

  const subtitle = h("span");
  const card = h("div", { class: "channel-card" });
  const list = h("ul", { class: "people", "aria-label": "Members" });
  const state = h("div");
  const end = h("div", { class: "list-end" });
  const settle = roving(list);
  const invite = button("Invite people", () => inviteDialog(app, value(), inside()), { icon: "invite", small: true });
  const more = iconButton("more", "Channel actions", () => menu(), { "aria-haspopup": "menu" });
  const search = memberSearch(app, channelId, (found) => ((result = found), update()));
  let result = null;

  const inside = () => new Set(members.items.map(({ user }) => user.id));

  function menu() {
    const now = value();
    const operator = now.my?.role === "operator";
    const governs = operator && hasVoice(now);
    const command = (method, done) => () => app.attempt(chat.rpc(method, { channel_id: channelId }), done);
    app.menu(
      more,
      [
        governs && !now.is_frozen && {
          label: "Freeze channel",
          reason: "Then only operators can write",
          icon: "snow",
          action: command("channel.freeze", "The channel is frozen."),
        },
        governs && now.is_frozen && {
          label: "Unfreeze channel",
          icon: "snow",
          action: command("channel.unfreeze", "Everyone can write again."),
        },
        // Ephemeral channels have no slow mode, the only setting.
        governs && !now.is_ephemeral && {
          label: "Channel settings…",
          icon: "edit",
          action: () => settingsDialog(app, now),
        },
        operator && { label: "Banned people…", icon: "ban", action: () => bannedDialog(app, channelId) },
        operator && { label: "Moderation log…", icon: "clock", action: () => moderationLogDialog(app, channelId) },
        operator && "-",
        {
          label: "Report channel…",
          icon: "flag",
          action: () => reportDialog(app, { channel_id: channelId }, app.names.of(now)),
        },
        { label: "Leave channel…", icon: "exit", danger: true, action: () => leaveChannel(app, now) },
      ],
      { label: "Channel actions" },
    );
  }

  function update() {
    const now = value();
    const items = result ?? members.items;
    const joined = now.joined_member_count ?? now.member_count;
    const waiting = now.member_count - joined;
    subtitle.textContent = `${plural(joined, "member")}${waiting > 0 ? ` · ${waiting} invited` : ""}`;
    drawChannelCard(app, card, now);
    search.element.hidden = now.member_count < SEARCH_FROM;
    more.hidden = now.my?.state !== "joined";
    invite.hidden = !hasVoice(now);
    keyed(list, items, ({ user }) => user.id, (member) => memberRow(app, value, member));
    settle();
    list.hidden = items.length === 0;
    fill(state, items.length === 0 && placeholder());
  }

  function placeholder() {
    if (result) return notice({ icon: "search", title: "Nobody found", text: "No member's name starts with that." });
    if (members.state === "loading") return notice({ busy: true, text: "Loading members…" });
    if (members.state === "ready") return notice({ icon: "people", title: "Nobody is here" });
    const again = button("Try again", () => members.reload(), { small: true });
    const text = errorText(members.error);
    return notice({ icon: "warning", title: "The members could not be loaded", text, action: again, role: "alert" });
  }

  // "Last seen 5 min ago" and the end of a mute change with time, without an event.
  const clock = setInterval(update, 30_000);
  ends.add(
    channel.on("change", update),
    members.on("change", update),
    chat.on("users", update),
    chat.blocked.on("change", update),
    app.names.on(update),
    search.close,
    loadNearEnd(end, members, () => !result),
    () => clearInterval(clock),
    () => members.close(),
  );
  update();

  const element = h(
    "section",
    { class: "view members" },
    viewHeader(app, {
      title: "Members",
      subtitle,
      back: paths.channel(channelId),
      close: paths.channel(channelId),
      actions: [more],
    }),
    h("div", { class: "scroll" }, card, h("div", { class: "members-tools" }, invite, search.element), list, state, end),
  );
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) app.navigate(paths.channel(channelId));
  });
  return { element, close: ends.close };
}
