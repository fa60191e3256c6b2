"""uWebSockets, through `socketify`: relays every text from /pub to all connections on /sub, and every text from a
connection on /rooms/17 to all connections on the same path.   with_socketify.py PORT

Python is called once per message; rooms, frames and sockets are uWebSockets' own.
"""

import sys

from socketify import App, AppListenOptions, CompressOptions

app = App()


def broadcast(socket, message, opcode):
    app.publish("room", message, opcode)


def enter(response, request, context):
    response.upgrade(
        request.get_header("sec-websocket-key"), request.get_header("sec-websocket-protocol"),
        request.get_header("sec-websocket-extensions"), context, request.get_parameter(0))


def relay(socket, message, opcode):
    app.publish(socket.get_user_data(), message, opcode)


shared = {"compression": CompressOptions.DISABLED, "max_payload_length": 1 << 20, "idle_timeout": 0}
app.ws("/sub", {**shared, "max_backpressure": 64 << 20, "open": lambda socket: socket.subscribe("room")})
app.ws("/pub", {**shared, "message": broadcast})
app.ws("/rooms/:room", {
    **shared, "max_backpressure": 64 << 20, "upgrade": enter,
    "open": lambda socket: socket.subscribe(socket.get_user_data()), "message": relay,
})
app.listen(AppListenOptions(port=int(sys.argv[1]), host="127.0.0.1"))
# The library's own run() polls both its loop and asyncio's without ever blocking: a whole core, whatever the load is.
while True:
    app.loop.uv_loop.run_once()
