import { encodeCommand, framesOf, parseFrame } from "./frames.js";

/** One WebSocket. Sends and receives objects, and reports exactly one `closed`. */
export class Socket {
  #socket;
  #listener;
  #limits;
  #outgoing = [];
  #isScheduled = false;

  /**
   * @param {string} url
   * @param {typeof WebSocket} WebSocket
   * @param {{opened(): void, received(message: object): void, closed(code: number, reason: string): void}} listener
   * @param {{commandBytes: number, frameBytes: number}} limits maximum bytes of a command, and of a frame shared by
   *   several
   * @throws {Error} if the URL is invalid
   */
  constructor(url, WebSocket, listener, limits) {
    this.#listener = listener;
    this.#limits = limits;
    this.#socket = new WebSocket(url);
    this.#socket.onopen = () => this.#listener?.opened();
    this.#socket.onmessage = ({ data }) => this.#receive(data);
    // An error is always followed by a close.
    this.#socket.onerror = () => {};
    this.#socket.onclose = ({ code, reason }) => this.#end(code ?? 1006, String(reason ?? ""));
  }

  /**
   * Sends a command. Commands of the same turn share frames.
   * @param {object} command
   * @param {number} [limit] maximum bytes
   * @returns {{bytes: number, isRPC: boolean, frame: {bytes: number, count: number} | null}} the encoded command
   * @throws {RPCError} if the server would certainly reject it
   */
  send(command, limit = this.#limits.commandBytes) {
    const sent = encodeCommand(command, limit);
    this.#outgoing.push(sent);
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      queueMicrotask(() => this.#flush());
    }
    return sent;
  }

  #flush() {
    this.#isScheduled = false;
    const frames = framesOf(this.#outgoing, this.#limits.frameBytes);
    this.#outgoing = [];
    for (const { text } of frames) if (this.#socket.readyState === 1) this.#socket.send(text);
  }

  /** Closes the socket; the listener is no longer called. */
  close() {
    this.#listener = null;
    try {
      this.#socket.close();
    } catch {
      // Already closed, or never opened.
    }
  }

  #receive(data) {
    let messages;
    try {
      messages = parseFrame(data);
    } catch (error) {
      // The frame's content is lost, and only a new connection can recover it.
      return this.#end(BAD_FRAME, error.message);
    }
    for (const message of messages) this.#listener?.received(message);
  }

  #end(code, reason) {
    const listener = this.#listener;
    this.close();
    listener?.closed(code, reason);
  }
}

/** The peer violated the protocol. RFC 6455 §7.4.1: 1002 protocol error. */
const BAD_FRAME = 1002;
