"""Messages with many commands, as sent by a reconnecting SDK that subscribes to all of its rooms."""

import asyncio
import contextlib
import json

import pytest
import websockets
from belfry import DEADLINE, Server, token
from clients import Wire
from storage import SMALL


@pytest.fixture
def quick(tmp_path):
    """A server without significant rate limits."""
    server = Server(tmp_path, {
        **SMALL, "BELFRY_CONNECTIONS_COMMANDS_AT_ONCE": "100000", "BELFRY_CONNECTIONS_USER_COMMANDS_AT_ONCE": "100000"})
    yield server
    assert server.terminate() == 0


@pytest.fixture
def hasty(tmp_path):
    """A server with low limits, which soon closes flooding connections."""
    server = Server(tmp_path, {
        **SMALL, "BELFRY_CONNECTIONS_COMMANDS_PER_SECOND": "100", "BELFRY_CONNECTIONS_COMMANDS_AT_ONCE": "50",
        "BELFRY_CONNECTIONS_REFUSALS_IN_A_ROW": "20"})
    yield server
    assert server.terminate() == 0


async def test_connect_and_five_hundred_subscribes_fit_in_one_message(quick, form):
    rooms = [f"room-{number}" for number in range(500)]
    for start in range(0, 500, 50):
        channels = [{"id": room, "user_ids": ["ann"]} for room in rooms[start:start + 50]]
        quick.app("user.upsert", id="ann")
        quick.app("channel.upsert_many", channels=channels)
    connect = {"id": 1, "connect": {"token": token("ann"), "data": {"subscribe": "none"}}}
    subscribes = [{"id": number, "subscribe": {"channel": room}} for number, room in enumerate(rooms, 2)]
    async with Wire(quick) as wire:
        await wire.send("\n".join(json.dumps(command) for command in [connect, *subscribes]))
        await wire.until(lambda: len(wire.replies) == 501 or not wire.is_open, "all are answered")
        assert wire.is_open, wire.closing
        assert all(wire.replies[number]["subscribe"]["recoverable"] for number in range(2, 502))
        wire.last_id = 501
        assert "rpc" in await wire.rpc("message.send", {"channel_id": "room-499", "text": "hi"})
        await wire.hears("room-499", "hi")


async def test_thirteen_hundred_commands_in_one_message_are_all_answered(server, name, form):
    """Regression: version 0.1 closed the connection with 3509 before a client could receive a single 111."""
    async with Wire(server) as wire:
        await wire.connect(name("ann"))
        commands = [{"id": number, "rpc": {"method": "emoji.list", "data": {}}} for number in range(2, 1_302)]
        for start in range(0, len(commands), 650):
            await wire.send("\n".join(json.dumps(command) for command in commands[start:start + 650]))
        await wire.until(lambda: len(wire.replies) == 1_301 or not wire.is_open, "all are answered")
        assert wire.is_open, wire.closing
        codes = [reply["error"]["code"] for reply in wire.replies.values() if "error" in reply]
        assert len(codes) <= 300 and set(codes) <= {111}
        wire.last_id = 1_301
        assert await wire.call(ping={}) == {"ping": {}}


async def test_one_message_never_closes_the_connection_however_many_commands_are_refused(hasty):
    async with Wire(hasty) as wire:
        await wire.connect("ann")
        await wire.send("\n".join(json.dumps({"id": number, "ping": {}}) for number in range(2, 302)))
        await wire.until(lambda: len(wire.replies) == 301 or not wire.is_open, "all are answered")
        assert wire.is_open, wire.closing
    # At most twenty commands are refused before each pause of a second.
    assert 20 <= hasty.metric("belfry_commands_refused_total") <= 100


async def test_a_client_that_keeps_flooding_is_closed_with_3509_and_costs_little_until_then(hasty):
    async with Wire(hasty) as deaf, Wire(hasty) as other:
        await deaf.connect("ann")
        await other.connect("bob")

        async def flood():
            text = "\n".join(json.dumps({"id": number, "ping": {}}) for number in range(2, 42))
            with contextlib.suppress(websockets.ConnectionClosed):
                while deaf.is_open:
                    await deaf.send(text)
                    await asyncio.sleep(0.01)

        task = asyncio.create_task(flood())
        await asyncio.wait_for(deaf.socket.wait_closed(), 3 * DEADLINE)
        assert deaf.closing == (3509, "too many errors")
        await task
        assert await other.call(ping={}) == {"ping": {}}
    assert hasty.metric("belfry_commands_refused_total") <= 11 * 20 + 20


@pytest.mark.parametrize("half", [r"\ud83d", r"\ude00", r"\ud83d\ud83d", r"x\ud83dx"])
async def test_half_a_surrogate_pair_in_a_text_fails_only_that_command(server, name, half):
    """Caused by a text cut in the middle of an emoji. Regression: version 0.1 closed with 3501, and the SDK gave up
    permanently."""
    general = name("general")
    async with Wire(server) as wire:
        await wire.connect(name("ann"))
        await wire.rpc("channel.create", {"id": general})
        send = '{"id":%d,"rpc":{"method":"message.send","data":{"channel_id":"%s","text":"%s"}}}'
        await wire.send("\n".join([send % (7, general, "before"), send % (8, general, half), send % (9, general, "after")]))
        await wire.until(lambda: {7, 8, 9} <= wire.replies.keys() or not wire.is_open, "all are answered")
        assert wire.is_open, wire.closing
        assert wire.replies[8]["error"]["code"] == 107 and "surrogate" in wire.replies[8]["error"]["message"]
        wire.last_id = 9
        texts = [m["text"] for m in (await wire.rpc("message.list", {"channel_id": general}))["rpc"]["data"]["messages"]]
        assert texts == ["before", "after"]
    status, answer = server.post(
        "message.send", ('{"channel_id":"%s","text":"%s"}' % (general, half)).encode(), user=name("ann"))
    assert status == 400 and answer["error"]["code"] == 107


async def test_half_a_surrogate_pair_fails_only_its_command_in_protobuf_too(server, name, monkeypatch):
    import forms
    monkeypatch.setattr(forms, "usual", "protobuf")
    async with Wire(server) as wire:
        await wire.connect(name("ann"))
        command = forms.protocol.Command(id=7)
        command.rpc.method = "message.send"
        command.rpc.data = rb'{"channel_id":"a","text":"\ud83d"}'
        await wire.send(forms.delimited(command))
        await wire.until(lambda: 7 in wire.replies or not wire.is_open, "it is answered")
        assert wire.replies[7]["error"]["code"] == 107


@pytest.mark.parametrize(("text", "reason"), [
    ("hello", "bad request: a command must be a JSON object"), ('{"id":2,ping}', "bad request: invalid JSON at byte 8"),
    ('{"id":2,"dance":{}}', "bad request: unknown command"),
    ('{"id":0,"ping":{}}', "bad request: a command needs an id from 1 to 4294967295"),
    ('{"id":2,"rpc":', "bad request: the JSON ends too early"),
    ('{"id":2,"rpc":{"method":"m","data":' + "[" * 100 + "]" * 100 + "}}", "bad request: the JSON is nested deeper than 64 levels"),
    ('{"id":2,"secret":1,"secret":2}', "bad request: an object contains a key twice"),
    ('{"id":2,"connect":{}}', "bad request: connect must be sent once and answered before other commands"),
])
async def test_a_3501_close_gives_the_reason(server, name, text, reason):
    async with Wire(server) as wire:
        await wire.connect(name("ann"))
        await wire.send(text)
        assert await wire.close_code() == 3501 and wire.closing == (3501, reason)
    assert reason.removeprefix("bad request: ") in server.log.read_text()


async def test_a_3501_close_gives_the_reason_in_protobuf_too(server, name, monkeypatch):
    import forms
    monkeypatch.setattr(forms, "usual", "protobuf")
    for message, reason in ((b"\x04\x08", "invalid Protobuf at byte 1"), (b"\x02\x08\x07", "unknown command")):
        async with Wire(server) as wire:
            await wire.connect(name("ann"))
            await wire.send(message)
            assert await wire.close_code() == 3501 and wire.closing[1] == "bad request: " + reason
