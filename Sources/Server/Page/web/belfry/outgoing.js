import { localKey, without } from "./messages.js";
import { randomID } from "./random-id.js";
import { RPCError } from "./rpc-error.js";
import { Turn } from "./turn.js";

/** Maximum number of pending messages. */
const WAITING = 100;
/** Initial and maximum delay between attempts on a live connection, in ms. */
const DELAYS = [500, 8_000];
/** The channel is in slow mode. Waiting may take hours, so the user decides when to retry. */
const SLOW_MODE = 1_051;
const DISCARDED = new RPCError({ code: 0, message: "discarded" });

/**
 * Pending messages. Each keeps its `client_id` through all attempts, including the user's `retry`, so that the server
 * stores it only once. Messages of a channel and its threads are sent in order.
 */
export class Outgoing {
  #core;
  #patience;
  #listener;
  /** @type {Map<string, object[]>} */
  #byChannel = new Map();
  /** The latest unfinished delivery in each channel. @type {Map<string, Turn>} */
  #turns = new Map();
  #count = 0;

  /**
   * @param {{client: Client, files: Files, myID: string, me: User | null}} core
   * @param {number} patience ms without a reply until a message is shown as failed
   * @param {{changed(channelId: string): void, sent(message: any): void,
   *   slowedDown(channelId: string, retryAfter?: number): void}} listener
   */
  constructor(core, patience, listener) {
    this.#core = core;
    this.#patience = patience;
    this.#listener = listener;
  }

  /** @returns {Message[]} the local messages of a channel and its threads, in sending order */
  messages(channelId) {
    return (this.#byChannel.get(channelId) ?? []).map((entry) => entry.message);
  }

  /**
   * @param {string} channelId
   * @param {object} content fields of `message.send`
   * @param {File[]} files
   * @param {{quote?: object}} [options] `quote`: the local message's copy of its parent
   * @returns {Promise<any>} the server's message
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

  /** Handles the message's event, which proves that the server has stored it, whatever happened to the reply. */
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
      // Replaces the local message in the same turn, so that the UI always shows one of the two.
      this.#listener.sent(message);
      this.#remove(entry);
      return message;
    } catch (error) {
      problem = error;
      if (error.code === SLOW_MODE) this.#listener.slowedDown(channelId, error.retryAfter);
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

  /** Uploads files immediately, but sends the message only after earlier ones were sent or have failed. */
  async #deliver(entry, turn, before) {
    if (entry.files.length > 0) await this.#try(entry, Date.now() + this.#patience, () => this.#upload(entry));
    await before?.loaded;
    turn.load();
    const begun = Date.now();
    const obstacle = await before?.over;
    // A temporary failure of the previous message affects this one too, so do not restart the timeout for each message.
    const deadline = (obstacle?.temporary ? begun : Date.now()) + this.#patience;
    if (obstacle?.temporary && Date.now() >= deadline) throw obstacle;
    return await this.#try(entry, deadline, async () => (await this.#core.client.rpc("message.send", entry.request)).message);
  }

  /** Retries until the action succeeds, is refused permanently, or times out. */
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
        if (!error.temporary || error.code === SLOW_MODE || rest <= 0 || this.#core.client.state === "disconnected") throw error;
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

  /** Waits until the delay is over or the connection is back. */
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
    // The event has arrived, or the message was discarded, so later messages need not wait for the reply.
    entry.turn?.end();
    this.#count -= 1;
    const rest = entries.filter((other) => other !== entry);
    if (rest.length > 0) this.#byChannel.set(channelId, rest);
    else this.#byChannel.delete(channelId);
    this.#listener.changed(channelId);
  }
}
