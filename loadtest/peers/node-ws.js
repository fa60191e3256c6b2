// Node's `ws`: relays every text from /pub to all connections on /sub, and every text from a connection on /rooms/17 to
// all connections on the same path. Usage: node node-ws.js PORT
"use strict"
const { WebSocketServer } = require("ws")

const rooms = new Map()
const server = new WebSocketServer({
    host: "127.0.0.1", port: Number(process.argv[2]), backlog: 4096, perMessageDeflate: false,
})

function join(socket, name) {
    const room = rooms.get(name) ?? new Set()
    rooms.set(name, room.add(socket))
    socket.on("close", () => room.delete(socket))
}

server.on("connection", (socket, request) => {
    const name = request.url === "/pub" ? "/sub" : request.url
    if (request.url !== "/pub") join(socket, name)
    if (request.url === "/sub") return
    socket.on("message", (data) => {
        for (const member of rooms.get(name) ?? []) member.send(data, { binary: false })
    })
})
