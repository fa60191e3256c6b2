import { h } from "../dom.js";
import { icon } from "../icons.js";
import { iconButton, shortCount } from "../controls.js";

/**
 * What of a channel is unread while one looks at it: where the divider stands, when what is seen counts as read, and
 * the floating count while the divider is out of view.
 *
 * Reading is: the window has the focus, the list is at its end, and the divider has been in view. What was marked
 * unread on purpose stays unread until one leaves, writes, or closes the count.
 *
 * @param {object} app
 * @param {import("../../belfry/channel.js").Channel} channel
 * @param {import("../../belfry/timeline.js").Timeline} timeline
 * @param {ReturnType<import("../timeline-view.js").timelineView>} view
 * @param {{moved(): void, go(messageId: string): void}} on `moved`: the divider stands elsewhere now
 */
export function unreadState(app, channel, timeline, view, on) {
  let dividerId;
  let seen = false;
  let held = false;
  let read = false;
  let opened = false;
  let isClosing = false;
  /** The marker that is being moved to by this window; asking again for the same would be noise. */
  let asked = null;

  const text = h("button", { type: "button", class: "unread-jump", onclick: () => dividerId && on.go(dividerId) });
  const close = iconButton("close", "Mark all as read", () => readAll(), { class: "unread-close" });
  const pill = h("div", { class: "unread-pill", role: "status", hidden: true }, text, close);

  const my = () => channel.value?.my;
  const unread = () => my()?.unread_count ?? 0;
  const lastLoaded = () => timeline.messages.findLast((message) => message.offset)?.offset ?? 0;

  function place() {
    if (dividerId === undefined) return undefined;
    const row = view.row(view.keyOf(dividerId));
    return view.place(row?.querySelector("[data-divider]"));
  }

  function isLooking() {
    if (document.visibilityState !== "visible" || !document.hasFocus()) return false;
    // With one column, a thread stands in the place of its channel.
    return view.element.clientHeight > 0 && view.atEnd && !timeline.hasNext;
  }

  function update() {
    if (isClosing || !channel.value || timeline.state !== "ready") return;
    if (place() === 0) seen = true;
    if (unread() > 0) {
      if (!opened) setDivider(my().first_unread_message_id);
      else if (isLooking() && !held && (dividerId === undefined || seen)) return readNow();
      else if (dividerId === undefined || read) setDivider(my().first_unread_message_id);
      opened = true;
      if (isLooking() && !held && seen) readNow();
    } else {
      opened = true;
      // Read on another device, or with all channels: there is nothing to point at. What was read here stays marked.
      if (dividerId !== undefined && !seen) setDivider(undefined);
      held = false;
      read = true;
    }
    show();
  }

  function setDivider(messageId) {
    read = false;
    seen = false;
    if (messageId === dividerId) return;
    dividerId = messageId;
    on.moved();
    if (place() === 0) seen = true;
  }

  function readNow() {
    read = true;
    show();
    const upTo = lastLoaded();
    if (asked === upTo) return;
    asked = upTo;
    app.chat.markRead(channel.id).catch(() => {}).finally(() => (asked = null));
  }

  async function readAll() {
    held = false;
    setDivider(undefined);
    pill.hidden = true;
    // Until the answer the messages count as unread, and would bring the divider back.
    isClosing = true;
    await app.attempt(app.chat.markRead(channel.id));
    isClosing = false;
    update();
  }

  function show() {
    const count = unread();
    const where = place();
    const floats = count > 0 && dividerId !== undefined && where !== 0 && !(read && seen);
    if (floats) {
      const below = where === undefined ? view.index(view.keyOf(dividerId)) > view.lastShown : where > 0;
      const words = `${shortCount(count)} new ${count === 1 ? "message" : "messages"}`;
      if (text.dataset.words !== words + below) {
        text.replaceChildren(icon("down"), words);
        text.classList.toggle("upwards", !below);
        text.dataset.words = words + below;
      }
    }
    pill.hidden = !floats;
  }

  /** In this window or in another one of the same person. */
  const off = app.chat.on("event", ({ event }) => {
    if (event.type !== "unread.changed" || event.unread?.channel_id !== channel.id) return;
    if (event.unread.parent_message_id !== undefined) return;
    held = unread() > 0;
    if (held) setDivider(my().first_unread_message_id);
  });

  for (const name of ["focus", "blur"]) addEventListener(name, update);
  document.addEventListener("visibilitychange", update);

  return {
    pill,
    get dividerId() {
      return dividerId;
    },
    update,
    /** One has written: what stands above was seen. */
    wrote() {
      held = false;
      setDivider(undefined);
      if (unread() > 0) readNow();
    },
    async markUnread(message) {
      // Before the answer: the channel tells of its unread messages first, and they must not be read at once.
      held = true;
      const done = await app.attempt(app.chat.markUnread(message.channel_id, message.id));
      held = Boolean(done) && unread() > 0;
      if (held) setDivider(my().first_unread_message_id);
      show();
    },
    close() {
      off();
      for (const name of ["focus", "blur"]) removeEventListener(name, update);
      document.removeEventListener("visibilitychange", update);
    },
  };
}
