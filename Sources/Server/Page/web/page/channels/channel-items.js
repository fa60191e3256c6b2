// The rows of a channel list, its paging, and its loading, empty and failed states.

import { button, notice, roving } from "../controls.js";
import { fill, h, keyed, scope } from "../dom.js";
import { errorText } from "../errors.js";
import { loadNearEnd } from "../paging.js";
import { channelRow } from "./channel-row.js";

/**
 * @param {import("../app.js").App} app
 * @param {import("../../belfry/channel-list.js").ChannelView} view
 * @param {{label: string, empty: object}} words `empty`: options for `notice`
 * @returns {{element: HTMLElement, close(): void}}
 */
export function channelItems(app, view, { label, empty }) {
  const ends = scope();
  const list = h("ul", { class: "channels", "aria-label": label });
  const state = h("div", { class: "list-state" });
  const end = h("div", { class: "list-end" });
  const settle = roving(list);
  const surroundings = { now: "" };
  let said = "";

  // The other data that rows show: people's names, who is blocked, and the current day.
  let people = 0;
  const context = () => `${app.names.version} ${people} ${new Date().toDateString()}`;

  function update() {
    surroundings.now = context();
    keyed(list, view.items, ({ id }) => id, (channel) => channelRow(app, channel, surroundings));
    settle();
    list.hidden = view.items.length === 0;
    const now = view.items.length > 0 && view.state !== "failed" ? "" : view.state;
    if (now !== said) fill(state, now && say[now]());
    said = now;
  }

  const say = {
    loading: () => notice({ busy: true, text: "Loading channels…" }),
    ready: () => notice(empty),
    failed: () =>
      notice({
        icon: "warning",
        title: "The channels could not be loaded",
        text: errorText(view.error),
        action: button("Try again", () => view.reload(), { small: true }),
        role: "alert",
      }),
  };

  // At midnight a time becomes "Yesterday".
  const clock = setInterval(() => context() !== surroundings.now && update(), 60_000);
  ends.add(
    view.on("change", update),
    app.names.on(update),
    app.chat.on("users", () => ((people += 1), update())),
    app.chat.blocked.on("change", () => ((people += 1), update())),
    app.on("route", update),
    () => clearInterval(clock),
    loadNearEnd(end, view),
  );
  update();
  return { element: h("div", { class: "channel-items" }, list, state, end), close: ends.close };
}
