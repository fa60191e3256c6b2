import { isObject } from "./objects.js";

/** @returns {boolean} whether it has the fields that lists rely on */
export function isMessage(json) {
  return isObject(json) && typeof json.id === "string" && typeof json.channel_id === "string"
    && Number.isSafeInteger(json.offset);
}

/** Whether the message is shown in the channel. Replies may be shown only in their thread. */
export const standsInChannel = (message) => message.parent_message_id === undefined || message.reply_to_channel === true;

/**
 * Adds the `key` that lists use to a message from the server. The user's own message keeps the key of its local
 * version.
 * @returns {Message}
 */
export function asMessage(json, myID) {
  return { ...json, key: json.client_id && json.user?.id === myID ? localKey(json.client_id) : `m:${json.id}` };
}

export const localKey = (clientID) => `c:${clientID}`;

/**
 * Merges a `message.updated`, which carries neither the quote nor the reactions.
 * @returns {Message} `old` if the update is outdated
 */
export function updated(old, json) {
  if ((json.updated_at ?? 0) < (old.updated_at ?? 0)) return old;
  return without({
    ...json, key: old.key, parent: json.parent ?? old.parent, reactions: json.reactions ?? old.reactions,
    thread: mergedThread(old.thread, json.thread),
  });
}

/** Merges a thread's public state with this user's fields. @returns {ThreadInfo | undefined} */
export function mergedThread(old, news) {
  // If there are only ids, the parent is hidden from this user.
  if (!isObject(news) || ["reply_count", "title", "data", "unread_count"].every((name) => news[name] === undefined)) return old;
  return without({
    ...news, unread_count: news.unread_count ?? old?.unread_count, last_read: news.last_read ?? old?.last_read,
  });
}

/** Returns the quote of a parent that its replies show. @returns {MessageParent} */
export function quoteOf({ id, kind, text, user, created_at, files }) {
  return without({ id, state: "ok", kind, text, user, file: files?.[0], created_at });
}

/** Returns whether the message mentions this user, directly or by mentioning the whole channel. */
export function mentions(message, myID) {
  if (message.mention_type === "channel") return true;
  return message.mention_type === "users" && (message.mentioned_user_ids ?? []).includes(myID);
}

/** Removes undefined fields, because absent fields must have no key. */
export function without(object) {
  for (const name of Object.keys(object)) if (object[name] === undefined) delete object[name];
  return object;
}
