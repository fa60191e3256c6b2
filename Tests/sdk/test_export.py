"""`belfry data export` on the folder of the real server."""

import json
import os
import subprocess

import pytest
from belfry import Server, token
from storage import BINARY, data, kill, segments


def export(server, *options):
    status, output = data("export", server.data, *options)
    assert status == 0, output
    lines = [json.loads(line) for line in output.splitlines()]
    assert lines[0]["type"] == "export" and lines[-1] == {"type": "end", "lines": len(lines) - 1}
    return lines[1:-1]


@pytest.fixture
def chat(tmp_path):
    """A server with two users, who share a channel with 300 messages, a thread, a reaction and an upload."""
    server = Server(tmp_path)
    for user in ("ann", "bob"):
        server.app("user.upsert", id=user, nickname=user.title(), metadata={"of": user})
    server.app("channel.create", id="general", name="Général", user_ids=["ann", "bob"])
    server.app("channel.create", id="empty")
    parent = None
    for number in range(300):
        said = server.app("message.send", channel_id="general", text=f"{number} ✓\n\"", as_user_id=("ann", "bob")[number % 2],
                          **({"parent_message_id": parent} if number % 10 == 9 else {}))
        parent = parent or said["message"]["id"]
    server.app("reaction.add", channel_id="general", message_id=parent, key="sob", as_user_id="bob")
    server.app("thread.update", channel_id="general", parent_message_id=parent, title="Title", as_user_id="ann")
    server.app("user.register_device", as_user_id="ann", provider="web", token="ann-s")
    connection = server.connect_http()
    connection.request("POST", "/v1/files?channel_id=general&name=notes.txt", b"notes", {"Authorization": "Bearer " + token("ann")})
    server.file = json.loads(connection.getresponse().read())["file"]
    yield server
    server.terminate()


def texts(lines):
    return [line["message"]["text"] for line in lines if line["type"] == "message"]


def test_a_running_server_is_exported_whole_and_again_the_same_after_it_has_stopped(chat):
    lines = export(chat)
    assert texts(lines) == [f"{number} ✓\n\"" for number in range(300)]
    assert [line["user"]["id"] for line in lines if line["type"] == "user"] == ["ann", "bob"]
    assert [line["channel"]["id"] for line in lines if line["type"] == "channel"] == ["empty", "general"]
    assert [line["user_id"] for line in lines if line["type"] == "reaction"] == ["bob"]
    assert [line["title"] for line in lines if line["type"] == "thread"] == ["Title"]
    # The same shapes as in responses of the server.
    assert [(line["file"], line["user_id"]) for line in lines if line["type"] == "file"] == [(chat.file, "ann")]
    listed = chat.app("message.list", channel_id="general", limit=100, replies="all")["messages"][-1]
    exported = [line["message"] for line in lines if line["type"] == "message"][-1]
    listed.pop("parent", None)
    assert exported == listed
    kill(chat)
    assert export(chat) == lines


def test_a_users_export_has_no_messages_by_others(chat):
    lines = export(chat, "--user", "ann")
    assert texts(lines) == [f"{number} ✓\n\"" for number in range(0, 300, 2)]
    assert "bob" not in json.dumps(lines).lower()
    mine = chat.app("channel.get", channel_id="general", as_user_id="ann")["channel"]["my"]
    assert [line["membership"] for line in lines if line["type"] == "membership"] == [mine]
    assert [line["file"]["name"] for line in lines if line["type"] == "file"] == ["notes.txt"]
    assert [line["devices"] for line in lines if line["type"] == "user"] == [[{"provider": "web", "token": "ann-s"}]]
    assert [line["type"] for line in export(chat, "--channel", "empty")] == ["channel"]


def test_wrong_arguments_and_damage_are_named(chat):
    for option, name in (("--user", "nobody"), ("--channel", "nowhere"), ("--user", "")):
        status, output = data("export", chat.data, option, name)
        assert status == 66 and f'there is no {option[2:]} "{name}"' in output, output
    assert data("export", chat.data, "--user", "ann", "--channel", "general")[0] == 64
    assert data("export", chat.data / "nowhere")[0] == 74
    kill(chat)
    segment = segments(chat)[0]
    content = bytearray(segment.read_bytes())
    content[200] ^= 1
    segment.write_bytes(content)
    status, output = data("export", chat.data)
    assert status == 65 and segment.name in output, output


def test_an_output_that_cannot_be_written_is_an_error(chat):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([BINARY, "data", "export", chat.data], stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 74 and os.strerror(28) in done.stderr.decode()
