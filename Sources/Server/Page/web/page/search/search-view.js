import { button, iconButton, notice, roving, viewHeader } from "../controls.js";
import { fill, h, keyed, scope } from "../dom.js";
import { errorText } from "../errors.js";
import { icon } from "../icons.js";
import { loadNearEnd } from "../paging.js";
import { paths } from "../router.js";
import { SEARCH_KEYS } from "./search-key.js";
import { searchResult } from "./search-result.js";

/** Pause after the last key press before the server is queried, in ms. */
const PAUSE = 250;
/** The greatest length of a query, in bytes of UTF-8. */
const LIMIT = 256;
const SIZE = 30;

/**
 * Messages found by words, in all of the user's channels or in one. The address contains the words, and what was found
 * stays while the user looks at a message, so that "back" returns to the same place.
 *
 * @param {import("../app.js").App} app
 * @param {{text?: string, channelId?: string}} params
 */
export function searchView(app, params) {
  const ends = scope();
  let { text, channelId } = { text: "", ...params };
  /** @type {import("../../belfry/message-search.js").MessageSearch | null} */
  let results = null;
  let listening = [];
  let timer;

  const field = h("input", {
    type: "search", class: "input", placeholder: "Search messages", "aria-label": "Search messages", autocomplete: "off",
    maxlength: LIMIT, value: text, dir: "auto", "aria-keyshortcuts": SEARCH_KEYS, "aria-controls": "search-results",
    "data-autofocus": true,
  });
  const within = h("div", { class: "search-within" });
  const order = h(
    "select",
    { class: "input search-order", "aria-label": "Order of the messages found", onchange: begin },
    h("option", { value: "newest" }, "Newest first"),
    h("option", { value: "relevance" }, "Best first"),
  );
  const list = h("ul", { class: "found-list", id: "search-results", "aria-label": "Messages found" });
  const end = h("div", { class: "list-end" });
  const state = h("div");
  const more = h("div", { class: "search-more" });
  const body = h("div", { class: "scroll" }, list, end, more, state);
  const live = h("div", { class: "visually-hidden", role: "status" });
  const reachable = roving(list);

  const tooLong = () => new TextEncoder().encode(text).length > LIMIT;

  function begin() {
    stopListening();
    results?.close();
    results = null;
    if (text && !tooLong()) {
      listen(app.chat.searchMessages({ query: text, channel_id: channelId, order: order.value, limit: SIZE }));
    }
    update();
  }

  function listen(found) {
    results = found;
    listening = [found.on("change", update), loadNearEnd(end, found)];
  }

  function stopListening() {
    for (const off of listening) off();
    listening = [];
  }

  function update() {
    keyed(list, results?.items ?? [], ({ message }) => message.id, (found) => searchResult(app, found));
    const count = results?.items.length ?? 0;
    list.hidden = count === 0;
    reachable();
    // Pages may be empty although more follow.
    const isBusy = results?.state === "loading" || (results?.state === "ready" && results.hasMore);
    fill(state, count === 0 && placeholder(isBusy));
    fill(more, count > 0 && rest(isBusy));
    say(isBusy && count === 0 ? "" : summary(count));
  }

  function placeholder(isBusy) {
    if (!text) return notice({ icon: "search", title: "Search messages", text: "Write words, or the beginning of one and *." });
    if (tooLong()) return notice({ icon: "warning", title: "That is too long", text: "Search for fewer words." });
    if (results.state === "failed") {
      const action = button("Try again", begin, { small: true });
      return notice({
        icon: "warning", title: "The messages could not be searched", text: errorText(results.error), action,
        role: "alert",
      });
    }
    if (isBusy) return notice({ busy: true, text: "Searching…" });
    const missing = results.isComplete ? "" : " The newest messages may be missing: try again in a minute.";
    return notice({ icon: "search", title: "Nothing found", text: `No message has all of these words.${missing}` });
  }

  function rest(isBusy) {
    if (results.state === "failed") {
      const again = button("Try again", () => results.loadMore(), { plain: true, small: true });
      return [h("span", { role: "alert" }, errorText(results.error)), again];
    }
    if (isBusy) return h("span", { class: "spinner", role: "status", "aria-label": "Searching for more" });
    return !results.isComplete && "The newest messages may be missing: search again in a minute.";
  }

  const summary = (count) => {
    if (!results || results.state !== "ready") return "";
    if (count === 0) return "Nothing found";
    return `${count}${results.hasMore ? " or more" : ""} ${count === 1 ? "message" : "messages"} found`;
  };

  function say(words) {
    if (live.textContent !== words) live.textContent = words;
  }

  function showWithin() {
    if (!channelId) return fill(within);
    const { value } = app.chat.channel(channelId);
    const name = value ? app.names.of(value) : "…";
    const everywhere = () => (app.navigate(paths.search(text), { replace: true }), field.focus());
    fill(within, "In ", h("bdi", { class: "ellipsis" }, name), iconButton("close", "Search in all channels", everywhere));
  }

  function go(route) {
    const next = route.text ?? "";
    if (next === text && route.channelId === channelId) return;
    // The user may have typed on meanwhile.
    if (field.value.trim() !== next) field.value = next;
    text = next;
    channelId = route.channelId;
    showWithin();
    begin();
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    const next = () => app.navigate(paths.search(field.value.trim(), channelId), { replace: true });
    timer = setTimeout(next, field.value.trim() ? PAUSE : 0);
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      if (field.value) app.navigate(paths.search("", channelId), { replace: true });
      else app.navigate(channelId ? paths.channel(channelId) : paths.home);
    }
    if (event.key === "ArrowDown") {
      event.preventDefault();
      list.querySelector("[data-row]")?.focus();
    }
  });
  list.addEventListener("keydown", (event) => {
    const rows = [...list.querySelectorAll("[data-row]")];
    if (event.key !== "Escape" && !(event.key === "ArrowUp" && event.target === rows[0])) return;
    event.preventDefault();
    field.focus();
  });

  const element = h(
    "section",
    { class: "view search-view" },
    viewHeader(app, { title: "Search", level: 1, back: channelId ? paths.channel(channelId) : paths.home }),
    h("div", { class: "search-tools" },
      h("div", { class: "search", role: "search" }, icon("search"), field), within, order),
    live,
    body,
  );

  /** Continues with what was found before the user looked at a message. */
  function resume({ results: found, order: before, top }) {
    order.value = before;
    listen(found);
    update();
    requestAnimationFrame(() => (body.scrollTop = top));
  }

  function close() {
    clearTimeout(timer);
    stopListening();
    app.lastSearch = { text, channelId, order: order.value, results, top: body.scrollTop };
    ends.close();
  }

  ends.add(app.names.on(() => (showWithin(), update())), app.chat.on("users", update), app.chat.blocked.on("change", update));
  showWithin();
  const last = app.lastSearch;
  if (last?.results && last.text === text && last.channelId === channelId) {
    resume(last);
  } else {
    last?.results?.close();
    begin();
  }
  return { element, go, close };
}
