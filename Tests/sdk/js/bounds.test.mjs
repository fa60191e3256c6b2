// Nothing that is held grows without end, and no event costs a pass over what is held.

import assert from "node:assert/strict";
import test from "node:test";
import { Chat } from "../../../Sources/Server/Page/web/belfry.js";
import { Emitter } from "../../../Sources/Server/Page/web/belfry/emitter.js";
import { MessageWindow } from "../../../Sources/Server/Page/web/belfry/message-window.js";
import { SortedList } from "../../../Sources/Server/Page/web/belfry/sorted-list.js";
import { until } from "./support.mjs";

const BOB = { id: "bob", nickname: "Bob" };
const MY = { state: "joined", role: "member", joined_at: 1, unread_count: 0, unread_mention_count: 0, last_read: { offset: 0 } };
const channel = (id) => ({
  id, name: id, is_public: false, is_distinct: false, is_super: false, is_frozen: false, is_ephemeral: false, created_at: 1,
  member_count: 2, joined_member_count: 200, my: MY,
});
const message = (offset) => ({ id: `m${offset}`, channel_id: "general", kind: "text", text: `text ${offset}`, offset, created_at: offset, user: BOB });

/** A channel of as many messages as wanted, and no server. */
class Endless extends Emitter {
  url = "ws://127.0.0.1:1/";
  state = "connected";
  channels = [channel("general")];
  newest = 0;
  lists = 0;
  async rpc(method, data) {
    switch (method) {
      case "channel.list": {
        const from = Number(data.next ?? 0);
        const next = from + 100 < this.channels.length ? String(from + 100) : undefined;
        return { channels: this.channels.slice(from, from + 100), next };
      }
      case "channel.get": return { channel: this.channels.find(({ id }) => id === data.channel_id) };
      case "message.list": return this.#list(data);
      case "emoji.list": return { emojis: [], hash: "h" };
      case "read.counts": return { unread: { unread_count: 7, unread_mention_count: 0, unread_channel_count: 7 } };
      case "message.send": return new Promise(() => {});
      default: return {};
    }
  }
  #list({ message_id, previous = 0, next = 0, inclusive }) {
    this.lists += 1;
    const anchor = message_id ? Number(message_id.slice(1)) : this.newest + 1;
    const from = Math.max(1, anchor - previous);
    const to = Math.min(this.newest, anchor + next);
    const messages = [];
    for (let offset = from; offset <= to; offset += 1) if (offset !== anchor || inclusive) messages.push(message(offset));
    return { messages, has_previous: from > 1, has_next: to < this.newest };
  }
  begin() {
    const unread = { unread_count: 0, unread_mention_count: 0, unread_channel_count: 0 };
    this.emit("connected", { data: { user: { id: "ann", nickname: "Ann" }, unread } });
    this.emit("caughtup");
  }
  hear(data, room = "general") {
    this.emit("publication", { channel: room, offset: data.message?.offset, data: { at: 1, by: "bob", ...data }, recovered: false });
  }
}

async function endless(t, options = {}) {
  const client = Object.assign(new Endless(), options);
  const chat = new Chat(client);
  chat.on("error", (error) => { throw error; });
  t.after(() => chat.close());
  client.begin();
  await until(() => chat.channels.state === "ready");
  return { client, chat };
}

/** ms that it takes, in the best of some rounds: the machine may be busy. */
function best(work, rounds = 5) {
  let shortest = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const begin = performance.now();
    work(round);
    shortest = Math.min(shortest, performance.now() - begin);
  }
  return shortest;
}

test("10,000 messages in one timeline: an event costs what it costs among 100", async (t) => {
  const cost = async (size) => {
    const { client, chat } = await endless(t, { newest: size });
    const timeline = chat.timeline("general", { size: 100 });
    await until(() => timeline.state === "ready");
    while (timeline.hasPrevious) await timeline.loadPrevious();
    assert.equal(timeline.messages.length, size);
    let offset = size;
    let updates = 0;
    return best(() => {
      for (let count = 0; count < 300; count += 1) {
        client.hear({ type: "message.new", message: message(offset += 1) });
        client.hear({ type: "message.updated", message: { ...message(1 + (count % 90)), updated_at: (updates += 1) } });
        client.hear({ type: "reaction.updated", reaction: { message_id: `m${1 + (count % 90)}`, key: "sob", operation: "add", user_id: "bob", count: 1, updated_at: (updates += 1) } });
        assert.equal(timeline.indexOf(`m${50 + (count % 40)}`), 49 + (count % 40));
      }
    }, 6);
  };
  const [few, many] = [await cost(100), await cost(10_000)];
  // A pass over 10,000 for each of 1,200 would be hundreds of times as much.
  assert.ok(many < Math.max(few * 8, 60), `${many} ms among 10,000, ${few} ms among 100`);
});

test("a timeline drops its far end when it has grown too long, in either direction", async (t) => {
  const { client, chat } = await endless(t, { newest: 12_000 });
  const timeline = chat.timeline("general", { size: 100 });
  await until(() => timeline.state === "ready");
  for (let loads = 0; loads < 119; loads += 1) await timeline.loadPrevious();
  assert.deepEqual([timeline.messages.length, timeline.hasPrevious], [12_000, false]);
  for (let offset = 12_001; offset <= 13_001; offset += 1) client.hear({ type: "message.new", message: message(offset) });
  assert.equal(timeline.messages.length, 12_000);
  assert.deepEqual([timeline.messages[0].id, timeline.messages.at(-1).id, timeline.hasPrevious], ["m1002", "m13001", true]);
  client.newest = 13_001;
  await timeline.loadPrevious();
  assert.deepEqual([timeline.messages[0].id, timeline.messages.length, timeline.hasNext], ["m902", 12_000, true]);
  // It does not reach to now any more: what arrives would stand behind a gap.
  client.newest += 1;
  client.hear({ type: "message.new", message: message(client.newest) });
  assert.equal(timeline.messages.at(-1).id, "m12901");
  while (timeline.hasNext) await timeline.loadNext();
  assert.equal(timeline.messages.at(-1).id, "m13002");
  assert.ok(timeline.messages.length <= 13_000);
  assert.ok(timeline.messages.every(({ offset }, index, all) => index === 0 || offset === all[index - 1].offset + 1));
});

test("after something was missed at most the last thousand are fetched again", async (t) => {
  const { client, chat } = await endless(t, { newest: 5_000 });
  const timeline = chat.timeline("general", { size: 100 });
  await until(() => timeline.state === "ready");
  while (timeline.messages.length < 4_000) await timeline.loadPrevious();
  client.newest = 5_010;
  client.lists = 0;
  await timeline.reload();
  assert.deepEqual([timeline.messages[0].id, timeline.messages.at(-1).id, timeline.hasPrevious, timeline.hasNext], ["m4001", "m5010", true, false]);
  assert.equal(client.lists, 11);
  // Far more was missed than was shown: the newest, and the way back to the rest.
  client.newest = 50_000;
  await timeline.reload();
  assert.deepEqual([timeline.messages.at(-1).id, timeline.messages.length, timeline.hasPrevious], ["m50000", 100, true]);
});

test("a closed timeline hears nothing and is held by nobody", async (t) => {
  const { client, chat } = await endless(t, { newest: 10 });
  const timeline = chat.timeline("general");
  await until(() => timeline.state === "ready");
  timeline.close();
  client.hear({ type: "message.new", message: message(11) });
  assert.equal(timeline.messages.length, 10);
});

test("at most a hundred messages wait to be sent", async (t) => {
  const { chat } = await endless(t);
  for (let count = 0; count < 100; count += 1) chat.send("general", { text: `${count}` }).catch(() => {});
  await assert.rejects(chat.send("general", { text: "one more" }), { message: "too many messages wait" });
});

test("2,000 channels: the first 500 at once, the rest when asked; one that is not loaded comes up with its message", async (t) => {
  const { client, chat } = await endless(t, { channels: Array.from({ length: 2_000 }, (_, number) => channel(`c${String(number).padStart(4, "0")}`)) });
  assert.deepEqual([chat.channels.items.length, chat.channels.hasMore], [500, true]);
  const last_message = { ...message(5), channel_id: "c1900" };
  client.channels[1_900] = { ...client.channels[1_900], last_message, my: { ...MY, unread_count: 1, first_unread_message_id: "m5" } };
  client.hear({ type: "message.new", message: last_message }, "c1900");
  await until(() => chat.channels.items[0].id === "c1900");
  assert.equal(chat.channels.items[0].last_message.id, "m5");
  // While not all are here, the server is asked for the sum.
  await until(() => chat.totals.unread_count === 7);
  await chat.channels.loadMore();
  assert.equal(chat.channels.items.length, 601);
  while (chat.channels.hasMore) await chat.channels.loadMore();
  assert.equal(chat.channels.items.length, 2_000);
  assert.equal(chat.totals.unread_count, 1);
});

test("the sorted list is what sorting says, after any changes", () => {
  const list = new SortedList((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1), ({ id }) => id);
  const truth = new Map();
  for (let count = 0; count < 2_000; count += 1) {
    const id = String((count * 7919) % 97);
    if (count % 5 === 0) assert.equal(list.remove(id), truth.delete(id));
    else {
      const item = { id, at: (count * 31) % 13 };
      list.put(item);
      truth.set(id, item);
    }
    assert.equal(list.size, truth.size);
  }
  assert.deepEqual(list.items, [...truth.values()].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)));
});

test("the window of messages is what its offsets say, after any changes", () => {
  const window = new MessageWindow();
  const truth = new Map();
  window.setLocal([{ id: "local", key: "local" }]);
  for (let count = 0; count < 3_000; count += 1) {
    const offset = 1 + ((count * 7919) % 211);
    const id = `m${offset}`;
    if (count % 4 === 0) {
      window.remove(id);
      truth.delete(offset);
    } else {
      window.put({ ...message(offset), parent_message_id: offset % 3 === 0 ? "m1" : undefined });
      truth.set(offset, id);
    }
    if (count === 2_000) {
      const first = [...truth.keys()].sort((a, b) => a - b).slice(0, 20);
      window.dropFirst(20);
      for (const each of first) truth.delete(each);
    }
  }
  const expected = [...truth.keys()].sort((a, b) => a - b).map((offset) => `m${offset}`);
  assert.deepEqual(window.list.map(({ id }) => id), [...expected, "local"]);
  assert.deepEqual(expected.map((id) => window.indexOf(id)), expected.map((_, index) => index));
  assert.deepEqual([window.indexOf("local"), window.indexOf("nothing")], [expected.length, -1]);
  assert.deepEqual([...window.quoting("m1")].sort(), expected.filter((id) => Number(id.slice(1)) % 3 === 0).sort());
});
