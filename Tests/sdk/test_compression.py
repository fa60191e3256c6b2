"""permessage-deflate (RFC 7692) with an independent client library."""

import asyncio
import json
import re
import struct
import zlib

import pytest
from belfry import DEADLINE, Server, token
from clients import Person, Wire
from websockets.asyncio.client import connect as open_websocket
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

MESSAGE_BYTES = 65_536
CONNECT_BYTES = 524_288
BASE = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
LONG = "the meeting is at ten tomorrow, can you send me that file again please? " * 30


class Raw:
    """A connection with a hand-written handshake and frames."""

    def __init__(self, server, path="/connection/websocket"):
        self.server, self.path = server, path

    async def open(self, *offers: str) -> tuple[int, list[str]]:
        """Returns the status and the values of `Sec-WebSocket-Extensions`."""
        self.reader, self.writer = await asyncio.open_connection(self.server.host, self.server.port)
        lines = "".join(f"Sec-WebSocket-Extensions: {offer}\r\n" for offer in offers)
        self.writer.write(
            f"GET {self.path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{lines}\r\n".encode())
        head = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), DEADLINE)).decode()
        return int(head.split()[1]), re.findall(r"(?im)^sec-websocket-extensions:\s*(.*?)\s*$", head)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.writer.close()

    def send(self, first: int, payload: bytes):
        size = len(payload)
        length = (bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65_536
                  else b"\xff" + struct.pack(">Q", size))
        self.writer.write(bytes([first]) + length + b"\0\0\0\0" + payload)

    async def frame(self) -> tuple[int, bytes]:
        """Returns the first byte and the payload of the next frame."""
        async def read():
            first, size = await self.reader.readexactly(2)
            if size == 126:
                (size,) = struct.unpack(">H", await self.reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", await self.reader.readexactly(8))
            return first, await self.reader.readexactly(size)

        return await asyncio.wait_for(read(), DEADLINE)

    async def close_code(self) -> int:
        while True:
            first, payload = await self.frame()
            if first == 0x88:
                return struct.unpack(">H", payload[:2])[0]


def deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return (compressor.compress(data) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]


def inflate(payload: bytes, bits: int = 12) -> bytes:
    return zlib.decompressobj(-bits).decompress(payload + b"\0\0\xff\xff")


OFFERS = {
    "permessage-deflate": BASE,
    "permessage-deflate; client_max_window_bits": BASE,
    "permessage-deflate; server_max_window_bits=12; client_max_window_bits=12":
        BASE + "; server_max_window_bits=12; client_max_window_bits=12",
    'permessage-deflate; server_max_window_bits="15"': BASE + "; server_max_window_bits=12",
    "permessage-deflate; server_no_context_takeover": BASE,
    "permessage-deflate; nonsense, permessage-deflate": BASE,
    "x-webkit-deflate-frame": None,
    "permessage-deflate; nonsense": None,
    "permessage-deflate; server_max_window_bits": None,
    "permessage-deflate; server_max_window_bits=0": None,
    "permessage-deflate; server_max_window_bits=7": None,
    "permessage-deflate; server_max_window_bits=8": None,
    "permessage-deflate; server_max_window_bits=9": None,
    "permessage-deflate; server_max_window_bits=16": None,
    "permessage-deflate; server_max_window_bits=999": None,
    "permessage-deflate; server_max_window_bits=09": None,
    "permessage-deflate; client_max_window_bits=16": None,
    "permessage-deflate; server_no_context_takeover; server_no_context_takeover": None,
    "": None,
}


@pytest.mark.parametrize("offer", OFFERS)
async def test_an_offer_is_accepted_or_declined_and_the_connection_works(server, name, offer):
    async with Raw(server) as raw:
        status, answers = await raw.open(offer)
        assert status == 101
        assert answers == ([OFFERS[offer]] if OFFERS[offer] else [])
        raw.send(0x81, json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}).encode())
        first, reply = await raw.frame()
        assert first == 0x81 and json.loads(reply)["connect"]["client"]


@pytest.mark.parametrize("offer", [
    "permessage-deflate; server_max_window_bits=", "permessage-deflate;", "permessage deflate", 'permessage-deflate; a="',
])
async def test_a_malformed_list_of_offers_fails_the_handshake(server, offer):
    async with Raw(server) as raw:
        assert (await raw.open(offer))[0] == 400


async def test_members_with_and_without_compression_receive_the_same_events_in_the_same_order(server, name):
    general, before = name("general"), server.metric("belfry_deflate_bytes_in_total")
    people = [Wire(server) for _ in range(6)]
    for index, wire in enumerate(people):
        wire.socket = await open_websocket(
            server.socket_url, proxy=None, max_size=None, compression=None if index % 2 else "deflate")
        wire.reader = asyncio.create_task(wire._read())
    try:
        for index, wire in enumerate(people):
            assert [x.name for x in wire.socket.protocol.extensions] == ([] if index % 2 else ["permessage-deflate"])
            await wire.connect(name(f"user{index}"))
        await people[0].rpc("channel.create", {"id": general, "is_public": True})
        for wire in people[1:]:
            await wire.rpc("channel.join", {"channel_id": general})
        texts = [f"{number} {LONG[:number * 60]}" for number in range(40)]
        sent = [people[number % 6].rpc("message.send", {"channel_id": general, "text": text})
                for number, text in enumerate(texts)]
        await asyncio.gather(*sent)
        for wire in people:
            for text in texts:
                await wire.hears(general, text)
        heard = [[pub for pub in wire.heard(general) if pub["data"]["type"] == "message.new"] for wire in people]
        assert all(line == heard[0] for line in heard)
        assert [pub["offset"] for pub in heard[0]] == sorted(pub["offset"] for pub in heard[0])
    finally:
        for wire in people:
            await wire.socket.close()
            await wire.reader
    # All members that negotiated compression got the same frames, so apart from replies, compressed bytes do not grow
    # with the number of members.
    spent = server.metric("belfry_deflate_bytes_in_total") - before
    published = sum(len(json.dumps(pub)) for pub in heard[0])
    assert published / 2 < spent < 5 * published


async def test_a_room_event_is_one_compressed_frame_and_the_sessions_own_replies_are_plain(server, name):
    general = name("general")
    async with Person(server, name("bob")) as bob, Raw(server) as raw:
        await bob.rpc("channel.create", id=general, is_public=True)
        assert (await raw.open("permessage-deflate"))[1] == [BASE]
        raw.send(0xC1, deflate(json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}).encode()))
        first, reply = await raw.frame()
        assert first == 0x81 and len(reply) > 300 and "connect" in json.loads(reply)
        raw.send(0xC1, deflate(json.dumps(
            {"id": 2, "rpc": {"method": "channel.join", "data": {"channel_id": general}}}).encode()))
        await bob.hears(general, "member.joined")
        for _ in range(3):
            await bob.say(general, LONG)
        texts = []
        while len(texts) < 3:
            first, payload = await raw.frame()
            if first == 0xC1:
                assert len(payload) < len(LONG)
                lines = [json.loads(line) for line in inflate(payload).decode().split("\n")]
                texts += [line["push"]["pub"]["data"]["message"]["text"] for line in lines if "push" in line]
        assert texts == [LONG] * 3
        await bob.say(general, "short")
        first, payload = await raw.frame()
        assert first == 0x81 and b"short" in payload, "small events are not worth it"
        raw.send(0xC1, deflate(json.dumps({"id": 3, "refresh": {"token": token(name("ann"))}}).encode()))
        first, payload = await raw.frame()
        assert first == 0x81 and "refresh" in json.loads(payload)


async def test_commands_can_be_compressed_in_any_window(server, name):
    for bits in range(9, 16):
        factory = ClientPerMessageDeflateFactory(client_max_window_bits=bits, compress_settings={"memLevel": 4})
        async with open_websocket(server.socket_url, proxy=None, extensions=[factory]) as socket:
            for number in range(1, 4):
                await socket.send(json.dumps({"id": number, "rpc": {"method": "x", "data": {"text": LONG}}}))
                if number == 1:
                    await asyncio.wait_for(socket.wait_closed(), DEADLINE)
                    break
            assert socket.close_code == 3501
        async with open_websocket(server.socket_url, proxy=None, extensions=[factory]) as socket:
            await socket.send(json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}))
            assert "connect" in json.loads(await socket.recv())
            for number in range(2, 5):
                await socket.send(json.dumps({"id": number, "rpc": {"method": "no." + LONG, "data": {"text": LONG}}}))
                reply = json.loads(await socket.recv())
                assert (reply["id"], reply["error"]["code"]) == (number, 104)


async def test_bombs_close_the_connection_with_1009_and_noise_with_1007(server, name):
    before = server.metric("belfry_inflate_refusals_total")
    bomb = deflate(b" " * 100_000_000)
    assert len(bomb) < 100_000
    cases = [(bomb, 1009), (deflate(b"x" * (CONNECT_BYTES + 1)), 1009), (b"\x07", 1007), (b"\xf2\x00\x11\x00\x00", 1007),
             (deflate(b"{" + b"\xff" * 9), 1007)]
    for payload, code in cases:
        async with Raw(server) as raw:
            await raw.open("permessage-deflate")
            raw.send(0xC1, payload)
            assert await raw.close_code() == code
    async with Raw(server) as raw:
        await raw.open("permessage-deflate")
        for start in range(0, len(bomb), 2_000):
            last = start + 2_000 >= len(bomb)
            raw.send((0x80 if last else 0) | (0x41 if start == 0 else 0), bomb[start:start + 2_000])
        assert await raw.close_code() == 1009
    async with Raw(server) as raw:
        await raw.open("permessage-deflate")
        raw.send(0xC1, deflate(json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}).encode()))
        await raw.frame()
        raw.send(0xC1, deflate(json.dumps({"id": 2, "rpc": {"method": "x", "data": "y" * MESSAGE_BYTES}}).encode()))
        assert await raw.close_code() == 1009, "the limit of messages holds once the session lives"
    assert server.metric("belfry_inflate_refusals_total") == before + 6


async def test_a_read_that_inflates_to_many_turns_of_work_is_processed_completely(server, name):
    async with Raw(server) as raw:
        await raw.open("permessage-deflate")
        raw.send(0xC1, deflate(json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}).encode()))
        await raw.frame()
        for number in range(2, 302):
            command = {"id": number, "rpc": {"method": "x", "data": "y" * (MESSAGE_BYTES - 100)}}
            raw.send(0xC1, deflate(json.dumps(command).encode()))
        raw.send(0x81, b'{"id":302,"ping":{}}')
        ids = []
        while 302 not in ids:
            first, payload = await raw.frame()
            lines = (inflate(payload) if first == 0xC1 else payload).decode().split("\n")
            ids += [reply["id"] for line in lines if "id" in (reply := json.loads(line))]
        assert ids == list(range(2, 303))


@pytest.mark.parametrize("first", [0xC1, 0xC9, 0xC0, 0xE1])
async def test_RSV1_is_allowed_only_if_negotiated_and_only_on_first_frames(server, first):
    async with Raw(server) as raw:
        assert await raw.open() == (101, [])
        raw.send(first, deflate(b"{}"))
        assert await raw.close_code() == 1002
    if first != 0xC1:
        async with Raw(server) as raw:
            assert await raw.open("permessage-deflate") == (101, [BASE])
            raw.send(first, deflate(b"{}"))
            assert await raw.close_code() == 1002


async def test_compressed_connections_are_counted(own_server):
    async with Wire(own_server), Wire(own_server):
        assert own_server.metric("belfry_compressed_connections") == 2
    for _ in range(100):
        if own_server.metric("belfry_compressed_connections") == 0:
            break
        await asyncio.sleep(0.05)
    assert own_server.metric("belfry_compressed_connections") == 0


async def test_compression_can_be_turned_off(tmp_path, name):
    server = Server(tmp_path, {"BELFRY_CONNECTIONS_COMPRESSION": "false"})
    try:
        async with Raw(server) as raw:
            assert await raw.open("permessage-deflate") == (101, [])
            raw.send(0xC1, deflate(b"{}"))
            assert await raw.close_code() == 1002
        async with Person(server, name("ann")) as ann:
            general = name("general")
            await ann.rpc("channel.create", id=general)
            await ann.say(general, LONG)
            await ann.hears(general, "message.new", LONG)
        assert server.metric("belfry_deflate_bytes_in_total") == 0
    finally:
        assert server.terminate() == 0
