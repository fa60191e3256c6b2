/**
 * Marks a thread as read once its end is in view and the window has the focus. If the user marks it unread, it stays
 * unread until they open it again.
 */
export function threadReader(app, thread, view) {
  let held = false;
  let asking = false;

  function update() {
    const unread = thread.thread?.unread_count ?? 0;
    if (unread === 0 || held || asking || thread.state !== "ready" || thread.hasNext || !view.atEnd) return;
    if (document.visibilityState !== "visible" || !document.hasFocus() || view.element.clientHeight === 0) return;
    asking = true;
    app.chat.markThreadRead(thread.channelId, thread.parentId).catch(() => {}).finally(() => (asking = false));
  }

  addEventListener("focus", update);
  return {
    update,
    async markUnread(message) {
      held = true;
      const { chat } = app;
      const { id, channel_id: channelId } = message;
      const isParent = id === thread.parentId;
      const marking = isParent ? chat.markUnread(channelId, id) : chat.markThreadUnread(channelId, thread.parentId, id);
      await app.attempt(marking, "Marked as unread.");
    },
    close: () => removeEventListener("focus", update),
  };
}
