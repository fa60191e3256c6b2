import { asMessage, isMessage, mergedThread, updated, without } from "./messages.js";
import { anticipated, ReactionFold } from "./reactions.js";
import { Timeline } from "./timeline.js";

/** A thread: its parent and a timeline of its replies, oldest first. */
export class Thread extends Timeline {
  /** @type {string} */
  parentId;
  /** The parent; null until loaded, or if deleted. @type {Message | null} */
  parent = null;
  /** The thread's state, including the user's read position. @type {ThreadInfo | null} */
  thread = null;
  #parentReactions = new ReactionFold();

  /** @internal Use `chat.thread(…)`. */
  constructor(core, channelId, parentId, options) {
    super(core, channelId, options);
    this.parentId = parentId;
  }

  /** @internal */
  async open() {
    await Promise.all([super.open(), this.#loadThread()]);
  }

  async reload() {
    void this.#loadThread();
    return await super.reload();
  }

  get(messageId) {
    return messageId === this.parentId ? this.parent ?? undefined : super.get(messageId);
  }

  apply(event, isNews) {
    super.apply(event, isNews);
    if (event.type === "message.deleted" && event.message_id === this.parentId) this.#setParent(null);
    if (event.type === "message.updated" && event.message?.id === this.parentId && isMessage(event.message)) {
      this.#changeParent((parent) => updated(parent, event.message));
    }
    if (event.type === "reaction.updated" && event.reaction?.message_id === this.parentId) {
      this.#changeParent((parent) => this.#parentReactions.apply(parent, event.reaction, this.core.myID));
    }
    if (event.type === "read.changed" && event.read?.parent_message_id === this.parentId && event.read.user_id === this.core.myID) {
      const { channel_id, parent_message_id, unread_count, last_read } = event.read;
      this.threadChanged({ channel_id, parent_message_id, ...this.thread, unread_count, last_read });
    }
    if (event.type === "thread.reply" && event.message?.parent_message_id === this.parentId && isNews) this.#count(event.message);
  }

  fetched(json) {
    super.fetched(json);
    if (json.id !== this.parentId || !isMessage(json)) return;
    this.#changeParent((parent) => updated(parent, { ...json, reactions: json.reactions ?? [] }));
  }

  anticipate(messageId, key, on) {
    if (messageId !== this.parentId) return super.anticipate(messageId, key, on);
    this.#changeParent((parent) => anticipated(parent, key, on, this.core.myID));
  }

  belongs(message) {
    return message.channel_id === this.channelId && message.parent_message_id === this.parentId;
  }

  get countsUnread() {
    return false;
  }

  threadChanged(thread) {
    if (thread?.parent_message_id !== this.parentId) return;
    const merged = mergedThread(this.thread ?? undefined, thread);
    if (!merged || merged === this.thread) return;
    this.thread = merged;
    this.#changeParent((parent) => ({ ...parent, thread: merged }));
    this.changed();
  }

  async request(around) {
    const request = { channel_id: this.channelId, parent_message_id: this.parentId, ...around };
    const { parent, replies, has_previous, has_next } = await this.core.query("thread.replies", request);
    if (isMessage(parent)) {
      this.#parentReactions = new ReactionFold();
      const message = asMessage(parent, this.core.myID);
      this.#setParent(without({ ...message, thread: mergedThread(this.thread ?? undefined, message.thread) }));
      if (message.thread) this.threadChanged(message.thread);
    }
    return { messages: replies, has_previous, has_next };
  }

  /** Loads the user's read position, which only `thread.get` returns. */
  async #loadThread() {
    try {
      const { thread } = await this.core.query("thread.get", {
        channel_id: this.channelId, parent_message_id: this.parentId, reply_limit: 1, participant_limit: 1,
      });
      this.threadChanged(thread);
    } catch (error) {
      // The thread has no replies yet or is not visible; `thread.replies` also reports the latter.
      const { channelId: channel_id, parentId: parent_message_id } = this;
      if (error.code === 1000 && !this.thread) this.threadChanged({ channel_id, parent_message_id, reply_count: 0, unread_count: 0 });
    }
  }

  #count(message) {
    const { unread_count, last_read } = this.thread ?? {};
    if (unread_count === undefined || message.user?.id === this.core.myID) return;
    if (message.offset > (last_read?.offset ?? 0)) this.threadChanged({ ...this.thread, unread_count: unread_count + 1 });
  }

  #setParent(parent) {
    this.parent = parent;
    this.changed();
  }

  #changeParent(to) {
    if (this.parent) this.#setParent(to(this.parent));
  }
}
