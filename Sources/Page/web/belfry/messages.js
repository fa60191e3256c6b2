import { isObject } from "./objects.js";

/** @returns {boolean} whether it has what the lists go by */
export function isMessage(json) {
  return isObject(json) && typeof json.id === "string" && typeof json.channel_id === "string"
    && Number.isSafeInteger(json.offset);
}

/** Whether it stands in the channel: replies can stand in their thread alone. */
export const standsInChannel = (message) => message.parent_message_id === undefined || message.reply_to_channel === true;

/**
 * A message of the server with the `key` under which lists know it: that of the local message it was, if it is one's own.
 * @returns {Message}
 */
export function asMessage(json, myID) {
  return { ...json, key: json.client_id && json.user?.id === myID ? localKey(json.client_id) : `m:${json.id}` };
}

export const localKey = (clientID) => `c:${clientID}`;

/** `message.updated` brings neither the quote nor the reactions. @returns {Message} `old` if the update is older */
export function updated(old, json) {
  if ((json.updated_at ?? 0) < (old.updated_at ?? 0)) return old;
  return without({
    ...json, key: old.key, parent: json.parent ?? old.parent, reactions: json.reactions ?? old.reactions,
    thread: mergedThread(old.thread, json.thread),
  });
}

/** The thread as everyone sees it, with what only this user knows of it. @returns {ThreadInfo | undefined} */
export function mergedThread(old, news) {
  // Ids alone: the parent is hidden from this user.
  if (!isObject(news) || ["reply_count", "title", "data", "unread_count"].every((name) => news[name] === undefined)) return old;
  return without({
    ...news, unread_count: news.unread_count ?? old?.unread_count, last_read: news.last_read ?? old?.last_read,
  });
}

/** How replies show their parent. @returns {MessageParent} */
export function quoteOf({ id, kind, text, user, created_at, files }) {
  return without({ id, state: "ok", kind, text, user, file: files?.[0], created_at });
}

/** Whether it says something to this user by name, or to all. */
export function mentions(message, myID) {
  if (message.mention_type === "channel") return true;
  return message.mention_type === "users" && (message.mentioned_user_ids ?? []).includes(myID);
}

/** The same without the fields that are undefined: absent means absent. */
export function without(object) {
  for (const name of Object.keys(object)) if (object[name] === undefined) delete object[name];
  return object;
}
