import { h } from "../dom.js";
import { icon } from "../icons.js";
import { iconButton, shortCount } from "../controls.js";

/**
 * The unread state of the open channel: the divider's position, when to mark messages as read, and the floating count
 * while the divider is out of view.
 *
 * Messages count as read once the window has the focus, the list is at its end, and the divider has been in view.
 * Messages that the user marked as unread stay unread until the user leaves, writes, or closes the count.
 *
 * @param {object} app
 * @param {import("../../belfry/channel.js").Channel} channel
 * @param {import("../../belfry/timeline.js").Timeline} timeline
 * @param {ReturnType<import("../timeline-view.js").timelineView>} view
 * @param {{moved(): void, go(messageId: string): void}} on `moved`: the divider has moved
 */
export function unreadState(app, channel, timeline, view, on) {
  let dividerId;
  let seen = false;
  let held = false;
  let read = false;
  let opened = false;
  let isClosing = false;
  /** The offset of the `markRead` in progress, to avoid duplicate requests. */
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
    // In the one-column layout, a thread hides its channel.
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
      // The messages were read on another device or by "mark all": remove the divider, unless it was seen here.
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
    // Until the reply arrives, the messages still count as unread, which would restore the divider.
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

  /** Sent for changes made in this window or in another one of the same user. */
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
    /** Handles a sent message, which implies that the user has read the messages above it. */
    wrote() {
      held = false;
      setDivider(undefined);
      if (unread() > 0) readNow();
    },
    async markUnread(message) {
      // Set before the reply, because the unread event arrives first and the messages must not be marked as read right
      // away.
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
