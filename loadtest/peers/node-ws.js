// Node's `ws`: relays every text from /pub to all connections on /sub. Usage: node node-ws.js PORT
"use strict"
const { WebSocketServer } = require("ws")

const subscribers = new Set()
const server = new WebSocketServer({
    host: "127.0.0.1", port: Number(process.argv[2]), backlog: 4096, perMessageDeflate: false,
})
server.on("connection", (socket, request) => {
    if (request.url === "/sub") {
        subscribers.add(socket)
        socket.on("close", () => subscribers.delete(socket))
        return
    }
    socket.on("message", (data) => {
        for (const subscriber of subscribers) subscriber.send(data, { binary: false })
    })
})
