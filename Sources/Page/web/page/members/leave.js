// Leaving a channel.

import { paths } from "../router.js";

/** @param {import("../app.js").App} app @param {object} channel */
export async function leaveChannel(app, channel) {
  const name = app.names.of(channel);
  const sure = await app.confirm({
    title: `Leave ${name}?`,
    text: channel.is_public
      ? "Nothing of it reaches you any more. It is public: you can join again."
      : "Nothing of it reaches you any more, and you need an invitation to come back.",
    action: "Leave channel",
    danger: true,
  });
  if (!sure) return;
  // Going first: what is shown of the channel would otherwise say that one was removed.
  if (app.route.channelId === channel.id) app.navigate(paths.home, { replace: true });
  await app.attempt(app.chat.leave(channel.id), `You left ${name}.`);
}
