// After any operations, in any order: what the library counts is what the server counts.

import assert from "node:assert/strict";
import test from "node:test";
import { name, person, Server, until } from "./support.mjs";

const server = Server.shared;
const STEPS = 120;

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let value = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const seeds = process.env.BELFRY_SEED ? [Number(process.env.BELFRY_SEED)] : [1, 2, 3, 4];

for (const seed of seeds) {
  test(`unread numbers are the server's after random operations (seed ${seed})`, async (t) => {
    const random = randomFrom(seed);
    const pick = (items) => items[Math.floor(random() * items.length)];
    const [annID, bobID] = [name("ann"), name("bob")];
    const bob = await person(server, bobID);
    t.after(() => bob.close());
    const as = (user, method, data) => server.as(user, method, data).catch(() => undefined);
    const channels = [name("a"), name("b"), name("c")];
    for (const id of channels) await server.as(annID, "channel.create", { id, user_ids: [bobID], operator_user_ids: [annID] });
    const opened = channels.slice(0, 2).map((id) => bob.timeline(id));
    const sent = Object.fromEntries(channels.map((id) => [id, []]));

    async function step() {
      const id = pick(channels);
      const messages = sent[id];
      const author = pick([annID, annID, bobID]);
      switch (pick(["send", "send", "send", "send", "mention", "reply", "alone", "delete", "update", "read", "readTo", "unread", "all", "reset", "hide", "leave", "drop", "thread"])) {
        case "send": return messages.push((await as(author, "message.send", { channel_id: id, text: "hi" }))?.message);
        case "mention": return messages.push((await as(author, "message.send", { channel_id: id, text: "hi", mention_type: "users", mentioned_user_ids: [bobID] }))?.message);
        case "reply": case "alone": {
          const parent = pick(messages);
          const reply = parent && await as(author, "message.send", {
            channel_id: id, text: "re", parent_message_id: parent.id, reply_to_channel: random() < 0.5,
          });
          return messages.push(reply?.message);
        }
        case "delete": {
          const message = pick(messages);
          return message && as(annID, "message.delete", { channel_id: id, message_id: message.id });
        }
        case "update": {
          const message = pick(messages);
          return message && as(annID, "message.update", {
            channel_id: id, message_id: message.id, text: `${random()}`, mention_type: "users", mentioned_user_ids: random() < 0.5 ? [bobID] : [],
          });
        }
        case "read": return bob.markRead(id).catch(() => {});
        case "readTo": {
          const message = pick(messages);
          return message && bob.markRead(id, message.id).catch(() => {});
        }
        case "unread": {
          const message = pick(messages);
          return message && bob.markUnread(id, message.id).catch(() => {});
        }
        case "all": return random() < 0.3 && bob.markAllRead().catch(() => {});
        case "reset": return random() < 0.3 && bob.rpc("channel.reset_history", { channel_id: id }).catch(() => {});
        case "hide": return bob.hide(id, { hide_previous_messages: random() < 0.3, allow_auto_unhide: random() < 0.5 }).catch(() => {});
        case "leave":
          if (random() < 0.5) return undefined;
          await bob.leave(id).catch(() => {});
          return as(annID, "channel.invite", { channel_id: id, user_ids: [bobID] });
        // The connection breaks; what happens meanwhile has to be recovered.
        case "drop": return bob.breakOff();
        case "thread": {
          const message = pick(messages);
          return message && bob.markThreadRead(id, message.id).catch(() => {});
        }
      }
    }

    for (let count = 0; count < STEPS; count += 1) {
      await step();
      for (const id of channels) sent[id] = sent[id].filter(Boolean);
    }

    const shown = () => channels.map((id) => {
      const { unread_count, unread_mention_count, first_unread_message_id, last_read, hidden_state } = bob.channel(id).value?.my ?? {};
      return { id, unread_count, unread_mention_count, first_unread_message_id, offset: last_read?.offset, hidden_state };
    });
    const told = async () => {
      const all = [];
      for (const id of channels) {
        const { my } = (await server.as(bobID, "channel.get", { channel_id: id })).channel;
        const { unread_count, unread_mention_count, first_unread_message_id, last_read, hidden_state } = my;
        all.push({ id, unread_count, unread_mention_count, first_unread_message_id, offset: last_read.offset, hidden_state });
      }
      return all;
    };
    const expected = await told();
    await until(() => JSON.stringify(shown()) === JSON.stringify(expected)).catch(() => assert.deepEqual(shown(), expected));
    // The library does not count threads.
    const { unread: { unread_thread_count: threads, unread_reply_count: replies, ...unread } } = await server.as(bobID, "read.counts");
    assert.ok(replies >= threads && threads >= 0);
    await until(() => JSON.stringify(Object.entries(bob.totals).sort()) === JSON.stringify(Object.entries(unread).sort()))
      .catch(() => assert.deepEqual(bob.totals, unread));
    for (const timeline of opened) {
      const { messages } = await server.as(bobID, "message.list", {
        channel_id: timeline.channelId, at: Number.MAX_SAFE_INTEGER, previous: 100, next: 0, replies: "only_reply_to_channel", include_thread: true,
      });
      const view = ({ id, text, thread }) => `${id} ${text} ${thread?.reply_count ?? 0}`;
      const listed = () => messages.map(view).slice(timeline.hasPrevious ? -timeline.messages.length : 0);
      const seen = () => timeline.messages.map(view);
      await until(() => timeline.messages.length > 0 === messages.length > 0 && seen().join() === listed().join())
        .catch(() => assert.deepEqual(seen(), listed()));
    }
  });
}
