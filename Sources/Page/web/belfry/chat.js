import { absorb } from "./absorb.js";
import { Actions } from "./actions.js";
import { Channels } from "./channels.js";
import { Files } from "./files.js";
import { Folding } from "./folding.js";
import { FOLDS } from "./folds.js";
import { MemberList } from "./member-list.js";
import { isMessage, quoteOf } from "./messages.js";
import { Outgoing } from "./outgoing.js";
import { People } from "./people.js";
import { Queries } from "./queries.js";
import { Thread } from "./thread.js";
import { ThreadList } from "./thread-list.js";
import { Timeline } from "./timeline.js";
import { Timelines } from "./timelines.js";
import { OwnTyping } from "./typing.js";

/** Until the server tells them. */
const SETTINGS = { reply_type: "quote_reply", thread_reply_select: "thread", mark_as_unread: false, reactions: true };

/**
 * What the signed-in user sees, folded from the events of one `Client`.
 *
 * Events, by `on(name, listener) → off()`:
 * - `change`: `me`, `settings`, `totals` or `emojis` changed
 * - `users` `Set<string>`: ids of users whose name, picture or presence changed
 * - `event` `{channel, offset?, recovered, event: TypedEvent}`: each event after it was folded (for notifications); also
 *   by its type alone, as `message.new`
 * - `error` `Error`: an event or an answer that is not what the protocol says, and was passed over
 * Every list and channel has `on("change", fn) → off()` too, told once per turn.
 */
export class Chat extends Actions {
  /** null before the first connect reply. @type {User | null} */
  me = null;
  /** @type {{reply_type: "none" | "quote_reply" | "thread", thread_reply_select: "parent" | "thread",
   *    mark_as_unread: boolean, reactions: boolean}} */
  settings = SETTINGS;
  /** In order of registration; empty until loaded after the first connect. @type {Emoji[]} */
  emojis = [];
  /** The threads one takes part in; `load()` it when it is shown. @type {ThreadList} */
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

  /**
   * @param {Client} client not yet connected
   * @param {object} [options]
   * @param {string} [options.files] base of the HTTP API, e.g. `http://127.0.0.1:8080`; default: the client's host
   * @param {typeof fetch} [options.fetch]
   * @param {number} [options.sendTimeout] ms after which a message that got no answer is shown as failed (30,000)
   */
  constructor(client, { files, fetch, sendTimeout = 30_000 } = {}) {
    super();
    this.#client = client;
    this.#files = new Files(client, files, fetch);
    this.#queries = new Queries(client);
    this.#typing = new OwnTyping((method, data) => client.rpc(method, data));
    const chat = this;
    /** What the parts see of the whole. */
    this.#core = {
      client, people: this.#people, timelines: this.#timelines, files: this.#files,
      ask: (method, data) => this.#queries.ask(method, data),
      changed: () => this.changed(),
      learnFrom: (messages) => messages.forEach(({ user, parent, thread }) => {
        this.#people.learn(user);
        this.#people.learn(parent?.user);
        thread?.most_replied_users?.forEach((replier) => this.#people.learn(replier));
      }),
      failed: (error) => this.emit("error", error),
      heard: (publication) => {
        this.emit("event", publication);
        // A type that nobody knows must not be taken for "change" or "error".
        if (Object.hasOwn(FOLDS, publication.event.type)) this.emit(publication.event.type, publication);
      },
      signedIn: (session) => this.#signedIn(session),
      loadUsers: (ids) => this.loadUsers(ids),
      tookEmojis: (emojis) => {
        this.emojis = emojis;
        this.changed();
      },
      get me() { return chat.me; },
      get myID() { return chat.me?.id; },
    };
    this.#core.outgoing = this.#outgoing = new Outgoing(this.#core, sendTimeout, {
      changed: (id) => this.#showLocal(id), sent: (message) => this.#sent(message),
    });
    this.#core.channels = this.#channels = new Channels(this.#core);
    this.#core.threads = this.threads = new ThreadList(this.#core);
    this.#people.on("users", (ids) => this.#usersChanged(ids));
    this.#folding = new Folding(this.#core);
  }

  /** Unread messages, mentions and channels with some, in all. @returns {Totals} */
  get totals() {
    return this.#channels.totals;
  }

  /**
   * Joined channels that are not hidden, newest message first; `invited`, `hidden`, `search(…)`, `publicChannels(…)`.
   * @returns {ChannelList}
   */
  get channels() {
    return this.#channels.list;
  }

  /** @returns {User | undefined} the newest that was heard of them, with `online` and `last_seen_at` where known */
  user(id) {
    return this.#people.get(id);
  }

  /** Fetches users, with presence. @param {string[]} ids at most 1,000 @returns {Promise<User[]>} */
  async loadUsers(ids) {
    const users = await this.#queries.users(ids);
    for (const user of users) this.#people.learn(user);
    return users;
  }

  /** @returns {Channel} the same object for the same id; it is loaded if it was not known */
  channel(id) {
    return this.#channels.open(id);
  }

  /**
   * The messages of a channel, from the newest back or around one. Close it when it is not shown any more.
   * @param {string} channelId
   * @param {{messageId?: string, size?: number}} [options] `size`: messages per load, 1–100 (50)
   * @returns {Timeline}
   */
  timeline(channelId, options) {
    return this.#open(new Timeline(this.#core, channelId, options));
  }

  /** The replies to a parent, from the newest back. Close it. @returns {Thread} */
  thread(channelId, parentId, options) {
    return this.#open(new Thread(this.#core, channelId, parentId, options));
  }

  /** @param {{order?: "nickname" | "operator_then_nickname"}} [options] @returns {MemberList} close it */
  members(channelId, options) {
    const members = new MemberList(this.#core, channelId, options);
    this.#timelines.add(members);
    void this.#channels.open(channelId).loaded();
    void members.reload();
    return members;
  }

  // Messages. Each action rejects with an RPCError; what succeeded is shown before its promise resolves.

  /**
   * Shows the message at once (`local`), uploads its files, sends it. When it failed it stays in the lists as failed.
   * @param {string} channelId
   * @param {{text?: string, files?: File[], parent_message_id?: string, reply_to_channel?: boolean,
   *   mention_type?: "users" | "channel", mentioned_user_ids?: string[], custom_type?: string, data?: string,
   *   meta_arrays?: Record<string, string[]>}} content `text`, or 1–20 `files`; of both, the text follows as a message
   *   of its own
   * @returns {Promise<Message>} the stored message, of both the text's
   */
  async send(channelId, { files = [], text, ...content }) {
    this.#typing.sent(channelId);
    const quote = this.#quote(channelId, content.parent_message_id);
    const sending = [];
    if (files.length > 0) {
      // Nobody is mentioned twice.
      const { mention_type, mentioned_user_ids, ...rest } = content;
      sending.push(this.#outgoing.send(channelId, text ? rest : content, [...files], { quote }));
    }
    if (text || sending.length === 0) sending.push(this.#outgoing.send(channelId, { ...content, text }, [], { quote }));
    return (await Promise.all(sending)).at(-1);
  }

  /** Shown at once, and taken back when it is refused. @param {boolean} on true adds, false takes away */
  async react(channelId, messageId, key, on) {
    for (const timeline of this.#timelines.of(channelId)) timeline.anticipate(messageId, key, on);
    try {
      await this.rpc(on ? "reaction.add" : "reaction.remove", { channel_id: channelId, message_id: messageId, key });
    } catch (error) {
      this.rpc("message.get", { channel_id: channelId, message_id: messageId }).catch(() => {});
      throw error;
    }
  }

  /** The people of one reaction, in the order of reacting. @returns {Promise<{users: User[], next?: string}>} */
  async reactionUsers(channelId, messageId, key, next) {
    return await this.#queries.ask("reaction.list_users", { channel_id: channelId, message_id: messageId, key, next, limit: 100 });
  }

  /** Who has read a message. @returns {Promise<{users: User[], read_count: number, unread_count: number, next?: string}>} */
  async receipts(channelId, messageId, next) {
    return await this.#queries.ask("read.receipts", { channel_id: channelId, message_id: messageId, next, limit: 100 });
  }

  // Typing

  /** Call it with every key: it says so at most every 5 s. */
  typing(channelId) {
    this.#typing.start(channelId);
  }

  stopTyping(channelId) {
    this.#typing.stop(channelId);
  }

  // The rest

  /** Any command; what its answer tells of channels, members, messages and users is shown. @throws {RPCError} */
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

  /** The bytes; with the user's token if, and only if, they lie on this server. @returns {Promise<Blob>} */
  async fetchFile(url) {
    return await this.#files.fetch(url);
  }

  /** Hears nothing any more; the client is left as it is. */
  close() {
    this.#folding.close();
    this.#outgoing.clear();
    for (const timeline of this.#timelines.all) timeline.close();
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
    this.#channels.toldTotals(unread);
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
