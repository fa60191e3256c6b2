/**
 * Belfry's client library. `Client` speaks the Centrifuge protocol, and `Chat` folds Belfry's events into the state of
 * a chat UI. It has no dependencies and no build step, and runs in browsers and Node 20 (which needs a `WebSocket`
 * passed in).
 *
 *     import { Client, Chat } from "./belfry.js";
 *     const client = new Client("ws://127.0.0.1:8080/connection/websocket", { getToken: async () => token });
 *     const chat = new Chat(client, { files: "http://127.0.0.1:8080" });
 *     client.connect();
 *     const timeline = chat.timeline("general");
 *     timeline.on("change", () => console.log(timeline.messages.at(-1)?.text));
 *     await chat.send("general", { text: "hello" });
 */
export { Client } from "./belfry/client.js";
export { RPCError } from "./belfry/rpc-error.js";
export { Chat } from "./belfry/chat.js";
