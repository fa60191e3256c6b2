"""The Protobuf form of the client protocol: its bytes, how to request it, and its equivalence to the JSON form.

Most other scenarios run in both forms (the fixture `form`); these tests concern only this one. The oracle is Google's
runtime with the message types of the Python SDK.
"""

import asyncio
import contextlib
import json
import os
import random
import re

import pytest
import websockets
from belfry import DEADLINE, Server, token
from centrifuge import ReplyError
from clients import Person, Wire
from forms import command_message, decode, delimited, encode, parts, protocol, varint
from storage import SMALL
from websockets.asyncio.client import connect as open_websocket

MESSAGE_BYTES = 65_536
PROTOBUF = ["centrifuge-protobuf"]
LONG = "the meeting is at ten tomorrow, can you send me that file again please? " * 30


def socket_of(server, query: str = "", **options):
    return open_websocket(server.socket_url + query, proxy=None, max_size=None, **options)


async def received(socket) -> str | bytes:
    return await asyncio.wait_for(socket.recv(), DEADLINE)


async def closing(socket) -> tuple[int, str]:
    await asyncio.wait_for(socket.wait_closed(), DEADLINE)
    return socket.close_code, socket.close_reason


async def enter(socket, user: str) -> dict:
    await socket.send(encode([{"id": 1, "connect": {"token": token(user)}}], "protobuf"))
    (reply,) = decode(await received(socket), "protobuf")
    assert reply["id"] == 1
    return reply["connect"]


@contextlib.asynccontextmanager
async def entered(server, user: str):
    async with socket_of(server, subprotocols=PROTOBUF) as socket:
        await enter(socket, user)
        yield socket


# Requesting the form


@pytest.mark.parametrize(("query", "offers", "form"), [
    ("", ["centrifuge-protobuf"], "protobuf"), ("", None, "json"), ("?cf_protocol=protobuf", None, "protobuf"),
    ("?format=protobuf", None, "protobuf"), ("?encoding=binary&format=protobuf&x=1", None, "protobuf"),
    ("?cf_protocol=json", None, "json"), ("?format=protobuf2", None, "json"), ("?xformat=protobuf", None, "json"),
    ("?", None, "json"), ("?&&=", None, "json"),
    # The negotiated subprotocol takes precedence.
    ("?format=protobuf", ["centrifuge-json"], "json"), ("?format=json", ["centrifuge-protobuf"], "protobuf"),
    ("?format=protobuf", ["chat"], "protobuf"),
])
async def test_the_form_is_chosen_by_the_subprotocol_or_the_address(server, name, query, offers, form):
    async with socket_of(server, query, subprotocols=offers) as socket:
        await socket.send(encode([{"id": 1, "connect": {"token": token(name("ann"))}}], form))
        (reply,) = decode(await received(socket), form)
        assert reply["connect"]["data"]["user"]["id"] == name("ann")


@pytest.mark.parametrize(("offers", "message", "reason"), [
    (PROTOBUF, '{"id":1,"connect":{}}', "the Protobuf protocol needs binary frames"),
    (PROTOBUF, "", "the Protobuf protocol needs binary frames"),
    (None, b"\x04\x08\x01\x22\x00", "the JSON protocol needs text frames"),
])
async def test_a_message_of_the_wrong_kind_is_refused_with_the_reason(server, offers, message, reason):
    async with socket_of(server, subprotocols=offers) as socket:
        await socket.send(message)
        assert await closing(socket) == (1003, reason)


# Bytes


async def test_every_reply_and_push_matches_the_bytes_written_by_googles_runtime(server, name):
    """Messages are unchanged when the runtime reads and writes them again: there are no fields outside the schema and
    none out of order. Only a map's entries may be in another order."""
    ann, general, seen = name("ann"), name("general"), []
    commands = [
        {"connect": {"token": token(ann)}},
        {"rpc": {"method": "channel.create", "data": {"id": general}}},
        {"rpc": {"method": "message.send", "data": {"channel_id": general, "text": "höher 😀"}}},
        {"rpc": {"method": "typing.start", "data": {"channel_id": general}}},
        {"rpc": {"method": "no.such", "data": {}}}, {"ping": {}}, {"refresh": {"token": token(ann)}},
        {"unsubscribe": {"channel": general}}, {"subscribe": {"channel": general, "recover": True}},
        {"subscribe": {"channel": general}}, {"publish": {"channel": general, "data": {}}},
        {"rpc": {"method": "channel.leave", "data": {"channel_id": general}}},
    ]
    async with socket_of(server, subprotocols=PROTOBUF, compression=None) as socket:
        for id, command in enumerate(commands, 1):
            await socket.send(encode([{"id": id, **command}], "protobuf"))
            answered = False
            while not answered:
                for part in parts(await received(socket)):
                    reply = protocol.Reply.FromString(part)
                    seen.append(reply)
                    answered = answered or reply.id == id
                    written = reply.SerializeToString()
                    assert len(written) == len(part) if reply.HasField("connect") else written == part
    kinds = {field.name for reply in seen for field, _ in reply.ListFields()} - {"id"}
    assert kinds == {"connect", "rpc", "error", "ping", "refresh", "unsubscribe", "subscribe", "push"}
    pushes = {field.name for reply in seen for field, _ in reply.push.ListFields()} - {"channel"}
    assert pushes == {"pub", "subscribe", "unsubscribe"}


async def test_a_ping_is_one_byte_each_way_and_an_unanswered_one_closes_the_connection(tmp_path, name):
    server = Server(tmp_path, {"BELFRY_CONNECTIONS_PING_MS": "1000", "BELFRY_CONNECTIONS_PONG_MS": "1000", **SMALL})
    try:
        async with entered(server, name("ann")) as ann, entered(server, name("bob")) as bob:
            for _ in range(3):
                assert await received(ann) == b"\0"
                await ann.send(b"\0")
            assert await received(bob) == b"\0"
            assert (await closing(bob))[0] == 3012
            # The client can also send a ping.
            await ann.send(encode([{"id": 9, "ping": {}}], "protobuf"))
            while (message := await received(ann)) == b"\0":
                await ann.send(b"\0")
            assert message == b"\x04\x08\x09\x62\x00"
    finally:
        server.terminate()


async def test_several_commands_in_a_message_are_executed_in_order(server, name):
    general = name("general")
    async with Wire(server, "protobuf") as wire:
        await wire.connect(name("ann"))
        await wire.rpc("channel.create", {"id": general})
        send = {"method": "message.send", "data": {"channel_id": general}}
        await wire.send(encode(
            [{"id": 10 + n, "rpc": {**send, "data": {"channel_id": general, "text": str(n)}}} for n in range(100)],
            "protobuf"))
        await wire.hears(general, "99")
        texts = [pub["data"]["message"]["text"] for pub in wire.heard(general) if "message" in pub["data"]]
        assert texts == [str(n) for n in range(100)]
        offsets = [pub["offset"] for pub in wire.heard(general)]
        assert offsets == list(range(offsets[0], offsets[0] + len(offsets)))


# Invalid commands

BROKEN = {
    "nothing": b"", "text": b"hello", "JSON": b'{"id":1,"ping":{}}', "a length alone": b"\x05",
    "a length that does not end": b"\x80", "a length of 2**64-1": b"\xff" * 9 + b"\x01", "a length of 1 GB": varint(2**30),
    "a number of 65 bits": delimited(b"\x08" + b"\xff" * 9 + b"\x02"), "field 0": delimited(b"\x00\x01"),
    "wire type 7": delimited(b"\x08\x01\x0f"), "the end of a group": delimited(b"\x08\x01\x0c"),
    "a group without an end": delimited(b"\x08\x01\x0b"), "65 groups": delimited(b"\x0b" * 65 + b"\x0c" * 65),
    "60,000 groups": delimited(b"\x0b" * 60_000),
    "no id": delimited(protocol.Command(ping=protocol.PingRequest())), "no command": delimited(protocol.Command(id=1)),
    "the first version of the protocol": delimited(b"\x08\x01\x10\x07\x1a\x00"),
    "a method that is not UTF-8": delimited(b"\x08\x01\x6a\x03\x12\x01\xff"),
    "129 commands and a broken one": delimited(protocol.Command(id=1, ping=protocol.PingRequest())) * 129 + b"\x02\x08\x02",
    "connect": delimited(command_message({"id": 1, "connect": {}})),
    "a second command that is broken": delimited(protocol.Command(id=1, ping=protocol.PingRequest())) + b"\x02\x08\x02",
}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("state", ["before connect", "connected"])
async def test_an_invalid_command_closes_the_connection_with_3501(server, name, what, state):
    async with socket_of(server, subprotocols=PROTOBUF) as socket:
        if state == "connected":
            await enter(socket, name("ann"))
        elif what == "connect":
            return
        await socket.send(BROKEN[what])
        assert (await closing(socket))[0] == 3501


@pytest.mark.parametrize(("data", "code"), [
    (b"hello", 3501), (b"{", 3501), (b"[]", 3501), (b"\xff", 3501), (b'{"subscribe":"all"}', 3501), (b'{"subscribe":1}', 3501),
    (b"", None), (b"null", None), (b"{}", None), (b' {"subscribe":"none"} ', None),
])
async def test_the_data_of_connect_is_JSON(server, name, data, code):
    async with socket_of(server, subprotocols=PROTOBUF) as socket:
        connect = protocol.ConnectRequest(token=token(name("ann")), data=data)
        await socket.send(delimited(protocol.Command(id=1, connect=connect)))
        if code:
            assert (await closing(socket))[0] == code
        else:
            assert "connect" in decode(await received(socket), "protobuf")[0]


@pytest.mark.parametrize("data", [b"hello", b"\x00\xff", b'{"text":', b"[]", b"7", b'{"channel_id":"\xff"}', b"{}}", b"[" * 60_000])
async def test_a_command_with_non_JSON_data_is_refused_and_the_connection_stays_open(server, name, data):
    async with entered(server, name("ann")) as socket:
        rpc = protocol.RPCRequest(method="message.send", data=data)
        await socket.send(delimited(protocol.Command(id=2, rpc=rpc)))
        (reply,) = decode(await received(socket), "protobuf")
        assert (reply["id"], reply["error"]["code"]) == (2, 107)
        await socket.send(encode([{"id": 3, "ping": {}}], "protobuf"))
        assert await received(socket) == b"\x04\x08\x03\x62\x00"


async def test_a_command_without_a_data_field_is_accepted(server, name):
    async with entered(server, name("ann")) as socket:
        await socket.send(delimited(protocol.Command(id=2, rpc=protocol.RPCRequest(method="user.get"))))
        (reply,) = decode(await received(socket), "protobuf")
        assert reply["rpc"]["data"]["user"]["id"] == name("ann")


async def test_only_a_message_over_the_limit_closes_the_connection_with_1009(server, name):
    def sized(size: int) -> bytes:
        message = protocol.Command(id=5, rpc=protocol.RPCRequest(method="message.sing", data=b" " * (size - 64)))
        message.rpc.data += b" " * (size - len(delimited(message)))
        return delimited(message)

    async with entered(server, name("ann")) as socket:
        assert len(sized(MESSAGE_BYTES)) == MESSAGE_BYTES
        await socket.send(sized(MESSAGE_BYTES))
        assert decode(await received(socket), "protobuf")[0]["error"]["code"] == 104
        await socket.send(sized(MESSAGE_BYTES + 1))
        assert (await closing(socket))[0] == 1009


async def test_damaged_commands_never_crash_the_server(server, name):
    """Each command is sent on a separate connection, which continues, or is closed because of an invalid message."""
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    good = [
        encode([{"id": 2, "rpc": {"method": "channel.list", "data": {"limit": 3}}}], "protobuf"),
        encode([{"id": 2, "subscribe": {"channel": "x", "recover": True, "offset": 2**63, "epoch": "e", "flag": 3}}], "protobuf"),
        encode([{"id": 2, "refresh": {"token": "t"}}, {"id": 3, "unsubscribe": {"channel": "y"}}, {}], "protobuf"),
    ]
    for _ in range(300):
        message = bytearray(chance.choice(good))
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(message))
            match chance.randrange(3):
                case 0: message[place] = chance.randrange(256)
                case 1: message.insert(place, chance.randrange(256))
                case _ if len(message) > 1: del message[place]
        async with entered(server, name("ann")) as socket:
            await socket.send(bytes(message))
            await socket.send(encode([{"id": 1000, "ping": {}}], "protobuf"))
            while True:
                try:
                    replies = decode(await received(socket), "protobuf")
                except websockets.ConnectionClosed as closed:
                    assert closed.rcvd.code in (3500, 3501), f"seed {seed}: {bytes(message).hex()}"
                    break
                if any(reply.get("id") == 1000 for reply in replies):
                    break
    assert server.process.poll() is None


# Contents


async def test_members_of_both_forms_receive_the_same_events_in_the_same_order(server, name):
    general, before = name("general"), server.metric("belfry_deliveries_total")
    async with contextlib.AsyncExitStack() as stack:
        people = [await stack.enter_async_context(Wire(server, form)) for form in ("json", "protobuf") * 3]
        for index, wire in enumerate(people):
            await wire.connect(name(f"user{index}"))
        await people[0].rpc("channel.create", {"id": general, "is_public": True})
        for wire in people[1:]:
            await wire.rpc("channel.join", {"channel_id": general})
        texts = [f"{number} {LONG[:number * 60]}" for number in range(40)]
        await asyncio.gather(*(
            people[number % 6].rpc("message.send", {"channel_id": general, "text": text})
            for number, text in enumerate(texts)))
        for wire in people:
            for text in texts:
                await wire.hears(general, text)
        heard = [[pub for pub in wire.heard(general) if pub["data"]["type"] == "message.new"] for wire in people]
        assert len(heard[0]) == 40 and all(line == heard[0] for line in heard)
    assert server.metric("belfry_deliveries_total") >= before + 240


async def test_after_a_history_reset_each_connection_gets_the_redacted_event_in_its_form(server, name):
    """CH7"""
    ann, bob, general = name("ann"), name("bob"), name("general")
    server.app("user.upsert", id=ann)
    server.app("user.upsert", id=bob)
    server.app("channel.create", id=general, user_ids=[ann])
    old = server.app("message.send", channel_id=general, text="long ago", as_user_id=ann)["message"]
    async with Wire(server, "json") as first, Wire(server, "protobuf") as second, Wire(server, "protobuf") as third:
        await first.connect(bob)
        await second.connect(bob)
        await third.connect(ann)
        server.app("channel.invite", channel_id=general, user_ids=[bob], as_user_id=ann)
        server.app("channel.reset_history", channel_id=general, as_user_id=bob)
        server.app("message.update", channel_id=general, message_id=old["id"], text="changed", as_user_id=ann)
        server.app("message.send", channel_id=general, text="marker", as_user_id=ann)
        for wire in (first, second, third):
            await wire.hears(general, "marker")
        changed = [next(pub for pub in wire.heard(general) if pub["data"]["type"] == "message.updated")
                   for wire in (first, second, third)]
        assert changed[0] == changed[1] and "changed" not in json.dumps(changed[1])
        assert changed[2]["data"]["message"]["text"] == "changed"


async def test_thousands_of_messages_arrive_in_order(tmp_path, name):
    rates = ("COMMANDS_PER_SECOND", "USER_COMMANDS_PER_SECOND")
    server = Server(tmp_path, {**{"BELFRY_CONNECTIONS_" + rate: "100000" for rate in rates}, **SMALL})
    try:
        ann, general, count = name("ann"), name("general"), 3_000
        server.app("user.upsert", id=ann)
        server.app("channel.create", id=general, user_ids=[ann])
        async with entered(server, ann) as reader, entered(server, ann) as writer:
            async def hear(socket, wanted) -> list:
                heard = []
                while len(heard) < count:
                    for message in decode(await received(socket), "protobuf"):
                        heard += wanted(message)
                return heard

            def told(message) -> list[tuple[int, str]]:
                pub = message.get("push", {}).get("pub")
                return [(pub["offset"], pub["data"]["message"]["text"])] if pub and "message" in pub["data"] else []

            def answered(message) -> list[int]:
                assert "error" not in message
                return [message["id"]] if "rpc" in message else []

            listening = asyncio.create_task(hear(reader, told))
            answers = asyncio.create_task(hear(writer, answered))
            for start in range(0, count, 100):
                await writer.send(encode(
                    [{"id": 10 + number, "rpc": {"method": "message.send", "data": {"channel_id": general, "text": str(number)}}}
                     for number in range(start, start + 100)], "protobuf"))
            assert sorted(await answers) == list(range(10, 10 + count))
            heard = await listening
        assert [text for _, text in heard] == [str(number) for number in range(count)]
        assert [offset for offset, _ in heard] == list(range(heard[0][0], heard[0][0] + count))
    finally:
        server.terminate()


async def test_a_connect_reply_stays_below_1_MiB_and_the_rest_follows(tmp_path, name):
    """CH17: events that do not fit into the reply follow as pushes."""
    server = Server(tmp_path, {"BELFRY_ROOMS_RING_EVENTS": "1000", "BELFRY_ROOMS_RING_BYTES": "4194304", **SMALL})
    try:
        ann, general = name("ann"), name("general")
        server.app("user.upsert", id=ann)
        server.app("channel.create", id=general, user_ids=[ann])
        async with Wire(server) as wire:
            start = (await wire.connect(ann))["subs"][general]
            for number in range(300):
                await wire.rpc("message.send", {"channel_id": general, "text": f"{number} " + "x" * 4_000})
        async with Wire(server, "protobuf") as wire:
            position = {"recover": True, "offset": start["offset"], "epoch": start["epoch"]}
            connected = await wire.connect(ann, subs={general: position})
            sub = connected["subs"][general]
            assert sub["recovered"] and 100 < len(sub["publications"]) < 300
            await wire.hears(general, "299 " + "x" * 4_000)
            offsets = [pub["offset"] for pub in sub["publications"] + wire.heard(general)]
            assert offsets == list(range(start["offset"] + 1, start["offset"] + 301))
            assert sub["offset"] == sub["publications"][-1]["offset"]
    finally:
        server.terminate()


async def test_large_replies_arrive_complete(server, name):
    ann, general = name("ann"), name("general")
    async with Person(server, ann, form="protobuf") as person:
        await person.rpc("channel.create", id=general)
        for number in range(100):
            await person.say(general, f"{number} " + "ü" * 2_400)
        top = await person.say(general, "top")
        listed = await person.rpc("message.list", channel_id=general, message_id=top["id"], previous=100, next=0)
        assert len(json.dumps(listed, ensure_ascii=False).encode()) > 480_000
        assert [message["text"] for message in listed["messages"][:100]] == [f"{number} " + "ü" * 2_400 for number in range(100)]


async def test_an_error_carries_its_code_message_and_temporary_flag(server, name):
    async with Person(server, name("ann"), form="protobuf") as ann:
        with pytest.raises(ReplyError) as refused:
            await ann.rpc("channel.get", channel_id="nowhere")
        assert (refused.value.code, refused.value.temporary) == (1000, False)
        assert "not found" in refused.value.message


# Compression


@pytest.mark.one_server("each node compresses an event for its own clients")
async def test_an_event_is_compressed_once_per_form_and_loop(server, name):
    general = name("general")
    async with contextlib.AsyncExitStack() as stack:
        people = [await stack.enter_async_context(Wire(server, form)) for form in ("json", "protobuf") * 4]
        for index, wire in enumerate(people):
            assert [x.name for x in wire.socket.protocol.extensions] == ["permessage-deflate"]
            await wire.connect(name(f"user{index}"))
        await people[0].rpc("channel.create", {"id": general, "is_public": True})
        for wire in people[1:]:
            await wire.rpc("channel.join", {"channel_id": general})
        before = server.metric("belfry_deflate_bytes_in_total")
        for number in range(20):
            await people[1].rpc("message.send", {"channel_id": general, "text": f"{number} {LONG}"})
        for wire in people:
            await wire.hears(general, f"19 {LONG}")
        published = sum(len(json.dumps(pub)) for pub in people[0].heard(general) if LONG in json.dumps(pub))
        spent = server.metric("belfry_deflate_bytes_in_total") - before
    # Events are compressed once per form and loop (one loop per core), not once per member, and the sender's replies
    # are compressed in addition.
    assert 1.5 * published < spent < (2 * os.cpu_count() + 1.5) * published


async def test_commands_can_be_compressed(server, name):
    async with entered(server, name("ann")) as socket:
        assert [x.name for x in socket.protocol.extensions] == ["permessage-deflate"]
        for number in range(2, 5):
            command = {"id": number, "rpc": {"method": "no." + LONG, "data": {"text": LONG}}}
            await socket.send(encode([command], "protobuf"))
            (reply,) = decode(await received(socket), "protobuf")
            assert (reply["id"], reply["error"]["code"]) == (number, 104)


async def test_protobuf_connections_are_counted(own_server, name):
    metric = "belfry_protobuf_connections"
    async with Wire(own_server), Wire(own_server, "protobuf") as one, Wire(own_server, "protobuf"):
        await one.connect(name("ann"))
        assert own_server.metric(metric) == 2
    async with asyncio.timeout(DEADLINE):
        while own_server.metric(metric) != 0:
            await asyncio.sleep(0.05)
    assert re.search(rf"^# TYPE {metric} gauge$", own_server.get("/metrics")[1], re.M)
