import { Emitter } from "./emitter.js";

/**
 * What the signed-in user sees, folded from the events of one `Client`.
 *
 * Events, by `on(name, listener) → off()`:
 * - `change`: `me`, `settings`, `totals` or `emojis` changed
 * - `users` `Set<string>`: ids of users whose name, picture or presence changed
 * - `event` `{channel, offset?, recovered, event: TypedEvent}`: each event after it was folded (for notifications)
 * Every other list and state here has `on("change", fn) → off()`, told once per turn.
 */
export class Chat extends Emitter {
  /**
   * @param {Client} client not yet connected; its `data` may be absent
   * @param {object} [options]
   * @param {string} [options.files] base of the HTTP API, e.g. `http://127.0.0.1:8080`; default: the client's host
   * @param {typeof fetch} [options.fetch]
   */
  constructor(client, options = {}) { super(); }

  /** @type {User | null} null before the first connect reply */
  me = null;
  /** @type {{reply_type: "none" | "quote_reply" | "thread", thread_reply_select: "parent" | "thread", mark_as_unread: boolean, reactions: boolean}} */
  settings;
  /** @type {Totals} */
  totals;
  /** @type {Emoji[]} in order of registration; empty until loaded after the first connect */
  emojis = [];
  /** @type {ChannelList} joined channels that are not hidden, newest message first */
  channels;
  /** @type {ThreadList} loaded by its first `on` or `load()` */
  threads;

  /** @returns {User | undefined} the newest that was heard of them, with `online`, `last_seen_at` where known */
  user(id) {}
  /** Loads users that are not known. @returns {Promise<User[]>} */
  async loadUsers(ids) {}

  /** One object per id while someone listens to it. @returns {Channel} */
  channel(id) {}
  /**
   * The messages of a channel from the newest back, or around one. Close it when it is not shown any more.
   * @param {string} channelId
   * @param {{messageId?: string, size?: number}} [options] `size`: messages per load, 1–100 (50)
   * @returns {Timeline}
   */
  timeline(channelId, options) {}
  /** The replies to a parent; starts with the newest. @returns {Thread} */
  thread(channelId, parentId, options) {}
  /** @param {{order?: "nickname" | "operator_then_nickname"}} [options] @returns {MemberList} close it when done */
  members(channelId, options) {}

  // Actions. Each rejects with an RPCError; what succeeded is folded before its promise resolves.

  /**
   * Shows the message at once (`local`), uploads, sends. Rejects when it failed, it then stays in the lists as failed.
   * @param {string} channelId
   * @param {{text?: string, files?: File[], parent_message_id?: string, reply_to_channel?: boolean,
   *   mention_type?: "users" | "channel", mentioned_user_ids?: string[], custom_type?: string, data?: string,
   *   meta_arrays?: Record<string, string[]>}} content either `text` or 1–20 `files`; with both, the text follows as
   *   a message of its own
   * @returns {Promise<Message>} the stored message
   */
  async send(channelId, content) {}
  /** @param {{text?: string, mention_type?, mentioned_user_ids?, custom_type?, data?}} changes @returns {Promise<Message>} */
  async edit(channelId, messageId, changes) {}
  async remove(channelId, messageId) {}
  /** @param {boolean} on true adds, false takes back; shown at once, undone when refused */
  async react(channelId, messageId, key, on) {}
  /** People of one reaction. @returns {Promise<{users: User[], next?: string}>} */
  async reactionUsers(channelId, messageId, key, next) {}
  /** @param {string} [messageId] up to that one; absent: all */
  async markRead(channelId, messageId) {}
  async markUnread(channelId, messageId) {}
  async markAllRead() {}
  async markThreadRead(channelId, parentId, messageId) {}
  async markThreadUnread(channelId, parentId, messageId) {}
  /** Call it with every key press: it says so at most every 5 s. */
  typing(channelId) {}
  stopTyping(channelId) {}
  /** @returns {Promise<{users: User[], read_count: number, unread_count: number, next?: string}>} */
  async receipts(channelId, messageId, next) {}
  /** @returns {Promise<ChannelJSON>} data: see `channel.create` of the protocol */
  async createChannel(data) {}
  async join(channelId) {}
  async leave(channelId) {}
  async accept(channelId) {}
  async decline(channelId) {}
  async hide(channelId, { hide_previous_messages = false, allow_auto_unhide = true } = {}) {}
  async unhide(channelId) {}
  /** @returns {Promise<{channel, joined: string[], invited: string[], refused: {user_id, code, message}[]}>} */
  async invite(channelId, userIds) {}
  /** Any other command; `channel`, `member`, `message`, `user` in its answer are folded. @throws {RPCError} */
  async rpc(method, data) {}

  /** An upload's or a picture's absolute URL. */
  fileURL(url) {}
  /** The bytes, with the user's token when (and only when) they lie on this server. @returns {Promise<Blob>} */
  async fetchFile(url) {}
  close() {}
}
