// In which order messages leave that were written one after the other, and pages come that are asked for at once.

import assert from "node:assert/strict";
import test from "node:test";
import { Emitter } from "../../../Sources/Server/Page/web/belfry/emitter.js";
import { MemberList } from "../../../Sources/Server/Page/web/belfry/member-list.js";
import { Outgoing } from "../../../Sources/Server/Page/web/belfry/outgoing.js";
import { People } from "../../../Sources/Server/Page/web/belfry/people.js";
import { RPCError } from "../../../Sources/Server/Page/web/belfry/rpc-error.js";

/** Everything that was begun has gone as far as it goes. */
const rest = () => new Promise((resolve) => setImmediate(resolve));

/** Messages on their way to a server that answers, and takes files, when the test says so. */
function sending({ patience = 30_000 } = {}) {
  const asked = [];
  const uploads = [];
  const client = new Emitter();
  client.state = "connected";
  client.rpc = (_, request) => new Promise((resolve, reject) => {
    asked.push({
      text: request.text ?? request.files.map(({ id }) => id).join(),
      accept: () => (resolve({ message: { ...request, id: request.client_id } }), rest()),
      refuse: (error) => (reject(new RPCError({ message: "no", ...error })), rest()),
    });
  });
  const files = {
    upload: (_, { name }, { signal }) => new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
      uploads.push({ end: () => (resolve({ id: name }), rest()) });
    }),
  };
  const outgoing = new Outgoing({ client, files, me: { id: "ann" } }, patience, { changed() {}, sent() {} });
  const file = (name) => [{ name, size: 1, type: "text/plain" }];
  return { outgoing, asked, uploads, file, texts: () => asked.map(({ text }) => text) };
}

test("a text that is written behind a large file follows it, in a thread of the channel too", async () => {
  const { outgoing, asked, uploads, file, texts } = sending();
  const sent = [
    outgoing.send("general", {}, file("film")), outgoing.send("general", { text: "this is it" }),
    outgoing.send("general", { text: "a reply", parent_message_id: "m1" }),
  ];
  outgoing.send("other", { text: "elsewhere" });
  await rest();
  assert.deepEqual(texts(), ["elsewhere"]);
  await uploads[0].end();
  assert.deepEqual(texts(), ["elsewhere", "film"]);
  await asked[1].accept();
  assert.deepEqual(texts().slice(2), ["this is it"]);
  await asked[2].accept();
  await asked[3].accept();
  assert.deepEqual((await Promise.all(sent)).map(({ text }) => text), [undefined, "this is it", "a reply"]);
});

test("files are uploaded side by side, and their messages leave one after the other", async () => {
  const { outgoing, asked, uploads, file, texts } = sending();
  outgoing.send("general", {}, file("one"));
  outgoing.send("general", {}, file("two"));
  await rest();
  assert.equal(uploads.length, 2);
  await uploads[1].end();
  assert.deepEqual(texts(), []);
  await uploads[0].end();
  assert.deepEqual(texts(), ["one"]);
  await asked[0].accept();
  assert.deepEqual(texts(), ["one", "two"]);
});

test("what is refused, thrown away, or has arrived without its answer keeps nobody waiting", async () => {
  const { outgoing, asked, uploads, file, texts } = sending();
  const refused = assert.rejects(outgoing.send("general", { text: "refused" }), { code: 1004 });
  const thrown = assert.rejects(outgoing.send("general", {}, file("film")), { message: "discarded" });
  outgoing.send("general", { text: "arrived" });
  const last = outgoing.send("general", { text: "last" });
  const unsent = assert.rejects(outgoing.send("general", { text: "never" }), { message: "discarded" });
  await rest();
  await asked[0].refuse({ code: 1004 });
  await refused;
  outgoing.messages("general").find(({ kind }) => kind === "file").local.discard();
  await thrown;
  await rest();
  assert.deepEqual(texts(), ["refused", "arrived"]);
  outgoing.messages("general").find(({ text }) => text === "never").local.discard();
  outgoing.arrived({ ...outgoing.messages("general").find(({ text }) => text === "arrived"), id: "m2" });
  await rest();
  assert.deepEqual(texts(), ["refused", "arrived", "last"]);
  await asked[2].accept();
  assert.equal((await last).text, "last");
  await unsent;
  assert.equal(asked.length, 3);
  assert.equal(uploads.length, 1);
});

test("one that is tried again goes before those behind it, and keeps them for no longer than its time", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { outgoing, asked, texts } = sending({ patience: 2_000 });
  const sent = [outgoing.send("general", { text: "first" }), outgoing.send("general", { text: "second" })];
  const ends = Promise.allSettled(sent);
  await rest();
  await asked[0].refuse({ code: 111, temporary: true });
  assert.deepEqual(texts(), ["first"]);
  t.mock.timers.tick(500);
  await rest();
  assert.deepEqual(texts(), ["first", "first"]);
  t.mock.timers.tick(2_000);
  await asked[1].refuse({ code: 111, temporary: true });
  // Neither is asked for again: their time, which was the same, is over.
  assert.deepEqual((await ends).map(({ reason }) => reason.code), [111, 111]);
  assert.deepEqual(texts(), ["first", "first"]);
});

test("more members that are asked for while they come, come once", async () => {
  const pages = [];
  const core = {
    people: new People(), timelines: { remove() {} }, loadUsers: async () => [],
    query: (_, { next }) => new Promise((resolve) => pages.push({
      next, answer: (ids, following) => resolve({
        members: ids.map((id) => ({ user: { id, nickname: id }, online: true })), next: following,
      }),
    })),
  };
  const list = new MemberList(core, "general");
  const opened = list.reload();
  pages[0].answer(["ann"], "2");
  await opened;
  const both = [list.loadMore(), list.loadMore()];
  assert.deepEqual(pages.map(({ next }) => next), [undefined, "2"]);
  pages[1].answer(["bob"], "3");
  await Promise.all(both);
  assert.deepEqual(list.items.map(({ user }) => user.id), ["ann", "bob"]);
  // A load from the start does not wait: what it was begun for may be newer than what is on its way.
  const more = list.loadMore();
  const again = list.reload();
  assert.deepEqual(pages.map(({ next }) => next), [undefined, "2", "3", undefined]);
  pages[3].answer(["carl"], undefined);
  pages[2].answer(["dora"], undefined);
  await Promise.all([more, again]);
  assert.deepEqual(list.items.map(({ user }) => user.id), ["carl"]);
});
