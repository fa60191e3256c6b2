"""The criteria for every attack: nobody else is affected, the process survives, and its memory stays bounded.

With `BELFRY_FIGURES` set, each attack appends a line to the file of that name: the attack, the growth of the server's
resident memory in KiB, and that of its peak. `BELFRY_ATTACK_SCALE=10` makes ten times as many connections.
"""

import asyncio
import base64
import contextlib
import os
import pathlib
import re
import socket
import struct
import time

from belfry import DEADLINE, Server
from clients import Wire

SCALE = int(os.environ.get("BELFRY_ATTACK_SCALE", "1"))
# Far below the cost of an attack on an unprotected server, and far above the fluctuations of a heap.
GROWTH_KIB = 48 * 1024
# Part of every bystander's message, which must not appear in any log, metric or error.
CANARY = "canary-5e0c31"


def memory(pid: int) -> tuple[int, int]:
    """Returns the resident memory and its peak, in KiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return tuple(int(re.search(rf"{name}:\s+(\d+)", status)[1]) for name in ("VmRSS", "VmHWM"))


class Watch:
    """Watches an attack: a conversation that must not be affected, and the process's memory."""

    def __init__(self, server: Server, attack: str, name, growth_kib: int = GROWTH_KIB):
        self.server, self.attack, self.growth_kib = server, attack, growth_kib
        self.room, self.user = name("peace"), name("bystander")

    async def __aenter__(self):
        self.wire = await Wire(self.server).__aenter__()
        await self.wire.connect(self.user)
        await self.wire.rpc("channel.create", {"id": self.room})
        await self.say("before")
        self.heard = len(self.wire.pushes)
        # Measure the peak from here.
        pathlib.Path(f"/proc/{self.server.pid}/clear_refs").write_text("5")
        self.before, _ = memory(self.server.pid)
        return self

    async def say(self, text: str):
        """Sends a message as the bystander, who must receive it."""
        reply = await self.wire.rpc("message.send", {"channel_id": self.room, "text": f"{CANARY} {text}"})
        assert "rpc" in reply, reply
        await self.wire.hears(self.room, f"{CANARY} {text}")

    async def __aexit__(self, kind, *_):
        try:
            if kind is None:
                await self.notices_nothing()
        finally:
            await self.wire.__aexit__()

    async def notices_nothing(self):
        assert self.server.process.poll() is None, "the server is gone"
        assert self.wire.is_open, self.wire.closing
        assert await self.wire.call(ping={}) == {"ping": {}}
        await self.say("after")
        assert len(self.wire.pushes) == self.heard + 1
        after, peak = memory(self.server.pid)
        growth, peak = after - self.before, max(peak, after) - self.before
        if path := os.environ.get("BELFRY_FIGURES"):
            with open(path, "a") as file:
                print(self.attack, growth, peak, sep="\t", file=file)
        assert peak < self.growth_kib, f"{self.attack}: {peak} KiB more at its peak, {growth} KiB more after it"


def upgrade(fields: str = "", path: str = "/connection/websocket") -> bytes:
    """`fields` are additional header lines, each with its line end."""
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET {path} HTTP/1.1\r\nHost: belfry\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n{fields}\r\n"
    ).encode()


def frame(first: int, payload: bytes = b"", size: int | None = None, masked: bool = True, width: int = 0) -> bytes:
    """Returns a frame that announces `size` bytes (default: the payload's size) in `width` extra bytes (0, 2 or 8)."""
    size = len(payload) if size is None else size
    width = width or (0 if size < 126 else 2 if size < 65_536 else 8)
    mask = 0x80 if masked else 0
    length = {0: bytes([mask | size & 0x7F]), 2: bytes([mask | 126]) + struct.pack(">H", size & 0xFFFF),
              8: bytes([mask | 127]) + struct.pack(">Q", size)}[width]
    key = b"\x37\xfa\x21\x3d" if masked else b""
    # One operation on two large integers, as masking megabytes byte by byte is slow.
    if masked and payload:
        keys = (key * (len(payload) // 4 + 1))[:len(payload)]
        payload = (int.from_bytes(payload) ^ int.from_bytes(keys)).to_bytes(len(payload))
    return bytes([first]) + length + key + payload


class Peer:
    """A TCP connection on which the test controls every byte and every pause."""

    def __init__(self, server: Server):
        self.server = server

    async def __aenter__(self):
        async with asyncio.timeout(DEADLINE):
            self.reader, self.writer = await asyncio.open_connection(self.server.host, self.server.port)
        self.writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self

    async def __aexit__(self, *_):
        self.writer.transport.abort()

    async def upgraded(self, fields: str = "") -> "Peer":
        await self.send(upgrade(fields))
        head = await self.head()
        assert head.startswith("HTTP/1.1 101 "), head
        return self

    async def send(self, data: bytes, at_a_time: int = 65_536):
        """Sends bytes; it is not an error if the server has already closed the connection."""
        with contextlib.suppress(ConnectionError):
            for start in range(0, len(data), at_a_time):
                self.writer.write(data[start : start + at_a_time])
                async with asyncio.timeout(DEADLINE):
                    await self.writer.drain()
                if at_a_time < 16:
                    # Lets the server read each piece separately.
                    await asyncio.sleep(0)

    async def head(self) -> str:
        """Returns the head of a response, with its empty line."""
        async with asyncio.timeout(DEADLINE):
            return (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")

    async def answer(self) -> tuple[int, bytes]:
        """Returns the status and body of an HTTP response."""
        head = await self.head()
        status = int(head.split()[1])
        length = re.search(r"(?im)^content-length: *(\d+)", head)
        async with asyncio.timeout(DEADLINE):
            return status, await self.reader.readexactly(int(length[1]) if length else 0)

    async def frame(self) -> tuple[int, bytes]:
        async def read():
            first, size = await self.reader.readexactly(2)
            if size == 126:
                (size,) = struct.unpack(">H", await self.reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", await self.reader.readexactly(8))
            return first, await self.reader.readexactly(size)

        async with asyncio.timeout(DEADLINE):
            return await read()

    async def close_code(self) -> int | None:
        """Returns the code of the close frame, after which nothing may follow; None if it has no code."""
        while (got := await self.frame())[0] != 0x88:
            assert got[0] in (0x81, 0x8A, 0xC1), got
        assert await self.rest() == b""
        return struct.unpack(">H", got[1][:2])[0] if got[1] else None

    async def rest(self, seconds: float = DEADLINE) -> bytes:
        """Returns everything until the connection ends, in whatever way."""
        data = b""
        async with asyncio.timeout(seconds):
            with contextlib.suppress(ConnectionError):
                while more := await self.reader.read(65_536):
                    data += more
        return data


async def until(condition, what: str, seconds: float = DEADLINE):
    """Polls a condition repeatedly, also for effects outside the test's connections."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"never happened: {what}"
        await asyncio.sleep(0.02)
