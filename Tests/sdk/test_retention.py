"""Messages that end and retention: over real sockets, and across kill -9."""

import asyncio
import time

from belfry import Server
from clients import Person
from storage import SMALL, begin, data, kill, send, texts


def now_ms():
    return int(time.time() * 1_000)


async def test_a_message_ends_by_itself_for_everyone(server, name):
    """MT9"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user])
        sent = await ann.say(general, "secret", expires_in_seconds=1)
        heard = await bob.hears(general, "message.new", "secret")
        assert heard.data["message"]["expires_at"] == sent["expires_at"] == sent["created_at"] + 1_000
        gone = await bob.hears(general, "message.deleted")
        assert gone.data["message_id"] == sent["id"] and "by" not in gone.data and now_ms() >= sent["expires_at"]
        assert (await bob.rpc("message.list", channel_id=general))["messages"] == []
        assert (await bob.rpc("channel.get", channel_id=general))["channel"]["my"]["unread_count"] == 0
        assert await ann.refused("message.send", channel_id=general, text="x", expires_in_seconds=0) == 1032


async def test_a_channel_tells_its_members_how_long_messages_stay(server, name):
    """MT9"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user], operator_user_ids=[ann.user])
        assert await bob.refused("channel.update", channel_id=general, message_seconds=60) == 1006
        await ann.rpc("channel.update", channel_id=general, message_seconds=3_600)
        heard = await bob.hears(general, "channel.updated")
        assert heard.data["channel"]["message_seconds"] == 3_600
        sent = await bob.say(general, "hello")
        assert sent["expires_at"] == sent["created_at"] + 3_600_000


async def test_only_the_backend_sets_retention(server, name):
    """PR4"""
    general = name("general")
    async with Person(server, name("ann")) as ann:
        await ann.rpc("channel.create", id=general, operator_user_ids=[ann.user])
        assert await ann.refused("channel.set_retention", channel_id=general, max_messages=1) == 1009
        for text in "abcde":
            await ann.say(general, text)
        answer = server.app("channel.set_retention", channel_id=general, max_messages=2)
        assert answer["max_messages"] == 2 and "max_age_seconds" not in answer

        async def is_trimmed():
            page = await ann.rpc("message.list", channel_id=general, limit=100)
            return [message["text"] for message in page["messages"]] == ["d", "e"] and not page["has_previous"]

        for _ in range(100):
            if await is_trimmed():
                break
            await asyncio.sleep(0.1)
        assert await is_trimmed()
        assert (await ann.rpc("channel.get", channel_id=general))["channel"]["first_offset"] > 0


def test_what_was_removed_stays_removed_across_kills_and_leaves_the_disk(tmp_path):
    """PR4 MT9"""
    settings = {**SMALL, "BELFRY_RETENTION_MAX_MESSAGES": "10", "BELFRY_JOURNAL_RECOVERABLE_FRAMES": "0"}
    server = Server(tmp_path, settings)
    begin(server)
    ends = server.app("message.send", channel_id="general", text="ends", as_user_id="ann", expires_in_seconds=2)
    for number in range(60):
        assert send(server, f"secret {number}") == 200
    wait_for(lambda: len(texts(server)) == 10)
    kill(server)
    wait_for(lambda: now_ms() > ends["message"]["expires_at"])

    server = Server(tmp_path, settings)
    kept = {f"secret {number}" for number in range(50, 60)}
    wait_for(lambda: texts(server) == kept)
    assert server.metric("belfry_messages_removed_total") >= 0
    assert data("verify", server.data)[0] == 0
    # Two snapshots later, no file has what was removed.
    for text in ("more", "and more"):
        assert send(server, text) == 200
        assert server.terminate() == 0
        assert data("compact", server.data, "--keep", "0")[0] == 0
        server = Server(tmp_path, settings)
    wait_for(lambda: len(texts(server)) == 10)
    for path in server.data.rglob("*"):
        if path.is_file():
            assert b"secret 3" not in path.read_bytes(), path
    assert server.terminate() == 0
    assert data("verify", server.data)[0] == 0


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
