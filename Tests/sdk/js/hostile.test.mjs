// Servers that say odd things: nothing breaks, nothing is made up, and what comes after is still heard.

import assert from "node:assert/strict";
import test from "node:test";
import { Chat } from "../../../Sources/Server/Page/web/belfry.js";
import { client, CONNECTED, FakeServer, until } from "./support.mjs";

const ROOM = { recoverable: true, positioned: true, epoch: "e", offset: 0 };
const SIGNED_IN = {
  ...CONNECTED, subs: { "#ann": ROOM, general: ROOM },
  data: { user: { id: "ann", nickname: "Ann" }, settings: {}, unread: { unread_count: 0, unread_mention_count: 0, unread_channel_count: 0 } },
};
const CHANNEL = {
  id: "general", name: "General", is_public: false, is_distinct: false, is_super: false, is_frozen: false, is_ephemeral: false,
  created_at: 1, member_count: 2, joined_member_count: 2, my: { state: "joined", role: "member", unread_count: 0, last_read: { offset: 0 } },
};
const ANSWERS = {
  "channel.list": { channels: [CHANNEL] }, "channel.get": { channel: CHANNEL }, "message.list": { messages: [], has_previous: false, has_next: false },
  "member.list": { members: [] }, "emoji.list": { emojis: [], hash: "h" }, "thread.list": { threads: [] },
};

async function chatting(t, behaviour = {}) {
  const server = await FakeServer.start({
    connected: (socket, { id }) => socket.say({ id, connect: SIGNED_IN }),
    commanded: (socket, { id, rpc }) => { if (rpc) socket.say({ id, rpc: { data: ANSWERS[rpc.method] ?? {} } }); },
    ...behaviour,
  });
  const own = client(server, "ann");
  const chat = new Chat(own);
  const errors = [];
  for (const emitter of [own, chat]) emitter.on("error", (error) => errors.push(error));
  t.after(() => (chat.close(), own.disconnect()));
  own.connect();
  await until(() => chat.channels.state !== "loading");
  let offset = 0;
  /** An event of the channel, or of the inbox. */
  const say = (data, channel = "general") => server.socket.say({ push: { channel, pub: { offset: channel === "general" ? (offset += 1) : undefined, data } } });
  return { server, client: own, chat, errors, say, get offset() { return offset; } };
}

const message = (offset, fields = {}) => ({
  type: "message.new", at: offset, by: "bob",
  message: { id: `m${offset}`, channel_id: "general", kind: "text", text: "hi", offset, created_at: offset, user: { id: "bob", nickname: "Bob" }, ...fields },
});

for (const [what, frame] of Object.entries({
  "no JSON": "{", "a number": "5", "null": "null", "an array": "[]", "a text": '"{}"', "binary": Buffer.from("{}"),
  "a good object and then none": '{}\n{"push":', "something nested too deeply": "[".repeat(100_000),
})) {
  test(`a frame that is ${what}: the client begins anew and recovers`, async (t) => {
    const { server, client } = await chatting(t);
    server.socket.send(frame);
    await until(() => server.connects.length === 2 && client.state === "connected");
    assert.deepEqual(server.connects[1].subs.general, { recover: true, epoch: "e", offset: 0 });
  });
}

for (const [what, object] of Object.entries({
  "an unknown reply": { id: 4_000, rpc: { data: {} } }, "a reply without a result": { id: 4_001 }, "an id of another kind": { id: "1", rpc: {} },
  "a negative id": { id: -1 }, "an unknown field": { strange: true }, "a push without a channel": { push: { pub: { data: {} } } },
  "a push of nothing": { push: { channel: "general" } }, "a push that is no object": { push: 5 }, "an unknown push": { push: { channel: "general", dance: {} } },
  "a publication that is none": { push: { channel: "general", pub: null } }, "a publication without data": { push: { channel: "general", pub: {} } },
  "an offset that is no number": { push: { channel: "general", pub: { offset: "9", data: {} } } },
  "a negative offset": { push: { channel: "general", pub: { offset: -9, data: {} } } },
  "an offset beyond what numbers hold": { push: { channel: "general", pub: { offset: 1e300, data: {} } } },
  "a prototype's name as a channel": { push: { channel: "__proto__", pub: { data: { type: "message.new", message: {} } } } },
  "an unsubscribe of nothing": { push: { channel: "nowhere", unsubscribe: {} } },
  "join, leave and message pushes": { push: { channel: "general", join: { info: {} } } },
})) {
  test(`${what} is passed over`, async (t) => {
    const { server, client, chat, say } = await chatting(t);
    const timeline = chat.timeline("general");
    await until(() => timeline.state === "ready");
    server.socket.say(object);
    say(message(1));
    await until(() => timeline.messages.length === 1);
    assert.equal(server.connects.length, 1);
    assert.equal(client.state, "connected");
  });
}

const ODD = [null, 5, "text", [], {}, { id: 5 }, { id: null, channel_id: {} }, { user: 5 }, { user: { id: {} } }, { parent_message_id: 7, reply_count: "x" }];
const TYPES = ["message.new", "message.updated", "message.deleted", "thread.reply", "thread.updated", "reaction.updated", "read.changed", "unread.changed",
  "invitation.received", "invitation.accepted", "invitation.declined", "invitation.cancelled", "channel.created", "channel.updated",
  "channel.deleted", "channel.frozen", "channel.unfrozen", "channel.hidden", "channel.unhidden", "channel.history_reset", "member.joined",
  "member.left", "member.banned", "member.unbanned", "member.muted", "member.unmuted", "operator.added", "operator.removed", "user.updated",
  "presence.changed", "typing.started", "typing.stopped", "something.new", "constructor", "__proto__", "toString"];
const NOUNS = ["message", "thread", "reaction", "read", "unread", "invitation", "channel", "member", "user", "presence", "typing"];

test("events with odd payloads, of every type: what comes after them is heard as ever", async (t) => {
  const { chat, client, server, say } = await chatting(t);
  const timeline = chat.timeline("general");
  const thread = chat.thread("general", "m1");
  const members = chat.members("general");
  await chat.threads.load();
  await until(() => timeline.state === "ready" && members.state === "ready");
  let heard = 0;
  chat.on("event", () => { heard += 1; });
  let told = 0;
  for (const type of TYPES) {
    for (const odd of ODD) {
      for (const room of ["general", "#ann"]) {
        say({ type, at: 1, by: "bob", ...Object.fromEntries(NOUNS.map((noun) => [noun, odd])), message_id: odd, channel_id: room === "#ann" ? "general" : undefined }, room);
        told += 1;
      }
    }
  }
  await until(() => heard === told);
  say(message(1_000));
  await until(() => timeline.get("m1000"));
  assert.equal(client.state, "connected");
  assert.equal(server.connects.length, 1);
  assert.deepEqual(timeline.messages.map(({ id }) => id), ["m1000"]);
  assert.equal(thread.messages.length, 0);
  assert.equal({}.nickname, undefined);
});

test("publications that are no events are passed over", async (t) => {
  const { chat, say, errors } = await chatting(t);
  const timeline = chat.timeline("general");
  await until(() => timeline.state === "ready");
  for (const data of [null, 5, "message.new", [], {}, { type: 5 }]) say(data);
  say(message(100));
  await until(() => timeline.messages.length === 1);
  assert.deepEqual(errors, []);
});

test("answers that lack what they should hold are failures, and can be asked for again", async (t) => {
  let answers = {};
  const { chat } = await chatting(t, {
    commanded: (socket, { id, rpc }) => socket.say({ id, rpc: { data: answers[rpc?.method] } }),
  });
  assert.equal(chat.channels.state, "failed");
  const timeline = chat.timeline("general");
  const members = chat.members("general");
  await until(() => timeline.state === "failed" && members.state === "failed");
  answers = ANSWERS;
  await Promise.all([chat.channels.reload(), timeline.reload(), members.reload()]);
  assert.deepEqual([chat.channels.state, timeline.state, members.state], ["ready", "ready", "ready"]);
});

test("fields that nobody knows are kept and hurt nobody", async (t) => {
  const { chat, say } = await chatting(t);
  const timeline = chat.timeline("general");
  await until(() => timeline.state === "ready");
  say({ ...message(1, { mood: "good" }), weather: { rain: true } });
  await until(() => timeline.messages.length === 1);
  assert.equal(timeline.messages[0].mood, "good");
});

test("a server that ends each connection at once is not asked without end", async (t) => {
  const { server, client } = await chatting(t);
  server.behaviour.connected = (socket, { id }) => { socket.say({ id, connect: SIGNED_IN }); socket.close(3000); };
  const delays = [];
  client.on("state", ({ retryAt }) => { if (retryAt) delays.push(retryAt - Date.now()); });
  server.socket.terminate();
  await until(() => delays.length === 6);
  assert.ok(delays.at(-1) >= 95, `the delays do not grow: ${delays}`);
});

test("a listener that throws keeps nobody else from hearing", async (t) => {
  const { chat, say } = await chatting(t);
  const thrown = [];
  // The test runner would take it for a failure of the test.
  const runners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => thrown.push(error.message));
  t.after(() => {
    process.removeAllListeners("uncaughtException");
    for (const listener of runners) process.on("uncaughtException", listener);
  });
  chat.on("event", () => { throw new Error("a page's mistake"); });
  const heard = [];
  chat.on("event", ({ event }) => heard.push(event.type));
  say(message(1));
  await until(() => heard.length === 1 && thrown.length === 1);
  assert.deepEqual(thrown, ["a page's mistake"]);
});
