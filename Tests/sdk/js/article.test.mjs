// The article on this library: its walk-through runs, and its tables name what there is.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { Chat, Client } from "../../../Sources/Server/Page/web/belfry.js";
import { Timeline } from "../../../Sources/Server/Page/web/belfry/timeline.js";
import { name, person, Server, token, WebSocket } from "./support.mjs";

const article = readFileSync(new URL("../../../Sources/Belfry/Belfry.docc/WebClient.md", import.meta.url), "utf8");

test("the walk-through runs as it stands", async () => {
  const [ann, bob] = [name("ann"), name("bob")];
  await person(Server.shared, bob);
  const blocks = [...article.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  assert.equal(blocks.length, 5);
  const code = blocks.join("\n").replace(/^import .*$/m, "").replace("ws://127.0.0.1:8080", Server.shared.origin.replace("http", "ws"))
    .replaceAll('"bob"', JSON.stringify(bob));
  const said = [];
  const run = new (Object.getPrototypeOf(async () => {}).constructor)("Chat", "Client", "fetch", "console", `${code}\nreturn timeline.messages.length;`);
  class NodeClient extends Client {
    constructor(url, options) {
      super(url, { WebSocket, ...options });
    }
  }
  const backend = async (url) => (url === "/token" ? new Response(token(ann)) : fetch(url));
  const messages = await run(Chat, NodeClient, backend, { log: (...words) => said.push(words.join(" ")) });
  assert.equal(messages, 3);
  assert.ok(said.some((line) => line.includes("hello") && line.endsWith("sending")), said.join("\n"));
  assert.ok(said.some((line) => line.includes("hello") && line.endsWith("sent")));
});

test("the tables name every part of Client, Chat and Timeline that is not internal, and nothing else", () => {
  const folder = new URL("../../../Sources/Server/Page/web/belfry/", import.meta.url);
  const objects = { client: [Client, "client.js"], chat: [Chat, "chat.js", "actions.js"], timeline: [Timeline, "timeline.js", "message-list.js"] };
  for (const [object, [type, ...files]] of Object.entries(objects)) {
    const named = new Set([...article.matchAll(new RegExp(`\`${object}\\.(\\w+)`, "g"))].map(([, part]) => part));
    const source = files.map((file) => readFileSync(new URL(file, folder), "utf8")).join("\n");
    const found = (pattern) => [...source.matchAll(pattern)].map(([, part]) => part);
    const internal = new Set(found(/\/\*\*\s*\*?\s*@(?:internal|protected)(?:[^*]|\*(?!\/))*\*\/\s*(?:async |get )?(\w+)/g));
    const inherited = Object.getPrototypeOf(type.prototype);
    const parts = [type.prototype, ...(files.length > 1 ? [inherited] : [])].flatMap(Object.getOwnPropertyNames);
    const expected = new Set([...parts, ...found(/^ {2}(\w+)(?: = .*)?;$/gm), ...(object === "timeline" ? [] : ["on"])]
      .filter((part) => !["constructor", "channelId"].includes(part) && !internal.has(part)));
    // What a part does with an event is no part of what a page calls.
    for (const hook of ["received", "removed", "grown"]) expected.delete(hook);
    assert.deepEqual([...named].sort(), [...expected].sort(), object);
  }
});
