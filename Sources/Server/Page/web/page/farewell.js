// Handles involuntary exits: removal from a channel, a rejected token, and a ban from the app.

import { scope } from "./dom.js";
import { NO_END, untilText } from "./format.js";
import { paths } from "./router.js";

/**
 * Notifies users who lose the channel they are viewing, and takes them home.
 * @returns {() => void} unsubscribes
 */
export function goneView(app) {
  const ends = scope();
  const follow = ({ channelId }) => {
    ends.close();
    if (!channelId) return;
    const channel = app.chat.channel(channelId);
    let name = "";
    // Only a channel that was visible can be lost. For a dead link, the conversation shows an explanation.
    const check = () => {
      if (channel.value && channel.state === "ready") name = app.names.of(channel.value);
      if (channel.state !== "gone" || !name || app.route.channelId !== channelId) return;
      app.toast(`You are no longer in ${name}.`);
      app.navigate(paths.home, { replace: true });
    };
    ends.add(channel.on("change", check));
    check();
  };
  const off = app.on("route", follow);
  follow(app.route);
  return () => (off(), ends.close());
}

/**
 * Codes that mean the token will never be accepted: the server's (ClientProtocol.md), and the client's own 1 (no other
 * token available).
 */
const REFUSED = new Set([1, 101, 109, 3005, 3500]);

/** Returns users who never got in to the sign-in form. Other users keep their view until they choose to leave. */
export function refusedView(app) {
  let before = false;
  return app.client.on("state", ({ state, code }) => {
    before ||= state === "connected";
    if (state !== "disconnected" || before || !REFUSED.has(code)) return;
    app.signOut("The server does not accept this token. It may have expired, or belong to another server.");
  });
}

/** Codes of a connection that was ended for good, and of one that was refused because of a ban. */
const ENDED = 3503;
const BANNED = 1055;

/** Returns banned users to the sign-in form, which says so. @returns {() => void} unsubscribes */
export function bannedView(app) {
  let ban = null;
  const offs = [
    app.chat.on("user.banned", ({ event, recovered }) => {
      // A recovered ban is over.
      if (!recovered) ban = event.sanction;
    }),
    app.client.on("state", ({ state, code, retryAfter }) => {
      if (state !== "disconnected") return;
      if (code === ENDED && ban) app.signOut(banText(ban));
      if (code === BANNED) app.signOut(banText({ until: retryAfter === undefined ? NO_END : Date.now() + retryAfter }));
    }),
  ];
  return () => offs.forEach((off) => off());
}

/** @param {{until: number, description?: string}} ban */
function banText({ until, description }) {
  const sentence = until >= NO_END ? "You are permanently banned from this app" : `You are banned from this app ${untilText(until)}`;
  return sentence + (description ? `: ${description}` : ".");
}
