"""PR2: `user.export` and `channel.export` of a running server, with texts on disk, against `belfry data export`."""

import random
import threading

import pytest
from articles import block
from belfry import API_KEY, Server, token
from clients import Wire
from storage import kill
from test_bodies_on_disk import LITTLE, until_on_disk, waiting  # noqa: F401
from test_export import chat, export  # noqa: F401

OWN_DATA = {"BELFRY_EXPORT_OWN_DATA": "true"}


def walk(ask, limit=None):
    """Returns the lines of all pages, without the first and the last one, and the number of pages."""
    lines, pages, page = [], 0, {}
    while True:
        answer = ask({**({"limit": limit} if limit else {}), **page})
        assert len(answer["lines"]) <= (limit or 500) + 1
        lines += answer["lines"]
        pages += 1
        if "next" not in answer:
            break
        page = {"next": answer["next"]}
    assert lines[0]["type"] == "export" and lines[-1] == {"type": "end", "lines": len(lines) - 1}
    return lines[1:-1], pages


def over_http(server, command, limit=None, **subject):
    return walk(lambda page: server.app(command, **subject, **page), limit)


def subjects(lines):
    users = [("user.export", "--user", "user_id", line["user"]["id"]) for line in lines if line["type"] == "user"]
    return users + [("channel.export", "--channel", "channel_id", line["channel"]["id"])
                    for line in lines if line["type"] == "channel"]


def compare(server):
    for command, option, field, name in subjects(export(server)):
        expected = export(server, option, name)
        for limit in (7, 100, None):
            lines, pages = over_http(server, command, limit, **{field: name})
            assert lines == expected, (command, name)
            assert pages >= (len(expected) + 2) // (limit or 500)


def test_the_pages_have_what_the_command_line_writes(chat):  # noqa: F811
    compare(chat)


def test_the_articles_request_returns_the_first_page(chat):  # noqa: F811
    request, body = block("Export.md", "POST /v1/user.export").split("\n")
    status, page = chat.post(request.removeprefix("POST /v1/"), body.encode(), key=API_KEY)
    assert status == 200 and len(page["lines"]) == 100 and "next" in page
    assert page["lines"][0]["user_id"] == "ann"


@pytest.fixture
def cold(tmp_path, waiting):  # noqa: F811
    """A server that has 1,500 texts on disk only; most are bob's, in two channels."""
    server = Server(tmp_path, {**LITTLE, **OWN_DATA})
    choice = random.Random(1)
    for user in ("ann", "bob", "cat"):
        server.app("user.upsert", id=user)
    server.app("channel.create", id="general", user_ids=["ann", "bob", "cat"])
    server.app("channel.create", id="tea", user_ids=["bob", "cat"])
    for number in range(1_500):
        place = "general" if number % 3 else "tea"
        user = "ann" if number % 97 == 1 and place == "general" else choice.choice(["bob", "cat"])
        said = server.app("message.send", channel_id=place, text=f"{number} " * choice.randrange(1, 40), as_user_id=user)
        if number % 50 == 1:
            server.app("reaction.add", channel_id=place, message_id=said["message"]["id"], key="sob", as_user_id="cat")
    until_on_disk(server, waiting)
    yield server
    if server.process.poll() is None:
        server.terminate()


def test_texts_are_read_from_disk_without_stopping_the_chat(cold):
    misses = cold.metric("belfry_body_misses_total")
    compare(cold)
    assert cold.metric("belfry_body_misses_total") > misses
    assert cold.metric("belfry_body_reads") == 0, "the engine has waited for the disk"
    assert cold.metric("belfry_blocks_damaged_total") == 0


async def test_a_walk_over_the_websocket_continues_after_a_restart(cold, tmp_path):
    expected = export(cold, "--user", "ann")
    async with Wire(cold) as wire:
        await wire.connect("ann")
        first = (await wire.rpc("user.export", {"user_id": "ann", "limit": 5}))["rpc"]["data"]
        refused = await wire.rpc("user.export", {"user_id": "bob"})
        assert refused["error"]["code"] == 1009
        assert (await wire.rpc("channel.export", {"channel_id": "general"}))["error"]["code"] == 1009
    kill(cold)
    server = Server(tmp_path, {**LITTLE, **OWN_DATA})
    lines, page = first["lines"], first
    async with Wire(server) as wire:
        await wire.connect("ann")
        while "next" in page:
            page = (await wire.rpc("user.export", {"user_id": "ann", "limit": 5, "next": page["next"]}))["rpc"]["data"]
            lines += page["lines"]
    assert lines[1:-1] == expected
    assert server.terminate() == 0


def test_a_walk_passes_all_that_stays_while_others_write_and_delete(cold):
    before = [line["message"]["id"] for line in export(cold, "--channel", "general") if line["type"] == "message"]
    gone, errors, over = set(), [], threading.Event()

    def live():
        try:
            for number in range(2_000):
                if over.is_set():
                    return
                cold.app("message.send", channel_id="general", text="later", as_user_id="bob")
                victim = before[(number * 37) % len(before)]
                if number % 3 == 0 and victim not in gone:
                    gone.add(victim)
                    cold.app("message.delete", channel_id="general", message_id=victim)
        except AssertionError as error:
            errors.append(error)

    thread = threading.Thread(target=live)
    thread.start()
    try:
        lines, _ = over_http(cold, "channel.export", 50, channel_id="general")
    finally:
        over.set()
        thread.join()
    assert not errors
    texts = {line["message"]["id"]: line["message"] for line in lines if line["type"] == "message"}
    assert len(texts) == sum(line["type"] == "message" for line in lines), "a message came twice"
    assert set(before) <= set(texts)
    for name, message in texts.items():
        assert message.get("text") or name in gone, name


def test_the_setting_the_key_and_the_token_are_checked(chat):  # noqa: F811
    def code(command, data, **credentials):
        status, answer = chat.post(command, data, **credentials)
        return status, answer["error"]["code"]

    assert code("user.export", {"user_id": "ann"}, bearer=token("ann")) == (403, 1009)
    assert code("user.export", {"user_id": "nobody"}, key=API_KEY) == (404, 1000)
    assert code("channel.export", {"channel_id": "nowhere"}, key=API_KEY) == (404, 1000)
    assert code("channel.export", {"channel_id": "general", "as_user_id": "ann"}, key=API_KEY) == (400, 107)
    assert code("user.export", {"user_id": "ann", "limit": 1_001}, key=API_KEY) == (400, 1032)
    page = chat.app("user.export", user_id="ann", limit=2)["next"]
    for data in ({"user_id": "bob", "next": page}, {"user_id": "ann", "next": page[:-1]}, {"user_id": "ann", "next": ""}):
        assert code("user.export", data, key=API_KEY) == (400, 107), data
    assert code("channel.export", {"channel_id": "general", "next": page}, key=API_KEY) == (400, 107)
    # A channel that an import hides does not exist.
    chat.app("import.begin", import_id="i", source="s")
    chat.app("import.add", import_id="i", first_line=1, lines=[
        {"type": "channel", "channel": {"id": "hidden", "created_at": 1_600_000_000_000}}])
    assert code("channel.export", {"channel_id": "hidden"}, key=API_KEY) == (404, 1000)
    chat.app("import.finish", import_id="i")
    lines, _ = over_http(chat, "channel.export", channel_id="hidden")
    assert [line["type"] for line in lines] == ["channel"]
