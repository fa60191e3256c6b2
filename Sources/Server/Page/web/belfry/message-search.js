import { Emitter } from "./emitter.js";
import { isMessage, updated } from "./messages.js";
import { Pages } from "./pages.js";

/** Messages found by words, in the server's order. Deleted and edited ones change, but new ones are not added. */
export class MessageSearch extends Emitter {
  /** @type {LoadState} */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  /** Whether the server's index knew every message; otherwise, the newest may be missing. */
  isComplete = true;

  #core;
  /** @type {Map<string, {message: Message, marks: [number, number][]}>} */
  #found = new Map();
  #pages;
  #left;

  /** @internal Use `chat.searchMessages(…)`. */
  constructor(core, request, left) {
    super();
    this.#core = core;
    this.#left = left;
    this.#pages = new Pages((next) => core.query("message.search", { ...request, next }), {
      begun: () => this.#become("loading"),
      arrived: (page, isFirst) => this.#add(page, isFirst),
      failed: (error) => this.#become("failed", error),
    });
  }

  /**
   * The messages found, and the places of the words in their texts: `[start, length]`, ascending and apart.
   * @returns {{message: Message, marks: [number, number][]}[]}
   */
  get items() {
    return [...this.#found.values()];
  }

  get hasMore() {
    return this.#pages.hasMore;
  }

  reload() {
    return this.#pages.reload();
  }

  /** Loads the next page, which may add nothing although more follow. */
  loadMore() {
    return this.#pages.loadMore();
  }

  close() {
    this.#pages.end();
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

  #add({ messages, marks, is_complete: isComplete }, isFirst) {
    if (isFirst) this.#found.clear();
    messages.forEach((message, i) => {
      if (isMessage(message)) this.#found.set(message.id, { message, marks: checked(marks?.[i], message.text) });
    });
    this.#core.learnFrom(messages.filter(isMessage));
    this.isComplete = isComplete !== false && (isFirst || this.isComplete);
    this.#become("ready");
  }

  #become(state, error) {
    Object.assign(this, { state, error });
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
