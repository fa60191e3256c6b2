"""Messages whose texts are on disk: with `history.memory_bytes` 0, only those since the last snapshot are in memory."""

import pytest
from belfry import Server
from storage import data, kill

COUNT = 300
LITTLE = {
    "BELFRY_HISTORY_MEMORY_BYTES": "0",
    "BELFRY_JOURNAL_SEGMENT_BYTES": str(1 << 20),
    "BELFRY_JOURNAL_SNAPSHOT_SECONDS": "1",
    "BELFRY_JOURNAL_RECOVERABLE_FRAMES": "0",
}


def blocks(server):
    return sorted((server.data / "journal").glob("*.blocks"))


def begin(server):
    """Sends messages, and returns them."""
    server.app("user.upsert", id="ann")
    server.app("channel.create", id="general", as_user_id="ann")
    return [say(server, f"word{number} {number}", client_id=f"c{number}") for number in range(COUNT)]


def say(server, text, **more):
    return server.app("message.send", channel_id="general", text=text, as_user_id="ann", **more)["message"]


def listed(server):
    found, page = [], {}
    while True:
        answer = server.app("message.list", channel_id="general", limit=100, **page)
        found = [message.get("text") for message in answer["messages"]] + found
        if "next" not in answer:
            return found
        page = {"next": answer["next"]}


def until_on_disk(server, waiting):
    """Waits until all texts are on disk, and none in memory."""
    waiting(lambda: blocks(server) and server.metric("belfry_body_bytes") == 0)


def test_old_messages_are_read_from_disk_and_can_be_changed(tmp_path, waiting):
    server = Server(tmp_path, LITTLE)
    sent = begin(server)
    until_on_disk(server, waiting)
    misses = server.metric("belfry_body_misses_total")
    assert listed(server) == [message["text"] for message in sent]
    assert server.metric("belfry_body_misses_total") > misses
    # The same message again, with the client id of one that is on disk.
    assert say(server, "word7 7", client_id="c7")["id"] == sent[7]["id"]
    status, _ = server.post("message.send", {
        "channel_id": "general", "text": "other", "as_user_id": "ann", "client_id": "c7"}, key="an api key of the test suite")
    assert status == 409
    server.app("message.update", channel_id="general", message_id=sent[3]["id"], text="changed")
    server.app("message.delete", channel_id="general", message_id=sent[4]["id"])
    reply = say(server, "a reply", parent_message_id=sent[5]["id"])
    assert reply["parent"]["text"] == "word5 5"
    found = server.app("message.search", channel_id="general", query="word250")["messages"]
    assert [message["id"] for message in found] == [sent[250]["id"]]
    expected = listed(server)
    assert expected[3] == "changed" and "word4 4" not in expected
    kill(server)
    server = Server(tmp_path, LITTLE)
    assert listed(server) == expected
    # The next snapshot no longer has what was removed.
    say(server, "more")
    waiting(lambda: server.metric("belfry_snapshots_total") >= 1 and server.metric("belfry_body_bytes") == 0)
    say(server, "and more")
    waiting(lambda: server.metric("belfry_snapshots_total") >= 2 and server.metric("belfry_body_bytes") == 0)
    for file in (server.data / "journal").iterdir():
        content = file.read_bytes()
        assert b"word4 4" not in content and b"word3 3" not in content, file
    assert server.metric("belfry_body_reads") == 0, "the engine has waited for the disk"
    assert server.terminate() == 0


def test_a_damaged_block_is_reported_and_takes_only_its_own_texts(tmp_path, waiting):
    server = Server(tmp_path, LITTLE)
    sent = begin(server)
    until_on_disk(server, waiting)
    assert server.terminate() == 0
    assert data("verify", server.data)[0] == 0
    # A message is in one file, or in an older one that the snapshot before needs, too.
    file = [file for file in blocks(server) if b"word100 100" in file.read_bytes()][-1]
    content = bytearray(file.read_bytes())
    content[content.index(b"word100 100")] ^= 1
    file.write_bytes(content)
    status, output = data("verify", server.data)
    assert status == 65 and file.name in output, output
    server = Server(tmp_path, LITTLE)
    texts = listed(server)
    lost = [number for number in range(COUNT) if not texts[number]]
    assert 100 in lost and len(lost) <= 64
    assert server.metric("belfry_blocks_damaged_total") == 1
    status, answer = server.post(
        "message.update", {"channel_id": "general", "message_id": sent[100]["id"], "text": "x"},
        key="an api key of the test suite")
    assert (status, answer["error"]["code"]) == (503, 1040), answer
    say(server, "goes on")
    assert server.terminate() == 0


def test_backup_restore_and_export_have_the_texts_on_disk(tmp_path, waiting):
    server = Server(tmp_path, LITTLE)
    begin(server)
    until_on_disk(server, waiting)
    expected = listed(server)
    status, output = data("backup", server.data, tmp_path / "backup")
    assert status == 0, output
    assert server.terminate() == 0
    status, output = data("restore", tmp_path / "backup", tmp_path / "restored" / "data")
    assert status == 0, output
    (tmp_path / "restored").mkdir(exist_ok=True)
    restored = Server(tmp_path / "restored", LITTLE)
    assert listed(restored) == expected
    assert restored.terminate() == 0
    status, output = data("export", tmp_path / "restored" / "data", "--channel", "general")
    assert status == 0 and output.count("word") == COUNT


def test_another_process_may_compact_the_journal_of_a_running_server(tmp_path, waiting):
    settings = {**LITTLE, "BELFRY_JOURNAL_SNAPSHOT_BYTES": str(1 << 30), "BELFRY_JOURNAL_SNAPSHOT_SECONDS": "3600"}
    server = Server(tmp_path, settings)
    begin(server)
    assert server.terminate() == 0
    assert data("compact", server.data, "--keep", 0)[0] == 0
    server = Server(tmp_path, {**settings, "BELFRY_JOURNAL_SNAPSHOT_SECONDS": "15"})
    expected = [f"word{number} {number}" for number in range(COUNT)]
    # The block of the last messages is replaced while the server knows of its first place only, which its own snapshot
    # then overwrites.
    for round in range(3):
        # More than a segment.
        for number in range(80):
            expected.append(say(server, f"round {round} {number} ".ljust(16_000, "x"))["text"])
        status, output = data("compact", server.data, "--keep", 0)
        assert status == 0 and "snapshot up to" in output, output
        assert listed(server) == expected
    waiting(lambda: server.metric("belfry_snapshots_total") == 1)
    waiting(lambda: server.metric("belfry_body_bytes") == 0)
    assert listed(server) == expected
    assert server.metric("belfry_blocks_damaged_total") == 0
    assert server.terminate() == 0


def test_every_kill_leaves_all_texts(tmp_path, waiting):
    server = Server(tmp_path, LITTLE)
    begin(server)
    expected = listed(server)
    for round in range(6):
        expected.append(say(server, f"round {round}")["text"])
        waiting(lambda: server.metric("belfry_snapshots_total") >= round % 2)
        kill(server)
        server = Server(tmp_path, LITTLE)
        assert listed(server) == expected
    assert server.terminate() == 0


@pytest.fixture
def waiting():
    """Waits until a condition holds; the deadline is far beyond what it takes."""
    import time

    def until(condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it has not come true"
            time.sleep(0.05)

    return until
