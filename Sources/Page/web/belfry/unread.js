import { mentions, standsInChannel, without } from "./messages.js";

/** How many unread messages are remembered one by one, for when they are deleted. */
const REMEMBERED = 1_000;

/**
 * One channel's unread numbers, carried on from the server's by what is heard.
 *
 * The server tells them with a channel and with `read.changed`; in between each message of others that stands in the
 * channel behind the marker is one more. What cannot be told from the events alone is asked for again.
 */
export class Unread {
  /** Messages up to this offset are in the numbers. */
  #counted = 0;
  /** Which were counted since the server told. @type {Map<string, boolean>} id → whether it mentions the user */
  #known = new Map();

  /** The server told the numbers. @param {My} my @param {Message | undefined} lastMessage */
  told(my, lastMessage) {
    this.#counted = Math.max(this.#counted, lastMessage?.offset ?? 0, my.last_read?.offset ?? 0);
    this.#known.clear();
  }

  /** @returns {My} as it is with this message */
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

  /** @returns {My | null} null when only the server knows */
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

  /** @returns {boolean} whether the numbers may be others after this change of a message */
  mayChange(my, message, myID) {
    if (!my.unread_count || message.user?.id === myID || message.offset <= (my.last_read?.offset ?? 0)) return false;
    return this.#known.get(message.id) !== mentions(message, myID);
  }
}

/** @returns {My} with the marker and the numbers of `read.changed`, or of a command's answer */
export function marked(my, { last_read, unread_count, unread_mention_count, first_unread_message_id }) {
  return without({
    ...my, last_read: last_read ?? my.last_read, unread_count: unread_count ?? my.unread_count,
    unread_mention_count: unread_mention_count ?? my.unread_mention_count, first_unread_message_id,
  });
}
