import { localKey, without } from "./messages.js";
import { randomID } from "./random-id.js";
import { RPCError } from "./rpc-error.js";
import { Turn } from "./turn.js";

/** How many messages may wait to be sent. */
const WAITING = 100;
/** Between tries while the connection lives: at first, and at most, in ms. */
const DELAYS = [500, 8_000];
const DISCARDED = new RPCError({ code: 0, message: "discarded" });

/**
 * Messages on their way. Each keeps its `client_id` through all tries, also those of the user's own `retry`: the server
 * makes one message of it, however often it is told. Those of one channel and its threads leave in the order of sending.
 */
export class Outgoing {
  #core;
  #patience;
  #listener;
  /** @type {Map<string, object[]>} */
  #byChannel = new Map();
  /** The delivery that was begun last in each channel, while it is not over. @type {Map<string, Turn>} */
  #turns = new Map();
  #count = 0;

  /**
   * @param {{client: Client, files: Files, myID: string, me: User | null}} core
   * @param {number} patience ms after which a message that got no answer is shown as failed
   * @param {{changed(channelId: string): void, sent(message: any): void}} listener
   */
  constructor(core, patience, listener) {
    this.#core = core;
    this.#patience = patience;
    this.#listener = listener;
  }

  /** @returns {Message[]} the local messages of a channel and its threads, in the order of sending */
  messages(channelId) {
    return (this.#byChannel.get(channelId) ?? []).map((entry) => entry.message);
  }

  /**
   * @param {string} channelId
   * @param {object} content fields of `message.send`
   * @param {File[]} files
   * @param {{quote?: object}} [options] `quote`: what the local message shows of its parent
   * @returns {Promise<any>} the message as the server words it
   * @throws {RPCError}
   */
  send(channelId, content, files = [], { quote } = {}) {
    if (this.#count >= WAITING) return Promise.reject(new RPCError({ code: 0, message: "too many messages wait" }));
    const clientID = randomID();
    const key = localKey(clientID);
    const kind = files.length === 0 ? "text" : files.length === 1 ? "file" : "files";
    const shown = files.map((file) => ({ name: file.name, size: file.size, mime_type: file.type, url: "", file }));
    const entry = {
      files, uploaded: [], progress: files.map((file) => ({ loaded: 0, total: file.size })), abort: new AbortController(),
      request: without({ ...content, channel_id: channelId, client_id: clientID, kind }),
      message: without({
        ...content, key, id: key, channel_id: channelId, client_id: clientID, kind, user: this.#core.me ?? undefined,
        reply_to_channel: content.parent_message_id === undefined ? undefined : content.reply_to_channel ?? true,
        parent: quote, files: files.length > 0 ? shown : undefined, created_at: Date.now(),
      }),
    };
    this.#count += 1;
    this.#byChannel.set(channelId, [...(this.#byChannel.get(channelId) ?? []), entry]);
    return this.#start(entry);
  }

  /** The event of a message came: the server has it, whatever became of the answer. */
  arrived(message) {
    const entry = this.#byChannel.get(message.channel_id)?.find((entry) => entry.message.client_id === message.client_id);
    if (!entry) return;
    entry.arrived = message;
    this.#remove(entry);
  }

  clear() {
    for (const entries of [...this.#byChannel.values()]) for (const entry of [...entries]) this.#discard(entry);
  }

  async #start(entry) {
    const channelId = entry.message.channel_id;
    const before = this.#turns.get(channelId);
    const turn = (entry.turn = new Turn());
    this.#turns.set(channelId, turn);
    entry.isUnderWay = true;
    this.#show(entry, "sending");
    let problem;
    try {
      const message = await this.#deliver(entry, turn, before);
      // It takes the local one's place in the same turn: nobody sees neither.
      this.#listener.sent(message);
      this.#remove(entry);
      return message;
    } catch (error) {
      problem = error;
      this.#show(entry, "failed", error);
      throw error;
    } finally {
      entry.isUnderWay = false;
      turn.end(problem);
      if (this.#turns.get(channelId) === turn) this.#turns.delete(channelId);
    }
  }

  #retry(entry) {
    if (entry.isUnderWay) return Promise.reject(new RPCError({ code: 0, message: "it is being sent" }));
    return this.#start(entry);
  }

  #discard(entry) {
    entry.abort.abort();
    this.#remove(entry);
  }

  /** Files are uploaded at once; the message itself leaves when those that were written before it have left, or failed. */
  async #deliver(entry, turn, before) {
    if (entry.files.length > 0) await this.#try(entry, Date.now() + this.#patience, () => this.#upload(entry));
    await before?.loaded;
    turn.load();
    const begun = Date.now();
    const obstacle = await before?.over;
    // What keeps the one before from the server keeps this one too: not every message waits for the whole time anew.
    const deadline = (obstacle?.temporary ? begun : Date.now()) + this.#patience;
    if (obstacle?.temporary && Date.now() >= deadline) throw obstacle;
    return await this.#try(entry, deadline, async () => (await this.#core.client.rpc("message.send", entry.request)).message);
  }

  /** Does it until it succeeds, is refused for good, or the time is over. */
  async #try(entry, deadline, action) {
    let delay = DELAYS[0];
    for (;;) {
      try {
        if (entry.abort.signal.aborted) throw DISCARDED;
        return await action();
      } catch (error) {
        if (entry.arrived) return entry.arrived;
        if (entry.abort.signal.aborted) throw DISCARDED;
        const rest = deadline - Date.now();
        if (!error.temporary || rest <= 0 || this.#core.client.state === "disconnected") throw error;
        await this.#pause(Math.min(rest, error.retryAfter ?? delay));
        delay = Math.min(delay * 2, DELAYS[1]);
      }
    }
  }

  async #upload(entry) {
    for (let index = entry.uploaded.length; index < entry.files.length; index += 1) {
      const { id } = await this.#core.files.upload(entry.message.channel_id, entry.files[index], {
        signal: entry.abort.signal,
        progress: (loaded) => {
          entry.progress = entry.progress.with(index, { loaded, total: entry.files[index].size });
          this.#show(entry, "sending");
        },
      });
      entry.uploaded.push({ id });
    }
    if (entry.files.length > 0) entry.request.files = entry.uploaded;
  }

  /** Until the time is over, or the connection is back. */
  #pause(delay) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        off();
        resolve();
      };
      const timer = setTimeout(end, delay);
      const off = this.#core.client.on("caughtup", end);
    });
  }

  #show(entry, state, error) {
    if (!this.#byChannel.get(entry.message.channel_id)?.includes(entry)) return;
    entry.message = {
      ...entry.message,
      local: without({
        state, error, progress: entry.files.length > 0 ? entry.progress : undefined,
        retry: () => this.#retry(entry), discard: () => this.#discard(entry),
      }),
    };
    this.#listener.changed(entry.message.channel_id);
  }

  #remove(entry) {
    const channelId = entry.message.channel_id;
    const entries = this.#byChannel.get(channelId) ?? [];
    if (!entries.includes(entry)) return;
    // Nobody waits for the answer of one whose event came, nor for one that was thrown away.
    entry.turn?.end();
    this.#count -= 1;
    const rest = entries.filter((other) => other !== entry);
    if (rest.length > 0) this.#byChannel.set(channelId, rest);
    else this.#byChannel.delete(channelId);
    this.#listener.changed(channelId);
  }
}
