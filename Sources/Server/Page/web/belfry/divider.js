/** The position of the "new messages" divider in a timeline, and the number of messages after it. */
export class Divider {
  /** @type {string | undefined} */
  messageId;
  count = 0;

  /** Sets the divider from the channel's marker when the timeline opens, or when messages are marked unread. */
  put(messageId, count) {
    this.messageId = messageId;
    this.count = messageId === undefined ? 0 : count;
  }

  /** Handles another user's message. @param {boolean} attended whether the user is viewing the newest messages */
  received(messageId, attended) {
    if (this.messageId !== undefined) this.count += 1;
    else if (!attended) this.put(messageId, 1);
  }

  /** @param {string | undefined} following the message after the removed one */
  removed(messageId, following) {
    if (messageId === this.messageId) this.put(following, Math.max(0, this.count - 1));
  }
}
