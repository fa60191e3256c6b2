// What ends without one's own doing: a channel that one is taken out of, a token that is not accepted.

import { scope } from "./dom.js";
import { paths } from "./router.js";

/** Whoever loses the channel they look at is told, and brought home. @returns {() => void} ends it */
export function goneView(app) {
  const ends = scope();
  const follow = ({ channelId }) => {
    ends.close();
    if (!channelId) return;
    const channel = app.chat.channel(channelId);
    let name = "";
    // Only what was there can go: a link to what never was is the conversation's to explain.
    const look = () => {
      if (channel.value && channel.state === "ready") name = app.names.of(channel.value);
      if (channel.state !== "gone" || !name || app.route.channelId !== channelId) return;
      app.toast(`You are no longer in ${name}.`);
      app.navigate(paths.home, { replace: true });
    };
    ends.add(channel.on("change", look));
    look();
  };
  const off = app.on("route", follow);
  follow(app.route);
  return () => (off(), ends.close());
}

/** Codes with which a token will never do: the server's (ClientProtocol.md), and 1 of the client that has no other. */
const REFUSED = new Set([1, 101, 109, 3005, 3500]);

/** Whoever was never let in goes back to the form; who was, keeps what they see until they choose to. */
export function refusedView(app) {
  let before = false;
  return app.client.on("state", ({ state, code }) => {
    before ||= state === "connected";
    if (state !== "disconnected" || before || !REFUSED.has(code)) return;
    app.signOut("The server does not accept this token. It may have run out, or be another server's.");
  });
}
