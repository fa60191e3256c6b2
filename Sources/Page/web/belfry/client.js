import { Backoff } from "./backoff.js";
import { Calls, noAnswer } from "./calls.js";
import { Emitter } from "./emitter.js";
import { badRequest } from "./frames.js";
import { Hearing } from "./hearing.js";
import { Network } from "./network.js";
import { isObject } from "./objects.js";
import { Renewal } from "./renewal.js";
import { Socket } from "./socket.js";
import { TokenSource } from "./token-source.js";
import { Waiting } from "./waiting.js";
import { Watchdog } from "./watchdog.js";

/** How long a connection lives before the next try to reconnect begins with the shortest delay again, in ms. */
const STABLE = 5_000;
/** How long the answer to a ping of our own may take, in ms. */
const PROBE_TIMEOUT = 5_000;
/** A message is too big. RFC 6455 §7.4.1. */
const TOO_BIG = 1_009;
/** What was sent is not the protocol. Centrifuge client protocol, disconnect codes. */
const BAD_REQUEST = 3_501;

/**
 * A connection to any server of the Centrifuge protocol (JSON), kept up until `disconnect`.
 *
 * Events, by `on(name, listener) → off()`:
 * - `state` `{state, code?, reason?, retryAt?, offline?}`: `retryAt` in ms of the local clock while it waits to try again;
 *   `offline: true` while the browser says that it has no network
 * - `connected` `{client, data, subs, …}`: the connect reply, before the publications that it brings
 * - `subscribed` `{channel, recovered, wasRecovering}`: `wasRecovering && !recovered` means that something may have
 *   been missed: fetch
 * - `unsubscribed` `{channel, code?, reason?}`
 * - `publication` `{channel, offset?, data, recovered, info?, tags?}`: each offset of a channel once and in order
 * - `caughtup`: after `connected`, when all that the connect reply brought was told
 * - `push` `{channel, ...}`: join, leave and message pushes, of servers that have them
 * - `error` `Error`: what was odd and was passed over
 */
export class Client extends Emitter {
  #url;
  #options;
  #status = { state: "disconnected", code: 0, reason: "not connected yet" };
  #socket = null;
  #session = null;
  #calls = new Calls();
  /** What is to be done with an answer before anything behind it, by the command's id. */
  #answers = new Map();
  #hearing;
  #watchdog = new Watchdog(() => this.#retry(2, "no ping"));
  #tokens;
  #renewal;
  #backoff;
  #network;
  /** Commands that wait for the connection. */
  #waiting;
  #timers = {};
  /** Bytes of one command, and up to which several share a frame: as configured, or as a server that closed with 1009 taught. */
  #limits;
  /** Whether a 3501 was put down to a command, and the connection after it has not lived for long. */
  #isForgiven = false;
  /** Tells what an earlier try began from what the present one did. */
  #attempt = 0;

  /**
   * @param {string} url `ws://` or `wss://`
   * @param {object} [options]
   * @param {() => Promise<string> | string} [options.getToken] the user's token; asked again when the old one is over.
   *   Throw an error with `unauthorized: true`, or give "", to stop: there will be no other
   * @param {any} [options.data] sent with connect
   * @param {typeof WebSocket} [options.WebSocket]
   * @param {number} [options.minDelay] ms before the first try to reconnect (500), doubled up to
   * @param {number} [options.maxDelay] ms (20,000), each shortened by up to a half at random
   * @param {number} [options.timeout] ms that connecting, or a command, may take (10,000)
   * @param {number} [options.maxQueued] commands that wait for the connection at most (1,000)
   * @param {number} [options.messageBytes] the server's `connections.message_bytes` (65,536): a larger command is rejected
   *   before it is sent
   */
  constructor(url, options = {}) {
    super();
    const defaults = { minDelay: 500, maxDelay: 20_000, timeout: 10_000, maxQueued: 1_000, messageBytes: 65_536 };
    this.#url = url;
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
    this.#hearing = new Hearing({
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

  /** What the last `state` event said. */
  get status() {
    return this.#status;
  }

  get url() {
    return this.#url;
  }

  connect() {
    if (this.state !== "disconnected") return;
    this.#backoff.reset();
    this.#network.watch();
    this.#become({ state: "connecting", code: 0, reason: "connect called" });
    this.#begin();
  }

  /** Ends the connection for good: commands that wait are rejected. */
  disconnect() {
    this.#end(0, "disconnect called");
  }

  /** Tries at once instead of at `retryAt`. */
  retryNow() {
    if (this.state === "connecting" && this.#timers.retry) this.#begin();
  }

  /**
   * Waits for the connection while it is being made.
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
   * Subscribes to a room that the server does not put one into by itself, now or once connected, and again on each later
   * connection; what is said there is told as `publication`.
   * @param {string} channel
   * @param {{recover?: {epoch: string, offset: number}}} [options] `recover`: what was said since then is told first
   * @returns {Promise<void>} when it is subscribed
   * @throws {RPCError} when the server refuses for good, or it was ended before
   */
  async subscribe(channel, { recover } = {}) {
    if (this.state === "disconnected") throw noAnswer("disconnected");
    await this.#hearing.subscribe(channel, recover);
  }

  /** Ends what `subscribe` began, and forgets the position. */
  unsubscribe(channel) {
    this.#hearing.unsubscribe(channel);
  }

  /**
   * A token for requests over HTTP.
   * @param {{fresh?: boolean}} [options] `fresh`: the last one was refused
   * @returns {Promise<string | undefined>}
   */
  async token({ fresh = false } = {}) {
    if (fresh) this.#tokens.drop();
    return await this.#tokens.get();
  }

  // The way there

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
      return error?.unauthorized ? this.#end(1, "unauthorized") : this.#retry(1, `no token: ${error?.message}`);
    }
    if (isOver()) return;
    this.#timers.open = setTimeout(() => this.#retry(1, "connecting took too long"), this.#options.timeout);
    try {
      this.#socket = new Socket(this.#url, this.#options.WebSocket, {
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
    const connect = { token, data: this.#options.data, name: "belfry.js", subs: this.#hearing.positions };
    // Its reply is taken in by #received, in order with the pushes behind it; here only what goes wrong.
    this.#calls.start(this.#options.timeout, (id) => {
      this.#session = { connectID: id, isLive: false };
      // The server takes a larger one here: it may name many rooms.
      return this.#socket.send({ id, connect }, Infinity);
    }).catch((error) => {
      if (attempt === this.#attempt) this.#connectRefused(error);
    });
  }

  #connectRefused(error) {
    if (error.code === 109) this.#tokens.drop();
    if (error.code === 109 || error.temporary || error.code < 100) return this.#retry(error.code, error.message);
    this.#end(error.code, error.message);
  }

  #connected(reply) {
    const { expires, ttl, ping, pong } = reply;
    this.#clearTimers();
    this.#session = { isLive: true, since: Date.now(), wantsPong: pong === true };
    this.#watchdog.begin(ping);
    if (expires) this.#renewal.begin(ttl);
    const attempt = this.#attempt;
    // Whoever hears of it may end it.
    const steps = [
      () => this.#become({ state: "connected" }),
      () => this.emit("connected", reply),
      () => this.#hearing.enter(reply.subs),
      () => this.#hearing.ask(),
      () => this.#waiting.proceed(),
      () => this.emit("caughtup", undefined),
    ];
    for (const step of steps) if (attempt === this.#attempt) step();
  }

  // Connected

  #received(message) {
    this.#watchdog.heard();
    if (message.id > 0) {
      if (message.id === this.#session?.connectID && isObject(message.connect)) {
        this.#calls.answer(message.id, message);
        return this.#connected(message.connect);
      }
      // In order with the pushes behind it, which a promise would come after.
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
    // Before the connect reply the rooms are not ours; what they say is in the reply.
    if (this.#session?.isLive && typeof push.channel === "string") this.#hearing.pushed(push);
  }

  #networkChanged(isOnline) {
    if (this.state === "connected") return this.#probe();
    if (this.state !== "connecting") return;
    this.#become({ ...this.#status });
    if (isOnline) this.retryNow();
  }

  /** The network changed: the connection may be dead without anyone saying so. */
  #probe() {
    const attempt = this.#attempt;
    this.#call({ ping: {} }, PROBE_TIMEOUT).catch((error) => {
      if (attempt === this.#attempt && error.code === 0) this.#retry(2, "no answer");
    });
  }

  // Commands

  #call(command, timeout, answered) {
    // Before the connect reply the server takes nothing else.
    if (!this.#session?.isLive) return Promise.reject(noAnswer("not connected"));
    let id;
    const reply = this.#calls.start(timeout, (next) => {
      id = next;
      if (answered) this.#answers.set(id, answered);
      return this.#socket.send({ id, ...command });
    });
    return answered ? reply.finally(() => this.#answers.delete(id)) : reply;
  }

  // The end

  /** 3500–3999 and 4500–4999 are final. Centrifuge client protocol, disconnect codes. */
  #closed(code, reason) {
    const isFinal = (code >= 3_500 && code < 4_000) || (code >= 4_500 && code < 5_000);
    if (code === TOO_BIG) this.#heedTooBig();
    if (code === BAD_REQUEST && this.#isOfCommands(reason)) return this.#retry(code, reason);
    if (isFinal) return this.#end(code, reason);
    if (code === 3_005) this.#tokens.drop();
    this.#retry(code, reason || "the connection was lost");
  }

  /** The largest frame is the one that was too big: sent again it would be so again. */
  #heedTooBig() {
    const frame = this.#session?.isLive ? this.#calls.largestFrame : undefined;
    if (!frame) return;
    // Each of its commands may be small enough by itself.
    if (frame.count > 1) return void (this.#limits.frameBytes = 0);
    this.#limits.commandBytes = frame.bytes - 1;
    this.#calls.refuse((sent) => sent.frame === frame, badRequest(`bad request, as its ${frame.bytes} bytes are too many for the server`));
  }

  /**
   * 3501 ends a connection for good, unless commands are to blame: those are refused. One connection after the other that
   * ends so is the client's own fault.
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

  #retry(code, reason) {
    if (this.state === "disconnected") return;
    if (this.#session?.isLive && Date.now() - this.#session.since >= STABLE) this.#backoff.reset();
    this.#leave(reason);
    const delay = this.#backoff.next();
    this.#timers.retry = setTimeout(() => this.#begin(), delay);
    this.#become({ state: "connecting", code, reason, retryAt: Date.now() + delay });
  }

  #end(code, reason) {
    if (this.state === "disconnected") return;
    this.#leave(reason);
    this.#network.unwatch();
    // Another user may come with the next token: nothing of this one's is kept.
    this.#tokens.drop();
    this.#resetLimits();
    this.#hearing.clear(reason);
    this.#become({ state: "disconnected", code, reason });
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
    this.#hearing.pause();
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
