"""uWebSockets, through `socketify`: every text that comes on /pub goes to everyone on /sub.   with_socketify.py PORT

Python is called once for each message; rooms, frames and sockets are uWebSockets' own.
"""

import sys

from socketify import App, AppListenOptions, CompressOptions

app = App()


def broadcast(socket, message, opcode):
    app.publish("room", message, opcode)


shared = {"compression": CompressOptions.DISABLED, "max_payload_length": 1 << 20, "idle_timeout": 0}
app.ws("/sub", {**shared, "max_backpressure": 64 << 20, "open": lambda socket: socket.subscribe("room")})
app.ws("/pub", {**shared, "message": broadcast})
app.listen(AppListenOptions(port=int(sys.argv[1]), host="127.0.0.1"))
app.run()
