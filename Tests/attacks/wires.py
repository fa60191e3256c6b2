"""Raw clients for attackers, which count gigabytes of responses and discard them as they arrive."""

import asyncio
import base64
import collections
import json
import os
import re
import socket
import struct
import time

# The bytes kept of each response: enough for its id and error code.
HEAD = 256
_ID = re.compile(rb'\{"id":(\d+)')
_CODE = re.compile(rb'"error":\{"code":(\d+)')
_WAIT = re.compile(rb'"retry_after_ms":(\d+)')


class Tally:
    """Counts what an attacker sent and received."""

    def __init__(self):
        self.sent = self.answered = self.pushes = self.bytes = self.largest = self.connects = 0
        self.refused = collections.Counter()
        self.closed = collections.Counter()

    def answer(self, size: int, code: int | None):
        self.answered += 1
        self.largest = max(self.largest, size)
        if code is not None:
            self.refused[code] += 1


class Pace:
    """A token bucket with the default rate of one user."""

    def __init__(self, rate: float = 400, burst: float = 2_000):
        self.rate, self.tokens, self.burst, self.at = rate, burst, burst, time.monotonic()

    async def take(self):
        now = time.monotonic()
        self.tokens = min(self.burst, self.tokens + (now - self.at) * self.rate) - 1
        self.at = now
        if self.tokens < 0:
            await asyncio.sleep(-self.tokens / self.rate)


def frame(text: bytes, opcode: int = 1) -> bytes:
    """Returns a masked frame. The masking key is zero, which leaves the payload unchanged (RFC 6455 §5.3)."""
    size = len(text)
    head = bytes([0x80 | opcode])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 65_536:
        head += b"\xfe" + struct.pack(">H", size)
    else:
        head += b"\xff" + struct.pack(">Q", size)
    return head + b"\0\0\0\0" + text


class _Stream(asyncio.BufferedProtocol):
    """Reads everything into one reused buffer."""

    def __init__(self):
        self.buffer = bytearray(1 << 18)
        self.is_open = False
        self.ended = asyncio.get_running_loop().create_future()
        self._writable = asyncio.Event()
        self._writable.set()
        self.received = 0

    def connection_made(self, transport):
        self.transport, self.is_open = transport, True

    def connection_lost(self, error):
        self.is_open = False
        self._writable.set()
        if not self.ended.done():
            self.ended.set_result(None)

    def pause_writing(self):
        self._writable.clear()

    def resume_writing(self):
        self._writable.set()

    def get_buffer(self, hint):
        return self.buffer

    def buffer_updated(self, count):
        self.received += count
        self.take(count)

    async def write(self, data: bytes):
        await self._writable.wait()
        if self.is_open:
            self.transport.write(data)

    async def close(self):
        self.transport.abort()
        await self.ended


async def _connect(kind, host, port, receive_buffer=None):
    loop = asyncio.get_running_loop()
    plain = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    plain.setblocking(False)
    if receive_buffer:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    await loop.sock_connect(plain, (host, port))
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return (await loop.create_connection(kind, sock=plain))[1]


class Wire(_Stream):
    """A WebSocket client that speaks JSON. A reply resolves the future of its id."""

    def __init__(self, tally: Tally | None = None):
        super().__init__()
        self.tally = tally or Tally()
        self.last_id = 0
        self.waiting: dict[int, asyncio.Future] = {}
        self.close_code: int | None = None
        self.on_push = None
        self._raw = b""
        self._has_head = False
        self._left = 0
        self._opcode = 0
        self._final = True
        self._line, self._size = bytearray(), 0
        self._kept = HEAD
        self.upgraded = asyncio.get_running_loop().create_future()

    @classmethod
    async def open(cls, door, tally=None, receive_buffer=None) -> "Wire":
        self = await _connect(lambda: cls(tally), door.host, door.port, receive_buffer)
        key = base64.b64encode(os.urandom(16)).decode()
        await self.write((
            f"GET /connection/websocket HTTP/1.1\r\nHost: belfry\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        await self.upgraded
        return self

    def connection_lost(self, error):
        super().connection_lost(error)
        if self.close_code is None:
            self.close_code = 1006
        self.tally.closed[self.close_code] += 1
        if not self.upgraded.done():
            self.upgraded.set_exception(ConnectionError("closed before it was upgraded"))
            self.upgraded.exception()
        for future in self.waiting.values():
            if not future.done():
                future.set_result(None)
        self.waiting.clear()

    async def close(self):
        if self.is_open:
            # A close by this client is not a finding.
            self.tally.closed[1006] -= 1
        await super().close()

    def take(self, count):
        place = 0
        if not self._has_head:
            self._raw += bytes(self.buffer[:count])
            end = self._raw.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self._raw.startswith(b"HTTP/1.1 101"):
                self.upgraded.set_exception(ConnectionError(self._raw[:200].decode("latin-1")))
                self.transport.abort()
                return
            rest, self._raw, self._has_head = self._raw[end + 4:], b"", True
            if not self.upgraded.done():
                self.upgraded.set_result(None)
            self.buffer[: len(rest)] = rest
            count = len(rest)
        self.tally.bytes += count
        while place < count:
            if self._left == 0:
                if len(self._raw) < 2 or len(self._raw) < self._head_size():
                    self._raw += self.buffer[place : place + 1]
                    place += 1
                    if len(self._raw) < 2 or len(self._raw) < self._head_size():
                        continue
                self._begin()
                if self._left == 0:
                    self._frame_ended()
                continue
            step = min(self._left, count - place)
            self._payload(place, place + step)
            place += step
            self._left -= step
            if self._left == 0:
                self._frame_ended()

    def _head_size(self) -> int:
        return {126: 4, 127: 10}.get(self._raw[1] & 127, 2)

    def _begin(self):
        size = self._raw[1] & 127
        if size == 126:
            size = struct.unpack(">H", self._raw[2:4])[0]
        elif size == 127:
            size = struct.unpack(">Q", self._raw[2:10])[0]
        if self._raw[0] & 15:
            self._opcode = self._raw[0] & 15
        self._final = bool(self._raw[0] & 0x80)
        self._left, self._raw = size, b""

    def _payload(self, start, end):
        while start < end:
            newline = self.buffer.find(b"\n", start, end)
            stop = end if newline < 0 else newline
            if len(self._line) < self._kept:
                self._line += self.buffer[start : min(stop, start + self._kept - len(self._line))]
            self._size += stop - start
            if newline < 0:
                return
            self._ends_line()
            start = newline + 1

    def _frame_ended(self):
        if self._opcode == 8:
            self.close_code = struct.unpack(">H", self._line[:2])[0] if len(self._line) >= 2 else 1005
            self._line, self._size = bytearray(), 0
            self.transport.abort()
        elif self._opcode == 9:
            self.transport.write(frame(bytes(self._line), 10))
            self._line, self._size = bytearray(), 0
        elif self._final:
            self._ends_line()

    def _ends_line(self):
        line, size = bytes(self._line), self._size
        self._line, self._size = bytearray(), 0
        if line == b"{}":
            self.transport.write(frame(b"{}"))
            return
        match = _ID.match(line)
        if not match:
            self.tally.pushes += 1
            if self.on_push:
                self.on_push(line, size)
            return
        code = _CODE.search(line)
        self.tally.answer(size, int(code[1]) if code else None)
        future = self.waiting.pop(int(match[1]), None)
        if future and not future.done():
            future.set_result(line)

    def expect(self) -> tuple[int, asyncio.Future]:
        self.last_id += 1
        future = asyncio.get_running_loop().create_future()
        self.waiting[self.last_id] = future
        return self.last_id, future

    async def command(self, **command) -> tuple[asyncio.Future, int]:
        id, future = self.expect()
        await self.write(frame(json.dumps({"id": id, **command}).encode()))
        self.tally.sent += 1
        if not self.is_open and not future.done():
            future.set_result(None)
        return future, id

    async def call(self, **command) -> bytes | None:
        """Returns the first bytes of the reply, or None if the connection ended before it."""
        return await (await self.command(**command))[0]

    async def connect(self, token: str, **fields) -> bytes | None:
        self.tally.connects += 1
        return await self.call(connect={"token": token, **fields})

    async def rpc(self, method: str, data: str) -> asyncio.Future:
        """Sends the JSON text `data`; the future yields the first bytes of the reply."""
        id, future = self.expect()
        await self.write(frame(f'{{"id":{id},"rpc":{{"method":"{method}","data":{data}}}}}'.encode()))
        self.tally.sent += 1
        if not self.is_open and not future.done():
            future.set_result(None)
        return future

    async def ask(self, method: str, **data) -> dict:
        """Returns the whole result of an RPC, or `{"error": …}`."""
        self._kept = 1 << 30
        try:
            line = await (await self.rpc(method, json.dumps(data)))
        finally:
            self._kept = HEAD
        if line is None:
            return {"error": {"code": self.close_code, "message": "closed"}}
        reply = json.loads(line)
        return reply["rpc"]["data"] if "rpc" in reply else reply


def wait_of(line: bytes | None) -> float:
    """Returns the retry delay of a refusal, in seconds."""
    match = line and _WAIT.search(line)
    return int(match[1]) / 1_000 if match else 0.1


def code_of(line: bytes | None) -> int | None:
    match = line and _CODE.search(line)
    return int(match[1]) if match else None


class Http(_Stream):
    """A keep-alive HTTP connection with one request at a time."""

    def __init__(self, tally: Tally | None = None):
        super().__init__()
        self.tally = tally or Tally()
        self.keeps = False
        self._raw = bytearray()
        self._left = None
        self._status = 0
        self._size = 0
        self._body = bytearray()
        self._answer: asyncio.Future | None = None

    @classmethod
    async def open(cls, door, tally=None, keeps=False, receive_buffer=None) -> "Http":
        self = await _connect(lambda: cls(tally), door.host, door.port, receive_buffer)
        self.door, self.keeps = door, keeps
        return self

    def connection_lost(self, error):
        super().connection_lost(error)
        if self._answer and not self._answer.done():
            self._answer.set_result((0, b""))

    def take(self, count):
        self.tally.bytes += count
        place = 0
        while place < count:
            if self._left is None:
                self._raw += self.buffer[place:count]
                end = self._raw.find(b"\r\n\r\n")
                if end < 0:
                    return
                head = bytes(self._raw[:end])
                self._status = int(head[9:12])
                match = re.search(rb"(?i)content-length: *(\d+)", head)
                self._left = self._size = int(match[1]) if match else 0
                rest = bytes(self._raw[end + 4:])
                self._raw, self._body = bytearray(), bytearray()
                self.buffer[: len(rest)] = rest
                place, count = 0, len(rest)
            step = min(self._left, count - place)
            if self.keeps or len(self._body) < HEAD:
                self._body += self.buffer[place : place + (step if self.keeps else min(step, HEAD - len(self._body)))]
            place += step
            self._left -= step
            if self._left == 0:
                self._left = None
                body = bytes(self._body)
                code = None
                if self._status >= 400:
                    match = re.search(rb'"code":(\d+)', body)
                    code = int(match[1]) if match else self._status
                self.tally.answer(self._size, code)
                if self._answer and not self._answer.done():
                    self._answer.set_result((self._status, body))

    def head(self, method, path, size, fields) -> bytes:
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"{method} {path} HTTP/1.1\r\nHost: belfry\r\n{lines}Content-Length: {size}\r\n\r\n".encode()

    async def send(self, method: str, path: str, body: bytes = b"", **fields):
        self.tally.sent += 1
        await self.write(self.head(method, path, len(body), {n.replace("_", "-"): v for n, v in fields.items()}) + body)

    async def request(self, method: str, path: str, body: bytes = b"", **fields) -> tuple[int, bytes]:
        """Returns status and body; the status is 0 if the connection ended."""
        self._answer = asyncio.get_running_loop().create_future()
        await self.send(method, path, body, **fields)
        if not self.is_open and not self._answer.done():
            return 0, b""
        return await self._answer
