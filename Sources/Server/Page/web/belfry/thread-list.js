import { Emitter } from "./emitter.js";
import { isObject } from "./objects.js";
import { asMessage, isMessage, mergedThread, updated } from "./messages.js";
import { Pages } from "./pages.js";
import { ReactionFold } from "./reactions.js";
import { order, SortedList } from "./sorted-list.js";

const PAGE = 20;
const REPLIES = 3;
/** Maximum number of new threads counted. */
const COUNTED = 1_000;
/** Maximum number of concurrent queries about whether the user participates in a thread. */
const FETCHES = 10;

/** Threads in which the user wrote the parent or a reply, latest activity first. */
export class ThreadList extends Emitter {
  /** @type {LoadState} */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  #core;
  #sorted = new SortedList(
    (a, b) => order(b.thread.last_reply_at ?? 0, a.thread.last_reply_at ?? 0) || order(nameOf(a.thread), nameOf(b.thread)),
    (entry) => nameOf(entry.thread));
  #reactions = new ReactionFold();
  #new = new Set();
  /** Threads known not to involve the user. */
  #others = new Set();
  #fetching = new Set();
  #isWanted = false;
  #pages;
  #log = null;

  constructor(core) {
    super();
    this.#core = core;
    const request = { limit: PAGE, reply_limit: REPLIES };
    this.#pages = new Pages((next) => core.query("thread.list", { ...request, next }), {
      begun: () => {
        this.#log = [];
        this.#become(this.state === "failed" ? "loading" : this.state, this.error);
      },
      arrived: (page, isFirst) => this.#add(page, isFirst),
      failed: (error) => {
        this.#log = null;
        this.#become(this.state === "ready" ? "ready" : "failed", error);
      },
    });
  }

  /** @returns {ThreadEntry[]} */
  get items() {
    return this.#sorted.items;
  }

  /** The number of new threads that are not in `items` yet. */
  get newCount() {
    return this.#new.size;
  }

  get hasMore() {
    return this.#pages.hasMore;
  }

  /**
   * Loads the list if it was not loaded before. Call it when the list is shown.
   * @returns {Promise<void>} never rejects: see `state`
   */
  async load() {
    if (this.#isWanted && this.state !== "failed") return;
    this.#isWanted = true;
    await this.reload();
  }

  /** Reloads the list, including the new threads. */
  loadNew() {
    return this.#pages.reload();
  }

  /** Loads the next page, or waits for the load in progress. */
  loadMore() {
    return this.#pages.loadMore();
  }

  async reload() {
    if (this.#isWanted) await this.#pages.reload();
  }

  /** @internal */
  fold(channelId, event) {
    this.#log?.push([channelId, event]);
    if (this.#log?.length > COUNTED) this.#log.shift();
    this.#apply(channelId, event, true);
  }

  /** @internal Handles the user's loss of access to the channel. */
  channelGone(channelId) {
    for (const entry of this.items.filter(({ thread }) => thread.channel_id === channelId)) this.#sorted.remove(nameOf(entry.thread));
    for (const name of this.#new) if (name.startsWith(`${channelId}/`)) this.#new.delete(name);
    this.changed();
  }

  /** @internal */
  channelChanged(channel) {
    for (const entry of this.items) {
      if (entry.thread.channel_id === channel.id) this.#set({ ...entry, channel: { ...entry.channel, ...channel } });
    }
  }

  /** @internal Updates a thread from a command's reply. */
  threadChanged(thread) {
    this.#threadChanged(thread?.channel_id, thread);
  }

  #apply(channelId, event, isNews) {
    switch (event.type) {
      case "thread.reply": return this.#replied(channelId, event, isNews);
      case "thread.updated": return this.#threadChanged(channelId, event.thread);
      case "message.updated": return this.#changeMessage(channelId, event.message, (message) => updated(message, event.message));
      case "message.deleted": return this.#deleted(channelId, event);
      case "reaction.updated": return this.#reacted(channelId, event.reaction);
      case "read.changed": return this.#read(event.read);
      default:
    }
  }

  #replied(channelId, { message: json, thread }, isNews) {
    if (!isMessage(json) || json.parent_message_id === undefined) return;
    const message = asMessage(json, this.#core.myID);
    const name = `${channelId}/${message.parent_message_id}`;
    const entry = this.#sorted.get(name);
    if (!entry) return isNews ? this.#announced(name, channelId, message, thread) : undefined;
    if (entry.replies.some(({ id }) => id === message.id)) return this.#threadChanged(channelId, thread);
    // A reply that the loaded list already contained must not count again.
    const isNewer = message.offset > (entry.replies.at(-1)?.offset ?? 0);
    const { unread_count = 0, last_read } = entry.thread;
    const isUnread = isNewer && message.user?.id !== this.#core.myID && message.offset > (last_read?.offset ?? 0);
    const merged = mergedThread(entry.thread, thread) ?? entry.thread;
    const isKnown = !message.user || entry.participants.some(({ id }) => id === message.user.id);
    this.#set({
      ...entry, thread: { ...merged, unread_count: unread_count + (isUnread ? 1 : 0) },
      replies: isNewer ? [...entry.replies, message].slice(-REPLIES) : entry.replies,
      participants: isKnown ? entry.participants : [...entry.participants, message.user],
    });
  }

  /** Counts an unlisted thread as new if the user participates in it. */
  async #announced(name, channelId, message, thread) {
    if (!this.#isWanted || this.#new.has(name) || this.#new.size >= COUNTED) return;
    const me = this.#core.myID;
    const repliers = Array.isArray(thread?.most_replied_users) ? thread.most_replied_users : [];
    if ([message.user, message.parent?.user, ...repliers].some((user) => user?.id === me)) return this.#announce(name);
    if (this.#others.has(name) || this.#fetching.has(name)) return;
    // If not all repliers are listed, the user may be among the others.
    if (thread?.reply_count === undefined || repliers.length >= thread.reply_count) return;
    if (this.#fetching.size >= FETCHES) return;
    this.#fetching.add(name);
    try {
      const { participants } = await this.#core.query("thread.get", {
        channel_id: channelId, parent_message_id: message.parent_message_id, reply_limit: 1, participant_limit: 100,
      });
      if (participants.some(({ id }) => id === me)) return this.#announce(name);
      if (this.#others.size >= COUNTED) this.#others.clear();
      this.#others.add(name);
    } catch {
      // The next reply retries.
    } finally {
      this.#fetching.delete(name);
    }
  }

  #announce(name) {
    this.#others.delete(name);
    if (this.#sorted.get(name)) return;
    this.#new.add(name);
    this.changed();
  }

  #threadChanged(channelId, thread) {
    if (!isObject(thread)) return;
    const entry = this.#sorted.get(`${channelId}/${thread.parent_message_id}`);
    const merged = entry && mergedThread(entry.thread, thread);
    if (!entry || !merged || merged === entry.thread) return;
    if (merged.reply_count === 0) return this.#remove(entry);
    this.#set({ ...entry, thread: merged });
  }

  #changeMessage(channelId, { id, parent_message_id } = {}, to) {
    const own = this.#sorted.get(`${channelId}/${id}`);
    if (own) this.#set({ ...own, parent: to(own.parent) });
    const entry = this.#sorted.get(`${channelId}/${parent_message_id}`);
    if (!entry?.replies.some((reply) => reply.id === id)) return;
    this.#set({ ...entry, replies: entry.replies.map((reply) => (reply.id === id ? to(reply) : reply)) });
  }

  #deleted(channelId, { message_id, parent_message_id, thread }) {
    const parent = this.#sorted.get(`${channelId}/${message_id}`);
    if (parent) return this.#remove(parent);
    this.#threadChanged(channelId, thread);
    const entry = this.#sorted.get(`${channelId}/${parent_message_id}`);
    if (!entry) return;
    // Only the server knows which reply moves up, and whether the deleted one was unread.
    this.#set({ ...entry, replies: entry.replies.filter(({ id }) => id !== message_id) });
    void this.#refetch(entry.thread);
  }

  #reacted(channelId, change) {
    const entry = this.#sorted.get(`${channelId}/${change?.message_id}`);
    if (entry) this.#set({ ...entry, parent: this.#reactions.apply(entry.parent, change, this.#core.myID) });
  }

  #read(read) {
    if (!isObject(read) || read.parent_message_id === undefined || read.user_id !== this.#core.myID) return;
    const entry = this.#sorted.get(`${read.channel_id}/${read.parent_message_id}`);
    if (!entry) return;
    this.#set({ ...entry, thread: { ...entry.thread, unread_count: read.unread_count ?? 0, last_read: read.last_read } });
  }

  #set(entry) {
    this.#sorted.put(entry);
    this.changed();
  }

  #remove(entry) {
    this.#sorted.remove(nameOf(entry.thread));
    this.changed();
  }

  async #refetch({ channel_id, parent_message_id }) {
    const name = `${channel_id}/${parent_message_id}`;
    if (this.#fetching.has(name)) return;
    this.#fetching.add(name);
    try {
      const entry = await this.#core.query("thread.get", { channel_id, parent_message_id, reply_limit: REPLIES });
      if (this.#sorted.get(name)) this.#put(entry);
    } catch {
      // No replies are left, or the thread is no longer visible; an event will report it.
    } finally {
      this.#fetching.delete(name);
    }
  }

  #put(json) {
    if (!isObject(json.thread) || !isMessage(json.parent) || !isObject(json.channel)) return;
    const message = (reply) => asMessage(reply, this.#core.myID);
    const replies = (json.replies ?? []).filter(isMessage).map(message).sort((a, b) => a.offset - b.offset);
    const { thread, channel, participants = [] } = json;
    for (const user of participants) this.#core.people.learn(user);
    this.#core.learnFrom([json.parent, ...replies]);
    this.#sorted.put({ thread, channel, participants, parent: message(json.parent), replies });
    this.#new.delete(nameOf(thread));
  }

  #add({ threads }, isFirst) {
    if (isFirst) {
      this.#sorted.clear();
      this.#new.clear();
    }
    for (const entry of threads) this.#put(entry);
    this.#reactions = new ReactionFold();
    for (const [channelId, event] of this.#log) this.#apply(channelId, event, true);
    this.#log = null;
    this.#become("ready");
  }

  #become(state, error) {
    Object.assign(this, { state, error });
    this.changed();
  }
}

const nameOf = ({ channel_id, parent_message_id }) => `${channel_id}/${parent_message_id}`;
