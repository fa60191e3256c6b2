import { fill, h } from "../dom.js";
import { barrier } from "./barrier.js";

/** The longest delay of a timer, in ms. */
const LONGEST = 2_147_483_647;

/**
 * The place under the messages: the composer, with or without a notice above it, or the notice instead of it.
 * @param {import("../app.js").App} app
 * @param {import("../../belfry/channel.js").Channel} channel
 * @param {{element: HTMLElement}} writer
 * @param {{mayWrite?: () => boolean, muteEnded(): void}} on `mayWrite`: false to show no composer
 */
export function composerPlace(app, channel, writer, { mayWrite = () => true, muteEnded }) {
  const element = h("div", { class: "composer-place" });
  let shown;
  let timer;

  function update() {
    clearTimeout(timer);
    // Mutes expire without an event.
    const left = (channel.value?.my?.muted_until ?? 0) - Date.now();
    if (left > 0) timer = setTimeout(() => (update(), muteEnded()), Math.min(left + 1, LONGEST));
    const bar = barrier(app, channel.value);
    const key = `${bar?.key} ${mayWrite()}`;
    if (key === shown) return;
    shown = key;
    fill(element, bar?.element, !bar?.silent && mayWrite() && writer.element);
  }

  return { element, update, close: () => clearTimeout(timer) };
}
