// The server dies in the middle of a conversation: nothing that was acknowledged is lost, nothing is doubled.

import assert from "node:assert/strict";
import test from "node:test";
import { FakeServer, name, person, Server, until } from "./support.mjs";

const texts = (timeline) => timeline.messages.map(({ text }) => text);

async function own(t, options) {
  const server = await Server.start(options);
  t.after(() => server.kill().catch(() => {}));
  return server;
}

async function two(t, server) {
  const [annID, bobID, id] = [name("ann"), name("bob"), name("general")];
  const [ann, bob] = await Promise.all([person(server, annID), person(server, bobID)]);
  t.after(() => (ann.close(), bob.close()));
  await ann.createChannel({ id, name: "General", user_ids: [bobID] });
  const [hers, his] = [ann.timeline(id), bob.timeline(id)];
  await until(() => hers.state === "ready" && his.state === "ready");
  return { ann, bob, annID, bobID, id, hers, his };
}

/** What the server itself says stands in the channel. */
async function stored(server, user, id) {
  const { messages } = await server.as(user, "message.list", { channel_id: id, at: 0, next: 100, replies: "only_reply_to_channel" });
  return messages.map(({ text }) => text);
}

test("kill -9 in mid-conversation: both catch up without a reload, nothing lost, nothing doubled", async (t) => {
  const server = await own(t);
  const { ann, bob, bobID, id, hers, his } = await two(t, server);
  const sending = [];
  for (let round = 0; round < 3; round += 1) {
    for (let number = 0; number < 10; number += 1) {
      for (const [chat, who] of [[ann, "ann"], [bob, "bob"]]) sending.push(chat.send(id, { text: `${who} ${round} ${number}` }));
    }
    // In the middle: some are answered, some are on their way.
    await sending[20 * round];
    await server.kill();
    await server.startAgain();
  }
  await Promise.all(sending);
  await until(() => his.messages.length === 60 && hers.messages.length === 60);
  const expected = await stored(server, bobID, id);
  assert.deepEqual(texts(hers), expected);
  assert.deepEqual(texts(his), expected);
  assert.equal(new Set(expected).size, 60);
  assert.equal(his.messages.some(({ local }) => local), false);
  await until(async () => {
    const { channel } = await server.as(bobID, "channel.get", { channel_id: id });
    return channel.my.unread_count === bob.channel(id).value.my.unread_count && bob.totals.unread_count === channel.my.unread_count;
  });
});

test("what happened while one was away is recovered", async (t) => {
  const server = await own(t);
  const { ann, bob, annID, id, his } = await two(t, server);
  const first = await ann.send(id, { text: "first" });
  const second = await ann.send(id, { text: "second" });
  await until(() => his.messages.length === 2);
  const thread = bob.thread(id, first.id);
  await until(() => thread.state === "ready");
  const recovered = [];
  bob.on("event", (heard) => { if (heard.recovered) recovered.push(heard.event.type); });
  await server.kill();
  await server.startAgain();
  // Another one of hers does all that before his client is back, or after: it comes to the same.
  await server.as(annID, "message.update", { channel_id: id, message_id: second.id, text: "2nd" });
  await server.as(annID, "message.send", { channel_id: id, text: "reply", parent_message_id: first.id });
  await server.as(annID, "reaction.add", { channel_id: id, message_id: first.id, key: "sob" });
  await server.as(annID, "message.send", { channel_id: id, text: "third" });
  await until(() => texts(his).join() === "first,2nd,reply,third" && his.messages[0].reactions?.[0].key === "sob");
  await until(() => texts(thread).join() === "reply" && thread.thread?.reply_count === 1);
});

test("recovered: false: what is shown is fetched again, the divider stays and nothing needs a reload", async (t) => {
  const server = await own(t, { settings: { BELFRY_ROOMS_RING_EVENTS: "2" } });
  const { ann, bob, annID, bobID, id, hers, his } = await two(t, server);
  const members = bob.members(id);
  await bob.threads.load();
  const first = await bob.send(id, { text: "first" });
  const doomed = await ann.send(id, { text: "doomed" });
  await until(() => his.messages.length === 2);
  const key = his.messages[0].key;
  await server.kill();
  await server.startAgain();
  await server.as(annID, "message.delete", { channel_id: id, message_id: doomed.id });
  await server.as(annID, "message.send", { channel_id: id, text: "reply", parent_message_id: first.id });
  for (let number = 0; number < 130; number += 1) await server.as(annID, "message.send", { channel_id: id, text: `${number}` });
  await server.as(annID, "channel.update", { channel_id: id, name: "Renamed" }).catch(() => {});
  await until(() => texts(his).at(-1) === "129" && !texts(his).includes("doomed"));
  assert.deepEqual(texts(his), ["first", "reply", ...Array.from({ length: 130 }, (_, number) => `${number}`)]);
  assert.equal(his.messages[0].key, key);
  assert.equal(his.messages[0].thread.reply_count, 1);
  await until(() => bob.channel(id).value.last_message.text === "129" && bob.channel(id).value.my.unread_count === 131);
  await until(() => bob.totals.unread_count === 131);
  await until(() => bob.threads.items.length === 1 || bob.threads.newCount === 1);
  await until(() => texts(hers).at(-1) === "129");
  assert.equal(members.get(bobID).user.id, bobID);
});

test("a send whose answer was lost makes no second message, however often it is tried", async (t) => {
  const server = await own(t);
  const { ann, annID, id, hers } = await two(t, server);
  const request = { channel_id: id, kind: "text", text: "once", client_id: "lost-1" };
  await server.as(annID, "message.send", request);
  await until(() => hers.messages.length === 1);
  await server.as(annID, "message.send", request);
  const sending = ann.send(id, { text: "twice?" });
  await server.kill();
  await server.startAgain();
  await sending;
  assert.deepEqual(await stored(server, annID, id), ["once", "twice?"]);
  await until(() => texts(hers).join() === "once,twice?");
});

test("what cannot be sent in time is shown as failed, and arrives once when it is tried again", async (t) => {
  const server = await own(t);
  const [annID, id] = [name("ann"), name("general")];
  const ann = await person(server, annID, { chatOptions: { sendTimeout: 50 }, timeout: 100 });
  await ann.createChannel({ id });
  const hers = ann.timeline(id);
  await until(() => hers.state === "ready");
  await server.kill();
  await assert.rejects(ann.send(id, { text: "one" }), { code: 0 });
  assert.deepEqual(hers.messages.map(({ local }) => local.state), ["failed"]);
  const again = hers.messages[0].local.retry();
  assert.equal(hers.messages[0].local.state, "sending");
  await assert.rejects(again, { code: 0 });
  await server.startAgain();
  await until(() => ann.totals && hers.state === "ready");
  // A try whose answer took too long has failed, and its message may still come as an event: then nothing is left to try.
  await until(async () => hers.messages[0].local?.retry().catch(() => null) ?? hers.messages[0]);
  await until(() => hers.messages.every(({ local }) => local === undefined));
  assert.deepEqual(await stored(server, annID, id), ["one"]);
  assert.deepEqual(hers.messages.map(({ text, local }) => [text, local]), [["one", undefined]]);
});

test("the answer is lost after the message was taken: the same client_id goes out again", async (t) => {
  // Takes each message, says so to nobody the first time, and breaks off.
  const ids = [];
  const server = await FakeServer.start({
    connected: (socket, { id }) => socket.say({ id, connect: { client: "c", version: "0", ping: 25, pong: true, subs: {}, data: { user: { id: "ann", nickname: "Ann" } } } }),
    commanded: (socket, { id, rpc }) => {
      if (rpc?.method === "channel.list") return socket.say({ id, rpc: { data: { channels: [] } } });
      if (rpc?.method !== "message.send") return;
      ids.push(rpc.data.client_id);
      if (ids.length < 3) return socket.terminate();
      socket.say({ id, rpc: { data: { message: { id: "m1", channel_id: "general", kind: "text", text: "hi", offset: 1, created_at: 1, client_id: rpc.data.client_id } } } });
    },
  });
  const ann = await person({ ...server, socketURL: server.socketURL, origin: "http://127.0.0.1" }, "ann");
  assert.equal((await ann.send("general", { text: "hi" })).id, "m1");
  assert.equal(ids.length, 3);
  assert.equal(new Set(ids).size, 1);
});

test("a refusal for the moment is tried again after the time that the server names", async (t) => {
  const times = [];
  const server = await FakeServer.start({
    connected: (socket, { id }) => socket.say({ id, connect: { client: "c", version: "0", ping: 25, pong: true, subs: {}, data: { user: { id: "ann", nickname: "Ann" } } } }),
    commanded: (socket, { id, rpc }) => {
      if (rpc?.method === "channel.list") return socket.say({ id, rpc: { data: { channels: [] } } });
      if (rpc?.method !== "message.send") return;
      times.push(Date.now());
      if (times.length === 1) return socket.say({ id, error: { code: 111, message: "too many requests", temporary: true, retry_after_ms: 60 } });
      socket.say({ id, rpc: { data: { message: { id: "m1", channel_id: "general", kind: "text", text: "hi", offset: 1, created_at: 1 } } } });
    },
  });
  const ann = await person({ ...server, socketURL: server.socketURL, origin: "http://127.0.0.1" }, "ann");
  await ann.send("general", { text: "hi" });
  assert.ok(times[1] - times[0] >= 55, `${times[1] - times[0]} ms`);
});

test("who was banned, joined elsewhere or left while away finds it so", async (t) => {
  const server = await own(t);
  const { bob, annID, bobID, id } = await two(t, server);
  const [joined, kept] = [name("joined"), name("kept")];
  await server.as(bobID, "channel.create", { id: kept });
  await until(() => bob.channels.items.length === 2);
  await server.kill();
  await server.startAgain();
  await server.as(bobID, "channel.create", { id: joined });
  await server.as(bobID, "channel.leave", { channel_id: id });
  await until(() => bob.channels.items.map((channel) => channel.id).sort().join() === [joined, kept].sort().join());
  assert.equal(bob.channel(id).state, "gone");
  assert.equal(annID === bobID, false);
});

test("more channels than are fetched one by one are caught up with by list", async (t) => {
  const server = await own(t, { settings: { BELFRY_ROOMS_RING_EVENTS: "2" } });
  const { ann, bob, annID, bobID } = await two(t, server);
  const channels = [];
  for (let count = 0; count < 15; count += 1) channels.push((await ann.createChannel({ id: name("many"), user_ids: [bobID] })).id);
  await until(() => bob.channels.items.length === 16);
  for (const id of channels) await server.as(annID, "message.send", { channel_id: id, text: "before" });
  await until(() => bob.totals.unread_count === 15);
  bob.breakOff();
  // More than the rings hold.
  for (const id of channels) for (let count = 0; count < 4; count += 1) await server.as(annID, "message.send", { channel_id: id, text: `${count}` });
  await until(() => bob.totals.unread_count === 75 && channels.every((id) => bob.channel(id).value.my.unread_count === 5));
});
