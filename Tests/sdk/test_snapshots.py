"""Snapshots, backups and restored folders of the real server."""

import asyncio
import json
import threading
import time

import pytest
import websockets
from belfry import NotStarted, Server, token
from storage import SMALL, begin, data, kill, segments, send, snapshots, texts

# Settings for a snapshot after every megabyte, of all but the last five commands.
EAGER = {**SMALL, "BELFRY_JOURNAL_SNAPSHOT_BYTES": str(1 << 20), "BELFRY_JOURNAL_RECOVERABLE_FRAMES": "5"}
TEXT = "x" * 15_000


def fill(server, sent, until):
    """Sends until a condition is met."""
    deadline = time.monotonic() + 60
    while not until():
        assert time.monotonic() < deadline
        text = f"{len(sent)} {TEXT}"
        assert send(server, text) == 200
        sent.add(text)


def filled(tmp_path):
    """Returns a server that has written three snapshots by itself, with the sent texts."""
    server, sent = Server(tmp_path, EAGER), set()
    begin(server)
    for count in (1, 2, 3):
        fill(server, sent, lambda: server.metric("belfry_snapshots_total") >= count)
    return server, sent


def test_a_running_server_writes_snapshots_and_its_journal_stays_bounded(tmp_path):
    server, sent = filled(tmp_path)
    assert len(snapshots(server)) == 2
    assert segments(server)[0].name > f"{1:020}.journal"
    kept = sum(path.stat().st_size for path in segments(server)[:-1])
    assert kept < len(sent) * len(TEXT)
    kill(server)
    server = Server(tmp_path, EAGER)
    assert texts(server) == sent
    assert server.terminate() == 0
    server = Server(tmp_path, EAGER)
    assert texts(server) == sent
    server.terminate()


def test_a_small_journal_is_snapshotted_after_some_time(tmp_path):
    server = Server(tmp_path, {**EAGER, "BELFRY_JOURNAL_SNAPSHOT_BYTES": str(1 << 40), "BELFRY_JOURNAL_SNAPSHOT_SECONDS": "1"})
    begin(server)
    sent = {str(number) for number in range(20)}
    for text in sent:
        assert send(server, text) == 200
    deadline = time.monotonic() + 60
    while server.metric("belfry_snapshots_total") < 1:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert server.metric("belfry_snapshot_failures_total") == 0
    # Without new frames there is no reason for another snapshot.
    assert len(snapshots(server)) == 1
    kill(server)
    server = Server(tmp_path, EAGER)
    assert texts(server) == sent
    server.terminate()


def test_a_damaged_snapshot_gives_way_to_the_older_one_and_is_reported(tmp_path):
    server, sent = filled(tmp_path)
    assert server.terminate() == 0
    newest = snapshots(server)[-1]
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    status, output = data("verify", server.data)
    assert status == 65 and newest.name in output
    server = Server(tmp_path, EAGER)
    assert texts(server) == sent
    assert newest.name in server.log.read_text()
    assert server.metric("belfry_snapshots_damaged_total") == 1
    assert server.terminate() == 0
    for path in snapshots(server):
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(NotStarted) as refusal:
        Server(tmp_path, EAGER)
    assert refusal.value.args[0] == 65 and "no usable snapshot" in refusal.value.args[1]


def test_a_snapshot_can_be_written_manually_with_and_without_a_running_server(tmp_path):
    server, sent = Server(tmp_path, SMALL), set()
    begin(server)
    fill(server, sent, lambda: len(segments(server)) > 2)
    status, output = data("compact", server.data, "--keep", "3")
    assert status == 0 and "snapshot up to frame" in output
    assert data("compact", server.data, "--keep", "3") == (0, "nothing to do\n")
    assert data("compact", server.data, "--keep", "-1")[0] == 64
    assert server.terminate() == 0
    status, output = data("compact", server.data, "--keep", "0")
    assert status == 0 and "files deleted" in output
    status, output = data("inspect", server.data)
    assert status == 0 and snapshots(server)[0].name in output
    status, output = data("verify", server.data)
    assert status == 0 and "users 1  channels 1" in output
    server = Server(tmp_path, SMALL)
    assert texts(server) == sent
    server.terminate()


async def first_reply(server, command):
    async with websockets.connect(server.socket_url) as socket:
        await socket.send(json.dumps({"id": 1, "connect": {"token": token("ann")}}))
        connected = json.loads(await socket.recv())
        await socket.send(json.dumps({"id": 2, **command}))
        while "id" not in (reply := json.loads(await socket.recv())):
            pass
        return connected, reply


def position(server):
    """Returns the epoch and offset of the channel, as reported to ann's connection."""
    connected, _ = asyncio.run(first_reply(server, {"rpc": {"method": "read.counts", "data": {}}}))
    room = connected["connect"]["subs"]["general"]
    return room["epoch"], room["offset"]


def test_a_backup_made_under_load_is_restored_in_new_epochs(tmp_path):
    server, sent = filled(tmp_path)
    before = set(sent)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            text = f"{len(sent)} meanwhile"
            assert send(server, text) == 200
            sent.add(text)

    worker = threading.Thread(target=work)
    worker.start()
    status, output = data("backup", server.data, tmp_path / "copy")
    stop.set()
    worker.join()
    assert status == 0 and "users 1  channels 1" in output, output
    epoch, offset = position(server)
    assert data("backup", server.data, tmp_path / "copy")[0] == 78, "the copy is there already"
    assert server.terminate() == 0
    assert data("verify", tmp_path / "copy")[0] == 0
    assert not (tmp_path / "copy" / "development.json").exists()

    (tmp_path / "new").mkdir()
    status, output = data("restore", tmp_path / "copy", tmp_path / "new" / "data")
    assert status == 0, output
    restored = Server(tmp_path / "new", EAGER)
    found = texts(restored)
    assert before <= found <= sent
    fresh, _ = position(restored)
    assert fresh != epoch
    _, reply = asyncio.run(first_reply(restored, {
        "subscribe": {"channel": "general", "recover": True, "epoch": epoch, "offset": max(offset - 1, 1)}}))
    assert not reply.get("subscribe", {}).get("recovered", False), reply
    assert send(restored, "on we go") == 200
    assert restored.terminate() == 0
    restored = Server(tmp_path / "new", EAGER)
    assert texts(restored) == found | {"on we go"}
    restored.terminate()


def test_a_backup_of_something_other_than_a_data_folder_is_refused(tmp_path):
    status, output = data("backup", tmp_path / "nothing", tmp_path / "copy")
    assert status == 74 and "nothing" in output
    status, output = data("restore", tmp_path / "nothing", tmp_path / "data")
    assert status == 74
