"""The data folder: acknowledged data survives, and every kind of damage is reported."""

import contextlib
import json
import os
import subprocess
import time

import pytest
from belfry import API_KEY, NotStarted, Server
from storage import AS_ROOT, SMALL, begin, data, kill, segments, send, texts

def test_acknowledged_writes_survive_a_shutdown_and_a_kill(tmp_path):
    server = Server(tmp_path, SMALL)
    begin(server)
    sent = set()
    for life in range(3):
        for number in range(5):
            assert send(server, f"{life} {number}") == 200
            sent.add(f"{life} {number}")
        if life == 1:
            kill(server)
        else:
            assert server.terminate() == 0
        server = Server(tmp_path, SMALL)
        assert texts(server) == sent
    server.terminate()
    assert "did not shut down cleanly" in server.log.read_text()


@pytest.mark.needs("strace")
def test_a_write_whose_sync_fails_is_never_acknowledged_and_the_server_stops(tmp_path):
    inject = ("strace", "-f", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=12")
    server = Server(tmp_path, {**SMALL, "SWIFT_BACKTRACE": "enable=no"}, under=inject)
    begin(server)
    acknowledged = set()
    # strace counts calls per thread, and any of Dispatch's threads may sync.
    most = 12 * 64
    for number in range(most):
        if send(server, str(number)) != 200:
            break
        acknowledged.add(str(number))
    assert len(acknowledged) < most
    assert server.process.wait(20) == 74
    assert "cannot write the journal: fdatasync" in server.log.read_text()
    server = Server(tmp_path, SMALL)
    assert texts(server) >= acknowledged
    server.terminate()


@contextlib.contextmanager
def small_disk(tmp_path, megabytes):
    """Yields a folder on a separate file system."""
    folder = tmp_path / "small"
    folder.mkdir()
    owner = f"size={megabytes}m,uid={os.getuid()},gid={os.getgid()}"
    subprocess.run([*AS_ROOT, "mount", "-t", "tmpfs", "-o", owner, "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*AS_ROOT, "umount", "-l", str(folder)], check=True)


def fill(folder, leaving):
    """Fills the file system except for this many bytes."""
    ballast = folder / "ballast"
    ballast.unlink(missing_ok=True)
    free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    ballast.write_bytes(bytes(free - leaving))


def until(condition):
    """Waits for the server, which checks again every second."""
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert condition()


def upload(server, bytes_=b"hello"):
    query = "channel_id=general&name=a.txt&as_user_id=ann"
    answer, body = server._request("POST", "/v1/files?" + query, bytes_, {"X-API-Key": API_KEY})
    return answer.status, json.loads(body)


@pytest.mark.needs("root")
def test_as_the_disk_fills_up_uploads_are_refused_first_then_users_changes_then_all(tmp_path):
    with small_disk(tmp_path, 64) as folder:
        # At most a twentieth of the file system is reserved: 3.2 MiB.
        server = Server(folder, {**SMALL, "BELFRY_FILES_MAX_BYTES": "4000000"})
        try:
            begin(server)
            assert upload(server)[0] == 200 and server.metric("belfry_disk_short") == 0
            fill(folder, 5 << 20)
            until(lambda: server.metric("belfry_disk_short") == 1)
            status, answer = upload(server)
            assert (status, answer["error"]["code"], answer["error"]["temporary"]) == (503, 1040, True)
            assert send(server, "before") == 200
            message = {"channel_id": "general", "text": "no"}
            assert server.post("message.send", message, user="ann")[0] == 200
            fill(folder, 2_900_000)
            until(lambda: server.metric("belfry_disk_short") == 2)
            status, answer = server.post("message.send", message, user="ann")
            assert (status, answer["error"]["code"]) == (503, 1040)
            assert send(server, "of the app") == 200
            fill(folder, 2 << 20)
            until(lambda: server.metric("belfry_disk_short") == 3)
            status, answer = server.post(
                "message.send", {"channel_id": "general", "text": "no", "as_user_id": "ann"}, key=API_KEY)
            assert (status, answer["error"]["code"]) == (503, 1040)
            assert texts(server) == {"before", "no", "of the app"}
            assert 1 << 20 < server.metric("belfry_disk_free_bytes") <= 2 << 20
            (folder / "ballast").unlink()
            until(lambda: server.metric("belfry_disk_short") == 0)
            assert send(server, "after") == 200 and upload(server)[0] == 200
            assert texts(server) == {"before", "no", "of the app", "after"}
            assert server.terminate() == 0
            assert "free disk space changed" in server.log.read_text()
        finally:
            server.process.kill()


@pytest.mark.needs("root")
def test_a_full_disk_refuses_changes_answers_queries_and_recovers_without_a_restart(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    owner = f"size=6m,uid={os.getuid()},gid={os.getgid()}"
    subprocess.run([*AS_ROOT, "mount", "-t", "tmpfs", "-o", owner, "tmpfs", str(folder)], check=True)
    server = None
    try:
        # No reserve, so that the disk fills up completely.
        server = Server(folder, {**SMALL, "BELFRY_STORAGE_RESERVE_BYTES": "0"})
        begin(server)
        ballast = folder / "ballast"
        free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        ballast.write_bytes(bytes(free - (256 << 10)))
        statuses = []
        text = "x" * 4000
        while len(statuses) < 1000 and (not statuses or statuses[-1] == 200):
            statuses.append(send(server, f"{len(statuses)} {text}"))
        assert statuses[-1] == 503
        status, answer = server.post(
            "message.send", {"channel_id": "general", "text": "no", "as_user_id": "ann"}, key=API_KEY)
        assert (status, answer["error"]["code"]) == (503, 1040)
        assert len(texts(server)) == len(statuses) - 1
        assert "belfry_journal_space_short 1" in server.get("/metrics")[1]
        ballast.unlink()
        # Waits for the server, which checks again every second.
        deadline = time.monotonic() + 20
        while (status := send(server, "again")) != 200 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert status == 200
        assert "belfry_journal_space_short 0" in server.get("/metrics")[1]
        assert server.terminate() == 0
    finally:
        if server:
            server.process.kill()
        subprocess.run([*AS_ROOT, "umount", "-l", str(folder)], check=True)


def damaged(tmp_path, change):
    """Yields a folder with two closed segments, one of which the test changes."""
    server = Server(tmp_path, SMALL)
    begin(server)
    for number in range(10):
        assert send(server, str(number)) == 200
    assert server.terminate() == 0
    server = Server(tmp_path, SMALL)
    assert send(server, "last") == 200
    assert server.terminate() == 0
    first = segments(server)[0]
    bytes_ = bytearray(first.read_bytes())
    change(bytes_)
    first.write_bytes(bytes_)
    return server


@pytest.mark.parametrize(
    "offset, says",
    [(100, "is damaged at byte"), (3, "header cannot be read"), (-30, "is damaged at byte")],
)
def test_damage_is_reported_and_prevents_startup(tmp_path, offset, says):
    def flip(bytes_):
        bytes_[offset] ^= 0x10

    server = damaged(tmp_path, flip)
    with pytest.raises(NotStarted) as refusal:
        Server(tmp_path, SMALL)
    status, log = refusal.value.args
    assert status == 65
    assert says in log and segments(server)[0].name in log
    for command in ("inspect", "verify"):
        status, output = data(command, server.data)
        assert status == 65 and says in output


def test_a_missing_journal_file_is_detected(tmp_path):
    server = damaged(tmp_path, lambda bytes_: None)
    segments(server)[0].unlink()
    with pytest.raises(NotStarted) as refusal:
        Server(tmp_path, SMALL)
    assert refusal.value.args[0] == 65 and "a part of the journal is missing" in refusal.value.args[1]


def test_a_journal_that_is_not_a_folder_is_refused(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "journal").write_text("not a folder")
    with pytest.raises(NotStarted) as refusal:
        Server(tmp_path, SMALL)
    assert refusal.value.args[0] == 74 and "Not a directory" in refusal.value.args[1]


def test_a_torn_tail_is_truncated_and_its_position_reported(tmp_path):
    server = Server(tmp_path, SMALL)
    begin(server)
    for number in range(10):
        assert send(server, str(number)) == 200
    kill(server)
    last = segments(server)[-1]
    content = last.read_bytes().rstrip(b"\0")
    last.write_bytes(content[:-7])
    status, output = data("inspect", server.data)
    assert status == 0 and "an unfinished write of" in output
    server = Server(tmp_path, SMALL)
    assert texts(server) == {str(number) for number in range(9)}
    log = server.log.read_text()
    assert "cut off an unfinished write" in log and f"segment={last.name}" in log
    server.terminate()


def test_a_data_folder_can_be_inspected_while_its_server_runs(tmp_path):
    server = Server(tmp_path, SMALL)
    begin(server)
    assert send(server, "hello") == 200
    status, output = data("inspect", server.data)
    assert status == 0 and "files 1  open" in output
    status, output = data("verify", server.data)
    assert status == 0 and "users 1  channels 1" in output and "the next snapshot  pieces " in output
    assert server.terminate() == 0
    status, output = data("verify", server.data)
    assert status == 0 and "closed cleanly" in output


@pytest.mark.needs("root")
def test_a_data_folder_owned_by_another_user_is_refused(tmp_path):
    server = Server(tmp_path, SMALL)
    assert server.terminate() == 0
    subprocess.run([*AS_ROOT, "chown", "12345", str(server.data)], check=True)
    try:
        with pytest.raises(NotStarted) as refusal:
            Server(tmp_path, SMALL)
        assert refusal.value.args[0] == 77 and "belongs to user 12345" in refusal.value.args[1]
    finally:
        subprocess.run([*AS_ROOT, "chown", str(os.getuid()), str(server.data)], check=True)


@pytest.mark.needs("strace")
def test_an_unreadable_journal_is_refused(tmp_path):
    server = Server(tmp_path, SMALL)
    assert server.terminate() == 0
    journal = str(server.data / "journal")
    forbid = ("strace", "-f", "-o", "/dev/null", "-P", journal, "-e", "trace=openat", "-e", "inject=openat:error=EACCES")
    with pytest.raises(NotStarted) as refusal:
        Server(tmp_path, {**SMALL, "SWIFT_BACKTRACE": "enable=no"}, under=forbid)
    assert refusal.value.args[0] == 77 and "Permission denied" in refusal.value.args[1]
