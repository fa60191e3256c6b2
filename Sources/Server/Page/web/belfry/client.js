import { Addresses } from "./addresses.js";
import { Backoff } from "./backoff.js";
import { Calls, noAnswer } from "./calls.js";
import { Emitter } from "./emitter.js";
import { badRequest } from "./frames.js";
import { Publications } from "./publications.js";
import { Network } from "./network.js";
import { isObject } from "./objects.js";
import { Renewal } from "./renewal.js";
import { Socket } from "./socket.js";
import { TokenSource } from "./token-source.js";
import { Waiting } from "./waiting.js";
import { Watchdog } from "./watchdog.js";

/** Time that a connection has to last before the backoff is reset, in ms. */
const STABLE = 5_000;
/** Timeout of the client's own pings, in ms. */
const PROBE_TIMEOUT = 5_000;
/** Message too big. RFC 6455 §7.4.1. */
const TOO_BIG = 1_009;
/** The server received invalid data. Centrifuge client protocol, disconnect codes. */
const BAD_REQUEST = 3_501;

/**
 * A connection to any server of the Centrifuge protocol (JSON), maintained until `disconnect`.
 *
 * Events, by `on(name, listener) → off()`:
 * - `state` `{state, code?, reason?, retryAt?, retryAfter?, offline?}`: `retryAt` in ms of the local clock while waiting
 *   to reconnect; `retryAfter` in ms if a final refusal ends; `offline: true` while the browser reports no network
 * - `connected` `{client, data, subs, …}`: the connect reply, before the publications it contains
 * - `subscribed` `{channel, recovered, wasRecovering}`: `wasRecovering && !recovered` means that publications may have
 *   been missed: fetch the state
 * - `unsubscribed` `{channel, code?, reason?}`
 * - `publication` `{channel, offset?, data, recovered, info?, tags?}`: each offset of a channel once and in order
 * - `caughtup`: after `connected`, once everything in the connect reply has been emitted
 * - `push` `{channel, ...}`: join, leave and message pushes, from servers that send them
 * - `error` `Error`: an anomaly that was skipped
 */
export class Client extends Emitter {
  #addresses;
  #options;
  #status = { state: "disconnected", code: 0, reason: "not connected yet" };
  #socket = null;
  #session = null;
  #calls = new Calls();
  /** Handlers by command id. They run on the reply itself, before any later message. */
  #answers = new Map();
  #publications;
  #watchdog = new Watchdog(() => this.#retry(2, "no ping"));
  #tokens;
  #renewal;
  #backoff;
  #network;
  #waiting;
  #timers = {};
  /**
   * Maximum bytes of a command and of a frame with several commands: as configured, or lower after the server closed
   * with 1009.
   */
  #limits;
  /** Whether a command was blamed for a 3501 and the connection has not lasted long since. */
  #isForgiven = false;
  /** Distinguishes the current connection attempt from earlier ones. */
  #attempt = 0;

  /**
   * @param {string | string[]} urls `ws://` or `wss://`: one, or those of up to 64 nodes. After a failure, the client
   *   moves on to the next one; only when all have failed, it waits as long as the delays below say
   * @param {object} [options]
   * @param {() => Promise<string> | string} [options.getToken] the user's token; called again once the old one has
   *   expired. To stop permanently, throw an error with `unauthorized: true`, or return ""
   * @param {any} [options.data] sent with connect
   * @param {typeof WebSocket} [options.WebSocket]
   * @param {number} [options.minDelay] ms before the first reconnect (500); later delays double
   * @param {number} [options.maxDelay] maximum delay in ms (20,000); each delay is randomly reduced by up to half
   * @param {number} [options.timeout] ms until connecting to one URL, or a command, times out (10,000)
   * @param {number} [options.maxQueued] maximum number of commands waiting for the connection (1,000)
   * @param {number} [options.messageBytes] the server's `connections.message_bytes` (65,536); larger commands are
   *   rejected without being sent
   * @throws {TypeError} for an invalid list of URLs
   */
  constructor(urls, options = {}) {
    super();
    const defaults = { minDelay: 500, maxDelay: 20_000, timeout: 10_000, maxQueued: 1_000, messageBytes: 65_536 };
    this.#addresses = new Addresses(urls);
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    this.#options = { ...defaults, WebSocket: globalThis.WebSocket, ...given };
    if (!this.#options.WebSocket) throw new TypeError("there is no WebSocket: pass one");
    this.#tokens = new TokenSource(options.getToken);
    this.#resetLimits();
    this.#waiting = new Waiting(this.#options.maxQueued);
    this.#renewal = new Renewal(this.#tokens, (token) => this.#call({ refresh: { token } }, this.#options.timeout), {
      failed: (error) => this.emit("error", error),
      refused: (code, reason) => this.#end(code, reason),
    });
    this.#publications = new Publications({
      isLive: () => this.#session?.isLive === true,
      call: (command, answered) => this.#call(command, this.#options.timeout, answered),
      emit: (name, value) => this.emit(name, value),
      missed: () => this.#retry(1, "something was missed"),
    }, this.#options);
    this.#backoff = new Backoff(this.#options.minDelay, this.#options.maxDelay);
    this.#network = new Network((isOnline) => this.#networkChanged(isOnline));
  }

  /** @returns {"disconnected" | "connecting" | "connected"} */
  get state() {
    return this.#status.state;
  }

  /** The last `state` event. */
  get status() {
    return this.#status;
  }

  /** The address in use, or the next one to try. */
  get url() {
    return this.#addresses.current;
  }

  connect() {
    if (this.state !== "disconnected") return;
    this.#backoff.reset();
    this.#addresses.reset();
    this.#network.watch();
    this.#become({ state: "connecting", code: 0, reason: "connect called" });
    this.#begin();
  }

  /** Closes the connection permanently and rejects waiting commands. */
  disconnect() {
    this.#end(0, "disconnect called");
  }

  /** Reconnects immediately instead of at `retryAt`. */
  retryNow() {
    if (this.state === "connecting" && this.#timers.retry) this.#begin();
  }

  /**
   * Sends a command, waiting for the connection if necessary.
   * @param {string} method
   * @param {any} [data]
   * @returns {Promise<any>} the result
   * @throws {RPCError}
   */
  async rpc(method, data = {}) {
    const deadline = Date.now() + this.#options.timeout;
    if (this.state === "disconnected") throw noAnswer("disconnected");
    if (this.state !== "connected") await this.#waiting.join(this.#options.timeout);
    const reply = await this.#call({ rpc: { method, data } }, Math.max(1, deadline - Date.now()));
    return isObject(reply.rpc) ? reply.rpc.data : undefined;
  }

  /**
   * Subscribes to a room that has no server-side subscription, now or once connected, and again on each later
   * connection. Its messages are emitted as `publication`.
   * @param {string} channel
   * @param {{recover?: {epoch: string, offset: number}}} [options] `recover`: first recovers publications since that
   *   position
   * @returns {Promise<void>} resolves once subscribed
   * @throws {RPCError} if the server refuses permanently, or `unsubscribe` was called meanwhile
   */
  async subscribe(channel, { recover } = {}) {
    if (this.state === "disconnected") throw noAnswer("disconnected");
    await this.#publications.subscribe(channel, recover);
  }

  /** Ends a subscription made by `subscribe` and forgets its position. */
  unsubscribe(channel) {
    this.#publications.unsubscribe(channel);
  }

  /**
   * Returns the token for HTTP requests.
   * @param {{fresh?: boolean}} [options] `fresh`: gets a new token, because the last one was refused
   * @returns {Promise<string | undefined>}
   */
  async token({ fresh = false } = {}) {
    if (fresh) this.#tokens.drop();
    return await this.#tokens.get();
  }

  // Connecting

  async #begin() {
    this.#clearTimers();
    const attempt = (this.#attempt += 1);
    const isOver = () => attempt !== this.#attempt;
    if (this.#status.retryAt !== undefined) this.#become({ ...this.#status, retryAt: undefined });
    let token;
    try {
      token = await this.#tokens.get();
    } catch (error) {
      if (isOver()) return;
      this.emit("error", error);
      return error?.unauthorized ? this.#end(1, "unauthorized") : this.#retryAfter(this.#backoff.next(), 1, `no token: ${error?.message}`);
    }
    if (isOver()) return;
    this.#timers.open = setTimeout(() => this.#retry(1, "connecting took too long"), this.#options.timeout);
    try {
      this.#socket = new Socket(this.url, this.#options.WebSocket, {
        opened: () => this.#opened(token),
        received: (message) => this.#received(message),
        closed: (code, reason) => this.#closed(code, reason),
      }, this.#limits);
    } catch (error) {
      this.#end(1, error.message);
    }
  }

  async #opened(token) {
    const attempt = this.#attempt;
    const connect = { token, data: this.#options.data, name: "belfry.js", subs: this.#publications.positions };
    // #received handles the reply, in order with the pushes after it. Only failures are handled here.
    this.#calls.start(this.#options.timeout, (id) => {
      this.#session = { connectID: id, isLive: false };
      // No size limit, because the server accepts larger connect commands, which may name many rooms.
      return this.#socket.send({ id, connect }, Infinity);
    }).catch((error) => {
      if (attempt === this.#attempt) this.#connectRefused(error);
    });
  }

  #connectRefused(error) {
    if (error.code === 109) this.#tokens.drop();
    if (error.code === 109 || error.temporary || error.code < 100) return this.#retry(error.code, error.message);
    this.#end(error.code, error.message, error.retryAfter);
  }

  #connected(reply) {
    const { expires, ttl, ping, pong } = reply;
    this.#clearTimers();
    this.#session = { isLive: true, since: Date.now(), wantsPong: pong === true };
    this.#watchdog.begin(ping);
    if (expires) this.#renewal.begin(ttl);
    const attempt = this.#attempt;
    // A listener may end the connection, so check before each step.
    const steps = [
      () => this.#become({ state: "connected" }),
      () => this.emit("connected", reply),
      () => this.#publications.enter(reply.subs),
      () => this.#publications.resubscribe(),
      () => this.#waiting.proceed(),
      () => this.emit("caughtup", undefined),
    ];
    for (const step of steps) if (attempt === this.#attempt) step();
  }

  // Connected

  #received(message) {
    this.#watchdog.restart();
    if (message.id > 0) {
      if (message.id === this.#session?.connectID && isObject(message.connect)) {
        this.#calls.answer(message.id, message);
        return this.#connected(message.connect);
      }
      // Runs in order with the pushes that follow; a promise would resolve after them.
      const answered = this.#answers.get(message.id);
      this.#calls.answer(message.id, message);
      if (isObject(message.subscribe)) answered?.(message.subscribe);
    } else if (isObject(message.push)) {
      this.#pushed(message.push);
    } else if (Object.keys(message).length === 0 && this.#session?.wantsPong) {
      this.#socket?.send({});
    }
  }

  #pushed(push) {
    if (isObject(push.disconnect)) return this.#closed(push.disconnect.code, String(push.disconnect.reason ?? ""));
    // Before the connect reply, the client has entered no room yet; that reply contains the publications.
    if (this.#session?.isLive && typeof push.channel === "string") this.#publications.pushed(push);
  }

  #networkChanged(isOnline) {
    if (this.state === "connected") return this.#probe();
    if (this.state !== "connecting") return;
    this.#become({ ...this.#status });
    if (isOnline) this.retryNow();
  }

  /** Pings after a network change, because the connection may be dead without notice. */
  #probe() {
    const attempt = this.#attempt;
    this.#call({ ping: {} }, PROBE_TIMEOUT).catch((error) => {
      if (attempt === this.#attempt && error.code === 0) this.#retry(2, "no answer");
    });
  }

  // Commands

  #call(command, timeout, answered) {
    // Until the connect reply, the server accepts nothing else.
    if (!this.#session?.isLive) return Promise.reject(noAnswer("not connected"));
    let id;
    const reply = this.#calls.start(timeout, (next) => {
      id = next;
      if (answered) this.#answers.set(id, answered);
      return this.#socket.send({ id, ...command });
    });
    return answered ? reply.finally(() => this.#answers.delete(id)) : reply;
  }

  // Disconnecting

  /** 3500–3999 and 4500–4999 are final. Centrifuge client protocol, disconnect codes. */
  #closed(code, reason) {
    const isFinal = (code >= 3_500 && code < 4_000) || (code >= 4_500 && code < 5_000);
    if (code === TOO_BIG) this.#heedTooBig();
    if (code === BAD_REQUEST && this.#isOfCommands(reason)) return this.#retry(code, reason);
    if (isFinal) return this.#end(code, reason);
    if (code === 3_005) this.#tokens.drop();
    this.#retry(code, reason || "the connection was lost");
  }

  /** Blames the largest frame for a 1009 and lowers the limits, because resending it would fail again. */
  #heedTooBig() {
    const frame = this.#session?.isLive ? this.#calls.largestFrame : undefined;
    if (!frame) return;
    // Each of its commands may be small enough, so from now on send one command per frame.
    if (frame.count > 1) return void (this.#limits.frameBytes = 0);
    this.#limits.commandBytes = frame.bytes - 1;
    this.#calls.refuse((sent) => sent.frame === frame, badRequest(`bad request, as its ${frame.bytes} bytes are too many for the server`));
  }

  /**
   * Decides whether sent commands caused a 3501. If so, only those are rejected. Otherwise, or if the next connection
   * soon ends the same way, the client itself is at fault and the connection ends permanently.
   */
  #isOfCommands(reason) {
    if (!this.#session?.isLive) return false;
    const wasForgiven = this.#isForgiven && Date.now() - this.#session.since < STABLE;
    if (wasForgiven) return false;
    this.#isForgiven = this.#calls.refuse(({ isRPC }) => isRPC, badRequest(reason || "bad request"));
    return this.#isForgiven;
  }

  #resetLimits() {
    const { messageBytes } = this.#options;
    this.#limits = { commandBytes: messageBytes, frameBytes: messageBytes };
    this.#isForgiven = false;
  }

  /** Leaves the connection and tries the next address: soon, or after the backoff if all have failed. */
  #retry(code, reason) {
    if (this.state === "disconnected") return;
    if (this.#session?.isLive && Date.now() - this.#session.since >= STABLE) {
      this.#backoff.reset();
      this.#addresses.reset();
    }
    const delay = this.#addresses.advance() ? this.#backoff.next() : this.#addresses.delayWithinRound(this.#options.minDelay / 2);
    this.#retryAfter(delay, code, reason);
  }

  #retryAfter(delay, code, reason) {
    if (this.state === "disconnected") return;
    this.#leave(reason);
    this.#timers.retry = setTimeout(() => this.#begin(), delay);
    this.#become({ state: "connecting", code, reason, retryAt: Date.now() + delay });
  }

  #end(code, reason, retryAfter) {
    if (this.state === "disconnected") return;
    this.#leave(reason);
    this.#network.unwatch();
    // The next token may belong to another user, so keep nothing of this one's.
    this.#tokens.drop();
    this.#resetLimits();
    this.#publications.clear(reason);
    this.#become({ state: "disconnected", code, reason, ...(retryAfter !== undefined && { retryAfter }) });
    this.#waiting.fail(reason);
  }

  #leave(reason) {
    this.#attempt += 1;
    this.#clearTimers();
    this.#watchdog.end();
    this.#renewal.end();
    this.#socket?.close();
    this.#socket = null;
    this.#session = null;
    this.#publications.pause();
    this.#calls.failAll(reason);
  }

  #clearTimers() {
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    this.#timers = {};
  }

  #become(status) {
    const { offline, ...rest } = status;
    this.#status = Object.freeze(this.#network.isOffline && rest.state === "connecting" ? { ...rest, offline: true } : rest);
    this.emit("state", this.#status);
  }
}
