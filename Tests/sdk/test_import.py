"""PR3: `belfry data import` and `import.…` on the folder of the real server, with kill -9 in between."""

import itertools
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import time

import pytest
from articles import block
from belfry import API_KEY, Server, token
from storage import BINARY, data, kill
from test_export import chat as old_chat  # noqa: F401
from test_export import export

SAMPLES = pathlib.Path(__file__).parent.parent / "Core/ImportFormatsTests/Samples"
THEN = 1_600_000_000_000


def command(folder, *arguments):
    return [BINARY, "data", "import", "--data", str(folder), *map(str, arguments)]


def run(folder, *arguments):
    done = subprocess.run(command(folder, *arguments), capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def history(messages=1_000, channel="old", users=("ann", "bob")):
    """Lines of a channel with a thread, in which every tenth message has a reaction."""
    yield {"type": "export", "version": 1, "at": THEN}
    for user in users:
        yield {"type": "user", "user": {"id": user, "nickname": user.title()}}
    yield {"type": "channel", "channel": {"id": channel, "name": "Old", "created_at": THEN, "created_by": users[0]}}
    for user in users:
        yield {"type": "member", "channel_id": channel, "member": {"user": {"id": user}, "joined_at": THEN}}
    for number in range(messages):
        message = {"id": f"m{number}", "channel_id": channel, "text": f"text {number} ✓", "created_at": THEN + number,
                   "user": {"id": users[number % len(users)]}}
        if number % 10 == 9:
            message["parent_message_id"] = "m0"
        yield {"type": "message", "message": message}
        if number % 10 == 0:
            yield {"type": "reaction", "channel_id": channel, "message_id": f"m{number}", "key": "sob",
                   "user_id": users[-1]}


def write(path, lines, complete=True):
    """Writes an export, with its last line unless it is to be incomplete."""
    count = 0
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            file.write((line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)) + "\n")
            count += 1
        if complete:
            file.write(json.dumps({"type": "end", "lines": count}) + "\n")
    return path


def messages(server, channel="old", **fields):
    found, page = [], {}
    while True:
        answer = server.app("message.list", channel_id=channel, limit=100, replies="all", include_meta_arrays=True,
                            **fields, **page)
        found = answer["messages"] + found
        if "next" not in answer:
            return found
        page = {"next": answer["next"]}


def messages_of(lines):
    return [line["message"] for line in lines if line["type"] == "message"]


def comparable(lines):
    """Returns an export's lines without what an import must change: ids and positions of messages, epochs, and what an
    export of a server that never ran has not."""
    ids = {line["message"]["id"]: line["message"].get("source_id", line["message"]["id"])
           for line in lines if line["type"] == "message"}
    found = []
    for line in json.loads(json.dumps(lines)):
        if line["type"] in ("file", "report"):
            continue
        line.pop("devices", None)
        message = line.get("message", {})
        for field in ("offset", "source_id"):
            message.pop(field, None)
        for place in (message, line):
            for field in ("id", "parent_message_id", "message_id"):
                if field in place:
                    place[field] = ids.get(place[field], place[field])
        line.get("member", {}).pop("last_read", None)
        line.get("user", {}).pop("last_seen_at", None)
        found.append(line)
    return found


def test_an_export_imported_into_an_empty_folder_gives_the_same_chat(old_chat, tmp_path):  # noqa: F811
    old_chat.app("read.mark", channel_id="general", as_user_id="bob",
                 message_id=messages(old_chat, "general")[7]["id"])
    old_chat.app("message.update", channel_id="general", message_id=messages(old_chat, "general")[1]["id"],
                 text="changed", as_user_id="bob")
    lines = export(old_chat)
    file = write(tmp_path / "export.jsonl", [{"type": "export", "version": 1, "at": 0}] + lines)
    status, output = run(tmp_path / "new/data", "--dry-run", file)
    assert status == 0 and "can import  lines " in output and not (tmp_path / "new/data").exists(), output
    status, output = run(tmp_path / "new/data", file)
    assert status == 0 and f"imported  lines {len(lines) + 2}  channels 2  messages 300" in output, output
    assert data("verify", tmp_path / "new/data")[0] == 0
    server = Server(tmp_path / "new")
    try:
        again = export(server)
        assert comparable(again) == comparable(lines)
        unread = [other.app("channel.get", channel_id="general", as_user_id="bob")["channel"]["my"]["unread_count"]
                  for other in (old_chat, server)]
        assert unread[0] == unread[1] > 0
        # The chat goes on.
        server.app("message.send", channel_id="general", text="new", as_user_id="ann")
        assert messages(server, "general")[-1]["text"] == "new"
    finally:
        server.terminate()
    # The lines of an export are also what `import.add` takes.
    (tmp_path / "served").mkdir()
    server = Server(tmp_path / "served")
    try:
        server.app("import.begin", import_id="i", source="belfry")
        for start in range(0, len(lines), 250):
            server.app("import.add", import_id="i", first_line=start + 1, lines=lines[start : start + 250])
        assert server.app("import.finish", import_id="i")["import"]["state"] == "finished"
        assert messages(server, "general") == [
            message for message in messages_of(again) if not message.get("deleted_at")]
    finally:
        server.terminate()


def test_an_import_that_is_killed_continues_and_gives_what_it_gives_at_once(tmp_path):
    file = write(tmp_path / "history.jsonl", history(6_000))
    assert run(tmp_path / "whole/data", file)[0] == 0
    generator, kills = random.Random(7), 0
    while True:
        process = subprocess.Popen(command(tmp_path / "killed/data", file), stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        try:
            output = process.communicate(timeout=generator.uniform(0.05, 0.6) if kills < 5 else 120)[0]
            assert process.returncode == 0 and "messages 6000" in output, output
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
    assert data("verify", tmp_path / "killed/data")[0] == 0
    exports = []
    for name in ("whole", "killed"):
        server = Server(tmp_path / name)
        exports.append(export(server))
        server.terminate()
    assert exports[0] == exports[1]
    # Again after its end, it changes nothing.
    status, output = run(tmp_path / "killed/data", file)
    assert status == 0 and "messages 6000" in output, output


def test_a_server_accepts_lines_and_hides_the_channels_until_the_import_is_finished(tmp_path):
    server = Server(tmp_path)
    lines = list(history(300))
    begun = server.app("import.begin", import_id="i", source="test")["import"]
    assert begun["state"] == "running" and begun["last_line"] == 0
    for start in range(0, len(lines), 100):
        if start == 200:
            kill(server)
            server = Server(tmp_path)
            assert server.app("import.status", import_id="i")["import"]["last_line"] == 200
            # What was sent before, once more.
            server.app("import.add", import_id="i", first_line=101, lines=lines[100:200])
        done = server.app("import.add", import_id="i", first_line=start + 1, lines=lines[start : start + 100])
        assert done["import"]["last_line"] == min(start + 100, len(lines))
    for credentials in ({"key": API_KEY}, {"user": "ann"}):
        assert server.post("channel.get", {"channel_id": "old"}, **credentials)[1]["error"]["code"] == 1000
    assert server.app("channel.list", as_user_id="ann", include_empty=True)["channels"] == []
    assert data("verify", server.data)[0] == 0
    assert server.app("import.finish", import_id="i")["import"]["state"] == "finished"
    found = messages(server)
    assert [message["source_id"] for message in found] == [f"m{number}" for number in range(300)]
    assert [message["created_at"] - THEN for message in found] == list(range(300))
    channel = server.app("channel.get", channel_id="old", as_user_id="bob")["channel"]
    assert channel["my"]["unread_count"] == 0 and channel["created_at"] == THEN
    kill(server)
    server = Server(tmp_path)
    assert messages(server) == found
    # Only server keys may import.
    status, answer = server.post("import.status", {"import_id": "i"}, bearer=token("ann"))
    assert (status, answer["error"]["code"]) == (403, 1009)
    server.terminate()


@pytest.mark.parametrize("broken,problem", [
    ('{"type":"message"', "line 505: not a JSON object"),
    ("\\ud800", "line 505: not a JSON object"),
    ('{"type":7}', "line 505: type has the wrong type"),
    ('{"type":"message","message":{"id":"x","channel_id":"old","text":"x","created_at":"now"}}',
     "line 505: message.created_at has the wrong type"),
    ('{"type":"message","message":{"id":"x","channel_id":"a b","text":"x","created_at":1}}',
     "line 505: message.channel_id: must be a channel id"),
    ('{"type":"message","message":{"id":"x","channel_id":"old","text":"x","created_at":1,"user":{"id":"ann"}}}',
     "line 505: invalid value: message.created_at: earlier than that of the message before"),
    ('{"type":"reaction","channel_id":"old","message_id":"none","key":"sob","user_id":"ann"}',
     "line 505: not found: message_id"),
])
def test_a_broken_line_is_named_and_its_correction_continues_the_import(tmp_path, broken, problem):
    lines = list(history(1_000))
    file = write(tmp_path / "a.jsonl", lines[:504] + [broken] + lines[504:])
    status, output = run(tmp_path / "data", file)
    assert status == 65 and f'"{file}" {problem}' in output, output
    server = Server(tmp_path)
    progress = server.app("import.status", import_id="a.jsonl")["import"]
    # Whole batches of 250 lines, and nothing of the one with the broken line.
    assert progress["state"] == "running" and progress["last_line"] in (250, 500)
    assert server.post("channel.get", {"channel_id": "old"}, key=API_KEY)[1]["error"]["code"] == 1000
    server.terminate()
    write(file, lines)
    status, output = run(tmp_path / "data", file)
    assert status == 0 and "messages 1000" in output, output


def test_invalid_utf_8_and_an_incomplete_export_are_refused(tmp_path):
    lines = list(history(10))
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"\n".join(json.dumps(line).encode() for line in lines) + b'\n{"type":"\xff"}\n')
    status, output = run(tmp_path / "data", file)
    assert status == 65 and f"line {len(lines) + 1}: not a JSON object, or not valid UTF-8" in output, output
    write(file, lines, complete=False)
    status, output = run(tmp_path / "data", file)
    assert status == 65 and "is incomplete" in output, output
    status, output = run(tmp_path / "data", tmp_path / "none")
    assert status == 66 and "cannot read" in output, output


def test_a_line_of_a_gigabyte_is_refused_in_little_memory(tmp_path):
    file = write(tmp_path / "a.jsonl", itertools.islice(history(10), 5), complete=False)
    with open(file, "r+b") as opened:
        opened.truncate(1 << 30)  # The rest is one line of zeros, which takes no disk.
    for form, problem in (("belfry", "line 6: longer than 262144 bytes"), ("stream", "not a list of JSON objects")):
        process = subprocess.run(
            command(tmp_path / form, "--from", form, file), capture_output=True, text=True, timeout=120,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 29, 1 << 29)))
        assert process.returncode == 65 and problem in process.stderr, process.stderr


def test_a_folder_in_use_or_of_a_cluster_and_existing_channels_are_refused(tmp_path):
    file = write(tmp_path / "a.jsonl", history(10))
    server = Server(tmp_path)
    status, output = run(server.data, file)
    assert status == 78 and "in use" in output, output
    server.app("channel.create", id="old")
    server.terminate()
    status, output = run(server.data, file)
    assert status == 65 and f'"{file}" line 4: duplicate channel id: channel old' in output, output
    (server.data / "cluster").write_text("belfry-test-log-1\n")
    status, output = run(server.data, file)
    assert status == 78 and "belongs to a node of a cluster" in output, output


@pytest.mark.parametrize("form,files,channel,sources", [
    ("sendbird", ["sendbird-users.json", "sendbird-channels.json", "sendbird-messages.json"],
     "sendbird_group_channel_1", ["101", "102", "103"]),
    ("stream", ["stream-channels.json", "stream-v2.jsonl"], "messaging.~members-x1",
     ["m-1", "m-1.files", "m-2", "m-3", "m-6"]),
])
def test_the_exports_of_other_chats_are_imported(tmp_path, form, files, channel, sources):
    status, output = run(tmp_path / "data", "--from", form, *[SAMPLES / file for file in files])
    assert status == 0, output
    server = Server(tmp_path)
    found = messages(server, channel, include_reactions=True)
    assert [message["source_id"] for message in found] == sources
    assert found[0]["text"] == "hello" and found[0]["user"]["nickname"] == "Ann" and found[0]["reactions"]
    assert server.app("channel.get", channel_id=channel, as_user_id="bob" if form == "stream" else "ann")
    status, output = run(tmp_path / "data", "--from", form, *[SAMPLES / file for file in files])
    server.terminate()
    assert "in use" in output
    deadline = time.monotonic() + 10
    while (again := run(tmp_path / "data", "--from", form, *[SAMPLES / file for file in files]))[0] == 78:
        assert time.monotonic() < deadline
    assert again[0] == 0, again[1]


def test_the_articles_commands_import(tmp_path):
    shutil.copy(write(tmp_path / "lines", history(3)), tmp_path / "export.jsonl")
    for name in ("users", "channels", "messages"):
        to = f"{name}-1.json" if name == "messages" else f"{name}.json"
        (tmp_path / "sendbird").mkdir(exist_ok=True)
        shutil.copy(SAMPLES / f"sendbird-{name}.json", tmp_path / "sendbird" / to)
    (tmp_path / "sendbird/messages-2.json").write_text("[]")
    (tmp_path / "stream").mkdir()
    shutil.copy(SAMPLES / "stream-channels.json", tmp_path / "stream/channels.json")
    (tmp_path / "stream/users.json").write_text('{"users": [{"user": {"id": "zoe"}, "messages": []}]}')
    (tmp_path / "belfry").symlink_to(pathlib.Path(BINARY).resolve())
    for first, folder, count in (
        ("belfry data import --data", "", "messages 3"), ("belfry data import --from sendbird", "sendbird", "messages 4"),
        ("belfry data import --from stream", "stream", "messages 6"),
    ):
        text = block("Import.md", first).replace("/var/lib/belfry", str(tmp_path / "data"))
        done = subprocess.run(text, shell=True, cwd=tmp_path / folder, capture_output=True, text=True, timeout=60,
                              env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
        assert done.returncode == 0 and count in done.stdout, done.stdout + done.stderr
