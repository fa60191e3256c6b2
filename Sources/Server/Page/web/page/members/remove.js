// Removing a member without a ban, or taking back an invitation.

import { userName } from "../format.js";

/** Returns the menu item. @param {import("../app.js").App} app @param {object} channel @param {object} member */
export function removeItem(app, channel, { user, state }) {
  const name = userName(user);
  const remove = (done) =>
    app.attempt(app.chat.rpc("member.remove", { channel_id: channel.id, user_id: user.id }), done);
  if (state === "invited") {
    return { label: "Cancel the invitation", icon: "exit", action: () => remove(`${name} is no longer invited.`) };
  }
  const ask = async () => {
    const sure = await app.confirm({
      title: `Remove ${name}?`,
      text: channel.is_public
        ? `${name} can join again, because the channel is public.`
        : `${name} needs an invitation to come back.`,
      action: "Remove",
      danger: true,
    });
    if (sure) await remove(`${name} was removed.`);
  };
  return { label: "Remove from the channel…", icon: "exit", danger: true, action: ask };
}
