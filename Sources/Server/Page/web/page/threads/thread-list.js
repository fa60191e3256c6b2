import { h, fill, keyed, scope } from "../dom.js";
import { icon } from "../icons.js";
import { button, notice, roving, viewHeader } from "../controls.js";
import { errorText } from "../errors.js";
import { plural } from "../format.js";
import { paths } from "../router.js";
import { threadItem } from "./thread-item.js";

/** Distance from the end of the list at which older threads are requested, in px. */
const NEAR = 400;

/**
 * The user's threads, latest activity first. A banner announces new threads and adds them when clicked, so that the
 * list does not move while the user reads it.
 *
 * @param {import("../app.js").App} app
 * @returns {{element: HTMLElement, close(): void}}
 */
export function threadListView(app) {
  const ends = scope();
  const threads = app.chat.threads;
  const loadNew = () => app.attempt(threads.loadNew());
  const banner = h("button", { type: "button", class: "new-threads", hidden: true, onclick: loadNew });
  const list = h("ul", { class: "thread-list", "aria-label": "Threads" });
  const state = h("div", { class: "thread-state" });
  const more = h("div", { class: "threads-more" });
  const body = h("div", { class: "scroll" }, list, more, state);
  const live = h("div", { class: "visually-hidden", role: "status" });
  const reachable = roving(list);
  let failed = null;
  let shown;

  const lead = h("span", { class: "threads-icon" }, icon("thread"));
  const element = h(
    "section",
    { class: "view threads-view" },
    viewHeader(app, { title: "Threads", level: 1, back: paths.home, lead }),
    h("div", { class: "new-threads-place" }, banner),
    live,
    body,
  );

  function update() {
    keyed(list, threads.items, keyOf, (entry) => threadItem(app, entry));
    list.hidden = threads.items.length === 0;
    reachable();
    showBanner();
    showMore();
    const now = threads.items.length > 0 ? "" : threads.state;
    if (now === shown) return;
    shown = now;
    const views = {
      loading: skeleton,
      ready: () =>
        notice({ icon: "thread", title: "No threads yet", text: "Threads you start, or reply in, are listed here." }),
      failed: () =>
        notice({
          icon: "warning", title: "The threads could not be loaded", text: errorText(threads.error), role: "alert",
          action: button("Try again", () => threads.reload().catch(() => {})),
        }),
    };
    fill(state, views[now]?.());
  }

  function showBanner() {
    const count = threads.newCount;
    const words = count > 0 ? plural(count, "new thread") : "";
    banner.hidden = count === 0;
    if (banner.dataset.words !== words) fill(banner, count > 0 && icon("down"), words);
    banner.dataset.words = words;
    if (live.textContent !== words) live.textContent = words;
  }

  function showMore() {
    if (!threads.hasMore) return fill(more);
    const again = failed && button("Try again", loadMore, { plain: true, small: true });
    if (failed) fill(more, h("span", { role: "alert" }, errorText(failed)), again);
    else fill(more, h("span", { class: "spinner", role: "status", "aria-label": "Loading more threads" }));
  }

  let loading = false;
  async function loadMore() {
    if (loading || !threads.hasMore || threads.state !== "ready") return;
    loading = true;
    try {
      await threads.loadMore();
      failed = null;
    } catch (error) {
      failed = error;
    }
    loading = false;
    showMore();
  }

  body.addEventListener("scroll", () => {
    if (!failed && body.scrollTop + body.clientHeight > body.scrollHeight - NEAR) loadMore();
  }, { passive: true });
  ends.add(threads.on("change", update), app.chat.on("users", update), app.names.on(update));
  ends.add(app.chat.blocked.on("change", update));
  update();
  threads.load().catch(() => {});
  return { element, close: ends.close };
}

const keyOf = ({ thread }) => `${thread.channel_id} ${thread.parent_message_id}`;

function skeleton() {
  const line = (length) => h("span", { class: ["ghost-line", length] });
  const row = () =>
    h("div", { class: "thread-item ghost" }, ["short", "", "middle"].map((length) => line(length)));
  return h("div", { role: "status", "aria-label": "Loading threads" }, [row(), row(), row(), row()]);
}
