import { Divider } from "./divider.js";
import { EventLog } from "./event-log.js";
import { isObject } from "./objects.js";
import { MessageList } from "./message-list.js";
import { asMessage, isMessage } from "./messages.js";

/** Maximum number of messages held. Beyond it, messages are dropped at the end opposite the new ones. */
const HELD = 12_000;
/** Number of messages dropped together, to avoid shifting the array for each message. */
const DROPPED = 1_000;
/** Maximum number of messages fetched again after a gap; older ones are dropped. */
const REFETCHED = 1_000;
/** The server's maximum page size. */
const PAGE = 100;

/**
 * A window of a channel's messages without gaps, oldest first, followed by the user's own pending ones.
 *
 * Emits `change` once per turn. A changed message is a new object with the same `key`.
 */
export class Timeline extends MessageList {
  /** The last error of any load; cleared by a successful one. @type {Error | undefined} */
  error;
  loadingPrevious = false;
  loadingNext = false;
  /** Whether the user is viewing the newest messages. If not, another user's message sets the divider. */
  attended = true;

  /** @protected */ size;
  #divider = new Divider();
  /** The current load of the whole window. The results of older loads are discarded. */
  #generation = 0;
  #log = new EventLog();
  #isClosed = false;
  #openAround;

  /** @internal Use `chat.timeline(…)`. */
  constructor(core, channelId, { messageId, size = 50 } = {}) {
    super(core, channelId);
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

  // Loading

  /** @returns {Promise<boolean>} whether it succeeded */
  loadNewest() {
    return this.#loadWhole((load) => load({ at: Number.MAX_SAFE_INTEGER, previous: this.size, next: 0 }));
  }

  /** @returns {Promise<boolean>} false if the message does not exist (any more), or the load failed (see `state`) */
  async loadAround(messageId) {
    if (this.window.has(messageId) && this.state === "ready") return true;
    const half = Math.ceil(this.size / 2);
    await this.#loadWhole((load) => load({ message_id: messageId, previous: half, next: half, inclusive: true }), {
      otherwise: (error) => error.code === 1000 && this.loadNewest(),
    });
    return this.window.has(messageId);
  }

  /** Fetches the held messages again. @returns {Promise<boolean>} */
  async reload() {
    const { size, last } = this.window;
    // Messages of an ephemeral channel exist only here.
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
      // Too much was missed to fetch without a gap, so load the newest messages instead.
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
      this.grown();
      this.showLocal();
    });
  }

  close() {
    this.#isClosed = true;
    this.#generation += 1;
    this.core.timelines.remove(this);
  }

  // The divider

  /**
   * The id of the message below the divider. It is set when the timeline opens, when messages are marked unread, and by
   * messages received while not `attended`. It remains until `clearUnread`, even when everything is read.
   * @returns {string | undefined}
   */
  get firstUnreadId() {
    return this.#divider.messageId;
  }

  /** The number of other users' messages after the divider; 0 without a divider. @returns {number} */
  get unreadCount() {
    return this.#divider.count;
  }

  /** Removes the divider. */
  clearUnread() {
    this.#putDivider(undefined, 0);
  }

  /** @protected */
  get countsUnread() {
    return true;
  }

  #openedAt(my) {
    if (!this.countsUnread || this.firstUnreadId !== undefined || !my?.first_unread_message_id) return;
    this.#putDivider(my.first_unread_message_id, my.unread_count ?? 0);
  }

  #markedUnread(unread) {
    if (!this.countsUnread || !isObject(unread) || unread.parent_message_id !== undefined) return;
    const first = this.core.channels.get(this.channelId)?.value?.my?.first_unread_message_id;
    this.#putDivider(first ?? unread.marked_from, unread.unread_count ?? 0);
  }

  #putDivider(messageId, count) {
    this.#divider.put(messageId, count);
    this.changed();
  }

  // Events

  /** @internal Folds an event of this channel, in the order of its room. */
  fold(event) {
    this.#log.record(event);
    this.apply(event, true);
    if (event.type === "unread.changed") this.#markedUnread(event.unread);
    if (event.type === "channel.history_reset") void this.loadNewest();
    if (event.type === "channel.hidden") void this.reload();
  }

  received(message) {
    if (this.countsUnread && message.user?.id !== this.core.myID) this.#divider.received(message.id, this.attended);
  }

  removed(messageId, following) {
    this.#divider.removed(messageId, following);
  }

  grown() {
    if (this.window.size <= HELD + DROPPED) return;
    this.window.dropFirst(this.window.size - HELD);
    this.hasPrevious = true;
  }

  // Loads

  /**
   * @protected Requests a page of the underlying list.
   * @returns {Promise<{messages: any[], has_previous: boolean, has_next: boolean}>}
   */
  async request(around) {
    return await this.core.query("message.list", {
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
    this.#log.clear();
    this.state = "loading";
    this.changed();
    this.#log.begin();
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

  async #loadMore(around, flag, apply) {
    const generation = this.#generation;
    this.changed();
    this.#log.begin();
    try {
      const page = await this.#page(around);
      if (generation !== this.#generation) return false;
      apply(page);
      this.core.learnFrom(page.messages);
      this.#replay();
      this.error = undefined;
      return true;
    } catch (error) {
      // The anchor is gone from the user's history, so the held messages are outdated.
      if (generation === this.#generation && error.code === 1000) void this.reload();
      this.error = error;
      return false;
    } finally {
      this[flag] = false;
      this.#loadEnded();
      this.changed();
    }
  }

  /** Folds the events received during the load over the new page; all folds are idempotent. */
  #replay() {
    this.forgetReactions();
    for (const event of this.#log.events) this.apply(event, false);
  }

  #loadEnded() {
    if (this.#log.end() && !this.#isClosed) void this.reload();
  }
}
