"""Malformed frames (RFC 6455), each sent as a whole and byte by byte.

See also test_limits.py for endless messages and ping floods by a peer that reads, and Tests/autobahn for the cases of
the Autobahn suite.
"""

import asyncio
import contextlib
import json
import socket
import struct
import time

import pytest
from attacks import SCALE, Peer, frame, until, upgrade
from belfry import DEADLINE, token

TEXT, BINARY, CLOSE, PING, PONG = 0x81, 0x82, 0x88, 0x89, 0x8A
GIGABYTE = 1 << 30


def close(code: int, reason: bytes = b"") -> bytes:
    return frame(CLOSE, struct.pack(">H", code) + reason)


# Each frame with its close code, RFC 6455 §7.4.1.
BROKEN = {
    "length 2^63 - 1": (frame(BINARY, size=2**63 - 1, width=8), 1009),
    "length 2^63": (frame(BINARY, size=2**63, width=8), 1002),
    "length 2^64 - 1": (frame(BINARY, size=2**64 - 1, width=8), 1002),
    "a gigabyte": (frame(TEXT, size=GIGABYTE), 1009),
    # §5.2: the minimal number of bytes must be used.
    "5 in two bytes": (frame(TEXT, b"hello", width=2), 1002),
    "5 in eight bytes": (frame(TEXT, b"hello", width=8), 1002),
    "125 in two bytes": (frame(TEXT, b"x" * 125, width=2), 1002),
    "65,535 in eight bytes": (frame(TEXT, size=65_535, width=8), 1002),
    # §5.5
    "a ping of 126 bytes": (frame(PING, b"x" * 126), 1002),
    "a ping of a gigabyte": (frame(PING, size=GIGABYTE), 1002),
    "a close of 126 bytes": (frame(CLOSE, b"\x03\xe8" + b"x" * 124), 1002),
    **{f"{opcode} in fragments": (frame(first & 0x7F, b""), 1002)
       for opcode, first in (("ping", PING), ("pong", PONG), ("close", CLOSE))},
    **{f"RSV{bit} on {what}": (begin + frame(first | 0x80 >> bit, b"{}"), 1002)
       for bit in (1, 2, 3)
       for what, begin, first in (
           ("a ping", b"", PING), ("a pong", b"", PONG), ("a close", b"", CLOSE),
           ("a continuation", frame(0x01, b"{"), 0x80), ("a text", b"", TEXT))},
    **{f"opcode {opcode}": (frame(0x80 | opcode, b"{}"), 1002) for opcode in (3, 7, 11, 15)},
    "a continuation of nothing": (frame(0x80, b"{}"), 1002),
    "a text within a text": (frame(0x01, b"{") + frame(TEXT, b"}"), 1002),
    # §7.4.2: these codes must never be sent.
    **{f"close {code}": (close(code), 1002)
       for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535)},
    "a close of one byte": (frame(CLOSE, b"\x03"), 1002),
    "a close whose reason is not UTF-8": (close(1000, b"\xc3\x28"), 1007),
    "a close whose reason ends early": (close(1000, b"\xe2\x82"), 1007),
    "a text that is not UTF-8": (frame(TEXT, b"\xed\xa0\x80"), 1007),
    # §5.1
    "unmasked": (frame(TEXT, b"{}", masked=False), 1002),
    "an unmasked close": (frame(CLOSE, b"\x03\xe8", masked=False), 1002),
    "masked, then unmasked": (frame(PING, b"a") + frame(PING, b"b", masked=False), 1002),
    "a masked fragment, then an unmasked one": (frame(0x01, b"{") + frame(0x80, b"}", masked=False), 1002),
    # Valid close frames are echoed (§5.5.1), and anything after them is ignored.
    **{f"close {code}": (close(code), code) for code in (1000, 1003, 1014, 3000, 4999)},
    "data after close": (close(1000) + frame(TEXT, b"{}") + frame(0x80, b"x") + b"\xff" * 100_000, 1000),
    "a second close": (close(1000) + close(1001) + frame(CLOSE, b"x"), 1000),
}


@pytest.mark.parametrize("what", BROKEN)
async def test_a_malformed_frame_gets_its_close_code_whole_or_byte_by_byte(target, attack, what):
    data, code = BROKEN[what]
    async with attack(f"frame: {what}"):
        async with upgraded(target) as peer:
            await peer.send(data)
            assert await peer.close_code() == code
        async with upgraded(target) as peer:
            # Only the beginning of a long frame, as nothing after the error is read.
            await peer.send(data[:300], at_a_time=1)
            assert await peer.close_code() == code


@contextlib.asynccontextmanager
async def upgraded(server, fields: str = ""):
    async with Peer(server) as peer:
        yield await peer.upgraded(fields)


async def test_an_unmasked_frame_in_a_session_ends_it(target, attack, name):
    async with attack("frame: unmasked in a session"), upgraded(target) as peer:
        await peer.send(frame(TEXT, json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}).encode()))
        assert (await peer.frame())[0] == TEXT
        await peer.send(frame(TEXT, b'{"id":2,"ping":{}}', masked=False))
        assert await peer.close_code() == 1002


@pytest.mark.parametrize("announced, code", [(GIGABYTE, 1009), (2**63 - 1, 1009), (500_000, None)])
async def test_an_announced_payload_that_is_never_sent_costs_almost_no_memory(target, attack, announced, code):
    """A payload of 500,000 bytes is allowed: the server waits for it and reserves no memory."""
    count = 200 * SCALE
    # 64 KiB per connection, as every connection uses some memory.
    async with attack(f"frame: {announced} bytes announced by {count}", growth_kib=64 * count):
        async with contextlib.AsyncExitStack() as stack:
            peers = [await stack.enter_async_context(upgraded(target)) for _ in range(count)]
            for peer in peers:
                await peer.send(frame(TEXT, size=announced))
            for peer in peers:
                if code:
                    assert await peer.close_code() == code
            # For the allowed payloads the server waits until `connections.message_ms` has passed (test_limits.py).
            if not code:
                assert target.metric("belfry_connections") >= count


@pytest.mark.parametrize("size", [0, 1])
async def test_a_million_fragments_without_a_final_one_close_the_connection_with_1008(target, attack, size):
    async with attack(f"frame: a million fragments of {size} bytes"), upgraded(target) as peer:
        fragment = frame(0x00, b" " * size)
        flood = asyncio.create_task(peer.send(frame(0x01, b" " * size) + fragment * 999_999))
        # 1,024 fragments are accepted. The violation is their number, not the size, which stays below every limit.
        assert await peer.close_code() == 1008
        await flood


async def test_a_ping_between_any_two_fragments_is_answered(target, attack):
    async with attack("frame: pings between 1,000 fragments"), upgraded(target) as peer:
        await peer.send(frame(0x01, b" "))
        for number in range(1_000):
            await peer.send(frame(0x00, b" ") + frame(PING, b"%d" % number))
            assert await peer.frame() == (PONG, b"%d" % number)


async def test_a_ping_flood_by_a_peer_that_does_not_read_closes_its_connection(target, attack, name):
    """Pings count against the command rate; until the server closes the connection, the outbox holds the pongs."""

    def flood(connected: bool) -> int:
        peer = socket.socket()
        # The buffer is small, so that the pongs wait in the server and not in the kernel.
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        peer.settimeout(DEADLINE)
        with peer:
            peer.connect((target.host, target.port))
            peer.sendall(upgrade())
            got = b""
            while not got.endswith(b"\r\n\r\n"):
                got += peer.recv(1)
            if connected:
                peer.sendall(frame(TEXT, json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}).encode()))
                assert peer.recv(1) == b"\x81"
            pings = frame(PING, b"x" * 125) * 500
            sent = 0
            deadline = time.monotonic() + DEADLINE
            while time.monotonic() < deadline:
                try:
                    sent += peer.send(pings)
                except OSError as error:
                    # The server closes the connection of a client that does not read.
                    assert not isinstance(error, TimeoutError), f"left hanging after {sent} bytes"
                    return sent
        raise AssertionError(f"not ended after {sent} bytes")

    for connected in (False, True):
        state = "in a session" if connected else "before connect"
        async with attack(f"frame: pings {state} by one who does not read"):
            before = target.metric("belfry_connections")
            await asyncio.to_thread(flood, connected)
            await until(lambda: target.metric("belfry_connections") <= before, "the connection is gone")
