import { Emitter } from "./emitter.js";

/**
 * A connection to any server of the Centrifuge protocol (JSON), kept up until `disconnect`.
 *
 * Events, by `on(name, listener) → off()`:
 * - `state` `{state, code?, reason?, retryAt?}`: `retryAt` in ms of the local clock while it waits to try again;
 *   `offline: true` while the browser says it has no network
 * - `connected` `{client, data, subs, ...}`: the connect reply, before the publications that it brings
 * - `subscribed` `{channel, recovered, wasRecovering, epoch?, offset?}`: `wasRecovering && !recovered` means that
 *   something may have been missed: fetch
 * - `unsubscribed` `{channel, code?, reason?}`
 * - `publication` `{channel, offset?, data, recovered, info?, tags?}`: each offset of a channel once and in order
 * - `caughtup`: after `connected`, when all that the connect reply brought was told
 * - `error` `Error`: what was odd and was passed over (a frame that is not understood, a `getToken` that failed)
 */
export class Client extends Emitter {
  /**
   * @param {string} url `ws://` or `wss://`
   * @param {object} [options]
   * @param {() => Promise<string> | string} [options.getToken] the user's token; asked again when the old one expires.
   *   Throw an error with `unauthorized: true` (or give "") to stop: there will be no other
   * @param {any} [options.data] sent with connect
   * @param {typeof WebSocket} [options.WebSocket]
   * @param {number} [options.minDelay] ms before the first try to reconnect (500), doubled up to
   * @param {number} [options.maxDelay] ms (20,000), each with jitter
   * @param {number} [options.timeout] ms that a command may take (10,000)
   * @param {number} [options.maxQueued] commands that wait for the connection at most (1,000)
   */
  constructor(url, options = {}) { super(); }

  /** @returns {"disconnected" | "connecting" | "connected"} */
  get state() { return "disconnected"; }
  /** Why and until when: what the last `state` event said. @returns {{state: string, code?: number, reason?: string, retryAt?: number, offline?: boolean}} */
  get status() { return { state: "disconnected" }; }

  connect() {}
  /** Ends the connection for good: commands that wait are rejected. */
  disconnect() {}
  /** Tries at once instead of at `retryAt`. */
  retryNow() {}
  /**
   * @param {string} method
   * @param {any} [data]
   * @returns {Promise<any>} the result; waits for the connection while it is being made
   * @throws {RPCError}
   */
  async rpc(method, data = {}) {}
  /** A token that is valid now, for requests over HTTP. @returns {Promise<string>} */
  async token() {}
}
