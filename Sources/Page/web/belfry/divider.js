/** Where the line "new messages" belongs in one timeline, and how many are behind it. */
export class Divider {
  /** @type {string | undefined} */
  messageId;
  count = 0;

  /** As the channel's marker says when the timeline is opened, or when something is marked unread. */
  put(messageId, count) {
    this.messageId = messageId;
    this.count = messageId === undefined ? 0 : count;
  }

  /** Another's message. @param {boolean} attended whether someone looks at the newest messages */
  received(messageId, attended) {
    if (this.messageId !== undefined) this.count += 1;
    else if (!attended) this.put(messageId, 1);
  }

  /** @param {string | undefined} following what stood behind the one that is gone */
  removed(messageId, following) {
    if (messageId === this.messageId) this.put(following, Math.max(0, this.count - 1));
  }
}
