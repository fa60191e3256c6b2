"""Message search over real connections, and the index in the data folder."""

import time

import pytest
from belfry import API_KEY, Server, token
from clients import Person, Wire
from storage import begin, kill, send

DEADLINE = 30


def find(server, query, **fields):
    """Returns the page of a search once the index has everything that was acknowledged before."""
    deadline = time.monotonic() + DEADLINE
    while True:
        page = server.app("message.search", **{"channel_id": "general", "query": query, **fields})
        if page["is_complete"]:
            return page
        assert time.monotonic() < deadline
        time.sleep(0.02)


def texts(server, query, **fields):
    return [message["text"] for message in find(server, query, **fields)["messages"]]


def index(server):
    return server.data / "search" / "words.sqlite"


async def test_a_message_is_found_as_soon_as_it_is_acknowledged(server, name):
    """SE1"""
    async with Person(server, name("ann")) as ann:
        channel = (await ann.rpc("channel.create", id=name("room")))["channel"]["id"]
        for number in range(20):
            await ann.say(channel, f"Straße {number}")
            page = await ann.rpc("message.search", query=f"STRASSE {number}")
            assert [message["text"] for message in page["messages"]] == [f"Straße {number}"]
            assert page["is_complete"] and page["marks"] == [[[0, 6], [7, len(str(number))]]]


async def test_words_prefixes_phrases_and_unspaced_scripts_are_found_and_marked(server, name):
    """SE1"""
    async with Person(server, name("ann")) as ann:
        channel = (await ann.rpc("channel.create", id=name("room")))["channel"]["id"]
        said = ["the town hall", "bells of a hall in town", "今日の天気予報", "東京都 🎉"]
        for text in said:
            await ann.say(channel, text)

        async def found(query, **fields):
            page = await ann.rpc("message.search", channel_id=channel, query=query, **fields)
            return [
                (said.index(message["text"]), marks)
                for message, marks in zip(page["messages"], page["marks"], strict=True)]

        assert await found("HALL") == [(1, [[11, 4]]), (0, [[9, 4]])]
        assert await found('"town hall"') == [(0, [[4, 9]])]
        assert await found("bel*") == [(1, [[0, 5]])]
        assert await found("bel") == []
        assert await found("天気") == [(2, [[3, 2]])]
        assert await found("東京") == [(3, [[0, 2]])]
        assert await found("🎉") == [(3, [[4, 2]])]
        assert await found("hall", order="relevance") == [(0, [[9, 4]]), (1, [[11, 4]])]


async def test_edits_deletions_and_departures_count_at_once(server, name):
    """SE1, MS8"""
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        channel = (await ann.rpc("channel.create", id=name("room"), is_public=True))["channel"]["id"]
        await bob.rpc("channel.join", channel_id=channel)
        one = await ann.say(channel, "needle one")
        two = await bob.say(channel, "needle two")

        async def found(person, **fields):
            page = await person.rpc("message.search", query="needle", **fields)
            return [message["text"] for message in page["messages"]]

        assert await found(ann, user_ids=[name("bob")]) == ["needle two"]
        assert await found(ann, before=two["created_at"], after=one["created_at"]) in (["needle one"], [])
        await ann.rpc("message.update", channel_id=channel, message_id=one["id"], text="hay")
        assert await found(ann) == ["needle two"]
        await bob.rpc("message.delete", channel_id=channel, message_id=two["id"])
        assert await found(ann) == []
        await ann.say(channel, "needle three")
        assert await found(bob) == ["needle three"]
        await bob.rpc("channel.leave", channel_id=channel)
        assert await found(bob) == []


@pytest.mark.parametrize(
    "query", ['"', '""" AND', "a OR b", "NEAR(a b)", "words : a", "a* ^b -c", "\x00a\x00", "(((", "e\u0301" * 50, "🎉" * 60])
async def test_no_query_breaks_a_search(server, name, query):
    """SE1"""
    async with Wire(server) as ann:
        await ann.connect(name("ann"))
        await ann.rpc("channel.create", {"id": name("room")})
        await ann.rpc("message.send", {"channel_id": name("room"), "text": "a or b near words " + query})
        reply = await ann.call(rpc={"method": "message.search", "data": {"query": query}})
        if "error" in reply:
            assert reply["error"]["code"] == 1032
        else:
            assert len(reply["rpc"]["data"]["messages"]) == 1
    assert server.metric("belfry_search_failures_total") == 0


def test_the_index_survives_a_kill_and_a_restart(tmp_path):
    """SE1"""
    server = Server(tmp_path)
    begin(server)
    for number in range(50):
        assert send(server, f"word n{number}") == 200
    assert len(texts(server, "word", limit=100)) == 50
    kill(server)
    server = Server(tmp_path)
    assert len(texts(server, "word", limit=100)) == 50
    assert send(server, "word later") == 200
    assert texts(server, "later") == ["word later"]
    assert server.terminate() == 0
    server = Server(tmp_path)
    assert len(texts(server, "word", limit=100)) == 51
    assert server.metric("belfry_search_rebuilds_total") == 0
    server.terminate()


@pytest.mark.parametrize("damage", ["deleted", "emptied", "no database", "flipped"])
def test_a_deleted_or_damaged_index_is_filled_from_the_chat(tmp_path, damage):
    """SE1"""
    server = Server(tmp_path)
    begin(server)
    for number in range(300):
        assert send(server, f"word n{number}") == 200
    assert texts(server, "n299") == ["word n299"]
    assert server.terminate() == 0
    path = index(server)
    content = path.read_bytes()
    if damage == "deleted":
        path.unlink()
    elif damage == "emptied":
        path.write_bytes(b"")
    elif damage == "no database":
        path.write_bytes(b"x" * len(content))
    else:
        # All pages but the first.
        path.write_bytes(content[:4096] + bytes(byte ^ 0x55 for byte in content[4096:]))
    server = Server(tmp_path)
    assert texts(server, "n7") == ["word n7"]
    assert texts(server, "n299") == ["word n299"]
    assert server.metric("belfry_search_rebuilds_total") >= 1
    assert send(server, "word later") == 200
    assert texts(server, "later") == ["word later"]
    assert server.terminate() == 0


def test_a_kill_while_the_index_is_filled_loses_nothing(tmp_path):
    """SE1"""
    server = Server(tmp_path)
    begin(server)
    for number in range(1_200):
        assert send(server, f"word n{number}") == 200
    for _ in range(3):
        kill(server)
        index(server).unlink(missing_ok=True)
        # Killed at once, and the next server goes on with what this one has written.
        server = Server(tmp_path)
        kill(server)
        server = Server(tmp_path)
        assert texts(server, "n1199") == ["word n1199"]
        assert texts(server, "n0") == ["word n0"]
    assert server.terminate() == 0


def test_a_search_without_channels_finds_nothing_and_a_server_key_names_one(server, name):
    """SE1"""
    status, answer = server.post("message.search", {"query": "word"}, key=API_KEY)
    assert status == 400, answer
    status, answer = server.post("message.search", {"query": "word"}, bearer=token(name("ann")))
    assert status == 200 and answer == {"messages": [], "marks": [], "is_complete": True}
