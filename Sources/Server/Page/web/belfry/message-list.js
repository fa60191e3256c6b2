import { Emitter } from "./emitter.js";
import { isObject } from "./objects.js";
import { asMessage, isMessage, mergedThread, quoteOf, standsInChannel, updated } from "./messages.js";
import { MessageWindow } from "./message-window.js";
import { anticipated, ReactionFold } from "./reactions.js";

/** The messages of a channel or thread, updated by events. All folds are idempotent. */
export class MessageList extends Emitter {
  /** @type {string} */
  channelId;
  hasPrevious = false;
  /** If false, the window reaches the present, and new messages are appended. */
  hasNext = false;
  /** The state of the first load, `loadAround` and `reload`. @type {LoadState} */
  state = "loading";

  /** @protected */ core;
  /** @protected */ window = new MessageWindow();
  #reactions = new ReactionFold();

  /** @internal */
  constructor(core, channelId) {
    super();
    this.core = core;
    this.channelId = channelId;
  }

  /** @returns {Message[]} a live array; do not modify it */
  get messages() {
    return this.window.list;
  }

  /** @returns {Message | undefined} if loaded */
  get(messageId) {
    return this.window.get(messageId);
  }

  /** @returns {number} index in `messages`, -1 if not loaded */
  indexOf(messageId) {
    return this.window.indexOf(messageId);
  }

  /** @internal Stores a complete message from a command's reply. */
  fetched(json) {
    this.#update({ ...json, reactions: json.reactions ?? [] });
  }

  /** @internal Shows the expected result of clicking a reaction. */
  anticipate(messageId, key, on) {
    this.change(messageId, (message) => anticipated(message, key, on, this.core.myID));
  }

  /** @internal Updates the local messages. */
  showLocal() {
    const locals = this.core.outgoing.messages(this.channelId).filter((message) => this.belongs(message));
    // After a gap, local messages would seem to follow the wrong message.
    this.window.setLocal(this.hasNext ? [] : locals);
    this.changed();
  }

  /** @protected */
  belongs(message) {
    return message.channel_id === this.channelId && standsInChannel(message);
  }

  /** @protected @param {boolean} isNews false when the event is folded again over a newly loaded page */
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
      case "reaction.updated": return this.#react(event.reaction);
      default:
    }
  }

  /** @protected Forgets change times, because newly loaded messages may lack reactions folded before. */
  forgetReactions() {
    this.#reactions = new ReactionFold();
  }

  /** @protected Called for a message not seen before. */
  received() {}
  /** @protected Called after a message was added to the window. */
  grown() {}
  /** @protected Called when a message was removed. @param {string | undefined} following the message after it */
  removed() {}

  /** @protected */
  threadChanged(thread) {
    if (!isObject(thread)) return;
    this.change(thread.parent_message_id, (parent) => {
      const merged = mergedThread(parent.thread, thread);
      return merged === parent.thread ? parent : { ...parent, thread: merged };
    });
  }

  /** @protected @param {(message: Message) => Message} to returns its argument to change nothing */
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
    if (isNews) this.received(message);
    const isInside = message.offset > 0 && message.offset < (this.window.last?.offset ?? 0);
    if (this.state === "ready" && (!this.hasNext || isInside)) {
      this.window.put(message);
      this.grown();
    }
    this.changed();
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
    this.removed(id, this.window.remove(id)?.id);
    for (const reply of this.window.quoting(id)) {
      this.change(reply, (message) => ({ ...message, parent: { id, state: "not_found" } }));
    }
    this.changed();
  }

  #react(reaction) {
    this.change(reaction?.message_id, (message) => this.#reactions.apply(message, reaction, this.core.myID));
  }
}
