import { Emitter } from "./emitter.js";

/** A window of a channel's messages without gaps, oldest first, with the own pending ones at its end. */
export class Timeline extends Emitter {
  /** @type {string} */
  channelId;
  /** @type {Message[]} at most 10,000: loading further on one side drops the other side */
  messages = [];
  hasPrevious = false;
  /** false: the window reaches to now and new messages are added to it */
  hasNext = false;
  /** @type {LoadState} of the first load or `loadAround`; then `loadingPrevious`, `loadingNext` */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  loadingPrevious = false;
  loadingNext = false;
  /** @type {string | undefined} where the divider belongs: fixed when opened, moved by markUnread, gone after markRead by hand (`clearUnread`) */
  firstUnreadId;
  /** How many messages of others arrived, or were unread, from `firstUnreadId` on. */
  unreadCount = 0;
  async loadPrevious() {}
  async loadNext() {}
  /** @returns {Promise<boolean>} false: there is no such message (any more) */
  async loadAround(messageId) {}
  /** Back to the newest messages. */
  async loadNewest() {}
  async reload() {}
  /** @returns {Message | undefined} if loaded */
  get(messageId) {}
  /** @returns {number} index in `messages`, -1 if not loaded; O(log n) */
  indexOf(messageId) {}
  /** Takes the divider away. */
  clearUnread() {}
  close() {}
}
