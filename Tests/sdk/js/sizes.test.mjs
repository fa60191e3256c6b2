// What a server cannot take: refused before it leaves, or put down to the one command that was to blame.

import assert from "node:assert/strict";
import test from "node:test";
import { client, CONNECTED, FakeServer, name, person, Server, until } from "./support.mjs";

const LIMIT = 65_536;
const HALF = "\ud83d";

async function connected(t, behaviour, options) {
  const server = await FakeServer.start(behaviour);
  const own = client(server, "ann", options);
  t.after(() => own.disconnect());
  own.connect();
  await until(() => own.state === "connected");
  return { server, own };
}

const echo = { commanded: (socket, { id, rpc }) => socket.say({ id, rpc: { data: rpc.data } }) };

test("a command is sent up to the bytes that a message may have, and rejected with 107 beyond", async (t) => {
  const { server, own } = await connected(t, echo);
  // The id has one digit in both.
  const frame = JSON.stringify({ id: 2, rpc: { method: "echo", data: { text: "" } } }).length;
  const most = "é".repeat((LIMIT - frame) / 2);
  assert.deepEqual(await own.rpc("echo", { text: most }), { text: most });
  await assert.rejects(own.rpc("echo", { text: `${most}éé` }), { code: 107, temporary: false, message: /65\d\d\d bytes and the server takes 65536/ });
  assert.equal(server.commands.length, 2);
  assert.equal(server.connects.length, 1);
});

test("half of a surrogate pair is rejected with the field that holds it", async (t) => {
  const { server, own } = await connected(t, echo);
  for (const [data, field] of [
    [{ text: `${HALF}!` }, "text"], [{ files: [{ name: "\udc00" }] }, "name"], [{ [`a${HALF}`]: 1 }, undefined],
  ]) {
    await assert.rejects(own.rpc("echo", data), (error) => {
      assert.equal(error.code, 107);
      assert.match(error.message, /half of a surrogate pair/);
      if (field) assert.equal(error.field, field);
      return true;
    });
  }
  await assert.rejects(own.rpc(HALF, {}), { code: 107 });
  await assert.rejects(own.subscribe(HALF), { code: 107 });
  // Whole pairs, and texts that talk of halves, are texts.
  for (const text of ["😀", "\\ud83d", "\\\\ud83d", "\\u"]) assert.deepEqual(await own.rpc("echo", { text }), { text });
  assert.equal(server.connects.length, 1);
});

test("commands of one turn share frames of at most the bytes and commands that a server takes", async (t) => {
  const frames = [];
  const { server, own } = await connected(t, echo);
  server.socket.on("message", (data) => frames.push(data));
  const large = Array.from({ length: 30 }, (_, number) => own.rpc("echo", { number, text: "x".repeat(10_000) }));
  const small = Array.from({ length: 300 }, (_, number) => own.rpc("echo", { number }));
  const answers = await Promise.all([...large, ...small]);
  assert.deepEqual(answers.map(({ number }) => number), [...Array(30).keys(), ...Array(300).keys()]);
  assert.ok(frames.every((data) => data.length <= LIMIT && String(data).split("\n").length <= 64));
  assert.ok(frames.length < 15, `${frames.length} frames`);
});

test("1009 is the failure of the largest command: it is not sent again, and the others are", async (t) => {
  const sent = [];
  const { server, own } = await connected(t, {
    commanded: (socket, { id, rpc }) => {
      sent.push(rpc.data.text.length);
      if (rpc.data.text.length > 1_000) socket.close(1009, "message too big");
      else if (rpc.data.answered) socket.say({ id, rpc: { data: {} } });
    },
  });
  const small = own.rpc("echo", { text: "s" });
  await until(() => sent.length === 1);
  const large = own.rpc("echo", { text: "x".repeat(5_000) });
  await assert.rejects(large, { code: 107, temporary: false, message: /too many for the server/ });
  // Nobody knows what became of it.
  await assert.rejects(small, { code: 0, temporary: true });
  await until(() => server.connects.length === 2 && own.state === "connected");
  await assert.rejects(own.rpc("echo", { text: "x".repeat(5_000) }), { code: 107 });
  assert.deepEqual(await own.rpc("echo", { text: "s", answered: true }), {});
  assert.deepEqual(sent, [1, 5_000, 1]);
});

test("after 1009 to a frame of several commands each goes by itself", async (t) => {
  const sizes = [];
  const { server, own } = await connected(t, {
    connected: (socket, { id }) => {
      socket.say({ id, connect: CONNECTED });
      socket.on("message", (data) => { sizes.push(data.length); if (data.length > 1_000) socket.close(1009); });
    },
    commanded: (socket, { id, rpc }) => socket.readyState === 1 && server.connects.length > 1 && socket.say({ id, rpc: { data: rpc.data } }),
  });
  const calls = () => [1, 2, 3].map((number) => own.rpc("echo", { number, text: "x".repeat(500) }));
  for (const outcome of await Promise.allSettled(calls())) assert.deepEqual([outcome.reason.code, outcome.reason.temporary], [0, true]);
  await until(() => own.state === "connected");
  assert.deepEqual((await Promise.all(calls())).map(({ number }) => number), [1, 2, 3]);
  assert.equal(server.connects.length, 2);
  // One frame that was too big, and three that were not.
  assert.deepEqual(sizes.map((size) => size > 1_000), [true, false, false, false]);
});

test("3501 with commands under way refuses these and comes back once; again at once, it is final", async (t) => {
  const { server, own } = await connected(t, { commanded: (socket) => socket.close(3501, "bad request: rpc.data") });
  await assert.rejects(own.rpc("echo", { text: "?" }), { code: 107, temporary: false, message: "bad request: rpc.data" });
  await until(() => server.connects.length === 2 && own.state === "connected");
  await assert.rejects(own.rpc("echo", { text: "?" }), { code: 0 });
  await until(() => own.state === "disconnected");
  assert.equal(own.status.code, 3501);
  assert.equal(server.connects.length, 2);
});

/** Texts that 0.1 tried eight times each, with a new connection for each try. */
test("the real server: an oversize or malformed text fails at once, and the connection stays", async () => {
  const id = name("general");
  const ann = await person(Server.shared, name("ann"));
  await ann.createChannel({ id });
  const timeline = ann.timeline(id);
  await until(() => timeline.state === "ready");
  let states = 0;
  ann.client.on("state", () => (states += 1));
  for (const text of ["x".repeat(70_000), `half ${HALF}`]) await assert.rejects(ann.send(id, { text }), { code: 107, temporary: false });
  // Within a message, and too long for a text.
  await assert.rejects(ann.send(id, { text: "x".repeat(20_000) }), { code: 1030 });
  await ann.send(id, { text: "a text" });
  assert.equal(states, 0);
  assert.deepEqual(timeline.messages.map(({ local }) => local?.state), [undefined, "failed", "failed", "failed"]);
});

test("the real server: a smaller limit than the client knows of costs one connection and no second try", async (t) => {
  const server = await Server.start({ settings: { BELFRY_CONNECTIONS_MESSAGE_BYTES: "4096" } });
  t.after(() => server.kill().catch(() => {}));
  const own = client(server, "ann");
  t.after(() => own.disconnect());
  own.connect();
  await until(() => own.state === "connected");
  let connections = 0;
  own.on("connected", () => (connections += 1));
  await assert.rejects(own.rpc("user.get", { user_ids: "x".repeat(5_000) }), { code: 107 });
  await until(() => connections === 1);
  await assert.rejects(own.rpc("user.get", { user_ids: "x".repeat(5_000) }), { code: 107 });
  assert.equal((await own.rpc("user.get")).user.id, "ann");
  assert.equal(connections, 1);
});
