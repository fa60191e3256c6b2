"""`user.delete`: nothing of a deleted user is on the disk any more, also after kill -9 and a restore (PR1)."""

import json
import shutil
import sqlite3
import time

import pytest
from belfry import API_KEY, Server, token
from clients import Person
from cluster import Cluster, change
from storage import SMALL, data, kill

# Ids and words that occur nowhere else, and share no beginning with other words of the search index.
ZOE = "qzoe-deleted"
WORDS = ["xzsecretmessage", "yzclientid", "wzmetadata", "vzdevicetoken", "uzfilecontent", "tzreport", "szpicture"]
# A webhook that nobody answers, so that every event becomes a dead letter at once.
SETTINGS = {**SMALL, "BELFRY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.1", "BELFRY_WEBHOOKS_ATTEMPTS": "1"}


def upload(server, channel, content):
    connection = server.connect_http()
    connection.request("POST", f"/v1/files?channel_id={channel}&name=notes.txt", content.encode(),
                       {"Authorization": "Bearer " + token(ZOE)})
    return json.loads(connection.getresponse().read())["file"]["id"]


def live(server):
    """Lets zoe do something of every kind, among others."""
    server.app("webhook.set", id="hook", url="http://127.0.0.1:9/", secret="a secret of the erasure tests", events=["message.new", "thread.reply"])
    server.app("user.upsert", id=ZOE, nickname="Zoe szpicture", profile_url="https://example.org/szpicture",
               metadata={"key": "wzmetadata"})
    for user in ("ann", "bob"):
        server.app("user.upsert", id=user)
    server.app("user.register_device", as_user_id=ZOE, provider="web", token="vzdevicetoken")
    server.app("channel.create", id="general", as_user_id=ZOE, user_ids=["ann", "bob"], operator_user_ids=[ZOE])
    server.app("channel.create", id="left", as_user_id="bob", user_ids=["ann", ZOE])
    for number in range(40):
        server.app("message.send", channel_id="left", text=f"xzsecretmessage {number}", client_id=f"yzclientid-{number}",
                   as_user_id=ZOE)
    server.app("channel.leave", channel_id="left", as_user_id=ZOE)
    parent = server.app("message.send", channel_id="general", text="kept of bob", as_user_id="bob")["message"]["id"]
    server.app("message.send", channel_id="general", text="xzsecretmessage", parent_message_id=parent, as_user_id=ZOE)
    server.app("message.send", channel_id="general", text="kept of ann", mentioned_user_ids=[ZOE], as_user_id="ann")
    server.app("reaction.add", channel_id="general", message_id=parent, key="sob", as_user_id=ZOE)
    server.app("message.send", channel_id="general", kind="file", as_user_id=ZOE,
               files=[{"id": upload(server, "general", "uzfilecontent")}])
    upload(server, "general", "uzfilecontent, never sent")
    server.app("report.create", category="spam", description="tzreport", user_id="bob", as_user_id=ZOE)
    server.app("report.create", category="spam", description="tzreport of zoe", user_id=ZOE, as_user_id="bob")
    server.app("member.mute", channel_id="general", user_id="ann", description="rude", as_user_id=ZOE)
    wait_for(lambda: server.app("message.search", query="xzsecretmessage", as_user_id="ann").get("messages"))
    wait_for(lambda: len(server.app("webhook.dead_letters", id="hook", limit=100)["dead_letters"]) >= 40)


def found(folder, words, index=True):
    """Returns the files, and the terms of the search index, in which some of the words are."""
    places = set()
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            places |= {(path.name, word) for word in words if word.encode() in content}
    if not index:
        return places
    with sqlite3.connect(f"file:{folder}/search/words.sqlite?mode=ro", uri=True) as database:
        database.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, lines, row)")
        terms = " ".join(term for (term,) in database.execute("SELECT term FROM temp.terms"))
        terms += " ".join(words for (words,) in database.execute("SELECT words FROM lines"))
    return places | {("index", word) for word in words if word in terms}


def is_gone(server):
    return server.metric("belfry_erasures_pending") == 0


def test_nothing_of_a_deleted_user_is_in_any_store_after_a_kill(tmp_path):
    server = Server(tmp_path, SETTINGS)
    live(server)
    assert {word for _, word in found(server.data, [ZOE, *WORDS])} == {ZOE, *WORDS}, "the test finds what is there"
    alias = server.app("user.delete", user_id=ZOE, delete_messages=True)["user"]
    kill(server)
    assert alias["id"].startswith("deleted:") and alias == {"id": alias["id"], "is_deleted": True}

    server = Server(tmp_path, SETTINGS)
    wait_for(lambda: is_gone(server))
    messages = server.app("message.list", channel_id="general", limit=10, replies="all", as_user_id="bob")["messages"]
    assert [message["text"] for message in messages] == ["kept of bob", "kept of ann"]
    assert messages[1]["mentioned_user_ids"] == [alias["id"]]
    assert server.app("channel.get", channel_id="general")["channel"]["member_count"] == 2
    assert server.post("user.get", {"user_id": ZOE}, key=API_KEY)[1]["error"]["code"] == 1000
    assert found(server.data, [ZOE, *WORDS]) == set()
    assert server.terminate() == 0
    assert found(server.data, [ZOE, *WORDS]) == set()
    assert data("verify", server.data)[0] == 0


def test_messages_stay_without_their_author(tmp_path):
    server = Server(tmp_path, SETTINGS)
    live(server)
    alias = server.app("user.delete", user_id=ZOE)["user"]
    wait_for(lambda: is_gone(server))
    messages = server.app("message.list", channel_id="left", limit=100, as_user_id="ann")["messages"]
    assert [message["text"] for message in messages] == [f"xzsecretmessage {number}" for number in range(40)]
    assert all(message["user"] == alias and "client_id" not in message for message in messages)
    search = server.app("message.search", query="xzsecretmessage", user_ids=[alias["id"]], limit=100, as_user_id="ann")
    assert len(search["messages"]) == 41
    gone = [ZOE, *(set(WORDS) - {"xzsecretmessage", "uzfilecontent"})]
    assert found(server.data, gone) == set()
    kill(server)
    server = Server(tmp_path, SETTINGS)
    assert server.app("message.list", channel_id="left", limit=100, as_user_id="ann")["messages"] == messages
    assert found(server.data, gone) == set()
    assert server.terminate() == 0


def test_a_restored_backup_erases_again_before_it_serves(tmp_path):
    server = Server(tmp_path, SETTINGS)
    live(server)
    assert data("backup", server.data, tmp_path / "backup")[0] == 0
    server.app("user.delete", user_id=ZOE, delete_messages=True)
    wait_for(lambda: is_gone(server))
    assert server.terminate() == 0

    # As the runbook says: the newest ledger goes with the older backup.
    shutil.copy(server.data / "erasures", tmp_path / "backup" / "erasures")
    (tmp_path / "restored").mkdir()
    assert data("restore", tmp_path / "backup", tmp_path / "restored" / "data")[0] == 0
    server = Server(tmp_path / "restored", SETTINGS)
    assert server.post("user.get", {"user_id": ZOE}, key=API_KEY)[1]["error"]["code"] == 1000
    texts = [message["text"] for message in server.app("message.list", channel_id="general", limit=10, replies="all")["messages"]]
    assert texts == ["kept of bob", "kept of ann"]
    wait_for(lambda: server.get("/readyz")[0] == 200)
    assert is_gone(server) and found(server.data, [ZOE, *WORDS]) == set()
    assert server.terminate() == 0


async def test_a_deleted_user_is_cut_off_and_the_id_can_be_used_again(server, name):
    zoe, general = name("zoe"), name("general")
    old = token(zoe, iat=int(time.time()) - 10)
    async with Person(server, name("ann")) as ann:
        async with Person(server, zoe) as person:
            await ann.rpc("channel.create", id=general, user_ids=[zoe])
            await person.say(general, "hello")
            assert await ann.refused("user.delete", user_id=zoe) == 1009
            alias = server.app("user.delete", user_id=zoe)["user"]
            heard = await ann.hears(general, "user.updated")
            assert heard.data["user"] == {"id": zoe, "is_active": False, "is_deleted": True}
            await ann.hears(general, "member.left")
        wait_for(lambda: server.post("user.get", {"user_id": zoe}, key=API_KEY)[1]["error"]["code"] == 1000)
        assert server.post("user.delete", {"user_id": zoe}, key=API_KEY)[1]["error"]["code"] == 1000
        assert server.post("user.upsert", {"id": alias["id"]}, key=API_KEY)[1]["error"]["code"] == 1032
        assert server.post("user.get", {}, bearer=old)[0] == 401
        assert server.app("user.upsert", id=zoe)["user"]["nickname"] == zoe
        assert server.post("user.get", {}, bearer=old)[0] == 401
        time.sleep(1.1)
        assert server.post("channel.list", {}, bearer=token(zoe, iat=int(time.time())))[1]["channels"] == []
        message = (await ann.rpc("message.list", channel_id=general))["messages"][0]
        assert message["user"] == alias and message["text"] == "hello"


def test_every_node_of_a_cluster_erases_also_one_that_was_away(tmp_path):
    cluster = Cluster(tmp_path / "cluster", settings=SMALL, replicated=False)
    try:
        for user in (ZOE, "ann"):
            cluster.app("user.upsert", id=user)
        cluster.app("channel.create", id="general", as_user_id="ann", user_ids=[ZOE])
        for number in range(20):
            cluster.app("message.send", channel_id="general", text=f"xzsecretmessage {number}", as_user_id=ZOE)
        away = cluster.nodes[2]
        kill(away)
        alias = change(cluster.nodes[0], "user.delete", user_id=ZOE, delete_messages=True)["user"]
        cluster.restart(2)
        # A node that comes back has erased before it is ready.
        back = cluster.nodes[2]
        wait_for(lambda: back.get("/readyz")[0] == 200)
        assert found(back.data, [ZOE, "xzsecretmessage"]) == set() and is_gone(back)
        for node in cluster.nodes:
            wait_for(lambda node=node: change(node, "message.list", channel_id="general")["messages"] == [])
            tombs = change(node, "message.list", channel_id="general", include_deleted=True, limit=100)["messages"]
            assert len(tombs) == 20 and all(message["user"] == alias for message in tombs)
            wait_for(lambda node=node: is_gone(node))
            assert found(node.data, [ZOE, "xzsecretmessage"]) == set()
    finally:
        cluster.end()


@pytest.mark.parametrize("body", [{}, {"user_id": ""}, {"user_id": 5}, {"user_id": "a\u0000"}, {"user_id": "a", "hard": True},
                                  {"user_id": "a", "delete_messages": "yes"}])
def test_malformed_requests_are_refused(server, body):
    status, answer = server.post("user.delete", body, key=API_KEY)
    assert status == 400 and answer["error"]["code"] in (107, 1032)


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
