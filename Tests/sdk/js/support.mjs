// What the tests share: tokens, people, servers real and made up, and waiting without sleeping.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { Chat, Client } from "../../../Sources/Server/Page/web/belfry.js";

/** Debian's, whose compression and framing are nobody else's code. */
export const WebSocket = createRequire(import.meta.url)("/usr/share/nodejs/ws");

const SECRET = "a secret of the test suite, long enough for HS256";
const API_KEY = "an api key of the test suite";
export const DEADLINE = 10_000;

const base64url = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JWT (RFC 7519) that lives for so many seconds. */
export function token(user, seconds = 3_600) {
  const signed = [{ alg: "HS256", typ: "JWT" }, { sub: user, exp: Math.floor(Date.now() / 1_000) + seconds }].map(base64url).join(".");
  return `${signed}.${createHmac("sha256", SECRET).update(signed).digest("base64url")}`;
}

/** Waits until something is so: looked at after each turn, and given up after the deadline. */
export async function until(isSo, what = isSo.toString()) {
  const end = Date.now() + DEADLINE;
  for (;;) {
    const result = await isSo();
    if (result) return result;
    if (Date.now() > end) assert.fail(`it did not become so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

let serial = 0;
/** A name that nothing else in this run has. */
export const name = (text) => `${text}-${process.pid}-${(serial += 1)}`;

/** A real server: the one that was started for this file, or one of the test's own. */
export class Server {
  constructor(origin) {
    this.origin = origin;
  }

  static shared = process.env.BELFRY_URL && new Server(process.env.BELFRY_URL);

  /** On the same port and data if it was there before. */
  static async start({ data = mkdtempSync(join(tmpdir(), "belfry-js-")), port = 0, settings = {} } = {}) {
    const process_ = spawn(process.env.BELFRY_BIN ?? ".build/debug/belfry", ["serve", "--port", String(port), "--data", data], {
      // A debug build reads through the space that is set aside for the journal for seconds, after a kill.
      env: { PATH: process.env.PATH, BELFRY_TOKEN_SECRET: SECRET, BELFRY_API_KEY: API_KEY, BELFRY_JOURNAL_SEGMENT_BYTES: "1048576", ...settings },
      stdio: ["ignore", "pipe", "ignore"],
    });
    process.on("exit", () => process_.kill("SIGKILL"));
    const [line] = await once(createInterface({ input: process_.stdout }), "line");
    const { listening } = JSON.parse(line);
    const server = new Server(`http://${listening.host}:${listening.port}`);
    return Object.assign(server, { process: process_, data, port: listening.port, settings });
  }

  /** As by `kill -9`. */
  async kill() {
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }

  async startAgain() {
    Object.assign(this, await Server.start(this));
  }

  get socketURL() {
    return `${this.origin.replace("http", "ws")}/connection/websocket`;
  }

  async post(command, data, headers) {
    const answer = await fetch(`${this.origin}/v1/${command}`, {
      method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(data),
    });
    const result = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify(result));
    return result;
  }

  /** A command of the app's own backend. */
  app(command, data) {
    return this.post(command, data, { "X-API-Key": API_KEY });
  }

  /** What somebody else does, without a connection of theirs. */
  as(user, command, data = {}) {
    return this.post(command, data, { Authorization: `Bearer ${token(user)}` });
  }
}

const people = new Set();
const sockets = new Set();
after(() => {
  for (const { chat, client } of people) {
    chat.close();
    client.disconnect();
  }
  // Those whose close nobody answers would keep the process for half a minute.
  for (const socket of sockets) socket.terminate();
});

export function client(server, user, options = {}) {
  let socket;
  class Breakable extends WebSocket {
    constructor(url) {
      super(url);
      socket = this;
      sockets.add(this);
      this.addEventListener("close", () => sockets.delete(this));
    }
  }
  const own = new Client(server.socketURL, { getToken: () => token(user), WebSocket: Breakable, minDelay: 20, maxDelay: 200, ...options });
  /** As when the network is gone, without a word to the other side. */
  own.breakOff = () => socket?.terminate();
  return own;
}

/** Somebody with a connection and the state of the chat; an error of the library's own fails the test. */
export async function person(server, user, { chatOptions, ...options } = {}) {
  const own = client(server, user, options);
  const chat = new Chat(own, { files: server.origin, ...chatOptions });
  chat.on("error", (error) => { throw error; });
  Object.assign(chat, { breakOff: own.breakOff, client: own });
  people.add({ chat, client: own });
  own.connect();
  await until(() => chat.channels.state === "ready", `${user} is there`);
  return chat;
}

/** A port where nothing listens now. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/**
 * A server of the protocol that does what the test tells it.
 * `connected(socket, command)` answers connect; `commanded(socket, command)` everything else.
 */
export class FakeServer {
  sockets = [];
  commands = [];
  connects = [];

  static async start(behaviour = {}) {
    const server = new FakeServer();
    server.behaviour = behaviour;
    server.port = await freePort();
    server.listener = new WebSocket.Server({ host: "127.0.0.1", port: server.port });
    await once(server.listener, "listening");
    server.listener.on("connection", (socket) => server.#accept(socket));
    after(() => server.stop());
    return server;
  }

  get socketURL() {
    return `ws://127.0.0.1:${this.port}/connection/websocket`;
  }

  get socket() {
    return this.sockets.at(-1);
  }

  stop() {
    for (const socket of this.listener.clients) socket.terminate();
    this.listener.close();
  }

  #accept(socket) {
    socket.say = (...messages) => socket.send(messages.map((message) => JSON.stringify(message)).join("\n"));
    this.sockets.push(socket);
    socket.on("message", (data) => String(data).split("\n").forEach((line) => this.#hear(socket, JSON.parse(line))));
  }

  #hear(socket, command) {
    this.commands.push(command);
    if (!command.connect) return this.behaviour.commanded?.(socket, command, this);
    this.connects.push(command.connect);
    if (this.behaviour.connected) return this.behaviour.connected(socket, command, this);
    socket.say({ id: command.id, connect: CONNECTED });
  }
}

/** The least that a connect reply says. */
export const CONNECTED = { client: "c1", version: "0", ping: 25, pong: true, subs: {} };
