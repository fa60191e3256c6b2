// Rooms that the client asks for by itself, with a server that does what the protocol says and what it forbids.

import assert from "node:assert/strict";
import test from "node:test";
import { client as real, CONNECTED, FakeServer, name, Server, until } from "./support.mjs";

const ROOM = { epoch: "e", offset: 3, recoverable: true, positioned: true };
const pub = (offset) => ({ push: { channel: "room", pub: { offset, data: { offset } } } });

/** A client, what it was told, and a server whose answers to subscribe are `answers`, the last one again and again. */
async function asking(t, ...answers) {
  const server = await FakeServer.start({
    commanded: (socket, { id, subscribe, ping }) => {
      if (ping) return socket.say({ id, ping: {} });
      if (!subscribe) return;
      asked.push(subscribe);
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      const [reply, ...behind] = Array.isArray(answer) ? answer : [answer];
      if (reply) socket.say({ id, ...(reply.code ? { error: reply } : { subscribe: reply }) }, ...behind);
    },
  });
  const asked = [];
  const client = real(server, "ann", { getToken: undefined });
  t.after(() => client.disconnect());
  const told = [];
  for (const event of ["subscribed", "unsubscribed"]) client.on(event, (value) => told.push([event, value]));
  client.on("publication", ({ offset, recovered }) => told.push(["publication", offset, recovered]));
  return { server, client, asked, told, sent: (kind) => server.commands.filter((command) => command[kind]) };
}

test("what comes right behind the answer is heard, and the room is asked for again from there", async (t) => {
  const missed = { ...ROOM, offset: 6, recovered: true, was_recovering: true, publications: [5, 6].map((offset) => ({ offset, data: {} })) };
  const { server, client, asked, told } = await asking(t, [ROOM, pub(4)], [missed, pub(7)]);
  client.connect();
  await client.subscribe("room");
  await until(() => told.length === 2);
  server.socket.terminate();
  await until(() => told.length === 6);
  assert.deepEqual(asked, [{ channel: "room" }, { channel: "room", recover: true, epoch: "e", offset: 4 }]);
  // The connect command's rooms are the server's.
  assert.deepEqual(server.connects.map(({ subs }) => subs), [undefined, undefined]);
  assert.deepEqual(told, [
    ["subscribed", { channel: "room", wasRecovering: false, recovered: false }], ["publication", 4, false],
    ["subscribed", { channel: "room", wasRecovering: true, recovered: true }],
    ["publication", 5, true], ["publication", 6, true], ["publication", 7, false],
  ]);
  // Again: nothing is asked.
  await client.subscribe("room");
  assert.equal(asked.length, 2);
});

test("one goes on from a position that somebody has kept", async (t) => {
  const { client, asked, told } = await asking(t, {
    ...ROOM, recovered: true, was_recovering: true, publications: [{ offset: 2, data: {} }, { offset: 3, data: {} }],
  });
  client.connect();
  await client.subscribe("room", { recover: { epoch: "e", offset: 1 } });
  assert.deepEqual(asked, [{ channel: "room", recover: true, epoch: "e", offset: 1 }]);
  assert.deepEqual(told.map(([, value]) => value.recovered ?? value), [true, 2, 3]);
});

test("what cannot be recovered is subscribed without, and is said to have been missed", async (t) => {
  const { client, asked, told } = await asking(t, { code: 112, message: "unrecoverable position" }, ROOM);
  client.connect();
  await client.subscribe("room", { recover: { epoch: "old", offset: 1 } });
  assert.deepEqual(asked.map(({ recover }) => recover), [true, undefined]);
  assert.deepEqual(told, [["subscribed", { channel: "room", wasRecovering: true, recovered: false }]]);
});

test("a refusal for the moment is asked again, one for good is the end", async (t) => {
  const { server, client, asked, told } = await asking(t,
    { code: 111, message: "too many requests", temporary: true, retry_after_ms: 5 }, ROOM, { code: 103, message: "permission denied" });
  client.connect();
  await client.subscribe("room");
  assert.equal(asked.length, 2);
  await assert.rejects(client.subscribe("secret"), { code: 103 });
  assert.deepEqual(told.at(-1), ["unsubscribed", { channel: "secret", code: 103, reason: "permission denied" }]);
  server.socket.terminate();
  await until(() => asked.length === 4);
  assert.equal(asked[3].channel, "room");
});

for (const [code, isAgain] of [[2000, false], [2499, false], [2500, true], [2501, true]]) {
  test(`an unsubscribe push with ${code} ${isAgain ? "is answered by asking again" : "is the end"}`, async (t) => {
    const { server, client, asked, told } = await asking(t, ROOM);
    client.connect();
    await client.subscribe("room");
    server.socket.say({ push: { channel: "room", unsubscribe: { code, reason: "because" } } });
    await until(() => told.length === (isAgain ? 3 : 2));
    assert.deepEqual(told.map(([event]) => event), ["subscribed", "unsubscribed", "subscribed"].slice(0, told.length));
    assert.equal(asked.length, isAgain ? 2 : 1);
  });
}

test("taking it back is told to the server, also while the answer is on its way, and nothing is heard then", async (t) => {
  const { server, client, asked, told, sent } = await asking(t, null, [ROOM, pub(4)]);
  client.connect();
  const subscribing = assert.rejects(client.subscribe("room"), { code: 0, message: "unsubscribed" });
  await until(() => asked.length === 1);
  client.unsubscribe("room");
  await subscribing;
  server.socket.say({ id: sent("subscribe")[0].id, subscribe: ROOM }, pub(4));
  await until(() => sent("unsubscribe").length === 1);
  assert.deepEqual(told, []);
  await client.subscribe("room");
  await until(() => told.length === 2);
  client.unsubscribe("room");
  assert.deepEqual(told.at(-1), ["unsubscribed", { channel: "room", code: 0, reason: "unsubscribe called" }]);
  await until(() => sent("unsubscribe").length === 2);
  const before = asked.length;
  server.socket.terminate();
  await until(() => server.connects.length === 2 && client.state === "connected");
  assert.equal(asked.length, before);
  assert.equal(told.at(-1)[0], "unsubscribed");
});

test("a room that the server puts one into is not asked for, and a gap in one's own is made up for", async (t) => {
  const { server, client, asked, told } = await asking(t, ROOM, { ...ROOM, offset: 5, recovered: true, was_recovering: true,
    publications: [4, 5].map((offset) => ({ offset, data: {} })) });
  server.behaviour.connected = (socket, { id }) => socket.say({ id, connect: { ...CONNECTED, subs: { given: ROOM } } });
  client.connect();
  await client.subscribe("room");
  await client.subscribe("given");
  assert.deepEqual(asked.map(({ channel }) => channel), ["room"]);
  server.socket.say(pub(5));
  await until(() => asked.length === 2);
  await until(() => told.filter(([event]) => event === "publication").length === 2);
  assert.deepEqual(server.connects[1].subs, { given: { recover: true, epoch: "e", offset: 3 } });
});

test("it needs a connection, there is an end to how many, and disconnecting forgets them", async (t) => {
  const { client, asked } = await asking(t, ROOM);
  await assert.rejects(client.subscribe("room"), { code: 0, message: "disconnected" });
  client.connect();
  const all = Promise.allSettled(Array.from({ length: 1_001 }, (_, number) => client.subscribe(`room ${number}`)));
  client.disconnect();
  const outcomes = (await all).map(({ reason }) => reason.message);
  assert.deepEqual([outcomes[0], outcomes[999], outcomes[1_000]], ["disconnect called", "disconnect called", "too many subscriptions"]);
  client.connect();
  await until(() => client.state === "connected");
  await client.subscribe("room");
  assert.deepEqual(asked, [{ channel: "room" }]);
});

test("the real server: a connection that names its rooms hears them, and what it missed", async (t) => {
  const [ann, room] = [name("ann"), name("room")];
  const client = real(Server.shared, ann, { data: { subscribe: "none" } });
  t.after(() => client.disconnect());
  const heard = [];
  const subscribed = [];
  client.on("publication", ({ channel, data }) => channel === room && data.message && heard.push(data.message.text));
  client.on("subscribed", ({ channel, recovered }) => channel === room && subscribed.push(recovered));
  client.connect();
  await client.rpc("channel.create", { id: room });
  await client.subscribe(room);
  await client.rpc("message.send", { channel_id: room, text: "one" });
  await until(() => heard.length === 1);
  client.breakOff();
  await until(() => client.state === "connecting");
  await Server.shared.as(ann, "message.send", { channel_id: room, text: "two" });
  await until(() => heard.length === 2);
  assert.deepEqual([heard, subscribed], [["one", "two"], [false, true]]);
  // 1000: it is not there, or not for one to see.
  await assert.rejects(client.subscribe(name("nowhere")), ({ code }) => code > 0);
  client.unsubscribe(room);
  await client.rpc("message.send", { channel_id: room, text: "three" });
  assert.deepEqual(heard, ["one", "two"]);
});
