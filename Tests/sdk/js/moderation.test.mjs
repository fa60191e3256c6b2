// Blocking, slow mode, and mutes and bans in the whole app, as the library shows them.

import assert from "node:assert/strict";
import test from "node:test";
import { SlowMode } from "../../../Sources/Server/Page/web/belfry/slow-mode.js";
import { client, CONNECTED, FakeServer, name, person, Server, until } from "./support.mjs";

const server = Server.shared;
const blockedIDs = (chat) => chat.blocked.items.map(({ user }) => user.id);

/** Two users in a channel, of which Ann is the operator. */
async function pair(fields = {}) {
  const [annID, bobID, id] = [name("ann"), name("bob"), name("general")];
  for (const [user, nickname] of [[annID, "Ann"], [bobID, "Bob"]]) await server.app("user.upsert", { id: user, nickname });
  const ann = await person(server, annID);
  await ann.createChannel({ id, name: "General", user_ids: [bobID], operator_user_ids: [annID], ...fields });
  const bob = await person(server, bobID);
  return { ann, bob, annID, bobID, id };
}

test("MO1: a block is visible before the answer resolves, and on the user's other devices", async () => {
  const { ann, annID, bobID } = await pair();
  const phone = await person(server, annID);
  await until(() => phone.blocked.state === "ready");
  await ann.block(bobID);
  assert.deepEqual([ann.blocked.has(bobID), blockedIDs(ann)], [true, [bobID]]);
  assert.equal(ann.blocked.items[0].user.nickname, "Bob");
  await until(() => phone.blocked.has(bobID));
  await phone.unblock(bobID);
  assert.deepEqual(blockedIDs(phone), []);
  await until(() => !ann.blocked.has(bobID));
});

test("MO1: the list is loaded page by page at connect, sorted by name", async () => {
  const { ann, annID } = await pair();
  const others = Array.from({ length: 130 }, (_, number) => ({ id: name("other"), nickname: `Other ${String(number).padStart(3, "0")}` }));
  for (const users of [others.slice(0, 100), others.slice(100)]) await server.app("user.upsert_many", { users });
  for (const { id } of others.toReversed()) await server.as(annID, "user.block", { user_id: id });
  await until(() => ann.blocked.items.length === 130);
  const later = await person(server, annID);
  await until(() => later.blocked.state === "ready");
  assert.deepEqual(blockedIDs(later), others.map(({ id }) => id));
  assert.deepEqual(blockedIDs(ann), blockedIDs(later));
});

test("MO1: a reconnect brings the changes that were missed", async () => {
  const { ann, annID, bobID } = await pair();
  ann.breakOff();
  await server.as(annID, "user.block", { user_id: bobID });
  await until(() => ann.blocked.has(bobID));
});

test("MO1: the list decides whose messages are folded; until it is loaded, the server's mark does", async () => {
  const pages = [];
  const fake = await FakeServer.start({
    connected: (socket, { id }) => socket.say({ id, connect: { ...CONNECTED, data: { user: { id: "ann" }, settings: {} } } }),
    commanded: (socket, { id, rpc }) => {
      if (rpc?.method === "user.list_blocked") pages.push((data) => socket.say({ id, rpc: { data } }));
      else socket.say({ id, rpc: { data: { channels: [], emojis: [] } } });
    },
  });
  const ann = await person(fake, "ann");
  const [bob, carl] = [{ user: { id: "bob" }, from_blocked: true }, { user: { id: "carl" } }];
  await until(() => pages.length === 1);
  assert.deepEqual([ann.blocked.wrote(bob), ann.blocked.wrote(carl)], [true, false]);
  // A change that arrives while the list is loading counts, whatever the page says.
  ann.blocked.put({ user: { id: "dave", nickname: "Dave" }, is_blocked: true });
  pages[0]({ blocked: [{ user: { id: "carl", nickname: "Carl" }, at: 1 }, { user: null }, 7] });
  await until(() => ann.blocked.state === "ready");
  assert.deepEqual(blockedIDs(ann), ["carl", "dave"]);
  assert.deepEqual([ann.blocked.wrote(bob), ann.blocked.wrote(carl), ann.blocked.wrote({})], [false, true, false]);
});

test("MO1: blocked users' typing is not shown", async () => {
  const { ann, bob, bobID, id } = await pair();
  const channel = ann.channel(id);
  bob.typing(id);
  await until(() => channel.typing.length === 1);
  await ann.block(bobID);
  assert.deepEqual(channel.typing, []);
  await ann.unblock(bobID);
  assert.deepEqual(channel.typing.map((user) => user.id), [bobID]);
});

test("MO1: a message to someone who has blocked the user fails at once, and is not sent again", async () => {
  const { ann, bob, annID, bobID } = await pair();
  const { id } = await ann.createChannel({ user_ids: [bobID], is_distinct: true });
  await bob.block(annID);
  const calls = [];
  const { rpc } = ann.client;
  ann.client.rpc = (method, data) => (calls.push(method), rpc.call(ann.client, method, data));
  const timeline = ann.timeline(id);
  await assert.rejects(ann.send(id, { text: "hello" }), { code: 1052, temporary: false });
  assert.equal(calls.filter((method) => method === "message.send").length, 1);
  assert.equal(timeline.messages.at(-1).local.state, "failed");
});

test("MO5: the user's own message starts the wait; operators and channels without slow mode have none", async () => {
  const { ann, bob, bobID, id } = await pair();
  await bob.send(id, { text: "before" });
  const channel = bob.channel(id);
  assert.equal(channel.sendableAt, 0);
  await ann.rpc("channel.update", { channel_id: id, slow_mode_seconds: 100 });
  await until(() => channel.value.slow_mode_seconds === 100);
  // Messages from before the slow mode do not count.
  assert.equal(channel.sendableAt, 0);
  const start = Date.now();
  await bob.send(id, { text: "first" });
  assert.ok(channel.sendableAt >= start + 100_000 && channel.sendableAt <= Date.now() + 100_000);
  await ann.send(id, { text: "mine" });
  assert.equal(ann.channel(id).sendableAt, 0);
  // After a reload, the wait follows from the loaded messages.
  const again = await person(server, bobID);
  again.timeline(id);
  await until(() => again.channel(id).sendableAt > start + 90_000);
  await ann.rpc("channel.update", { channel_id: id, slow_mode_seconds: 0 });
  await until(() => channel.sendableAt === 0);
});

test("MO5: a refused message waits for the user, and is stored once when it is sent again", async () => {
  const { ann, bob, bobID, id } = await pair({});
  await ann.rpc("channel.update", { channel_id: id, slow_mode_seconds: 2 });
  await until(() => bob.channel(id).value?.slow_mode_seconds === 2);
  const timeline = bob.timeline(id);
  await until(() => timeline.state === "ready");
  await server.as(bobID, "message.send", { channel_id: id, text: "from elsewhere" });
  await assert.rejects(bob.send(id, { text: "too early" }), (error) => error.code === 1051 && error.retryAfter <= 2_000);
  const { local } = timeline.messages.at(-1);
  assert.equal(local.state, "failed");
  const { sendableAt } = bob.channel(id);
  assert.ok(sendableAt > Date.now() && sendableAt <= Date.now() + 2_000);
  await until(() => bob.channel(id).sendableAt === 0);
  await local.retry();
  assert.deepEqual(timeline.messages.slice(-2).map(({ text, local }) => [text, local]), [["from elsewhere", undefined], ["too early", undefined]]);
});

test("MO5: the wait follows the last message, the server's refusals, and changes of the seconds", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const slow = new SlowMode();
  const until = (seconds, role = "member") => slow.until({ slow_mode_seconds: seconds, my: { role } });
  assert.equal(until(60), 0);
  slow.sent(2_000_000);
  assert.equal(until(60), 1_060_000);
  slow.sent(5);
  assert.deepEqual([until(60), until(10), until(60, "operator"), until(0), slow.until(null)], [1_060_000, 1_010_000, 0, 0, 0]);
  slow.refused(5_000, 60);
  assert.equal(until(60), 1_005_000);
  t.mock.timers.tick(5_000);
  assert.equal(until(60), 0);
  slow.sent(1_004_000);
  slow.restart();
  assert.equal(until(60), 0);
});

test("MO5: a message that is seen again does not restart the wait if the local clock is behind", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const slow = new SlowMode();
  const until = () => slow.until({ slow_mode_seconds: 60, my: { role: "member" } });
  // The server's clock is 30 s ahead. The message is new, and then comes again in lists.
  slow.sent(1_030_000, 1_000_000);
  assert.equal(until(), 1_060_000);
  t.mock.timers.tick(20_000);
  slow.sent(1_030_000);
  slow.sent(1_029_000);
  assert.equal(until(), 1_060_000);
  t.mock.timers.tick(50_000);
  slow.sent(1_030_000);
  assert.equal(until(), 0);
  slow.sent(1_100_000);
  assert.equal(until(), 1_130_000);
  // Nor does it count if it was sent before the slow mode began.
  slow.restart();
  slow.sent(1_100_000);
  assert.equal(until(), 0);
});

test("MO2: a mute in the whole app mutes in every channel, and ends in those without a mute of their own", async () => {
  const { ann, bob, bobID, id } = await pair();
  const other = name("other");
  await ann.createChannel({ id: other, user_ids: [bobID], operator_user_ids: [ann.me.id] });
  const mutedUntil = (channel) => bob.channel(channel).value?.my?.muted_until ?? 0;
  await until(() => bob.channels.items.length === 2);
  await server.app("app.mute", { user_id: bobID, seconds: 3_600 });
  await until(() => mutedUntil(id) > Date.now() && mutedUntil(other) > Date.now());
  await ann.rpc("member.mute", { channel_id: id, user_id: bobID, seconds: 60 });
  await ann.rpc("member.unmute", { channel_id: id, user_id: bobID });
  await ann.rpc("member.mute", { channel_id: other, user_id: bobID, seconds: 60 });
  await until(() => mutedUntil(id) > Date.now() + 3_000_000 && mutedUntil(other) > Date.now() + 3_000_000);
  await server.app("app.unmute", { user_id: bobID });
  await until(() => mutedUntil(id) === 0 && mutedUntil(other) > Date.now());
});

test("MO2: a ban in the whole app ends the connection, and the next one is refused with its end", async () => {
  const { bob, bobID } = await pair();
  const bans = [];
  bob.on("user.banned", ({ event, recovered }) => bans.push([event.sanction.until, recovered]));
  await server.app("app.ban", { user_id: bobID, seconds: 3_600 });
  await until(() => bob.client.state === "disconnected");
  assert.equal(bob.client.status.code, 3503);
  assert.ok(bans.length === 1 && bans[0][0] > Date.now() && !bans[0][1]);
  const again = client(server, bobID);
  again.connect();
  await until(() => again.state === "disconnected");
  const { code, retryAfter } = again.status;
  assert.ok(code === 1055 && retryAfter > 3_000_000 && retryAfter <= 3_600_000, `${code} ${retryAfter}`);
});
