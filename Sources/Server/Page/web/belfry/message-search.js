import { Emitter } from "./emitter.js";
import { Loads } from "./loads.js";
import { isMessage, updated } from "./messages.js";

/** Messages found by words, in the server's order. Deleted and edited ones change, but new ones are not added. */
export class MessageSearch extends Emitter {
  /** @type {LoadState} */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  /** Whether the server's index knew every message; otherwise, the newest may be missing. */
  isComplete = true;

  #core;
  #request;
  #next;
  /** @type {Map<string, {message: Message, marks: [number, number][]}>} */
  #found = new Map();
  #generation = 0;
  #loads = new Loads();
  #left;

  /** @internal Use `chat.searchMessages(…)`. */
  constructor(core, request, left) {
    super();
    this.#core = core;
    this.#request = request;
    this.#left = left;
  }

  /**
   * The messages found, and the places of the words in their texts: `[start, length]`, ascending and apart.
   * @returns {{message: Message, marks: [number, number][]}[]}
   */
  get items() {
    return [...this.#found.values()];
  }

  get hasMore() {
    return this.#next !== undefined;
  }

  async reload() {
    this.#next = undefined;
    await this.#loads.begin(() => this.#load(true));
  }

  /** Loads the next page, which may add nothing although more follow. */
  async loadMore() {
    if (this.hasMore) await this.#loads.more(() => this.#load(false));
  }

  close() {
    this.#generation += 1;
    this.#left(this);
  }

  /** @internal */
  fold(event) {
    switch (event.type) {
      case "message.updated": return this.#update(event.message);
      case "message.deleted": return this.#remove(({ id }) => id === event.message_id);
      case "channel.history_reset": return this.channelGone(event.channel?.id);
      default: return undefined;
    }
  }

  /** @internal The user has left the channel, or cleared its history. */
  channelGone(id) {
    this.#remove(({ channel_id: channelId }) => channelId === id);
  }

  #update(message) {
    const found = isMessage(message) && this.#found.get(message.id);
    if (!found) return;
    const now = updated(found.message, message);
    // The marks are those of the old text.
    this.#found.set(message.id, { message: now, marks: now.text === found.message.text ? found.marks : [] });
    this.changed();
  }

  #remove(isGone) {
    for (const [id, { message }] of this.#found) {
      if (!isGone(message)) continue;
      this.#found.delete(id);
      this.changed();
    }
  }

  async #load(fromStart) {
    const generation = (this.#generation += 1);
    this.state = "loading";
    this.error = undefined;
    this.changed();
    try {
      const request = { ...this.#request, next: this.#next };
      const { messages, marks, next, is_complete: isComplete } = await this.#core.query("message.search", request);
      if (generation !== this.#generation) return;
      if (fromStart) this.#found.clear();
      messages.forEach((message, i) => {
        if (isMessage(message)) this.#found.set(message.id, { message, marks: checked(marks?.[i], message.text) });
      });
      this.#core.learnFrom(messages.filter(isMessage));
      this.isComplete = isComplete !== false && (fromStart || this.isComplete);
      this.#next = typeof next === "string" ? next : undefined;
      this.state = "ready";
    } catch (error) {
      if (generation !== this.#generation) return;
      Object.assign(this, { state: "failed", error });
    }
    this.changed();
  }
}

/** Returns the marks that are places in the text, ascending and apart. */
function checked(marks, text = "") {
  const good = [];
  let end = 0;
  for (const mark of Array.isArray(marks) ? marks : []) {
    if (!Array.isArray(mark)) continue;
    const [start, length] = mark;
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(length)) continue;
    if (start < end || length <= 0 || start + length > text.length) continue;
    good.push([start, length]);
    end = start + length;
  }
  return good;
}
