import { parseFrame } from "./frames.js";

/** One WebSocket: objects in, objects out, and exactly one end. */
export class Socket {
  #socket;
  #listener;
  #outgoing = [];
  #isScheduled = false;

  /**
   * @param {string} url
   * @param {typeof WebSocket} WebSocket
   * @param {{opened(): void, received(message: object): void, closed(code: number, reason: string): void}} listener
   * @throws {Error} when the URL is none
   */
  constructor(url, WebSocket, listener) {
    this.#listener = listener;
    this.#socket = new WebSocket(url);
    this.#socket.onopen = () => this.#listener?.opened();
    this.#socket.onmessage = ({ data }) => this.#receive(data);
    // An error is always followed by a close.
    this.#socket.onerror = () => {};
    this.#socket.onclose = ({ code, reason }) => this.#end(code ?? 1006, String(reason ?? ""));
  }

  /** Commands of one turn share a frame. */
  send(command) {
    this.#outgoing.push(JSON.stringify(command));
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      const text = this.#outgoing.join("\n");
      this.#outgoing = [];
      if (this.#socket.readyState === 1) this.#socket.send(text);
    });
  }

  /** Nothing is heard of it after this. */
  close() {
    this.#listener = null;
    try {
      this.#socket.close();
    } catch {
      // It was closed already, or had not begun.
    }
  }

  #receive(data) {
    let messages;
    try {
      messages = parseFrame(data);
    } catch (error) {
      // What was in it is lost: only a new connection can make up for that.
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

/** The peer does not speak the protocol. RFC 6455 §7.4.1: 1002 protocol error. */
const BAD_FRAME = 1002;
