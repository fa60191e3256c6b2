// Messages found by words, and what becomes of them while they are shown.

import assert from "node:assert/strict";
import test from "node:test";
import { Chat } from "../../../Sources/Server/Page/web/belfry.js";
import { excerpt, splitAtMarks } from "../../../Sources/Server/Page/web/page/search/excerpt.js";
import { client, CONNECTED, FakeServer, name, person, Server, until } from "./support.mjs";

const server = Server.shared;
const found = (search) => search.items.map(({ message }) => message.text);
const marked = (search) => search.items.map(({ message, marks }) => marks.map(([at, size]) => message.text.slice(at, at + size)));

async function searching(t, ...texts) {
  const [annID, id] = [name("ann"), name("general")];
  const ann = await person(server, annID);
  t.after(() => ann.close());
  await ann.createChannel({ id, name: "General" });
  const sent = [];
  for (const text of texts) sent.push(await ann.send(id, { text }));
  return { ann, id, sent };
}

async function ready(search) {
  await until(() => search.state === "ready");
  return search;
}

/** Searches until the index has everything. */
async function complete(chat, request, count) {
  const end = Date.now() + 10_000;
  while (Date.now() < end) {
    const search = await ready(chat.searchMessages(request));
    if (search.isComplete && search.items.length === count) return search;
    search.close();
  }
  throw new Error(`never ${count} messages`);
}

test("words are found newest first, with their places, page by page", async (t) => {
  const { ann, id } = await searching(t, "a red boat", "the Straße", "🦊 a boat and a boat", "nothing");
  const search = await complete(ann, { query: "boat", channel_id: id }, 2);
  assert.deepEqual(found(search), ["🦊 a boat and a boat", "a red boat"]);
  assert.deepEqual(marked(search), [["boat", "boat"], ["boat"]]);
  assert.deepEqual(found(await complete(ann, { query: "strasse" }, 1)), ["the Straße"]);
  const pages = await ready(ann.searchMessages({ query: "boat", channel_id: id, limit: 1 }));
  while (pages.hasMore) await pages.loadMore();
  assert.deepEqual(found(pages), ["🦊 a boat and a boat", "a red boat"]);
});

test("deleted messages disappear, and edited ones lose their marks", async (t) => {
  const { ann, id, sent } = await searching(t, "one boat", "two boats", "three boat");
  const search = await complete(ann, { query: "boat*", channel_id: id }, 3);
  let changes = 0;
  search.on("change", () => (changes += 1));
  await ann.rpc("message.delete", { channel_id: id, message_id: sent[0].id });
  await ann.rpc("message.update", { channel_id: id, message_id: sent[1].id, text: "two ships" });
  await until(() => search.items.length === 2 && found(search).includes("two ships"));
  assert.deepEqual(marked(search), [["boat"], []]);
  assert.ok(changes >= 1);
  search.close();
});

test("messages of a channel that the user has left disappear", async (t) => {
  const { ann, id } = await searching(t, "one boat");
  const search = await complete(ann, { query: "boat", channel_id: id }, 1);
  await ann.rpc("channel.leave", { channel_id: id });
  await until(() => search.items.length === 0);
});

test("a refused search has failed, and can be repeated", async (t) => {
  const { ann } = await searching(t);
  const search = ann.searchMessages({ query: "x".repeat(300) });
  await until(() => search.state === "failed");
  assert.equal(typeof search.error.code, "number");
  await search.reload();
  assert.equal(search.state, "failed");
});

test("a closed search takes no answers, and places outside the text are no marks", async (t) => {
  const message = (id, text) => ({ id, channel_id: "c", offset: 1, created_at: 1, kind: "text", text });
  const pages = [
    { messages: [message("m1", "a boat"), { id: 5 }, message("m2", "boat")], is_complete: false, next: "more",
      marks: [[[2, 4], [3, 1], [2, 9], [-1, 2], ["0", 1], [4, 0], 7, null], null, "marks"] },
    { messages: [], marks: [], is_complete: true },
  ];
  const behaviour = {
    connected: (socket, { id }) => socket.say({ id, connect: CONNECTED }),
    commanded: (socket, { id, rpc }) => rpc?.method === "message.search"
      ? socket.say({ id, rpc: { data: pages[rpc.data.next ? 1 : 0] } })
      : socket.say({ id, error: { code: 108, message: "method not found" } }),
  };
  const fake = await FakeServer.start(behaviour);
  const own = client(fake, "ann");
  const chat = new Chat(own, { files: "http://127.0.0.1:1" });
  t.after(() => (chat.close(), own.disconnect()));
  own.connect();
  await until(() => own.state === "connected");
  const search = await ready(chat.searchMessages({ query: "boat" }));
  assert.deepEqual(search.items.map(({ message: { id }, marks }) => [id, marks]), [["m1", [[2, 4]]], ["m2", []]]);
  assert.deepEqual([search.hasMore, search.isComplete], [true, false]);
  await search.loadMore();
  assert.deepEqual([search.items.length, search.hasMore, search.isComplete], [2, false, false]);
  const late = chat.searchMessages({ query: "boat" });
  late.close();
  await ready(chat.searchMessages({ query: "boat" }));
  assert.equal(late.items.length, 0);
});

test("a text is split at its marks, which may overlap", () => {
  const shown = (text, marks) => splitAtMarks(text, marks).map(({ text: part, isMarked }) => (isMarked ? `[${part}]` : part)).join("");
  assert.equal(shown("a boat", []), "a boat");
  assert.equal(shown("a boat", [[0, 1], [2, 4]]), "[a] [boat]");
  assert.equal(shown("rowing boat", [[0, 6], [0, 11], [7, 4]]), "[rowing][ boat]");
  assert.equal(shown("abcdef", [[0, 3], [1, 4], [1, 1]]), "[abc][de]f");
  assert.equal(shown("x".repeat(1_000) + "boat", [[1_000, 4]]), "x".repeat(1_000) + "[boat]");
});

test("an excerpt begins shortly before the first place, and never with half a character", () => {
  const shown = (text, marks) => excerpt(text, marks).map(({ text: part, isMarked }) => (isMarked ? `[${part}]` : part)).join("");
  assert.equal(shown("", []), "");
  assert.equal(shown("a boat", [[2, 4]]), "a [boat]");
  assert.equal(shown("boat boat", [[0, 4], [5, 4]]), "[boat] [boat]");
  assert.equal(shown("🦊🦊", [[1, 2]]), "[🦊🦊]");
  const before = "word ".repeat(100);
  assert.ok(shown(`${before}boat${before}`, [[500, 4]]).startsWith("…word "));
  assert.match(shown(`${before}boat ${before}`, [[500, 4]]), /^…(word )+\[boat\] (word )+(w|wo|wor|word)?…$/);
  for (let length = 0; length < 400; length += 1) {
    for (const part of excerpt("🦊".repeat(length), length > 40 ? [[length, 3]] : [])) assert.ok(part.text.isWellFormed());
  }
  assert.match(shown("x".repeat(1_000), [[0, 1_000]]), /^\[x{280}\]…$/);
});
