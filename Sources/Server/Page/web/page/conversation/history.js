import { h, fill } from "../dom.js";
import { button, notice } from "../controls.js";
import { errorText } from "../errors.js";

/** Time after a failure during which scrolling does not request older messages, in ms. */
const PAUSE = 3000;

/**
 * The area above the oldest loaded message: loading, failed, or the beginning of the history. Its height is constant,
 * so that state changes move nothing.
 *
 * @param {import("../../belfry/timeline.js").Timeline} timeline
 * @param {string} [beginning] shown at the beginning of the history
 */
export function historyStart(timeline, beginning = "This is the beginning of the channel.") {
  const element = h("div", { class: "history-start" });
  let failed = null;
  let shown;
  let timer = 0;

  async function load() {
    if (!timeline.hasPrevious || timeline.loadingPrevious || timeline.state !== "ready") return;
    const loaded = await timeline.loadPrevious();
    failed = (!loaded && timeline.error) || null;
    if (failed) timer = setTimeout(again, PAUSE);
    update();
  }

  function again() {
    clearTimeout(timer);
    failed = null;
    load();
  }

  function update() {
    const now = timeline.state !== "ready" ? "" : failed ? "failed" : timeline.hasPrevious ? "loading" : "start";
    if (now === shown) return;
    shown = now;
    const views = {
      loading: () => h("span", { class: "spinner", role: "status", "aria-label": "Loading older messages" }),
      failed: () => [
        h("span", { role: "alert" }, errorText(failed)),
        button("Try again", again, { plain: true, small: true }),
      ],
      start: () => h("span", { "data-start": true }, beginning),
    };
    fill(element, views[now]?.());
  }

  return { element, update, wanted: () => !failed && load(), close: () => clearTimeout(timer) };
}

/**
 * Takes the place of the messages while they load, if loading failed, and if there are none.
 *
 * @param {import("../../belfry/channel.js").Channel} channel
 */
export function timelineState(timeline, channel) {
  const element = h("div", { class: "timeline-state", hidden: true });
  let shown;

  function update() {
    const more = timeline.state === "ready" && timeline.hasPrevious;
    const outside = timeline.state === "failed" && channel.value?.my && channel.value.my.state !== "joined";
    const now = timeline.messages.length > 0 ? "" : outside ? "outside" : more ? "loading" : timeline.state;
    if (now === shown) return;
    shown = now;
    element.hidden = now === "";
    const views = {
      loading: skeleton,
      outside: () => notice({ icon: "lock", title: "Not yet", text: "The messages are shown once you are a member." }),
      failed: () =>
        notice({
          icon: "warning", title: "The messages could not be loaded", text: errorText(timeline.error), role: "alert",
          action: button("Try again", () => timeline.reload()),
        }),
      ready: () =>
        notice({
          icon: "thread", title: "No messages yet",
          text: channel.value?.is_ephemeral ? "Messages here are not stored." : "Write the first one.",
        }),
    };
    fill(element, views[now]?.());
  }

  return { element, update };
}

/** A placeholder for loading messages. */
function skeleton() {
  const widths = [46, 62, 30, 54, 38, 58];
  return h(
    "div",
    { class: "skeleton", role: "status", "aria-label": "Loading messages" },
    widths.map((width, i) =>
      h("div", { class: ["skeleton-row", i % 3 === 1 && "own"] }, h("span", { class: "skeleton-face" }),
        h("span", { class: "skeleton-bubble", style: { width: `${width}%` } })),
    ),
  );
}
