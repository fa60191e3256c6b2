"""Python's `websockets`: every text that comes on /pub goes to everyone on /sub.   with_websockets.py PORT"""

import asyncio
import contextlib
import sys

from websockets.asyncio.server import broadcast, serve
from websockets.exceptions import ConnectionClosedError

subscribers = set()


async def connection(socket):
    if socket.request.path == "/sub":
        subscribers.add(socket)
        try:
            await socket.wait_closed()
        finally:
            subscribers.discard(socket)
        return
    with contextlib.suppress(ConnectionClosedError):
        async for message in socket:
            broadcast(subscribers, message)


async def main():
    async with serve(connection, "127.0.0.1", int(sys.argv[1]), compression=None, backlog=4096):
        await asyncio.Future()


asyncio.run(main())
