import { Emitter } from "./emitter.js";
import { isObject } from "./frames.js";
import { asMessage, isMessage, mergedThread, quoteOf, standsInChannel, updated } from "./messages.js";
import { MessageWindow } from "./message-window.js";
import { anticipated, ReactionFold } from "./reactions.js";

/** How many messages are held at most; beyond it those farthest from what is loaded or arrives are dropped. */
const HELD = 12_000;
/** How many are dropped at once, so that the array is not shifted for each message. */
const DROPPED = 1_000;
/** How many are fetched again after something was missed; older ones are dropped. */
const REFETCHED = 1_000;
/** The most that one list of the server holds. */
const PAGE = 100;
/** How many events are kept while a page is on its way, to be folded over it. */
const LOGGED = 2_000;

/**
 * A window of a channel's messages without gaps, oldest first, with the own pending ones at its end.
 *
 * `change` is told once per turn. Every message that changed is a new object; its `key` stays.
 */
export class Timeline extends Emitter {
  /** @type {string} */
  channelId;
  hasPrevious = false;
  /** false: the window reaches to now, and new messages are added to it */
  hasNext = false;
  /** Of the first load, of `loadAround` and of `reload`. @type {LoadState} */
  state = "loading";
  /** What failed last, of any load; gone when one succeeds. @type {Error | undefined} */
  error;
  loadingPrevious = false;
  loadingNext = false;
  /** Whether someone looks at the newest messages: while not, a new one of others puts up the divider. */
  attended = true;
  /**
   * The message above which the divider belongs: as it was when the timeline was opened, moved by marking unread, and by
   * what comes while not `attended`; it stays when everything is read, until `clearUnread`.
   * @type {string | undefined}
   */
  firstUnreadId;
  /** How many messages of others from the divider on; 0 without one. */
  unreadCount = 0;

  /** @protected */ core;
  /** @protected */ window = new MessageWindow();
  /** @protected */ size;
  #reactions = new ReactionFold();
  /** One load of the whole window at a time: what an older one brings is thrown away. */
  #generation = 0;
  #loads = 0;
  #log = [];
  #isLogTooLong = false;
  #isClosed = false;
  #openAround;

  /** @internal `chat.timeline(…)` makes them. */
  constructor(core, channelId, { messageId, size = 50 } = {}) {
    super();
    this.core = core;
    this.channelId = channelId;
    this.size = Math.max(1, Math.min(PAGE, size));
    this.#openAround = messageId;
  }

  /** @internal */
  async open() {
    this.showLocal();
    const channel = this.core.channels.open(this.channelId);
    await Promise.all([
      this.#openAround ? this.loadAround(this.#openAround) : this.loadNewest(),
      channel.loaded().then(() => {
        this.#openedAt(channel.value?.my);
        return channel.loadReceipts();
      }),
    ]);
  }

  /** @returns {Message[]} a live array: read it, do not change it */
  get messages() {
    return this.window.list;
  }

  /** @returns {Message | undefined} if it is loaded */
  get(messageId) {
    return this.window.get(messageId);
  }

  /** @returns {number} its index in `messages`, -1 if it is not loaded */
  indexOf(messageId) {
    return this.window.indexOf(messageId);
  }

  // Loading

  /** @returns {Promise<boolean>} whether it is loaded now */
  loadNewest() {
    return this.#loadWhole((load) => load({ at: Number.MAX_SAFE_INTEGER, previous: this.size, next: 0 }));
  }

  /** @returns {Promise<boolean>} false: there is no such message (any more), or the load failed (`state`) */
  async loadAround(messageId) {
    if (this.window.has(messageId) && this.state === "ready") return true;
    const half = Math.ceil(this.size / 2);
    await this.#loadWhole((load) => load({ message_id: messageId, previous: half, next: half, inclusive: true }), {
      otherwise: (error) => error.code === 1000 && this.loadNewest(),
    });
    return this.window.has(messageId);
  }

  /** Fetches what is held again. @returns {Promise<boolean>} */
  async reload() {
    const { size, last } = this.window;
    // The messages of an ephemeral channel are nowhere else.
    if (last?.offset === 0) return true;
    if (size === 0) return this.loadNewest();
    const reachesNow = !this.hasNext;
    const wanted = Math.min(size, REFETCHED);
    const from = this.messages[reachesNow ? size - wanted : 0];
    return this.#loadWhole(async (load) => {
      let page = await load({ message_id: from.id, previous: 0, next: PAGE - 1, inclusive: true });
      const { messages, hasPrevious } = page;
      while (page.hasNext && page.messages.length > 0 && messages.length < (reachesNow ? 2 * REFETCHED : wanted)) {
        page = await load({ message_id: messages.at(-1).id, previous: 0, next: PAGE, inclusive: false });
        messages.push(...page.messages);
      }
      // Too much was missed to show it without a gap: the newest, then.
      if (reachesNow && page.hasNext) return load({ at: Number.MAX_SAFE_INTEGER, previous: this.size, next: 0 });
      return { messages, hasPrevious, hasNext: page.hasNext };
    }, { otherwise: (error) => error.code === 1000 && this.loadNewest() });
  }

  /** @returns {Promise<boolean>} */
  async loadPrevious() {
    if (!this.hasPrevious || this.loadingPrevious || this.state !== "ready") return false;
    this.loadingPrevious = true;
    const anchor = this.window.first;
    const request = anchor ? { message_id: anchor.id } : { at: Number.MAX_SAFE_INTEGER };
    return this.#loadMore({ ...request, previous: this.size, next: 0, inclusive: false }, "loadingPrevious", (page) => {
      this.window.prepend(page.messages);
      this.hasPrevious = page.hasPrevious && page.messages.length > 0;
      if (this.window.size > HELD) {
        this.window.dropLast(this.window.size - HELD);
        this.hasNext = true;
        this.showLocal();
      }
    });
  }

  /** @returns {Promise<boolean>} */
  async loadNext() {
    const anchor = this.window.last;
    if (!this.hasNext || this.loadingNext || this.state !== "ready" || !anchor) return false;
    this.loadingNext = true;
    return this.#loadMore({ message_id: anchor.id, previous: 0, next: this.size, inclusive: false }, "loadingNext", (page) => {
      for (const message of page.messages) this.window.put(message);
      this.hasNext = page.hasNext;
      this.#dropOldest();
      this.showLocal();
    });
  }

  close() {
    this.#isClosed = true;
    this.#generation += 1;
    this.core.timelines.remove(this);
  }

  // The divider

  /** Takes the divider away. */
  clearUnread() {
    this.firstUnreadId = undefined;
    this.unreadCount = 0;
    this.changed();
  }

  #openedAt(my) {
    if (this.firstUnreadId !== undefined || !my?.first_unread_message_id) return;
    this.firstUnreadId = my.first_unread_message_id;
    this.unreadCount = my.unread_count ?? 0;
    this.changed();
  }

  #countUnread(message) {
    if (message.user?.id === this.core.myID) return;
    if (this.firstUnreadId !== undefined) this.unreadCount += 1;
    else if (!this.attended) [this.firstUnreadId, this.unreadCount] = [message.id, 1];
  }

  // Events

  /** @internal An event of this channel, in the order of its room. */
  fold(event) {
    if (this.#loads > 0) {
      if (this.#log.length < LOGGED) this.#log.push(event);
      else this.#isLogTooLong = true;
    }
    this.apply(event, true);
  }

  /** @protected @param {boolean} isNews false: it was folded before, over what a load has replaced since */
  apply(event, isNews) {
    switch (event.type) {
      case "message.new": return this.#receive(event.message, isNews);
      case "thread.reply":
        this.#receive(event.message, isNews);
        return this.threadChanged(event.thread);
      case "thread.updated": return this.threadChanged(event.thread);
      case "message.updated": return this.#update(event.message);
      case "message.deleted":
        this.#delete(event.message_id);
        return this.threadChanged(event.thread);
      case "reaction.updated":
        return this.change(event.reaction?.message_id, (message) => this.#reactions.apply(message, event.reaction, this.core.myID));
      case "unread.changed": return this.#markedUnread(event.unread);
      case "channel.history_reset": return isNews ? void this.loadNewest() : undefined;
      case "channel.hidden": return isNews ? void this.reload() : undefined;
      default:
    }
  }

  /** @internal A message as a command's answer tells it, whole. */
  fetched(json) {
    this.#update({ ...json, reactions: json.reactions ?? [] });
  }

  /** @internal Shows what a click on a reaction will come to. */
  anticipate(messageId, key, on) {
    this.change(messageId, (message) => anticipated(message, key, on, this.core.myID));
  }

  /** @internal Shows the local messages as they are now. */
  showLocal() {
    const locals = this.hasNext ? [] : this.core.outgoing.messages(this.channelId).filter((message) => this.belongs(message));
    this.window.setLocal(locals);
    this.changed();
  }

  /** @protected */
  belongs(message) {
    return message.channel_id === this.channelId && standsInChannel(message);
  }

  /** @protected */
  threadChanged(thread) {
    if (!isObject(thread)) return;
    this.change(thread.parent_message_id, (parent) => {
      const merged = mergedThread(parent.thread, thread);
      return merged === parent.thread ? parent : { ...parent, thread: merged };
    });
  }

  /** @protected @param {(message: Message) => Message} to */
  change(messageId, to) {
    const message = this.window.has(messageId) ? this.window.get(messageId) : undefined;
    const next = message && to(message);
    if (!next || next === message) return;
    this.window.put(next);
    this.changed();
  }

  #receive(json, isNews) {
    if (!isMessage(json) || json.deleted_at) return;
    const message = asMessage(json, this.core.myID);
    if (!this.belongs(message) || this.window.has(message.id)) return;
    if (isNews && this.countsUnread) this.#countUnread(message);
    const isInside = message.offset > 0 && message.offset < (this.window.last?.offset ?? 0);
    if (this.state === "ready" && (!this.hasNext || isInside)) {
      this.window.put(message);
      this.#dropOldest();
    }
    this.changed();
  }

  /** @protected */
  get countsUnread() {
    return true;
  }

  #update(json) {
    if (!isMessage(json)) return;
    this.change(json.id, (message) => updated(message, json));
    for (const id of this.window.quoting(json.id)) {
      this.change(id, (reply) => (reply.parent?.state === "ok" ? { ...reply, parent: quoteOf(json) } : reply));
    }
  }

  #delete(id) {
    if (!this.window.has(id)) return;
    const following = this.window.remove(id);
    if (id === this.firstUnreadId) {
      this.firstUnreadId = following?.id;
      this.unreadCount = following ? Math.max(0, this.unreadCount - 1) : 0;
    }
    for (const reply of this.window.quoting(id)) {
      this.change(reply, (message) => ({ ...message, parent: { id, state: "not_found" } }));
    }
    this.changed();
  }

  #markedUnread(unread) {
    if (!isObject(unread) || unread.parent_message_id !== undefined) return;
    this.firstUnreadId = this.core.channels.get(this.channelId)?.value?.my?.first_unread_message_id ?? unread.marked_from;
    this.unreadCount = unread.unread_count ?? 0;
    this.changed();
  }

  #dropOldest() {
    if (this.window.size <= HELD + DROPPED) return;
    this.window.dropFirst(this.window.size - HELD);
    this.hasPrevious = true;
  }

  // Loads

  /**
   * @protected A page of the list that this is a window of.
   * @returns {Promise<{messages: any[], has_previous: boolean, has_next: boolean}>}
   */
  async request(around) {
    return await this.core.ask("message.list", {
      channel_id: this.channelId, replies: "only_reply_to_channel", include_thread: true, include_parent: true,
      include_reactions: true, ...around,
    });
  }

  async #page(around) {
    const { messages, has_previous, has_next } = await this.request(around);
    return {
      messages: messages.filter(isMessage).map((json) => asMessage(json, this.core.myID)), hasPrevious: has_previous === true,
      hasNext: has_next === true,
    };
  }

  async #loadWhole(load, { otherwise } = {}) {
    const generation = (this.#generation += 1);
    // What was heard up to now is in what will be answered; over that it may be wrong: the history was cleared, say.
    this.#log = [];
    this.state = "loading";
    this.changed();
    this.#loads += 1;
    try {
      const { messages, hasPrevious, hasNext } = await load((around) => this.#page(around));
      if (generation !== this.#generation) return false;
      this.window.replaceStored(messages);
      Object.assign(this, { hasPrevious, hasNext, state: "ready", error: undefined });
      this.core.learnFrom(messages);
      this.#replay();
      return true;
    } catch (error) {
      if (generation !== this.#generation) return false;
      if (await otherwise?.(error)) return false;
      if (generation === this.#generation) Object.assign(this, { state: "failed", error });
      return false;
    } finally {
      this.#loadEnded();
      if (!this.#isClosed) this.showLocal();
    }
  }

  async #loadMore(around, flag, take) {
    const generation = this.#generation;
    this.changed();
    this.#loads += 1;
    try {
      const page = await this.#page(around);
      if (generation !== this.#generation) return false;
      take(page);
      this.core.learnFrom(page.messages);
      this.#replay();
      this.error = undefined;
      return true;
    } catch (error) {
      // The anchor is gone from one's history: what is held is not what is there.
      if (generation === this.#generation && error.code === 1000) void this.reload();
      this.error = error;
      return false;
    } finally {
      this[flag] = false;
      this.#loadEnded();
      this.changed();
    }
  }

  /** What happened while the page was on its way, over what it brought: every fold can be done twice. */
  #replay() {
    // The page may be of before what was folded: nothing of that is known any more.
    this.#reactions = new ReactionFold();
    for (const event of this.#log) this.apply(event, false);
  }

  #loadEnded() {
    this.#loads -= 1;
    if (this.#loads > 0) return;
    this.#log = [];
    if (this.#isLogTooLong && !this.#isClosed) void this.reload();
    this.#isLogTooLong = false;
  }
}
