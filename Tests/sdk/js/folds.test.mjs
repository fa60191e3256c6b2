// What each event of the protocol's table does to what is shown: once, and the same when it is heard twice.

import assert from "node:assert/strict";
import test from "node:test";
import { Chat } from "../../../Sources/Server/Page/web/belfry.js";
import { Emitter } from "../../../Sources/Server/Page/web/belfry/emitter.js";
import { FOLDS } from "../../../Sources/Server/Page/web/belfry/folds.js";
import { RPCError } from "../../../Sources/Server/Page/web/belfry/rpc-error.js";
import { Server, until } from "./support.mjs";

const ANN = { id: "ann", nickname: "Ann" };
const BOB = { id: "bob", nickname: "Bob" };
const CARL = { id: "carl", nickname: "Carl" };
const CHANNEL = {
  id: "general", name: "General", is_public: false, is_distinct: false, is_super: false, is_frozen: false, is_ephemeral: false,
  created_at: 1, member_count: 2, joined_member_count: 2,
};
const MY = { state: "joined", role: "member", joined_at: 1, unread_count: 0, unread_mention_count: 0, last_read: { offset: 2 }, hidden_state: "unhidden" };
const message = (offset, fields = {}) => ({
  id: `m${offset}`, channel_id: "general", kind: "text", text: `text ${offset}`, offset, created_at: offset, user: BOB, ...fields,
});
const reply = (offset, fields = {}) => message(offset, {
  parent_message_id: "m1", reply_to_channel: true, parent: { id: "m1", state: "ok", kind: "text", text: "text 1", user: ANN }, ...fields,
});
const thread = (fields = {}) => ({ channel_id: "general", parent_message_id: "m1", reply_count: 1, most_replied_users: [BOB], last_reply_at: 5, ...fields });

/** A client that has no server: its answers are the test's. */
class Pretended extends Emitter {
  url = "ws://127.0.0.1:1/";
  state = "connected";
  asked = [];
  answers = {
    "channel.list": () => ({ channels: [{ ...CHANNEL, my: MY, last_message: message(2) }] }),
    "channel.get": ({ channel_id }) => ({ channel: { ...CHANNEL, id: channel_id, my: MY, last_message: message(2) } }),
    "message.list": () => ({ messages: [message(1, { user: ANN }), message(2)], has_previous: false, has_next: false }),
    "member.list": () => ({ members: [ANN, BOB].map((user) => ({ user, role: "member", state: "joined", online: true })) }),
    "thread.replies": () => ({ parent: message(1, { user: ANN }), replies: [], has_previous: false, has_next: false }),
    "thread.get": () => { throw new RPCError({ code: 1000, message: "not found" }); },
    "thread.list": () => ({ threads: [] }),
    "emoji.list": () => ({ emojis: [], hash: "h" }),
  };
  async rpc(method, data) {
    this.asked.push(method);
    return this.answers[method]?.(data) ?? {};
  }
  async token() { return "token"; }
  begin(subs = ["#ann", "general"]) {
    this.emit("connected", { data: { user: ANN, settings: {}, unread: { unread_count: 0, unread_mention_count: 0, unread_channel_count: 0 } } });
    for (const channel of subs) this.emit("subscribed", { channel, recovered: false, wasRecovering: false });
    this.emit("caughtup");
  }
}

/** @param {Error[]} [errors] takes what would otherwise fail the test */
async function folding(t, answers = {}, errors = undefined) {
  const client = new Pretended();
  Object.assign(client.answers, answers);
  const chat = new Chat(client);
  chat.on("error", (error) => {
    if (!errors) throw error;
    errors.push(error.message);
  });
  t.after(() => chat.close());
  client.begin();
  const timeline = chat.timeline("general");
  const open = chat.thread("general", "m1");
  const members = chat.members("general");
  await chat.threads.load();
  await until(() => [chat.channels, timeline, open, members].every(({ state }) => state === "ready"));
  // All that was asked is answered.
  await new Promise((resolve) => setImmediate(resolve));
  let offset = 10;
  const hear = (data, channel = "general", { recovered = false } = {}) => {
    client.emit("publication", { channel, offset: (offset += 1), data: { at: offset, by: "bob", ...data }, recovered });
  };
  return { client, chat, timeline, thread: open, members, hear, channel: chat.channel("general"), my: () => chat.channel("general").value.my };
}

const ids = (list) => list.messages.map(({ id }) => id).join();

/** An event, where it is heard, and what it comes to. */
const CASES = {
  "message.new": [{ message: message(3) }, ({ timeline, my, channel, chat }) => {
    assert.equal(ids(timeline), "m1,m2,m3");
    assert.deepEqual([my().unread_count, my().first_unread_message_id, channel.value.last_message.id], [1, "m3", "m3"]);
    assert.equal(chat.totals.unread_count, 1);
  }],
  "message.updated": [{ message: message(2, { text: "changed", updated_at: 9 }) }, ({ timeline, channel }) => {
    assert.equal(timeline.get("m2").text, "changed");
    assert.equal(channel.value.last_message.text, "changed");
  }],
  "message.deleted": [{ channel_id: "general", message_id: "m2" }, ({ timeline }) => assert.equal(ids(timeline), "m1")],
  "thread.reply": [{ message: reply(3), thread: thread() }, ({ timeline, thread, my }) => {
    assert.equal(ids(timeline), "m1,m2,m3");
    assert.equal(ids(thread), "m3");
    assert.equal(timeline.get("m1").thread.reply_count, 1);
    assert.equal(thread.thread.reply_count, 1);
    assert.equal(my().unread_count, 1);
  }],
  "thread.updated": [{ thread: thread({ title: "Title" }) }, ({ timeline, thread }) => {
    assert.equal(timeline.get("m1").thread.title, "Title");
    assert.equal(thread.thread.title, "Title");
  }],
  "reaction.updated": [{ reaction: { message_id: "m1", key: "sob", operation: "add", user_id: "ann", count: 1, updated_at: 9 } }, ({ timeline, thread }) => {
    const expected = [{ key: "sob", count: 1, mine: true, user_ids: ["ann"], updated_at: 9 }];
    assert.deepEqual(timeline.get("m1").reactions, expected);
    assert.deepEqual(thread.parent.reactions, expected);
  }],
  "read.changed": ["#ann", { read: { user_id: "ann", channel_id: "general", last_read: { offset: 1 }, unread_count: 1, unread_mention_count: 0, first_unread_message_id: "m2" } },
    ({ my, chat }) => {
      assert.deepEqual([my().last_read.offset, my().unread_count, my().first_unread_message_id], [1, 1, "m2"]);
      assert.equal(chat.totals.unread_count, 1);
    }],
  "read.changed, as a receipt": [{ read: { user_id: "bob", channel_id: "general", last_read: { offset: 2 } } }, ({ channel, my }) => {
    assert.equal(channel.receipts.get("bob"), 2);
    assert.equal(channel.readCount(message(1, { user: ANN })), 1);
    assert.equal(my().unread_count, 0);
  }],
  "read.changed, of a thread": ["#ann", { read: { user_id: "ann", channel_id: "general", parent_message_id: "m1", last_read: { offset: 2 }, unread_count: 3 } },
    ({ thread, my }) => {
      assert.equal(thread.thread.unread_count, 3);
      assert.equal(my().unread_count, 0);
    }],
  "unread.changed": ["#ann", { unread: { channel_id: "general", marked_from: "m2", unread_count: 1, totals: { unread_count: 1, unread_mention_count: 0, unread_channel_count: 1 } } },
    ({ timeline }) => assert.deepEqual([timeline.firstUnreadId, timeline.unreadCount], ["m2", 1])],
  "invitation.received": ["#ann", { channel_id: "secret", invitation: { channel: { ...CHANNEL, id: "secret" }, inviter: BOB, invitee: ANN, at: 8 } }, ({ chat }) => {
    assert.deepEqual(chat.channels.invited.items.map(({ id, my, invitation }) => [id, my.state, invitation.inviter.id]), [["secret", "invited", "bob"]]);
  }],
  "invitation.received, by another": [{ channel_id: "general", invitation: { channel: { ...CHANNEL, member_count: 3 }, inviter: BOB, invitee: CARL, at: 8 } }, ({ channel, members }) => {
    assert.equal(channel.value.member_count, 3);
    assert.equal(members.get("carl").state, "invited");
  }],
  "invitation.accepted": [{ channel_id: "general", invitation: { channel: { ...CHANNEL, joined_member_count: 3 }, inviter: BOB, invitee: CARL, at: 8 } }, ({ channel }) => {
    assert.equal(channel.value.joined_member_count, 3);
  }],
  "invitation.declined": [{ channel_id: "general", invitation: { channel: { ...CHANNEL, member_count: 1 }, inviter: BOB, invitee: CARL, at: 8 } }, ({ channel, members }) => {
    assert.equal(channel.value.member_count, 1);
    assert.equal(members.get("carl"), undefined);
  }],
  "invitation.cancelled": [{ channel_id: "general", invitation: { channel: { ...CHANNEL, member_count: 1 }, invitee: CARL, at: 8 } }, ({ members }) => assert.equal(members.get("carl"), undefined)],
  "channel.created": ["other", { channel: { ...CHANNEL, id: "other" } }, async ({ chat }) => until(() => chat.channels.items.some(({ id }) => id === "other"))],
  "channel.updated": [{ channel: { ...CHANNEL, name: "Renamed", data: "{}" } }, ({ channel }) => {
    assert.deepEqual([channel.value.name, channel.value.data, channel.value.my.state, channel.value.last_message.id], ["Renamed", "{}", "joined", "m2"]);
  }],
  "channel.frozen": [{ channel: { ...CHANNEL, is_frozen: true } }, ({ channel }) => assert.equal(channel.value.is_frozen, true)],
  "channel.unfrozen": [{ channel: CHANNEL }, ({ channel }) => assert.equal(channel.value.is_frozen, false)],
  "channel.deleted": [{ channel: CHANNEL }, ({ channel, chat }) => {
    assert.deepEqual([channel.state, channel.isDeleted, chat.channels.items.length], ["gone", true, 0]);
  }],
  "channel.hidden": ["#ann", { channel: { ...CHANNEL, my: { ...MY, hidden_state: "hidden_allow_auto_unhide" } } }, ({ chat }) => {
    assert.deepEqual([chat.channels.items.length, chat.channels.hidden.items.map(({ id }) => id).join()], [0, "general"]);
  }],
  "channel.unhidden": ["#ann", { channel: { ...CHANNEL, my: MY } }, ({ chat }) => {
    assert.deepEqual([chat.channels.items.map(({ id }) => id).join(), chat.channels.hidden.items.length], ["general", 0]);
  }],
  "channel.history_reset": ["#ann", { channel: { ...CHANNEL, my: MY } }, async ({ client, timeline }) => {
    await until(() => client.asked.filter((method) => method === "message.list").length >= 2);
    await until(() => timeline.state === "ready");
  }],
  "member.joined": [{ channel_id: "general", member: { user: CARL, role: "member", state: "joined" } }, ({ members, chat }) => {
    assert.equal(members.get("carl").state, "joined");
    assert.equal(chat.user("carl").nickname, "Carl");
  }],
  "member.left": [{ channel_id: "general", member: { user: BOB, role: "member", state: "none" } }, ({ members }) => assert.equal(members.get("bob"), undefined)],
  "member.left, oneself": ["#ann", { channel_id: "general", member: { user: ANN, role: "member", state: "none" } }, ({ chat, channel }) => {
    assert.deepEqual([channel.state, chat.channels.items.length], ["gone", 0]);
  }],
  "member.banned": ["#ann", { channel_id: "general", member: { user: ANN, role: "member", state: "none" } }, ({ chat, channel }) => {
    assert.deepEqual([channel.state, channel.isDeleted, chat.channels.items.length], ["gone", false, 0]);
  }],
  "member.unbanned": [{ channel_id: "general", member: { user: CARL, role: "member", state: "none" } }, ({ members }) => assert.equal(members.get("carl"), undefined)],
  "member.muted": [{ channel_id: "general", member: { user: ANN, role: "member", state: "joined", muted_until: 99 } }, ({ my, members }) => {
    assert.deepEqual([my().muted_until, members.get("ann").muted_until, members.get("ann").online], [99, 99, true]);
  }],
  "member.unmuted": [{ channel_id: "general", member: { user: ANN, role: "member", state: "joined" } }, ({ my, members }) => {
    assert.deepEqual(["muted_until" in my(), members.get("ann").muted_until], [false, undefined]);
  }],
  "operator.added": [{ channel_id: "general", member: { user: ANN, role: "operator", state: "joined" } }, ({ my, members }) => {
    assert.deepEqual([my().role, members.get("ann").role], ["operator", "operator"]);
  }],
  "operator.removed": [{ channel_id: "general", member: { user: ANN, role: "member", state: "joined" } }, ({ my }) => assert.equal(my().role, "member")],
  "block.changed": ["#ann", { block: { user: BOB, is_blocked: true } }, ({ chat }) => assert.deepEqual(chat.blocked.items.map(({ user }) => user.id), ["bob"])],
  "user.muted": ["#ann", { sanction: { user: ANN, until: 99 } }, ({ my }) => assert.equal(my().muted_until, 99)],
  "user.unmuted": ["#ann", { user: ANN }, async ({ client }) => {
    await until(() => client.asked.filter((method) => method === "channel.list").length >= 2);
  }],
  "user.banned": ["#ann", { sanction: { user: ANN, until: 99 } }, ({ chat }) => assert.equal(chat.channels.items.length, 1)],
  "user.unbanned": ["#ann", { user: ANN }, ({ chat }) => assert.equal(chat.channels.items.length, 1)],
  "user.updated": [{ user: { id: "bob", nickname: "Robert", is_active: true } }, async ({ chat, members }) => {
    assert.deepEqual([chat.user("bob").nickname, chat.user("bob").online], ["Robert", true]);
    await until(() => members.get("bob").user.nickname === "Robert");
  }],
  "presence.changed": [{ presence: { user_id: "bob", online: false, last_seen_at: 7 } }, async ({ chat, members }) => {
    assert.deepEqual([chat.user("bob").online, chat.user("bob").last_seen_at], [false, 7]);
    await until(() => members.get("bob").online === false);
  }],
  "typing.started": [{ typing: { channel_id: "general", user: BOB, expires_at: 10_000 } }, ({ channel }) => assert.deepEqual(channel.typing.map(({ id }) => id), ["bob"])],
  "typing.stopped": [{ typing: { channel_id: "general", user: BOB } }, ({ channel }) => assert.deepEqual(channel.typing, [])],
};

for (const [name, [room, data, check]] of Object.entries(CASES).map(([name, each]) => [name, each.length === 2 ? ["general", ...each] : each])) {
  const type = name.split(",")[0];
  test(`${name} is folded, and the same when it is heard twice`, async (t) => {
    const all = await folding(t);
    all.hear({ type, ...data }, room);
    await check(all);
    all.hear({ type, ...data }, room);
    await check(all);
  });
}

test("every type of the server's catalogue has its fold, and its case here", async () => {
  const all = (await (await fetch(`${Server.shared.origin}/asyncapi.json`)).json()).components.schemas.EventType.enum;
  // Only webhooks get reports.
  const types = all.filter((type) => !type.startsWith("report."));
  assert.ok(types.length >= 32);
  assert.deepEqual(Object.keys(FOLDS).sort(), [...types].sort());
  assert.deepEqual([...new Set(Object.keys(CASES).map((name) => name.split(",")[0]))].sort(), [...types].sort());
});

test("what happens while a page is on its way is folded over it", async (t) => {
  const gates = [];
  const { client, hear, timeline } = await folding(t);
  client.answers["message.list"] = () => new Promise((resolve) => gates.push(resolve));
  const reloading = timeline.reload();
  hear({ type: "message.new", message: message(3) });
  hear({ type: "message.deleted", channel_id: "general", message_id: "m2" });
  hear({ type: "message.updated", message: message(1, { user: ANN, text: "changed", updated_at: 9 }) });
  hear({ type: "reaction.updated", reaction: { message_id: "m1", key: "sob", operation: "add", user_id: "bob", count: 1, updated_at: 9 } });
  // As it was before all that.
  await until(() => gates.length === 1);
  gates[0]({ messages: [message(1, { user: ANN }), message(2)], has_previous: false, has_next: false });
  await reloading;
  assert.equal(ids(timeline), "m1,m3");
  assert.deepEqual([timeline.get("m1").text, timeline.get("m1").reactions[0].count], ["changed", 1]);
});

test("a page that is late and one that was asked for after it: the later one counts", async (t) => {
  const gates = [];
  const { client, timeline } = await folding(t);
  client.answers["message.list"] = () => new Promise((resolve) => gates.push(resolve));
  const loads = [timeline.loadNewest(), timeline.loadNewest()];
  await until(() => gates.length === 2);
  gates[1]({ messages: [message(7)], has_previous: false, has_next: false });
  gates[0]({ messages: [message(1)], has_previous: false, has_next: false });
  await Promise.all(loads);
  assert.equal(ids(timeline), "m7");
});

test("reactions come to the same in any order of different people's", async (t) => {
  const events = [];
  let count = 0;
  for (const [at, user, operation] of [[1, "ann", "add"], [2, "bob", "add"], [3, "ann", "remove"], [4, "carl", "add"], [5, "bob", "remove"], [6, "bob", "add"]]) {
    count += operation === "add" ? 1 : -1;
    events.push({ message_id: "m1", key: "sob", operation, user_id: user, count, updated_at: at });
  }
  const { ReactionFold } = await import("../../../Sources/Server/Page/web/belfry/reactions.js");
  for (const order of permutations(events)) {
    const fold = new ReactionFold();
    const { reactions } = order.reduce((each, change) => fold.apply(each, change, "ann"), message(1));
    assert.deepEqual(reactions.map(({ key, count, mine, user_ids }) => [key, count, mine, [...user_ids].sort()]), [["sob", 2, false, ["bob", "carl"]]]);
  }
});

function permutations(items) {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

test("typing ends by itself, by the server's measure of time and the client's clock", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 5_000_000 });
  const { Typing } = await import("../../../Sources/Server/Page/web/belfry/typing.js");
  let changes = 0;
  const typing = new Typing(() => { changes += 1; });
  typing.started({ user: BOB, expires_at: 110_000 }, 100_000);
  typing.started({ user: CARL, expires_at: 1e15 }, 100_000);
  t.mock.timers.tick(9_000);
  assert.equal(typing.users.length, 2);
  t.mock.timers.tick(1_001);
  assert.deepEqual(typing.users, [CARL]);
  t.mock.timers.tick(5_000);
  assert.deepEqual([typing.users, changes], [[], 4]);
  for (let number = 0; number < 200; number += 1) typing.started({ user: { id: `u${number}` }, expires_at: 110_000 }, 100_000);
  assert.equal(typing.users.length, 100);
  typing.clear();
});

test("changes are told once per turn, however many there are", async (t) => {
  const { hear, timeline, chat } = await folding(t);
  const told = { timeline: 0, channels: 0 };
  timeline.on("change", () => { told.timeline += 1; });
  const off = chat.channels.on("change", () => { told.channels += 1; });
  for (let offset = 3; offset < 103; offset += 1) hear({ type: "message.new", message: message(offset) });
  await null;
  assert.deepEqual(told, { timeline: 1, channels: 1 });
  off();
  hear({ type: "message.new", message: message(103) });
  await null;
  assert.deepEqual(told, { timeline: 2, channels: 1 });
});

test("between the local message and the sent one nobody sees neither, nor both", async (t) => {
  for (const isEventFirst of [true, false]) {
    const all = await folding(t, {
      "message.send": async ({ client_id }) => {
        const sent = message(3, { user: ANN, client_id, text: "hi" });
        if (isEventFirst) all.hear({ type: "message.new", by: "ann", message: sent });
        await null;
        return { message: sent };
      },
    });
    const seen = [];
    all.timeline.on("change", () => seen.push(all.timeline.messages.filter(({ text }) => text === "hi").length));
    await all.chat.send("general", { text: "hi" });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([...new Set(seen)], [1]);
    assert.equal(all.timeline.messages.at(-1).id, "m3");
  }
});

test("a message whose event came is sent, whatever its answer says", async (t) => {
  const { client, chat, hear, timeline } = await folding(t, {
    "message.send": ({ client_id }) => {
      hear({ type: "message.new", by: "ann", message: message(3, { user: ANN, client_id, text: "hi" }) });
      throw new RPCError({ code: 1041, message: "outcome unknown", temporary: true });
    },
  });
  assert.equal((await chat.send("general", { text: "hi" })).id, "m3");
  assert.deepEqual(timeline.messages.map(({ id, local }) => [id, local]), [["m1", undefined], ["m2", undefined], ["m3", undefined]]);
  assert.equal(client.asked.filter((method) => method === "message.send").length, 1);
});

test("events are told by their types, those that nobody knows by `event` alone", async (t) => {
  const { chat, hear } = await folding(t);
  const told = [];
  for (const name of ["event", "message.new", "something.new"]) chat.on(name, ({ channel, offset, event }) => told.push([name, channel, offset, event.type]));
  let changes = 0;
  chat.on("change", () => { changes += 1; });
  hear({ type: "message.new", message: message(3) });
  hear({ type: "something.new" });
  await null;
  const before = changes;
  hear({ type: "change" });
  hear({ type: "error" });
  assert.equal(changes, before);
  assert.deepEqual(told, [
    ["event", "general", 11, "message.new"], ["message.new", "general", 11, "message.new"], ["event", "general", 12, "something.new"],
    ["event", "general", 13, "change"], ["event", "general", 14, "error"],
  ]);
});

test("another user's token does not bring their things into this one's", async (t) => {
  const errors = [];
  const { client, chat } = await folding(t, {}, errors);
  client.disconnect = () => errors.push("disconnected");
  client.emit("connected", { data: { user: BOB, settings: {}, unread: {} } });
  assert.equal(chat.me.id, "ann");
  assert.deepEqual(errors, ["another user: what is shown is the first one's", "disconnected"]);
});

test("a file is asked for once more with another token when the first is over", async () => {
  const { Files } = await import("../../../Sources/Server/Page/web/belfry/files.js");
  const asked = [];
  const client = { url: "ws://host.example/x", token: async ({ fresh }) => (fresh ? "second" : "first") };
  const files = new Files(client, undefined, async (url, { headers }) => {
    asked.push([url, headers.Authorization]);
    return new Response("bytes", { status: asked.length === 1 ? 401 : 200 });
  });
  assert.equal(await (await files.fetch("/v1/files/1/a")).text(), "bytes");
  assert.deepEqual(asked, [["http://host.example/v1/files/1/a", "Bearer first"], ["http://host.example/v1/files/1/a", "Bearer second"]]);
  assert.equal(files.isOwn("https://host.example/x"), false);
});
