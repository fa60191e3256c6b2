// The connection: what a client of the Centrifuge protocol does, against a server that does as it is told.

import assert from "node:assert/strict";
import test from "node:test";
import { client, CONNECTED, FakeServer, freePort, Server, token, until, WebSocket } from "./support.mjs";
import { Backoff } from "../../../Sources/Server/Page/web/belfry/backoff.js";

const ROOM = { recoverable: true, positioned: true, epoch: "e", offset: 3 };
const pub = (offset, data = { offset }) => ({ push: { channel: "room", pub: { offset, data } } });

/** A client of a made-up server, and all that it tells. */
async function listening(t, behaviour, options) {
  const server = await FakeServer.start(behaviour);
  const own = client(server, "ann", options);
  t.after(() => own.disconnect());
  const told = [];
  for (const name of ["state", "connected", "subscribed", "unsubscribed", "publication", "caughtup", "error", "push"]) {
    own.on(name, (value) => told.push([name, value]));
  }
  const of = (name) => told.filter(([each]) => each === name).map(([, value]) => value);
  return { server, client: own, told, of };
}

/** Each connection's reply in turn; the last one for all that follow. */
const replies = (...all) => ({
  connected: (socket, { id }, server) => {
    const reply = all[Math.min(server.connects.length, all.length) - 1];
    socket.say(...(Array.isArray(reply) ? reply.map((each) => (each.connect ? { id, ...each } : each)) : [{ id, connect: reply }]));
  },
});

// The first: with the clock stopped, nothing that earlier tests are still closing could be waited for.
test("a ping is answered, and a server that does not ping is left", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { client, server, of } = await listening(t, replies({ ...CONNECTED, ping: 25 }));
  client.connect();
  const turns = async (isSo) => { while (!isSo()) await new Promise((resolve) => setImmediate(resolve)); };
  await turns(() => client.state === "connected");
  server.socket.send("{}");
  await turns(() => server.commands.some((command) => Object.keys(command).length === 0));
  t.mock.timers.tick(34_000);
  assert.equal(client.state, "connected");
  t.mock.timers.tick(2_000);
  assert.equal(client.state, "connecting");
  assert.equal(of("state").at(-1).reason, "no ping");
});

test("the states are told in order, and a command waits for the connection", async (t) => {
  const { client, of } = await listening(t, {
    commanded: (socket, { id, rpc }) => socket.say({ id, rpc: { data: rpc.data } }),
  });
  assert.equal(client.state, "disconnected");
  client.connect();
  assert.deepEqual(await client.rpc("echo", { a: 1 }), { a: 1 });
  client.disconnect();
  assert.deepEqual(of("state").map(({ state }) => state), ["connecting", "connected", "disconnected"]);
  await assert.rejects(client.rpc("echo"), { code: 0, temporary: true });
});

test("a refusal is an error with the code, what to wait for and the field that is named", async (t) => {
  const { client } = await listening(t, {
    commanded: (socket, { id }) => socket.say({
      id, error: { code: 1032, message: "invalid value: name", temporary: true, retry_after_ms: 40 },
    }),
  });
  client.connect();
  await assert.rejects(client.rpc("x"), { name: "RPCError", code: 1032, temporary: true, retryAfter: 40, field: "name" });
});

test("publications that were heard are not told again, also when a reply and a push both bring them", async (t) => {
  const { client, server, of } = await listening(t, replies(
    { ...CONNECTED, subs: { room: ROOM } },
    [{
      connect: {
        ...CONNECTED,
        subs: { room: { ...ROOM, offset: 6, recovered: true, was_recovering: true, publications: [4, 5, 6].map((offset) => ({ offset, data: { offset } })) } },
      },
    }, pub(6), pub(7)]));
  client.connect();
  await until(() => client.state === "connected");
  server.socket.say(pub(4), pub(4), pub(3));
  await until(() => of("publication").length === 1);
  server.socket.terminate();
  await until(() => of("publication").length === 4);
  assert.deepEqual(server.connects[1].subs, { room: { recover: true, epoch: "e", offset: 4 } });
  assert.deepEqual(of("publication").map(({ offset, recovered }) => [offset, recovered]), [[4, false], [5, true], [6, true], [7, false]]);
  assert.deepEqual(of("subscribed").map(({ wasRecovering, recovered }) => [wasRecovering, recovered]), [[false, false], [true, true]]);
});

test("a gap is made up for by another connection that recovers from before it", async (t) => {
  const missed = [4, 5].map((offset) => ({ offset, data: {} }));
  const { client, server, of } = await listening(t, replies(
    { ...CONNECTED, subs: { room: ROOM } },
    { ...CONNECTED, subs: { room: { ...ROOM, offset: 5, recovered: true, was_recovering: true, publications: missed } } }));
  client.connect();
  await until(() => client.state === "connected");
  server.socket.say(pub(5));
  await until(() => of("publication").length === 2);
  assert.deepEqual(of("publication").map(({ offset }) => offset), [4, 5]);
});

for (const [what, sub] of Object.entries({
  "a server that says so": { ...ROOM, offset: 9, recovered: false, was_recovering: true },
  "another epoch": { ...ROOM, epoch: "f", recovered: true, was_recovering: true },
  "a recovery that skips something": { ...ROOM, offset: 5, recovered: true, publications: [{ offset: 5, data: {} }] },
  "a recovery that ends before its position": { ...ROOM, offset: 5, recovered: true, publications: [{ offset: 4, data: {} }] },
})) {
  test(`something may have been missed: ${what}`, async (t) => {
    const { client, server, of } = await listening(t, replies({ ...CONNECTED, subs: { room: ROOM } }, { ...CONNECTED, subs: { room: sub } }));
    client.connect();
    await until(() => client.state === "connected");
    server.socket.terminate();
    await until(() => of("subscribed").length === 2);
    assert.deepEqual(of("subscribed")[1], { channel: "room", wasRecovering: true, recovered: false });
    assert.equal(of("publication").length, 0);
  });
}

test("a room that the next connection does not have is told to be over", async (t) => {
  const { client, server, of } = await listening(t, replies({ ...CONNECTED, subs: { room: ROOM } }, CONNECTED));
  client.connect();
  await until(() => client.state === "connected");
  server.socket.terminate();
  await until(() => of("unsubscribed").length === 1);
  assert.equal(of("unsubscribed")[0].channel, "room");
});

test("what comes before the connect reply, and of rooms one is not in, is not told", async (t) => {
  const { client, server, of } = await listening(t, replies([pub(1), { connect: { ...CONNECTED, subs: { other: ROOM } } }, pub(4)]));
  client.connect();
  await until(() => of("caughtup").length === 1);
  server.socket.say({ push: { channel: "other", pub: { offset: 4, data: {} } } });
  await until(() => of("publication").length === 1);
  assert.equal(of("publication")[0].channel, "other");
});

test("a subscribe push begins a room and an unsubscribe push ends it", async (t) => {
  const { client, server, of } = await listening(t, {});
  client.connect();
  await until(() => client.state === "connected");
  server.socket.say({ push: { channel: "room", subscribe: ROOM } }, pub(4), { push: { channel: "room", unsubscribe: { code: 2000, reason: "server unsubscribe" } } }, pub(5));
  await until(() => of("unsubscribed").length === 1);
  assert.deepEqual(of("publication").map(({ offset }) => offset), [4]);
});

for (const [code, isFinal] of [[1000, false], [1006, false], [3000, false], [3001, false], [3008, false], [3012, false], [3499, false],
  [3500, true], [3501, true], [3503, true], [3999, true], [4000, false], [4499, false], [4500, true], [4999, true]]) {
  test(`after ${code} the client ${isFinal ? "stays away" : "comes back"}`, async (t) => {
    const { client, server } = await listening(t, {});
    client.connect();
    await until(() => client.state === "connected");
    // 1006 cannot be sent: it is what a connection that breaks is given.
    if (code === 1006) server.socket.terminate();
    else server.socket.close(code, "because");
    await until(() => (isFinal ? client.state === "disconnected" : server.connects.length === 2));
    if (isFinal) assert.deepEqual([client.status.code, client.status.reason], [code, "because"]);
  });

  if (code >= 3000) test(`after a push to disconnect with ${code} the client ${isFinal ? "stays away" : "comes back"}`, async (t) => {
    const { client, server } = await listening(t, {});
    client.connect();
    await until(() => client.state === "connected");
    server.socket.say({ push: { disconnect: { code, reason: "because" } } });
    await until(() => (isFinal ? client.state === "disconnected" : server.connects.length === 2));
  });
}

for (const [error, isFinal] of [[{ code: 100, message: "internal", temporary: true }, false], [{ code: 111, message: "too many", temporary: true }, false],
  [{ code: 109, message: "token expired" }, false], [{ code: 101, message: "unauthorized" }, true], [{ code: 1008, message: "user deactivated" }, true]]) {
  test(`a connect that is refused with ${error.code} is ${isFinal ? "given up" : "tried again"}`, async (t) => {
    let tokens = 0;
    const { client, server } = await listening(t, {
      connected: (socket, { id }, { connects }) => socket.say(connects.length === 1 ? { id, error } : { id, connect: CONNECTED }),
    }, { getToken: () => `token ${(tokens += 1)}` });
    client.connect();
    await until(() => client.state === (isFinal ? "disconnected" : "connected"));
    if (!isFinal) assert.equal(server.connects[1].token, error.code === 109 ? "token 2" : "token 1");
  });
}

test("commands under way fail when the connection breaks, and those that wait are bounded", async (t) => {
  const { client, server } = await listening(t, {}, { maxQueued: 3 });
  client.connect();
  await until(() => client.state === "connected");
  const call = client.rpc("never answered");
  await until(() => server.commands.length === 2);
  server.socket.close(3503, "go");
  await assert.rejects(call, { code: 0, temporary: true });

  const away = client;
  await until(() => away.state === "disconnected");
  server.stop();
  away.connect();
  const waiting = [1, 2, 3].map(() => away.rpc("waits").catch((error) => error.message));
  await assert.rejects(away.rpc("one more"), { message: "too many commands wait" });
  away.disconnect();
  assert.deepEqual(await Promise.all(waiting), ["disconnect called", "disconnect called", "disconnect called"]);
});

test("a command that nobody answers ends with its time, and a late answer is nobody's", async (t) => {
  const asked = [];
  const { client } = await listening(t, {
    commanded: (socket, { id, rpc }) => {
      asked.push(() => socket.say({ id, rpc: { data: rpc.data } }));
      if (asked.length === 2) asked.forEach((answer) => answer());
    },
  }, { timeout: 300 });
  client.connect();
  await until(() => client.state === "connected");
  await assert.rejects(client.rpc("slow", { number: 1 }), { code: 0, message: "timeout" });
  // Its answer comes together with that of the next one.
  assert.deepEqual(await client.rpc("fast", { number: 2 }), { number: 2 });
});

test("nobody listens: it is tried again, each time later, until it is there", async (t) => {
  const port = await freePort();
  const own = client({ socketURL: `ws://127.0.0.1:${port}/` }, "ann");
  t.after(() => own.disconnect());
  let tries = 0;
  own.on("state", ({ retryAt }) => { if (retryAt) tries += 1; });
  own.connect();
  await until(() => tries >= 3);
  const listener = new WebSocket.Server({ host: "127.0.0.1", port });
  t.after(() => listener.close());
  listener.on("connection", (socket) => socket.on("message", (data) => socket.send(JSON.stringify({ id: JSON.parse(data).id, connect: CONNECTED }))));
  await until(() => own.state === "connected");
  listener.clients.forEach((socket) => socket.terminate());
});

test("delays double up to their bound and are shortened by up to a half", () => {
  const shortest = new Backoff(500, 20_000, () => 0);
  const longest = new Backoff(500, 20_000, () => 0.999_999);
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 8].map(() => shortest.next()), [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  assert.deepEqual([1, 2, 3].map(() => Math.round(longest.next())), [500, 1_000, 2_000]);
  longest.reset();
  assert.equal(Math.round(longest.next()), 500);
});

test("a token that cannot be had now is asked for again, and one that will never be had ends it", async (t) => {
  let asked = 0;
  const { client, of } = await listening(t, {}, {
    getToken: () => {
      asked += 1;
      if (asked === 1) throw new Error("the backend is down");
      if (asked === 2) return "token";
      throw Object.assign(new Error("signed out"), { unauthorized: true });
    },
  });
  client.connect();
  await until(() => client.state === "connected");
  assert.equal(of("error")[0].message, "the backend is down");
  client.disconnect();
  client.connect();
  await until(() => client.state === "disconnected");
  assert.equal(client.status.reason, "unauthorized");
});

test("what the browser says of its network is shown, and acted on", async (t) => {
  const listeners = {};
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const network = { onLine: false };
  Object.defineProperty(globalThis, "navigator", { value: network, configurable: true });
  Object.assign(globalThis, { addEventListener: (name, fn) => { listeners[name] = fn; }, removeEventListener: (name) => { delete listeners[name]; } });
  t.after(() => {
    delete globalThis.addEventListener;
    delete globalThis.removeEventListener;
    if (before) Object.defineProperty(globalThis, "navigator", before);
    else delete globalThis.navigator;
  });
  // Nobody is there yet, and the next try would be in ten seconds.
  const port = await freePort();
  const own = client({ socketURL: `ws://127.0.0.1:${port}/` }, "ann", { minDelay: 20_000, maxDelay: 20_000 });
  t.after(() => own.disconnect());
  own.connect();
  await until(() => own.status.retryAt);
  assert.equal(own.status.offline, true);
  const pings = [];
  const listener = new WebSocket.Server({ host: "127.0.0.1", port });
  t.after(() => (listener.clients.forEach((socket) => socket.terminate()), listener.close()));
  listener.on("connection", (socket) => socket.on("message", (data) => {
    const { id, ping } = JSON.parse(data);
    if (ping) pings.push(id);
    socket.send(JSON.stringify(ping ? { id, ping: {} } : { id, connect: CONNECTED }));
  }));
  await new Promise((resolve) => listener.once("listening", resolve));
  network.onLine = true;
  listeners.online();
  await until(() => own.state === "connected");
  assert.equal(own.status.offline, undefined);
  // Connected: whether that is still so is asked of the server, and not of the browser.
  listeners.offline();
  await until(() => pings.length === 1);
  assert.equal(own.state, "connected");
  own.disconnect();
  assert.deepEqual(Object.keys(listeners), []);
});

test("a server without tokens is given none", async (t) => {
  const { client, server } = await listening(t, {}, { getToken: undefined, data: { any: 1 } });
  client.connect();
  await until(() => client.state === "connected");
  assert.deepEqual(server.connects, [{ data: { any: 1 }, name: "belfry.js" }]);
});

test("the real server: a token is renewed on the living connection before it is over", async (t) => {
  let tokens = 0;
  const own = client(Server.shared, "ann", { getToken: () => token("ann", (tokens += 1) === 1 ? 3 : 3_600) });
  t.after(() => own.disconnect());
  const states = [];
  own.on("state", ({ state }) => states.push(state));
  const began = Date.now();
  own.connect();
  await until(() => tokens === 2);
  // Past the end of the first one, and the grace behind it.
  await until(() => states.length > 2 || Date.now() > began + 4_500);
  assert.deepEqual(states, ["connecting", "connected"]);
  assert.equal((await own.rpc("user.get")).user.id, "ann");
});

test("the real server: a token that is over is replaced, at connecting too", async (t) => {
  let tokens = 0;
  const own = client(Server.shared, "ann", { getToken: () => token("ann", (tokens += 1) === 1 ? -10 : 3_600) });
  t.after(() => own.disconnect());
  own.connect();
  await until(() => own.state === "connected");
  assert.equal(tokens, 2);
});

test("the real server: a token of another secret ends it", async (t) => {
  const own = client(Server.shared, "ann", { getToken: () => token("ann").slice(0, -6) + "AAAAAA" });
  t.after(() => own.disconnect());
  own.connect();
  await until(() => own.state === "disconnected");
  assert.equal(own.status.code, 3500);
});
