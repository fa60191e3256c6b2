// Events as they happen, newest first.

import { channelLink, failure, lineInput, sectionView, userText, when } from "../parts.js";
import { button } from "../../page/controls.js";
import { fill, h } from "../../page/dom.js";

/** How many events stay on the page. */
const KEPT = 200;
/** The pause before the next try after the stream has ended, in ms. */
const PAUSE = 3_000;

/** @param {import("../app.js").Console} app */
export function eventsView(app) {
  const list = h("ol", { class: "rows events", "aria-label": "Events" });
  const state = h("div", { role: "status", class: "hint" });
  const channel = lineInput("Only this channel");
  const type = lineInput("Only this type", { placeholder: "Only this type, e.g. message.new" });
  const form = h("form", { class: "search-line", onsubmit: (event) => (event.preventDefault(), restart()) },
    channel, type, h("button", { type: "submit", class: "button" }, "Apply"));
  const pause = button("Pause", () => (controller ? stop() : restart()), { small: true });
  let controller = null;
  let timer = 0;

  function stop() {
    clearTimeout(timer);
    controller?.abort();
    controller = null;
    pause.textContent = "Continue";
    state.textContent = "Paused.";
  }

  function restart() {
    stop();
    // The rows may not match the new filter, and events are missed while the stream is paused.
    list.replaceChildren();
    pause.textContent = "Pause";
    listen((controller = new AbortController()));
  }

  async function listen(mine) {
    const query = new URLSearchParams();
    if (channel.value.trim()) query.set("channel", channel.value.trim());
    if (type.value.trim()) query.set("type", type.value.trim());
    // The server takes a plus sign literally.
    const text = query.toString().replaceAll("+", "%20");
    state.textContent = "Connecting…";
    const opened = () => (state.textContent = "Listening…");
    try {
      await app.api.lines(text ? `/events?${text}` : "/events", { opened, receive: add }, mine.signal);
      state.textContent = "The stream has ended. Listening again soon…";
    } catch (error) {
      if (mine.signal.aborted) return;
      if (error.status !== undefined && error.status !== 503) {
        stop();
        return fill(state, failure(error));
      }
      state.textContent = error.message;
    }
    if (!mine.signal.aborted) timer = setTimeout(() => listen(mine), PAUSE);
  }

  function add(line) {
    const row = line.missed !== undefined
      ? h("p", { class: "problem" }, `${line.missed} events were missed, because this page was too slow.`)
      : eventRow(app, line);
    list.prepend(h("li", null, row));
    while (list.childElementCount > KEPT) list.lastElementChild.remove();
  }

  restart();
  const element = sectionView(app, { title: "Live events", actions: [pause] }, form, state, list);
  return { element, close: stop };
}

function eventRow(app, { room, offset, event }) {
  const text = event.message?.text;
  const fields = h("pre");
  const fillFields = ({ target }) => {
    if (target.open) fields.textContent ||= JSON.stringify(event, null, 2);
  };
  const who = event.message?.user ?? event.user;
  return h(
    "article",
    { class: "card", "data-event": event.type },
    h("p", { class: "line" }, h("strong", null, event.type),
      h("span", { class: "faint" }, when(event.at ?? Date.now())),
      room.startsWith("#") ? h("span", null, "inbox of ", userText(room.slice(1))) : channelLink(app, room),
      h("span", { class: "faint" }, `offset ${offset}`)),
    text && h("p", { class: "text" }, who && h("strong", null, userText(who.nickname || who.id), ": "), userText(text)),
    h("details", { ontoggle: fillFields }, h("summary", null, "All fields"), fields),
  );
}
