import { absorb } from "./absorb.js";
import { Actions } from "./actions.js";
import { BlockList } from "./block-list.js";
import { Channels } from "./channels.js";
import { Files } from "./files.js";
import { Folding } from "./folding.js";
import { FOLDS } from "./folds.js";
import { MemberList } from "./member-list.js";
import { MessageSearch } from "./message-search.js";
import { isMessage, quoteOf } from "./messages.js";
import { Outgoing } from "./outgoing.js";
import { People } from "./people.js";
import { Queries } from "./queries.js";
import { Thread } from "./thread.js";
import { ThreadList } from "./thread-list.js";
import { Timeline } from "./timeline.js";
import { Timelines } from "./timelines.js";
import { OwnTyping } from "./typing.js";

/** Defaults used until the server sends the settings. */
const SETTINGS = { reply_type: "quote_reply", thread_reply_select: "thread", mark_as_unread: false, reactions: true };

/**
 * The signed-in user's view of the chat, folded from the events of one `Client`.
 *
 * Events, by `on(name, listener) → off()`:
 * - `change`: `me`, `settings`, `totals` or `emojis` changed
 * - `users` `Set<string>`: ids of users whose name, picture or presence changed
 * - `event` `{channel, offset?, recovered, event: TypedEvent}`: each event after it was folded (for notifications);
 *   also emitted under its own type, e.g. `message.new`
 * - `error` `Error`: an event or reply that violated the protocol and was skipped
 *
 * Every list and channel also has `on("change", fn) → off()`, called once per turn.
 */
export class Chat extends Actions {
  /** The signed-in user; null before the first connect reply. @type {User | null} */
  me = null;
  /** @type {{reply_type: "none" | "quote_reply" | "thread", thread_reply_select: "parent" | "thread",
   *    mark_as_unread: boolean, reactions: boolean}} */
  settings = SETTINGS;
  /** The emojis in order of registration; empty until loaded after the first connect. @type {Emoji[]} */
  emojis = [];
  /** The users whom the user has blocked. @type {BlockList} */
  blocked;
  /** The user's threads. Call `load()` when showing them. @type {ThreadList} */
  threads;

  #client;
  #files;
  #people = new People();
  #channels;
  #timelines = new Timelines();
  #outgoing;
  #typing;
  #queries;
  #core;
  #folding;
  #searches = new Set();

  /**
   * @param {Client} client not yet connected
   * @param {object} [options]
   * @param {string} [options.files] base URL of the HTTP API, e.g. `http://127.0.0.1:8080`; defaults to the client's
   *   host
   * @param {typeof fetch} [options.fetch]
   * @param {number} [options.sendTimeout] ms without a reply until a message is shown as failed (30,000)
   */
  constructor(client, { files, fetch, sendTimeout = 30_000 } = {}) {
    super();
    this.#client = client;
    this.#files = new Files(client, files, fetch);
    this.#queries = new Queries(client);
    this.#typing = new OwnTyping((method, data) => client.rpc(method, data));
    const chat = this;
    /** The context shared by the parts. */
    this.#core = {
      client, people: this.#people, timelines: this.#timelines, files: this.#files,
      query: (method, data) => this.#queries.query(method, data),
      changed: () => this.changed(),
      learnFrom: (messages) => messages.forEach((message) => {
        const { user, parent, thread } = message;
        this.#channels.get(message.channel_id)?.sawMessage(message);
        this.#people.learn(user);
        this.#people.learn(parent?.user);
        thread?.most_replied_users?.forEach((replier) => this.#people.learn(replier));
      }),
      failed: (error) => this.emit("error", error),
      emitEvent: (publication) => {
        for (const search of this.#searches) search.fold(publication.event);
        this.emit("event", publication);
        // An unknown type must not be emitted as "change" or "error".
        if (Object.hasOwn(FOLDS, publication.event.type)) this.emit(publication.event.type, publication);
      },
      channelGone: (id) => this.#searches.forEach((search) => search.channelGone(id)),
      signedIn: (session) => this.#signedIn(session),
      loadUsers: (ids) => this.loadUsers(ids),
      setEmojis: (emojis) => {
        this.emojis = emojis;
        this.changed();
      },
      get me() { return chat.me; },
      get myID() { return chat.me?.id; },
    };
    this.#core.outgoing = this.#outgoing = new Outgoing(this.#core, sendTimeout, {
      changed: (id) => this.#showLocal(id), sent: (message) => this.#sent(message),
      slowedDown: (id, retryAfter) => this.#channels.get(id)?.slowedDown(retryAfter),
    });
    this.#core.blocked = this.blocked = new BlockList(this.#core);
    this.#core.channels = this.#channels = new Channels(this.#core);
    this.#core.threads = this.threads = new ThreadList(this.#core);
    this.#people.on("users", (ids) => this.#usersChanged(ids));
    this.#folding = new Folding(this.#core);
  }

  /** The totals of unread messages, of mentions, and of channels with unread messages. @returns {Totals} */
  get totals() {
    return this.#channels.totals;
  }

  /**
   * The joined channels that are not hidden, newest message first. See also the list's `invited`, `hidden`, `search(…)`
   * and `publicChannels(…)`.
   * @returns {ChannelList}
   */
  get channels() {
    return this.#channels.list;
  }

  /** @returns {User | undefined} the latest known data, with `online` and `last_seen_at` if known */
  user(id) {
    return this.#people.get(id);
  }

  /** Fetches users with their presence. @param {string[]} ids at most 1,000 @returns {Promise<User[]>} */
  async loadUsers(ids) {
    const users = await this.#queries.users(ids);
    for (const user of users) this.#people.learn(user);
    return users;
  }

  /** @returns {Channel} one object per id; an unknown channel is loaded */
  channel(id) {
    return this.#channels.open(id);
  }

  /**
   * Returns the messages of a channel, from the newest back, or around a given message. Close it after use.
   * @param {string} channelId
   * @param {{messageId?: string, size?: number}} [options] `size`: messages per load, 1–100 (50)
   * @returns {Timeline}
   */
  timeline(channelId, options) {
    return this.#open(new Timeline(this.#core, channelId, options));
  }

  /** Returns the replies to a parent, from the newest back. Close it after use. @returns {Thread} */
  thread(channelId, parentId, options) {
    return this.#open(new Thread(this.#core, channelId, parentId, options));
  }

  /** @param {{order?: "nickname" | "operator_then_nickname"}} [options] @returns {MemberList} close it after use */
  members(channelId, options) {
    const members = new MemberList(this.#core, channelId, options);
    this.#timelines.add(members);
    void this.#channels.open(channelId).loaded();
    void members.reload();
    return members;
  }

  /**
   * Searches the user's messages by words. Close it after use.
   * @param {{query: string, channel_id?: string, user_ids?: string[], kind?: string, has_files?: boolean,
   *   after?: number, before?: number, order?: "newest" | "relevance", limit?: number}} request as of `message.search`
   * @returns {MessageSearch}
   */
  searchMessages(request) {
    const search = new MessageSearch(this.#core, request, () => this.#searches.delete(search));
    this.#searches.add(search);
    void search.reload();
    return search;
  }

  // Messages. Actions reject with an `RPCError`; successful changes are visible before the promise resolves.

  /**
   * Shows the message immediately (as `local`), uploads its files, and sends it. If that fails, the message stays in
   * the lists as failed.
   * @param {string} channelId
   * @param {{text?: string, files?: File[], parent_message_id?: string, reply_to_channel?: boolean,
   *   mention_type?: "users" | "channel", mentioned_user_ids?: string[], custom_type?: string, data?: string,
   *   meta_arrays?: Record<string, string[]>}} content `text`, 1–20 `files`, or both, in which case the text follows as
   *   a separate message
   * @returns {Promise<Message>} the stored message; if there are both, that of the text
   */
  async send(channelId, { files = [], text, ...content }) {
    this.#typing.sent(channelId);
    const quote = this.#quote(channelId, content.parent_message_id);
    const sending = [];
    if (files.length > 0) {
      // Send the mentions only once.
      const { mention_type, mentioned_user_ids, ...rest } = content;
      sending.push(this.#outgoing.send(channelId, text ? rest : content, [...files], { quote }));
    }
    if (text || sending.length === 0) sending.push(this.#outgoing.send(channelId, { ...content, text }, [], { quote }));
    return (await Promise.all(sending)).at(-1);
  }

  /**
   * Adds or removes a reaction. The change is shown immediately, and reverted if the server refuses it.
   * @param {boolean} on true adds, false removes
   */
  async react(channelId, messageId, key, on) {
    for (const timeline of this.#timelines.of(channelId)) timeline.anticipate(messageId, key, on);
    try {
      await this.rpc(on ? "reaction.add" : "reaction.remove", { channel_id: channelId, message_id: messageId, key });
    } catch (error) {
      this.rpc("message.get", { channel_id: channelId, message_id: messageId }).catch(() => {});
      throw error;
    }
  }

  /**
   * Fetches the users of one reaction, in the order they reacted.
   * @returns {Promise<{users: User[], next?: string}>}
   */
  async reactionUsers(channelId, messageId, key, next) {
    return await this.#queries.query("reaction.list_users", { channel_id: channelId, message_id: messageId, key, next, limit: 100 });
  }

  /**
   * Fetches the users who have read a message.
   * @returns {Promise<{users: User[], read_count: number, unread_count: number, next?: string}>}
   */
  async receipts(channelId, messageId, next) {
    return await this.#queries.query("read.receipts", { channel_id: channelId, message_id: messageId, next, limit: 100 });
  }

  // Typing

  /** Signals typing. Call it on every key press; it sends at most one signal per 5 s. */
  typing(channelId) {
    this.#typing.start(channelId);
  }

  stopTyping(channelId) {
    this.#typing.stop(channelId);
  }

  // Commands and files

  /** Sends any command, and folds the channels, members, messages and users in its reply. @throws {RPCError} */
  async rpc(method, data = {}) {
    const result = await this.#client.rpc(method, data);
    try {
      absorb(this.#core, method, data, result);
    } catch (error) {
      this.emit("error", error);
    }
    return result;
  }

  /** @returns {string} the absolute URL of an upload or a picture */
  fileURL(url) {
    return this.#files.url(url);
  }

  /** Downloads a file. Sends the user's token only to this server. @returns {Promise<Blob>} */
  async fetchFile(url) {
    return await this.#files.fetch(url);
  }

  /** Stops listening; the client stays connected. */
  close() {
    this.#folding.close();
    this.#outgoing.clear();
    for (const timeline of this.#timelines.all) timeline.close();
    for (const search of [...this.#searches]) search.close();
  }

  #open(timeline) {
    this.#timelines.add(timeline);
    void timeline.open();
    return timeline;
  }

  #showLocal(channelId) {
    for (const timeline of this.#timelines.of(channelId)) timeline.showLocal();
  }

  #quote(channelId, parentId) {
    if (parentId === undefined) return undefined;
    for (const timeline of this.#timelines.of(channelId)) {
      const parent = timeline.get?.(parentId);
      if (isMessage(parent)) return quoteOf(parent);
    }
    return undefined;
  }

  #sent(message) {
    if (!isMessage(message)) return;
    const channelId = message.channel_id;
    this.#channels.get(channelId)?.receive(message);
    const type = message.parent_message_id === undefined ? "message.new" : "thread.reply";
    for (const timeline of this.#timelines.of(channelId)) timeline.fold({ type, message });
  }

  #signedIn({ user, settings, unread }) {
    if (this.me && this.me.id !== user.id) {
      this.emit("error", new Error("another user: what is shown is the first one's"));
      return this.#client.disconnect();
    }
    this.me = { ...this.me, ...user };
    this.#people.learn(this.me);
    this.settings = { ...SETTINGS, ...settings };
    this.#channels.setServerTotals(unread);
    this.changed();
  }

  #usersChanged(ids) {
    const me = this.me && this.#people.get(this.me.id);
    if (me && ids.has(me.id)) {
      this.me = me;
      this.changed();
    }
    this.emit("users", ids);
  }
}
