"""Python's `picows` on uvloop: every text that comes on /pub goes to everyone on /sub.   with_picows.py PORT"""

import asyncio
import sys

import uvloop
from picows import WSListener, WSMsgType, ws_create_server

subscribers = set()


class Connection(WSListener):
    def __init__(self, subscribes):
        self.subscribes = subscribes

    def on_ws_connected(self, transport):
        if self.subscribes:
            subscribers.add(transport)

    def on_ws_frame(self, transport, frame):
        if frame.msg_type == WSMsgType.PING:
            transport.send_pong(frame.get_payload_as_bytes())
        elif frame.msg_type == WSMsgType.TEXT and not self.subscribes:
            message = frame.get_payload_as_bytes()
            for subscriber in subscribers:
                subscriber.send(WSMsgType.TEXT, message)

    def on_ws_disconnected(self, transport):
        subscribers.discard(transport)


async def main():
    server = await ws_create_server(
        lambda request: Connection(request.path == b"/sub"), "127.0.0.1", int(sys.argv[1]), backlog=4096)
    await server.serve_forever()


uvloop.run(main())
