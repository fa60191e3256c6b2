// The menu of a channel in the list.

import { paths } from "../router.js";
import { leaveChannel } from "../members/leave.js";
import { reportDialog } from "../report.js";

/**
 * @param {import("../app.js").App} app
 * @param {HTMLElement} anchor
 * @param {object} channel
 * @param {{x: number, y: number}} [point] pointer position
 */
export function channelMenu(app, anchor, channel, point) {
  const { chat } = app;
  const name = app.names.of(channel);
  const hidden = (channel.my?.hidden_state ?? "unhidden") !== "unhidden";
  const back = { label: "Undo", run: () => app.attempt(chat.unhide(channel.id)) };
  const archive = async (options, text) => {
    if (await app.attempt(chat.hide(channel.id, options))) app.toast(text, { action: back });
  };
  app.menu(
    anchor,
    [
      {
        label: "Mark as read",
        icon: "check",
        disabled: !(channel.my?.unread_count > 0),
        action: () => app.attempt(chat.markRead(channel.id)),
      },
      { label: "Members", icon: "people", action: () => app.navigate(paths.members(channel.id)) },
      "-",
      hidden && {
        label: "Bring back from the archive",
        icon: "archive",
        action: () => app.attempt(chat.unhide(channel.id), `${name} is back in the list.`),
      },
      !hidden && {
        label: "Archive",
        reason: "Until someone writes",
        icon: "archive",
        action: () => archive({}, `${name} is archived until someone writes.`),
      },
      !hidden && {
        label: "Archive for good",
        reason: "Until you bring it back",
        icon: "archive",
        action: () => archive({ allow_auto_unhide: false }, `${name} is archived.`),
      },
      {
        label: "Clear history for me…",
        icon: "trash",
        action: () => clearHistory(app, channel, name),
      },
      "-",
      { label: "Report channel…", icon: "flag", action: () => reportDialog(app, { channel_id: channel.id }, name) },
      { label: "Leave channel…", icon: "exit", danger: true, action: () => leaveChannel(app, channel) },
    ],
    { label: `Actions for ${name}`, point },
  );
}

async function clearHistory(app, channel, name) {
  const sure = await app.confirm({
    title: "Clear history for you?",
    text: `Messages in ${name} so far will be hidden from you permanently. Everyone else keeps them.`,
    action: "Clear history",
    danger: true,
  });
  if (!sure) return;
  await app.attempt(app.chat.rpc("channel.reset_history", { channel_id: channel.id }), "History cleared for you.");
}
