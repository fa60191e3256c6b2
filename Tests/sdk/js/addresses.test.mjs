// A client that knows several nodes: in which order it tries them, and how long it waits in between.

import assert from "node:assert/strict";
import test from "node:test";
import { Chat, Client } from "../../../Sources/Server/Page/web/belfry.js";
import { Addresses } from "../../../Sources/Server/Page/web/belfry/addresses.js";
import { client, CONNECTED, FakeServer, freePort, name, Server, until, WebSocket } from "./support.mjs";

const NODES = ["ws://a/", "ws://b/", "ws://c/"];
const ROOM = { recoverable: true, positioned: true, epoch: "e", offset: 3 };

/** A client of several servers. */
function several(t, servers, options) {
  const own = client({ socketURL: servers.map(({ socketURL }) => socketURL) }, "ann", options);
  t.after(() => own.disconnect());
  return own;
}

test("each address has one turn per round, and a success starts a new round", () => {
  const addresses = new Addresses(NODES, () => 0.999);
  const turns = [];
  for (let turn = 0; turn < 4; turn += 1) turns.push([addresses.current, addresses.advance()]);
  assert.deepEqual(turns, [["ws://a/", false], ["ws://b/", false], ["ws://c/", true], ["ws://a/", false]]);
  addresses.reset();
  assert.deepEqual([1, 2, 3].map(() => addresses.advance()), [false, false, true]);
  const one = new Addresses("ws://a/");
  assert.deepEqual([one.advance(), one.current], [true, "ws://a/"]);
});

test("the order is random, and the list that was passed is left alone", () => {
  const orders = new Set();
  const given = [...NODES];
  for (const first of [0, 0.4, 0.9]) {
    for (const second of [0, 0.9]) {
      const numbers = [first, second];
      const addresses = new Addresses(given, () => numbers.shift());
      orders.add(NODES.map(() => [addresses.current, addresses.advance()][0]).join());
    }
  }
  assert.equal(orders.size, 6);
  assert.deepEqual(given, NODES);
});

for (const [what, urls, message] of [
  ["no address", [], /expected 1 to 64 addresses, not 0/], ["too many", Array.from({ length: 65 }, (_, number) => `ws://n${number}/`), /not 65/],
  ["the same address twice", ["ws://a/x", "ws://b/", "ws://A:80/x"], /listed twice/], ["ws next to wss", ["ws://a/", "wss://b/"], /mixed/],
  ["another scheme", ["http://a/"], /neither ws nor wss/], ["no URL", ["nothing"], /URL/],
]) {
  test(`a list is refused that has ${what}`, () => {
    assert.throws(() => new Client(urls, { WebSocket }), (error) => error instanceof TypeError && message.test(error.message));
  });
}

test("up to 64 addresses are accepted", () => {
  assert.match(new Client(Array.from({ length: 64 }, (_, number) => `wss://n${number}/`), { WebSocket }).url, /^wss:\/\/n\d+\/$/);
});

test("dead nodes cost a short delay each, and only a full round costs the backoff", async (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  const servers = [];
  for (let count = 0; count < 3; count += 1) servers.push({ socketURL: `ws://127.0.0.1:${await freePort()}/` });
  const own = several(t, servers, { minDelay: 1_000_000, maxDelay: 1_000_000 });
  const waits = [];
  const tried = [own.url];
  own.on("state", ({ retryAt }) => {
    if (!retryAt) return;
    waits.push(retryAt - Date.now());
    tried.push(own.url);
    queueMicrotask(() => own.retryNow());
  });
  own.connect();
  await until(() => waits.length >= 6);
  own.disconnect();
  assert.deepEqual(waits.slice(0, 6).map((wait) => wait < 500_000), [true, true, false, true, true, false]);
  assert.deepEqual(new Set(tried.slice(0, 3)), new Set(servers.map(({ socketURL }) => socketURL)));
  assert.deepEqual(tried.slice(3, 6), tried.slice(0, 3));
});

test("a node that goes away is left for the next one, with all positions", async (t) => {
  const subs = { room: ROOM };
  const servers = [];
  for (let count = 0; count < 2; count += 1) {
    servers.push(await FakeServer.start({ connected: (socket, { id }) => socket.say({ id, connect: { ...CONNECTED, subs } }) }));
  }
  const own = several(t, servers);
  own.connect();
  await until(() => own.state === "connected");
  const used = servers.find(({ socketURL }) => socketURL === own.url);
  const other = servers.find((server) => server !== used);
  assert.equal(used.connects.length, 1);
  used.socket.close(3001, "shutdown");
  used.stop();
  await until(() => own.state === "connected" && own.url === other.socketURL);
  assert.deepEqual(other.connects[0].subs, { room: { recover: true, epoch: "e", offset: 3 } });
});

test("a permanent refusal by one node ends the client, although others are known", async (t) => {
  const behaviour = { connected: (socket, { id }) => socket.say({ id, error: { code: 101, message: "unauthorized" } }) };
  const servers = [await FakeServer.start(behaviour), await FakeServer.start(behaviour)];
  const own = several(t, servers);
  own.connect();
  await until(() => own.state === "disconnected");
  assert.equal(own.status.code, 101);
  assert.equal(servers[0].connects.length + servers[1].connects.length, 1);
});

test("a token that cannot be had now waits for the backoff and stays with the node", async (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  let asked = 0;
  const servers = [await FakeServer.start(), await FakeServer.start()];
  const own = several(t, servers, {
    minDelay: 1_000_000, maxDelay: 1_000_000,
    getToken: () => {
      asked += 1;
      if (asked === 1) throw new Error("the backend is down");
      return "token";
    },
  });
  const first = own.url;
  own.connect();
  await until(() => own.status.retryAt);
  assert.ok(own.status.retryAt - Date.now() >= 500_000);
  own.retryNow();
  await until(() => own.state === "connected");
  assert.equal(own.url, first);
});

test("files are fetched from the node in use, unless their host is given", async (t) => {
  const servers = [await FakeServer.start(), await FakeServer.start()];
  const own = several(t, servers);
  const chats = [new Chat(own), new Chat(own, { files: "http://files.example" })];
  own.connect();
  await until(() => own.state === "connected");
  const before = own.url;
  for (const url of [before, servers.find(({ socketURL }) => socketURL !== before).socketURL]) {
    await until(() => own.state === "connected" && own.url === url);
    assert.equal(chats[0].fileURL("/v1/files/a"), new URL("/v1/files/a", url.replace("ws", "http")).href);
    assert.equal(chats[1].fileURL("/v1/files/a"), "http://files.example/v1/files/a");
    servers.find(({ socketURL }) => socketURL === url).socket.close(3001);
  }
  chats.forEach((chat) => chat.close());
});

test("the real server: the client of a node that is killed continues at the other one", async (t) => {
  const servers = [await Server.start(), await Server.start()];
  t.after(() => Promise.all(servers.filter(({ process }) => process.exitCode === null && !process.killed).map((server) => server.kill())));
  const own = several(t, servers);
  const subscribed = [];
  own.on("subscribed", ({ channel, recovered, wasRecovering }) => subscribed.push([channel, recovered, wasRecovering]));
  const general = name("general");
  for (const server of servers) await server.as("ann", "channel.create", { id: general });
  own.connect();
  await own.rpc("message.send", { channel_id: general, text: "first" });
  const used = servers.find(({ socketURL }) => socketURL === own.url);
  const other = servers.find((server) => server !== used);
  await used.kill();
  await until(() => own.state === "connected" && own.url === other.socketURL);
  await own.rpc("message.send", { channel_id: general, text: "second" });
  // These two do not share their data, so that nothing could be recovered.
  assert.deepEqual(subscribed.filter(([channel]) => channel === general), [[general, false, false], [general, false, true]]);
});
