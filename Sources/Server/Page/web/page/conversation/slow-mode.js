// The countdown to the user's next message in a channel with slow mode.

import { h } from "../dom.js";
import { clockText } from "../format.js";

/**
 * @param {import("../app.js").App} app
 * @param {import("../../belfry/channel.js").Channel} channel
 * @param {() => void} changed called when the wait begins or ends, but not before this function returns
 * @returns {{element: HTMLElement, isWaiting: boolean, words: string, isRefused(message): boolean, sending(work: Promise): void,
 *   close(): void}} `isRefused`: a failed message that still has to wait; `sending` keeps the next message back until
 *   the server has answered
 */
export function slowMode(app, channel, changed) {
  const text = h("span");
  // A timer is silent, because nobody wants to hear every second.
  const element = h("p", { class: "slow-mode", role: "timer", "data-slow-mode": true, hidden: true }, text);
  let pending = 0;
  let timer;

  const isSlow = () => channel.value?.slow_mode_seconds > 0 && channel.value.my?.role !== "operator";
  const left = () => channel.sendableAt - Date.now();

  function show() {
    clearTimeout(timer);
    const ms = left();
    element.hidden = ms <= 0;
    if (ms > 0) {
      text.textContent = view.words;
      // Fires when the displayed second changes.
      timer = setTimeout(update, (ms % 1_000) + 1);
    }
  }

  function update() {
    show();
    const { isWaiting } = view;
    if (isWaiting === wasWaiting) return;
    wasWaiting = isWaiting;
    if (!isWaiting && isSlow()) app.announce("Slow mode: you can write again.");
    changed();
  }

  const view = {
    element,
    get isWaiting() {
      return left() > 0 || (pending > 0 && isSlow());
    },
    /** Why the message has to wait. */
    get words() {
      return left() > 0 ? `Slow mode: next message in ${clockText(left())}` : "Slow mode: the last message is being sent";
    },
    isRefused: ({ local }) => local?.error?.code === 1051 && left() > 0,
    sending(work) {
      const done = () => ((pending -= 1), update());
      pending += 1;
      work.then(done, done);
      update();
    },
    close: () => (clearTimeout(timer), off()),
  };
  let wasWaiting = view.isWaiting;
  const off = channel.on("change", update);
  show();
  return view;
}
