// Shows the connection's state: connecting, live, reconnecting in n s, offline or ended.

import { button } from "./controls.js";
import { fill, h, scope } from "./dom.js";
import { icon } from "./icons.js";

/** Delay before the banner shows "Connecting…", so that a quick reconnect stays invisible, in ms. */
const PATIENCE = 400;

/**
 * Returns the text for a client status.
 * @param {{state: string, code?: number, reason?: string, retryAt?: number, offline?: boolean}} status
 * @param {{now: number, before: boolean}} context `before`: whether the connection was live before
 * @returns {{kind: "live" | "connecting" | "waiting" | "offline" | "ended", text: string}}
 */
export function connectionWords(status, { now, before }) {
  if (status.state === "connected") return { kind: "live", text: "Live" };
  // Code 0: not started yet.
  if (status.state === "disconnected" && status.code !== 0) return { kind: "ended", text: endedText(status) };
  if (status.offline) return { kind: "offline", text: "Offline: no network" };
  const seconds = Math.ceil(((status.retryAt ?? 0) - now) / 1000);
  if (seconds > 0) return { kind: "waiting", text: `Reconnecting in ${seconds} s` };
  return { kind: "connecting", text: before ? "Reconnecting…" : "Connecting…" };
}

function endedText({ code, reason }) {
  if (code === 1 && reason === "unauthorized") return "Signed out: the token has expired";
  if (code === 3500 || code === 3005 || code === 101 || code === 109) return "Signed out: the token is not valid";
  if (code === 3503) return "The server has ended this connection";
  if (code === 3504) return "Too many connections: close another window";
  return reason ? `Disconnected: ${reason}` : "Disconnected";
}

/**
 * Observes the client, and ticks every second while the client waits to reconnect. All indicators share it, so they
 * always agree.
 * @param {import("../belfry.js").Client} client
 * @returns {{on(listener: (words: {kind: string, text: string}) => void): () => void, close(): void}} `on` also calls
 *   back immediately
 */
export function connectionWatch(client) {
  const listeners = new Set();
  let timer;
  let before = false;
  let words;
  function update() {
    clearTimeout(timer);
    const { status } = client;
    before ||= status.state === "connected";
    words = connectionWords(status, { now: Date.now(), before });
    for (const listener of listeners) listener(words);
    // Fires when the displayed number changes, not one second after this call.
    const left = status.retryAt - Date.now();
    if (words.kind === "waiting") timer = setTimeout(update, Math.max(50, left - Math.floor((left - 1) / 1000) * 1000));
  }
  const off = client.on("state", update);
  update();
  return {
    on(listener) {
      listeners.add(listener);
      listener(words);
      return () => listeners.delete(listener);
    },
    close: () => (off(), clearTimeout(timer)),
  };
}

/** Creates the permanent indicator: a dot and a word. */
export function connectionStatus(app) {
  const text = h("span");
  const element = h("span", { class: "connection", "data-connection": "" }, h("span", { class: "light" }), text);
  const close = app.connection.on((words) => {
    element.dataset.connection = words.kind;
    text.textContent = words.text;
  });
  return { element, close };
}

/**
 * Creates a banner shown over everything while the connection is down, so that nobody waits for a reply that cannot
 * come.
 */
export function connectionBanner(app) {
  const ends = scope();
  const text = h("span", { class: "text" });
  const actions = h("span", { class: "actions" });
  const element = h("div", { class: "banner", role: "alert", "data-banner": "", hidden: true }, text, actions);
  let shown = "";
  let timer;

  const buttons = {
    waiting: () => button("Try now", () => app.client.retryNow(), { small: true }),
    offline: () => button("Try now", () => app.client.retryNow(), { small: true }),
    ended: () => button("Sign in again", () => app.signOut(), { small: true }),
  };

  function show(words) {
    clearTimeout(timer);
    element.hidden = false;
    element.dataset.banner = words.kind;
    // Mute the countdown, which a screen reader would otherwise announce every second.
    element.setAttribute("aria-live", words.kind === shown ? "off" : "assertive");
    if (words.kind !== shown) {
      fill(actions, buttons[words.kind]?.());
      fill(element, icon(words.kind === "connecting" ? "bell" : "offline"), text, actions);
    }
    shown = words.kind;
    text.textContent = words.text;
  }

  ends.add(
    app.connection.on((words) => {
      clearTimeout(timer);
      if (words.kind === "live") {
        if (shown) app.announce("Connected again and up to date.");
        element.hidden = true;
        shown = "";
      } else if (words.kind === "connecting" && !shown) {
        timer = setTimeout(show, PATIENCE, words);
      } else {
        show(words);
      }
    }),
    () => clearTimeout(timer),
  );
  return { element, close: ends.close };
}
