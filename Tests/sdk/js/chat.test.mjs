// Two people and a real server: what each sees of what the other does.

import assert from "node:assert/strict";
import test from "node:test";
import { name, person, Server, until } from "./support.mjs";

const server = Server.shared;

/** Two people in a channel of their own, with its timelines. */
async function two(t, data = {}) {
  const [annID, bobID, id] = [name("ann"), name("bob"), name("general")];
  const [ann, bob] = await Promise.all([person(server, annID), person(server, bobID)]);
  t.after(() => (ann.close(), bob.close()));
  await ann.createChannel({ id, name: "General", user_ids: [bobID], operator_user_ids: [annID], ...data });
  const [his, hers] = [bob.timeline(id), ann.timeline(id)];
  await until(() => his.state === "ready" && hers.state === "ready" && bob.channels.items.some((channel) => channel.id === id));
  return { ann, bob, annID, bobID, id, his, hers };
}

const texts = (timeline) => timeline.messages.map(({ text }) => text);

test("who is signed in, the settings and the emojis are known once connected", async () => {
  const id = name("ann");
  const chat = await person(server, id);
  assert.equal(chat.me.id, id);
  assert.equal(chat.settings.reactions, true);
  await until(() => chat.emojis.length === 7);
  assert.deepEqual(chat.totals, { unread_count: 0, unread_mention_count: 0, unread_channel_count: 0 });
});

test("a message is shown at once as being sent, then as sent, under the same key, and arrives", async (t) => {
  const { ann, id, his, hers, annID } = await two(t);
  const sending = ann.send(id, { text: "hello" });
  const local = hers.messages.at(-1);
  assert.deepEqual([local.text, local.local.state, local.user.id, local.offset], ["hello", "sending", annID, undefined]);
  const sent = await sending;
  assert.deepEqual(texts(hers), ["hello"]);
  assert.equal(hers.messages[0].id, sent.id);
  assert.equal(hers.messages[0].key, local.key);
  assert.equal(hers.messages[0].local, undefined);
  await until(() => his.messages.length === 1);
  assert.equal(his.get(sent.id).text, "hello");
  assert.equal(his.indexOf(sent.id), 0);
});

test("what is refused stays as failed, can be discarded, and sent again when it may", async (t) => {
  const { ann, bob, id, his, bobID } = await two(t);
  await ann.rpc("channel.freeze", { channel_id: id });
  await assert.rejects(bob.send(id, { text: "one" }), { code: 1005 });
  await assert.rejects(bob.send(id, { text: "two" }), { code: 1005 });
  assert.deepEqual(his.messages.map(({ text, local }) => [text, local.state, local.error.code]), [["one", "failed", 1005], ["two", "failed", 1005]]);
  his.messages[0].local.discard();
  assert.deepEqual(texts(his), ["two"]);
  await assert.rejects(his.messages[0].local.retry(), { code: 1005 });
  await ann.rpc("channel.unfreeze", { channel_id: id });
  const message = await his.messages[0].local.retry();
  assert.equal(message.user.id, bobID);
  assert.deepEqual(his.messages.map(({ text, local }) => [text, local]), [["two", undefined]]);
});

test("edits and deletions reach everyone, quotes too", async (t) => {
  const { ann, bob, id, his, hers } = await two(t);
  const parent = await ann.send(id, { text: "first" });
  const reply = await bob.send(id, { text: "re", parent_message_id: parent.id });
  await until(() => hers.messages.length === 2);
  assert.equal(hers.messages[1].parent.text, "first");
  await ann.edit(id, parent.id, { text: "second" });
  await until(() => his.messages[0].text === "second" && his.messages[1].parent.text === "second");
  assert.ok(his.messages[0].updated_at);
  assert.equal(his.messages[0].thread.reply_count, 1);
  await assert.rejects(ann.remove(id, parent.id), { code: 1021 });
  await bob.remove(id, reply.id);
  await until(() => hers.messages.length === 1);
  await until(() => !(hers.messages[0].thread?.reply_count > 0));
  await ann.remove(id, parent.id);
  await until(() => his.messages.length === 0);
});

test("a thread: replies, its numbers on the parent, and what of it is unread", async (t) => {
  const { ann, bob, id, hers, annID, bobID } = await two(t);
  const parent = await ann.send(id, { text: "question" });
  const thread = ann.thread(id, parent.id);
  await until(() => thread.state === "ready");
  assert.equal(thread.parent.text, "question");
  await bob.send(id, { text: "in the channel too", parent_message_id: parent.id });
  await bob.send(id, { text: "here alone", parent_message_id: parent.id, reply_to_channel: false });
  await until(() => thread.messages.length === 2 && thread.thread.reply_count === 2);
  assert.deepEqual(texts(thread), ["in the channel too", "here alone"]);
  assert.deepEqual(texts(hers), ["question", "in the channel too"]);
  assert.deepEqual(hers.messages[0].thread.most_replied_users.map((user) => user.id), [bobID]);
  await ann.send(id, { text: "thanks", parent_message_id: parent.id });
  assert.equal(thread.messages.at(-1).user.id, annID);

  const again = ann.thread(id, parent.id);
  await until(() => again.state === "ready" && again.thread?.unread_count !== undefined);
  await ann.markThreadUnread(id, parent.id, again.messages[0].id);
  await until(() => again.thread.unread_count === 2 && thread.thread.unread_count === 2);
  await ann.markThreadRead(id, parent.id);
  await until(() => again.thread.unread_count === 0);
  await bob.send(id, { text: "one more", parent_message_id: parent.id });
  await until(() => again.thread.unread_count === 1);
  await ann.rpc("thread.update", { channel_id: id, parent_message_id: parent.id, title: "A question" });
  await until(() => thread.thread.title === "A question" && hers.messages[0].thread.title === "A question");
  assert.equal(thread.thread.unread_count, 1);
});

test("a thread without replies yet takes the first one in", async (t) => {
  const { ann, bob, id } = await two(t);
  const parent = await ann.send(id, { text: "question" });
  const [thread, hers] = [bob.thread(id, parent.id), ann.thread(id, parent.id)];
  await until(() => thread.state === "ready" && hers.state === "ready" && hers.thread);
  await bob.send(id, { text: "answer", parent_message_id: parent.id, reply_to_channel: false });
  assert.deepEqual(texts(thread), ["answer"]);
  await until(() => thread.thread?.reply_count === 1 && thread.parent.thread.reply_count === 1);
  await until(() => hers.thread.unread_count === 1);
  await ann.markThreadRead(id, parent.id);
  await until(() => hers.thread.unread_count === 0);
});

test("the thread list: shown threads live, new ones are counted and taken in when asked", async (t) => {
  const { ann, bob, id } = await two(t);
  const [first, second, others] = [await ann.send(id, { text: "first" }), await ann.send(id, { text: "second" }), await bob.send(id, { text: "his own" })];
  await bob.send(id, { text: "a", parent_message_id: first.id });
  await ann.threads.load();
  const titles = () => ann.threads.items.map(({ parent }) => parent.text);
  assert.deepEqual(titles(), ["first"]);
  assert.equal(ann.threads.items[0].thread.unread_count, 1);
  await bob.send(id, { text: "b", parent_message_id: first.id });
  await until(() => ann.threads.items[0].thread.unread_count === 2);
  assert.deepEqual(ann.threads.items[0].replies.map(({ text }) => text), ["a", "b"]);
  // Not hers: she wrote neither the parent nor a reply.
  await bob.send(id, { text: "to himself", parent_message_id: others.id });
  await bob.send(id, { text: "c", parent_message_id: second.id });
  await until(() => ann.threads.newCount === 1);
  assert.deepEqual(titles(), ["first"]);
  await ann.threads.loadNew();
  assert.equal(ann.threads.newCount, 0);
  assert.deepEqual(titles(), ["second", "first"]);
  await ann.markThreadRead(id, first.id);
  await until(() => ann.threads.items[1].thread.unread_count === 0);
  const reply = await bob.send(id, { text: "d", parent_message_id: first.id });
  await until(() => titles()[0] === "first");
  await bob.remove(id, reply.id);
  // Its activity is that of the second reply again.
  await until(() => titles()[0] === "second");
  await until(() => ann.threads.items[1].replies.map(({ text }) => text).join("") === "ab" && ann.threads.items[1].thread.unread_count === 0);
  await ann.leave(id);
  await until(() => ann.threads.items.length === 0);
});

test("reactions: shown at once, counted for everyone, taken back when refused", async (t) => {
  const { ann, bob, id, his, hers, annID, bobID } = await two(t);
  const { id: message } = await ann.send(id, { text: "hi" });
  await until(() => his.messages.length === 1);
  const reacting = bob.react(id, message, "thumbs_up", true);
  assert.deepEqual(his.messages[0].reactions.map(({ key, count, mine }) => [key, count, mine]), [["thumbs_up", 1, true]]);
  await reacting;
  await until(() => hers.messages[0].reactions?.[0].count === 1);
  assert.deepEqual([hers.messages[0].reactions[0].mine, hers.messages[0].reactions[0].user_ids], [false, [bobID]]);
  await ann.react(id, message, "thumbs_up", true);
  await until(() => his.messages[0].reactions[0].count === 2);
  assert.deepEqual((await ann.reactionUsers(id, message, "thumbs_up")).users.map((user) => user.id), [bobID, annID]);
  await bob.react(id, message, "thumbs_up", false);
  await until(() => hers.messages[0].reactions[0].count === 1 && hers.messages[0].reactions[0].mine);
  await ann.react(id, message, "thumbs_up", false);
  await until(() => his.messages[0].reactions.length === 0);
  await assert.rejects(bob.react(id, message, "no such key", true), { code: 1034 });
  await until(() => !(his.messages[0].reactions?.length > 0));
});

test("unread numbers, the divider and receipts", async (t) => {
  const { ann, bob, id, hers, bobID } = await two(t);
  const my = () => bob.channel(id).value.my;
  const first = await ann.send(id, { text: "one" });
  await ann.send(id, { text: "two", mention_type: "users", mentioned_user_ids: [bobID] });
  await until(() => my().unread_count === 2);
  assert.deepEqual([my().unread_mention_count, my().first_unread_message_id], [1, first.id]);
  assert.deepEqual(bob.totals, { unread_count: 2, unread_mention_count: 1, unread_channel_count: 1 });
  const timeline = bob.timeline(id);
  await until(() => timeline.firstUnreadId === first.id);
  assert.equal(timeline.unreadCount, 2);
  await bob.markRead(id);
  assert.deepEqual([my().unread_count, bob.totals.unread_count], [0, 0]);
  // It stays where it was until one is done with it.
  assert.equal(timeline.firstUnreadId, first.id);
  timeline.clearUnread();
  assert.deepEqual([timeline.firstUnreadId, timeline.unreadCount], [undefined, 0]);
  await until(() => ann.channel(id).readCount(hers.messages[1]) === 1);
  assert.equal((await ann.receipts(id, first.id)).read_count, 1);
  await bob.markUnread(id, hers.messages[1].id);
  await until(() => timeline.firstUnreadId === hers.messages[1].id && timeline.unreadCount === 1);
  assert.equal(bob.totals.unread_count, 1);
  timeline.clearUnread();
  await bob.markAllRead();
  await until(() => my().unread_count === 0 && bob.totals.unread_channel_count === 0);
  timeline.attended = false;
  const third = await ann.send(id, { text: "three" });
  await until(() => timeline.firstUnreadId === third.id);
  assert.equal(timeline.unreadCount, 1);
});

test("the own other devices follow", async (t) => {
  const { ann, bob, id, his, bobID } = await two(t);
  const phone = await person(server, bobID);
  await ann.send(id, { text: "one" });
  await until(() => phone.channel(id).value?.my.unread_count === 1);
  await phone.markRead(id);
  await until(() => bob.totals.unread_count === 0 && bob.channel(id).value.my.unread_count === 0);
  await phone.send(id, { text: "from the phone" });
  await until(() => texts(his).includes("from the phone"));
  assert.equal(bob.totals.unread_count, 0);
});

test("typing is told, not too often, and ends with the message", async (t) => {
  const { ann, bob, id, annID } = await two(t);
  for (const _ of "hello") ann.typing(id);
  await until(() => bob.channel(id).typing.length === 1);
  assert.equal(bob.channel(id).typing[0].id, annID);
  await ann.send(id, { text: "hello" });
  await until(() => bob.channel(id).typing.length === 0);
  bob.typing(id);
  await until(() => ann.channel(id).typing.length === 1);
  bob.stopTyping(id);
  await until(() => ann.channel(id).typing.length === 0);
});

test("members with presence, roles, mutes; who comes and goes", async (t) => {
  const { ann, bob, id, annID, bobID } = await two(t);
  const members = ann.members(id, { order: "operator_then_nickname" });
  await until(() => members.state === "ready");
  assert.deepEqual(members.items.map(({ user, role, online }) => [user.id, role, online]), [[annID, "operator", true], [bobID, "member", true]]);
  await ann.rpc("operator.add", { channel_id: id, user_ids: [bobID] });
  await until(() => members.get(bobID).role === "operator" && bob.channel(id).value.my.role === "operator");
  await ann.rpc("operator.remove", { channel_id: id, user_ids: [bobID] });
  await ann.rpc("member.mute", { channel_id: id, user_id: bobID });
  await until(() => members.get(bobID).muted_until && bob.channel(id).value.my.muted_until);
  await ann.rpc("member.unmute", { channel_id: id, user_id: bobID });
  await until(() => !members.get(bobID).muted_until && !bob.channel(id).value.my.muted_until);
  const carlID = name("carl");
  await server.app("user.upsert", { id: carlID, nickname: "Carl" });
  assert.deepEqual((await ann.invite(id, [carlID])).joined, [carlID]);
  await until(() => members.get(carlID)?.online === false && ann.channel(id).value.joined_member_count === 3);
  const carl = await person(server, carlID);
  await until(() => members.get(carlID).online === true && ann.user(carlID).online);
  await server.app("user.upsert", { id: carlID, nickname: "Carlo" });
  await until(() => members.get(carlID).user.nickname === "Carlo" && carl.me.nickname === "Carlo");
  await ann.rpc("member.ban", { channel_id: id, user_id: carlID });
  await until(() => !members.get(carlID) && carl.channel(id).state === "gone" && carl.channels.items.length === 0);
  await bob.leave(id);
  await until(() => members.items.length === 1 && bob.channels.items.length === 0);
  await until(() => ann.channel(id).value.joined_member_count === 1);
});

test("an invitation is listed, accepted or declined", async (t) => {
  const { ann, annID, id } = await two(t);
  const carlID = name("carl");
  const carl = await person(server, carlID);
  await carl.rpc("user.preferences", { auto_accept_invitations: false });
  const members = ann.members(id);
  await ann.invite(id, [carlID]);
  await until(() => carl.channels.invited.items.length === 1);
  const [invited] = carl.channels.invited.items;
  assert.deepEqual([invited.id, invited.my.state, invited.invitation.inviter.id], [id, "invited", annID]);
  assert.equal(carl.channels.items.length, 0);
  await until(() => members.get(carlID)?.state === "invited");
  await carl.decline(id);
  await until(() => carl.channels.invited.items.length === 0 && !members.get(carlID));
  await ann.invite(id, [carlID]);
  await until(() => carl.channels.invited.items.length === 1);
  await carl.accept(id);
  await until(() => carl.channels.items.length === 1 && carl.channels.invited.items.length === 0 && members.get(carlID)?.state === "joined");
  const timeline = carl.timeline(id);
  await until(() => timeline.state === "ready");
  await ann.send(id, { text: "welcome" });
  await until(() => texts(timeline).includes("welcome"));
});

test("the channel list: newest message first, hidden ones beside it, changes and ends", async (t) => {
  const { ann, bob, id, annID, bobID } = await two(t);
  const other = name("random");
  await ann.createChannel({ id: other, name: "Random", user_ids: [bobID] });
  const listed = () => bob.channels.items.map((channel) => channel.id);
  await until(() => listed().join() === [other, id].join());
  await ann.send(id, { text: "up" });
  await until(() => listed().join() === [id, other].join());
  assert.equal(bob.channels.items[0].last_message.text, "up");
  await bob.hide(id);
  await until(() => listed().join() === other && bob.channels.hidden.items.length === 1);
  await ann.send(id, { text: "back" });
  await until(() => listed().join() === [id, other].join() && bob.channels.hidden.items.length === 0);
  await bob.hide(id, { allow_auto_unhide: false });
  await ann.send(id, { text: "not back" });
  await until(() => bob.channels.hidden.items[0]?.last_message.text === "not back");
  const unread = () => bob.channel(id).value.my.unread_count;
  await until(() => unread() > 0 && bob.totals.unread_count === 0);
  await bob.unhide(id);
  await until(() => listed().length === 2 && bob.totals.unread_count === unread());
  await ann.rpc("channel.update", { channel_id: id, name: "Renamed" });
  await until(() => bob.channel(id).value.name === "Renamed" && bob.channel(id).value.last_message.text === "not back");
  const search = bob.channels.search("renam");
  await until(() => search.state === "ready");
  assert.deepEqual(search.items.map((channel) => channel.id), [id]);
  await ann.rpc("channel.freeze", { channel_id: id });
  await until(() => bob.channel(id).value.is_frozen && search.items[0].is_frozen);
  await ann.rpc("channel.delete", { channel_id: id });
  await until(() => listed().join() === other && bob.channel(id).state === "gone" && search.items.length === 0);
  search.close();
  assert.equal(ann.me.id, annID);
});

test("public channels can be found, joined and left", async (t) => {
  const { ann, bob } = await two(t);
  const id = name("public");
  await ann.createChannel({ id, name: id, is_public: true });
  const found = bob.channels.publicChannels(id);
  await until(() => found.state === "ready");
  assert.deepEqual(found.items.map(({ id, my }) => [id, my?.state]), [[id, "none"]]);
  await bob.join(id);
  await until(() => found.items[0].my.state === "joined" && bob.channels.items.some((channel) => channel.id === id));
  await bob.leave(id);
  await until(() => found.items[0].my.state === "none" && !bob.channels.items.some((channel) => channel.id === id));
});

test("clearing the history for oneself clears what is shown", async (t) => {
  const { ann, bob, id, his } = await two(t);
  await ann.send(id, { text: "one" });
  await until(() => his.messages.length === 1);
  await bob.rpc("channel.reset_history", { channel_id: id });
  await until(() => his.messages.length === 0 && bob.channel(id).value.last_message === undefined && bob.totals.unread_count === 0);
  await ann.send(id, { text: "two" });
  await until(() => texts(his).join() === "two");
});

test("files: progress, the bytes for those who may have them, and none of the token for others", async (t) => {
  const { ann, bob, id, hers, his } = await two(t);
  const file = new File(["some bytes"], "notes.txt", { type: "text/plain" });
  const sending = ann.send(id, { files: [file], text: "look" });
  assert.deepEqual(hers.messages.map(({ kind, local }) => [kind, local.state]), [["file", "sending"], ["text", "sending"]]);
  assert.deepEqual([hers.messages[0].files[0].file, hers.messages[0].local.progress], [file, [{ loaded: 0, total: 10 }]]);
  await sending;
  await until(() => his.messages.length === 2);
  const [{ kind, files }, { text }] = his.messages;
  assert.deepEqual([kind, files[0].name, files[0].size, text], ["file", "notes.txt", 10, "look"]);
  assert.equal(await (await bob.fetchFile(files[0].url)).text(), "some bytes");
  await ann.send(id, { files: [file, file] });
  assert.equal(hers.messages.at(-1).files.length, 2);
  const asked = [];
  const careful = await person(server, name("dan"), {
    chatOptions: { fetch: async (url, options) => (asked.push(options), new Response("x")) },
  });
  await careful.fetchFile("https://elsewhere.example/picture.png");
  assert.equal(asked[0].headers, undefined);
  await assert.rejects((await person(server, name("eve"))).fetchFile(files[0].url), { code: 1000 });
});

test("an ephemeral channel shows what is said while one is there", async (t) => {
  const { ann, id, his, hers } = await two(t, { is_ephemeral: true });
  for (const text of ["one", "two", "three"]) await ann.send(id, { text });
  await until(() => his.messages.length === 3);
  assert.deepEqual([texts(his), texts(hers)], [["one", "two", "three"], ["one", "two", "three"]]);
  assert.deepEqual(his.messages.map((message) => his.indexOf(message.id)), [0, 1, 2]);
});

test("history is loaded upward and around a message, without gaps and twice nothing", async (t) => {
  const { ann, bob, id } = await two(t);
  const sent = [];
  for (let number = 0; number < 60; number += 1) {
    sent.push(await ann.send(id, { text: `message ${number}` }));
    // Pages by time are longer if messages of one millisecond would be divided.
    await until(() => Date.now() > sent.at(-1).created_at);
  }
  // An event that arrives while the timeline loads would make it longer.
  await until(() => bob.channel(id).value.last_message.text === "message 59");
  const timeline = bob.timeline(id, { size: 20 });
  await until(() => timeline.state === "ready");
  const numbers = () => timeline.messages.map(({ text }) => Number(text.split(" ")[1]));
  const range = (from, to) => Array.from({ length: to - from }, (_, index) => from + index);
  assert.deepEqual([numbers(), timeline.hasPrevious, timeline.hasNext], [range(40, 60), true, false]);
  await timeline.loadPrevious();
  assert.deepEqual(numbers(), range(20, 60));
  await timeline.loadAround(sent[5].id);
  assert.deepEqual([numbers(), timeline.hasPrevious, timeline.hasNext], [range(0, 16), false, true]);
  // Not at the end: what arrives is not shown behind a gap.
  await ann.send(id, { text: "message 60" });
  await until(() => bob.channel(id).value.last_message.text === "message 60");
  assert.deepEqual(numbers(), range(0, 16));
  while (timeline.hasNext) await timeline.loadNext();
  assert.deepEqual(numbers(), range(0, 61));
  await ann.send(id, { text: "message 61" });
  await until(() => numbers().at(-1) === 61);
  await timeline.reload();
  assert.deepEqual(numbers(), range(0, 62));
  assert.equal(await timeline.loadAround("01a200fe-3e67-71ff-90db-730621df71d9"), false);
  assert.equal(timeline.state, "ready");
});

test("a channel that is made anew under an old id is another one", async (t) => {
  const { ann, bob, bobID, id, his } = await two(t);
  for (const text of ["one", "two", "three"]) await ann.send(id, { text });
  await until(() => bob.channel(id).value.my.unread_count === 3);
  await ann.rpc("channel.delete", { channel_id: id });
  await until(() => bob.channel(id).state === "gone" && bob.totals.unread_count === 0);
  await ann.createChannel({ id, name: "Again", user_ids: [bobID] });
  await until(() => bob.channel(id).state === "ready" && bob.channel(id).value.name === "Again" && his.messages.length === 0);
  await ann.send(id, { text: "first" });
  await until(() => texts(his).join() === "first" && bob.channel(id).value.my.unread_count === 1);
  assert.equal(bob.totals.unread_count, 1);
});

test("a channel one comes into shows what was there, also where it was open before", async (t) => {
  const { ann, bob, bobID, id, his } = await two(t);
  await ann.send(id, { text: "one" });
  await bob.leave(id);
  await until(() => bob.channel(id).state === "gone");
  await ann.send(id, { text: "two" });
  await ann.invite(id, [bobID]);
  await until(() => texts(his).join() === "one,two" && bob.channel(id).state === "ready");
  await ann.send(id, { text: "three" });
  await until(() => texts(his).at(-1) === "three");
});
