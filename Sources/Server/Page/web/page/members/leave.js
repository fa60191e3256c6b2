// Leaving a channel.

import { paths } from "../router.js";

/** @param {import("../app.js").App} app @param {object} channel */
export async function leaveChannel(app, channel) {
  const name = app.names.of(channel);
  const sure = await app.confirm({
    title: `Leave ${name}?`,
    text: channel.is_public
      ? "You will no longer receive its messages. It is public: you can join again."
      : "You will no longer receive its messages, and you need an invitation to come back.",
    action: "Leave channel",
    danger: true,
  });
  if (!sure) return;
  // Navigate first, because the open view would otherwise say that the user was removed.
  if (app.route.channelId === channel.id) app.navigate(paths.home, { replace: true });
  await app.attempt(app.chat.leave(channel.id), `You left ${name}.`);
}
