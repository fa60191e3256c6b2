import { mentions, standsInChannel, without } from "./messages.js";

/** Maximum number of unread messages remembered in case they are deleted. */
const REMEMBERED = 1_000;

/**
 * One channel's unread counts: the server's numbers, kept up to date by events.
 *
 * The server sends them with a channel and with `read.changed`. In between, each message from another user adds one if
 * it is after the marker and shown in the channel. Counts that events cannot determine are fetched again.
 */
export class Unread {
  /** Messages up to this offset are included in the counts. */
  #counted = 0;
  /**
   * Messages counted since the server's last numbers.
   * @type {Map<string, boolean>} id → whether it mentions the user
   */
  #known = new Map();

  /** Sets the server's numbers. @param {My} my @param {Message | undefined} lastMessage */
  reset(my, lastMessage) {
    this.#counted = Math.max(this.#counted, lastMessage?.offset ?? 0, my.last_read?.offset ?? 0);
    this.#known.clear();
  }

  /** @returns {My} with this message counted */
  receive(my, message, myID) {
    const isNew = message.offset > this.#counted;
    if (isNew) this.#counted = message.offset;
    const isUnread = isNew && standsInChannel(message) && message.user?.id !== myID
      && message.offset > (my.last_read?.offset ?? 0);
    if (!isUnread) return my;
    const isMention = mentions(message, myID);
    if (this.#known.size < REMEMBERED) this.#known.set(message.id, isMention);
    return {
      ...my, unread_count: (my.unread_count ?? 0) + 1,
      unread_mention_count: (my.unread_mention_count ?? 0) + (isMention ? 1 : 0),
      first_unread_message_id: my.first_unread_message_id ?? message.id,
    };
  }

  /** @returns {My | null} null if only the server knows the result */
  remove(my, messageID) {
    if (!my.unread_count) return my;
    const isMention = this.#known.get(messageID);
    if (isMention === undefined || my.first_unread_message_id === messageID) return null;
    this.#known.delete(messageID);
    return {
      ...my, unread_count: my.unread_count - 1,
      unread_mention_count: Math.max(0, (my.unread_mention_count ?? 0) - (isMention ? 1 : 0)),
    };
  }

  /** @returns {boolean} whether a changed message may affect the counts */
  mayChange(my, message, myID) {
    if (!my.unread_count || message.user?.id === myID || message.offset <= (my.last_read?.offset ?? 0)) return false;
    return this.#known.get(message.id) !== mentions(message, myID);
  }
}

/** @returns {My} with the marker and counts of `read.changed`, or of a command's reply */
export function marked(my, { last_read, unread_count, unread_mention_count, first_unread_message_id }) {
  return without({
    ...my, last_read: last_read ?? my.last_read, unread_count: unread_count ?? my.unread_count,
    unread_mention_count: unread_mention_count ?? my.unread_mention_count, first_unread_message_id,
  });
}
