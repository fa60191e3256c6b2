"""Client errors: each has its own code, and nobody else is affected."""

import asyncio
import base64
import contextlib
import json
import os
import struct

import pytest
from belfry import DEADLINE, token
from clients import Person, Wire

MESSAGE_BYTES = 65_536
TEXT_BYTES = 16_384


@pytest.fixture
def bystander(server, name):
    """A bystander in a conversation, who must not be affected by anything in the `async with` body."""

    @contextlib.asynccontextmanager
    async def watch():
        peace = name("peace")
        async with Wire(server) as wire:
            await wire.connect(name("bystander"))
            await wire.rpc("channel.create", {"id": peace})
            await wire.rpc("message.send", {"channel_id": peace, "text": "before"})
            await wire.hears(peace, "before")
            heard = len(wire.pushes)
            yield
            assert await wire.call(ping={}) == {"ping": {}}
            await wire.rpc("message.send", {"channel_id": peace, "text": "after"})
            await wire.hears(peace, "after")
            assert len(wire.pushes) == heard + 1

    return watch


FORGED = {
    "garbage": lambda user: "garbage",
    "empty": lambda user: "",
    "another key": lambda user: token(user, secret="another secret that is long enough, too"),
    "alg none": lambda user: token(user, algorithm="none"),
    "alg nOnE": lambda user: token(user, algorithm="nOnE"),
    "alg HS512": lambda user: token(user, algorithm="HS512"),
    "cut": lambda user: token(user)[:-4],
    "no user": lambda user: token(""),
    "a control in the user": lambda user: token("ann\n"),
    "not yet valid": lambda user: token(user, nbf=4_000_000_000),
    "huge": lambda user: token(user, filling="x" * 40_000),
}


@pytest.mark.parametrize("what", FORGED)
async def test_a_wrong_token_closes_the_connection_with_3500(server, name, bystander, what):
    async with bystander(), Wire(server) as wire:
        await wire.send(json.dumps({"id": 1, "connect": {"token": FORGED[what](name("ann"))}}))
        assert await wire.close_code() == 3500


async def test_an_expired_token_is_answered_with_109(server, name, bystander):
    async with bystander(), Wire(server) as wire:
        refused = await wire.call(connect={"token": token(name("ann"), expires_in=-5)})
        assert refused["error"]["code"] == 109 and "connect" not in refused


GARBAGE = [
    "hello", "", "\n", "{", "[]", "null", "7", '{"id":1}', '{"id":1,"dance":{}}', '{"id":0,"ping":{}}',
    '{"id":-1,"ping":{}}', '{"id":1e400,"ping":{}}', '{"id":4294967296,"ping":{}}', '{"id":1,"id":2,"ping":{}}',
    '{"id":1,"ping":{}},{"id":2,"ping":{}}', '{"id":1,"ping":{}}\n{"id":2,', '{"id":1,"rpc":"x"}',
    '{"id":1,"rpc":{"method":"\\ud800"}}', '{"id":1,"rpc":{"method":"m","data":{"a":1,}}}',
    '{"id":1,"rpc":{"method":"m","data":' + "[" * 20_000, '{"id":1,"ping":{}}\n' * 1_000 + "x",
    '{"id":1,"rpc":{' + ",".join(f'"{key}":0' for key in range(4_200)) + "}}",
]


@pytest.mark.parametrize("text", GARBAGE, ids=lambda text: repr(text[:40]))
@pytest.mark.parametrize("state", ["before connect", "connected"])
async def test_an_invalid_command_closes_the_connection_with_3501(server, name, bystander, text, state):
    async with bystander(), Wire(server) as wire:
        if state == "connected":
            await wire.connect(name("ann"))
        await wire.send(text)
        assert await wire.close_code() == 3501


@pytest.mark.parametrize(
    "command", ["ping", "rpc", "subscribe", "unsubscribe", "refresh", "publish", "history", "presence"]
)
async def test_a_command_before_connect_closes_the_connection_with_3501(server, bystander, command):
    async with bystander(), Wire(server) as wire:
        await wire.send(json.dumps({"id": 1, command: {"channel": "general"}}))
        assert await wire.close_code() == 3501


async def test_a_second_connect_closes_the_connection_with_3501(server, name, bystander):
    async with bystander(), Wire(server) as wire:
        await wire.connect(name("ann"))
        await wire.send(json.dumps({"id": 9, "connect": {"token": token(name("ann"))}}))
        assert await wire.close_code() == 3501


async def test_a_frame_with_one_invalid_command_executes_none(server, name):
    """MS3"""
    general = name("general")
    async with Wire(server) as wire, Wire(server) as later:
        await wire.connect(name("ann"))
        await wire.rpc("channel.create", {"id": general})
        send = {"id": 7, "rpc": {"method": "message.send", "data": {"channel_id": general, "text": "hi"}}}
        await wire.send(json.dumps(send) + '\n{"id":8,"rpc":')
        assert await wire.close_code() == 3501
        await later.connect(name("ann"))
        assert (await later.rpc("message.list", {"channel_id": general}))["rpc"]["data"]["messages"] == []


@pytest.mark.parametrize("command", ["publish", "history", "presence", "presence_stats", "send", "sub_refresh"])
async def test_an_unsupported_command_is_answered_with_108(server, name, command):
    async with Wire(server) as wire:
        await wire.connect(name("ann"))
        assert (await wire.call(**{command: {"channel": "general", "data": {}}}))["error"]["code"] == 108
        assert await wire.call(ping={}) == {"ping": {}}


async def test_each_refusal_has_its_code_and_the_connection_stays_open(server, name, bystander):
    """CH2 T1 MS9 MS3"""
    async with bystander(), Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        mine, private, lobby = name("mine"), name("private"), name("lobby")
        await ann.rpc("channel.create", id=mine)
        await bob.rpc("channel.create", id=private)
        await bob.rpc("channel.create", id=lobby, is_public=True)
        parent = (await ann.say(mine, "parent"))["id"]
        reply = (await ann.say(mine, "reply", parent_message_id=parent))["id"]
        absent = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
        cases = [
            (104, "message.sing", {}), (104, "", {}), (104, "message", {}), (1009, "user.upsert", {"id": "x"}),
            (1000, "channel.get", {"channel_id": name("absent")}), (1000, "channel.get", {"channel_id": private}),
            (1000, "channel.join", {"channel_id": private}), (1000, "channel.leave", {"channel_id": private}),
            (1000, "message.send", {"channel_id": private, "text": "hi"}),
            (1000, "message.list", {"channel_id": private}), (1000, "user.get", {"user_id": name("absent")}),
            (1000, "message.get", {"channel_id": mine, "message_id": absent}),
            (1001, "message.send", {"channel_id": lobby, "text": "hi"}), (1001, "channel.leave", {"channel_id": lobby}),
            (1009, "message.send", {"channel_id": mine, "text": "hi", "kind": "admin"}),
            (1009, "message.send", {"channel_id": mine, "text": "hi", "as_user_id": bob.user}),
            (1010, "channel.join", {"channel_id": mine}), (1015, "channel.create", {"id": mine}),
            (1015, "channel.create", {"id": private}), (1016, "channel.create", {"is_distinct": True, "is_super": True}),
            (1018, "message.update", {"files": []}),
            (1020, "message.send", {"channel_id": mine, "text": "hi", "parent_message_id": reply}),
            (1030, "message.send", {"channel_id": mine, "text": "x" * (TEXT_BYTES + 1)}),
            (1030, "channel.create", {"name": "x" * 201}), (1032, "message.send", {"channel_id": mine, "text": ""}),
            (1032, "message.send", {"channel_id": mine}), (1032, "message.send", {"channel_id": "a b", "text": "hi"}),
            (1032, "message.get", {"channel_id": mine, "message_id": "7"}),
            (1032, "channel.create", {"name": "\u202eevil"}), (1032, "channel.create", {"user_ids": [""]}),
            (107, "message.send", {"channel_id": mine, "text": 7}), (107, "message.send", {"text": "hi"}),
            (107, "message.send", {"channel_id": mine, "text": "hi", "kind": "song"}),
            (107, "message.list", {"channel_id": mine, "at": 1, "message_id": parent}),
        ]
        for code, method, data in cases:
            assert await ann.refused(method, **data) == code, (method, str(data)[:200])
        for code, room in ((1000, name("absent")), (1000, private), (103, "#" + bob.user), (103, "#nobody")):
            async with Wire(server) as wire:
                await wire.connect(ann.user)
                assert (await wire.subscribe(room))["error"]["code"] == code, room
                assert await wire.call(ping={}) == {"ping": {}}
        assert (await ann.say(mine, "x" * TEXT_BYTES))["text"] == "x" * TEXT_BYTES
        assert not bob.heard(private, "message.new") and not ann.interruptions and not bob.interruptions


async def test_only_a_message_over_the_limit_closes_the_connection_with_1009(server, name, bystander):
    def frame(size):
        text = '{"id":5,"rpc":{"method":"message.sing","data":""}}'
        return text.replace('""', '"' + "x" * (size - len(text)) + '"')

    async with bystander(), Wire(server) as wire:
        await wire.connect(name("ann"))
        assert len(frame(MESSAGE_BYTES)) == MESSAGE_BYTES
        await wire.send(frame(MESSAGE_BYTES))
        await wire.until(lambda: 5 in wire.replies, "a reply to the largest message")
        assert wire.replies[5]["error"]["code"] == 104
        await wire.send(frame(MESSAGE_BYTES + 1))
        assert await wire.close_code() == 1009


async def test_a_text_of_1_MB_is_refused_over_WebSocket_and_HTTP(server, name, bystander):
    """MS3"""
    general = name("general")
    async with bystander(), Wire(server) as wire:
        await wire.connect(name("ann"))
        await wire.rpc("channel.create", {"id": general})
        text = "e" + "\u0301" * 500_000
        status, answer = server.post(
            "message.send", json.dumps({"channel_id": general, "text": text}, ensure_ascii=False).encode(),
            user=name("ann"),
        )
        assert (status, answer["error"]["code"]) == (400, 1030)
        with contextlib.suppress(OSError):
            await wire.send(json.dumps({"id": 5, "rpc": {"method": "message.send", "data": {"text": text}}}))
        assert await wire.close_code() == 1009


class BareSocket:
    """Returns an upgraded TCP connection, for frames that no library would send."""

    def __init__(self, server):
        self.server = server

    async def __aenter__(self):
        self.reader, self.writer = await asyncio.open_connection(self.server.host, self.server.port)
        key = base64.b64encode(os.urandom(16)).decode()
        self.writer.write(
            f"GET /connection/websocket HTTP/1.1\r\nHost: {self.server.host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), DEADLINE)
        assert head.startswith(b"HTTP/1.1 101 ")
        return self

    async def __aexit__(self, *_):
        self.writer.close()

    async def close_code(self) -> int:
        """Returns the code of the close frame, which must be the only frame received."""
        header = await asyncio.wait_for(self.reader.readexactly(2), DEADLINE)
        assert header[0] == 0x88 and 2 <= header[1] <= 125
        payload = await asyncio.wait_for(self.reader.readexactly(header[1]), DEADLINE)
        assert await asyncio.wait_for(self.reader.read(), DEADLINE) == b""
        return struct.unpack(">H", payload[:2])[0]


def masked(first_byte: int, payload: bytes) -> bytes:
    key = bytes([0x37, 0xFA, 0x21, 0x3D])
    assert len(payload) < 126
    return bytes([first_byte, 0x80 | len(payload)]) + key + bytes(b ^ key[i % 4] for i, b in enumerate(payload))


FRAMES = {
    "unmasked": (b"\x81\x02{}", 1002),
    "reserved bit": (masked(0xC1, b"{}"), 1002),
    "unknown opcode": (masked(0x83, b"{}"), 1002),
    "continuation of nothing": (masked(0x80, b"{}"), 1002),
    "fragmented ping": (masked(0x09, b""), 1002),
    "close code 1005": (masked(0x88, struct.pack(">H", 1005)), 1002),
    "close of one byte": (masked(0x88, b"\x03"), 1002),
    "length of 2 to the 63rd": (b"\x82\xff\x80\0\0\0\0\0\0\0", 1002),
    "not the shortest length": (b"\x81\xfe\0\x05", 1002),
    "announces a giant": (b"\x82\xff\0\0\0\0\x40\0\0\0", 1009),
    "not UTF-8": (masked(0x81, b"\xff"), 1007),
    "binary": (masked(0x82, b"{}"), 1003),
}


@pytest.mark.parametrize("what", FRAMES)
async def test_a_malformed_frame_closes_the_connection_with_its_code(server, bystander, what):
    frame, code = FRAMES[what]
    async with bystander(), BareSocket(server) as socket:
        socket.writer.write(frame)
        assert await socket.close_code() == code
