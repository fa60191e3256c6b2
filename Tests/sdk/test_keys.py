"""Several server keys: their rights, changes without a restart, and that none is ever revealed."""

import hashlib
import json
import os
import re
import signal
import time

import pytest
from articles import block
from belfry import API_KEY, DEADLINE, NotStarted, Server
from clients import Wire

READER, WRITER, ADMIN = "canary-key of a reader", "canary-key of a writer", "canary-key of an admin"


def entry(name: str, key: str, *scopes: str, **more) -> dict:
    return {"id": name, "key": key, "scopes": list(scopes), **more}


def keys_file(tmp_path, *keys: dict, mode: int = 0o600):
    path = tmp_path / "keys.json"
    path.write_text(json.dumps(keys))
    path.chmod(mode)
    return path


@pytest.fixture
def start_with(tmp_path):
    servers = []

    def start(*keys: dict, **options) -> Server:
        path = keys_file(tmp_path, *keys)
        servers.append(Server(tmp_path, {"BELFRY_SERVER_API_KEYS_FILE": str(path)}, **options))
        return servers[-1]

    yield start
    for server in servers:
        assert server.terminate() == 0
        log = server.log.read_text()
        assert "canary-key" not in log and API_KEY not in log


def code(server: Server, key: str, command: str, **data) -> int | None:
    status, answer = server.post(command, data, key=key)
    if status == 200:
        return None
    assert status == {101: 401, 1019: 403}[answer["error"]["code"]], answer
    return answer["error"]["code"]


def test_a_key_allows_exactly_what_its_scopes_grant(start_with):
    digest = hashlib.sha256(ADMIN.encode()).hexdigest()
    server = start_with(
        entry("reader", READER, "read"), entry("writer", WRITER, "write"),
        {"id": "admin", "sha256": digest, "scopes": ["admin"]})
    commands = [("user.upsert", {"id": "ann"}, "write"), ("user.list_all", {}, "read"), ("settings.get", {}, "admin"),
                ("channel.create", {"id": "general", "as_user_id": "ann"}, "write"),
                ("channel.get", {"channel_id": "general", "as_user_id": "ann"}, "read"),
                ("user.deactivate", {"user_id": "ann"}, "admin"), ("token.create", {"user_id": "bob"}, "admin")]
    for command, data, scope in commands:
        for key, has in ((READER, "read"), (WRITER, "write"), (ADMIN, "admin")):
            expected = None if has == scope else 1019
            if command == "token.create" and has == scope:
                status, answer = server.post(command, data, key=key)
                assert answer.get("error", {}).get("code") != 1019
                continue
            assert code(server, key, command, **data) == expected, (command, has)
    status, answer = server.post("user.upsert", {"id": "bob"}, key=READER)
    assert (status, answer["error"]["message"]) == (403, "key scope: the key lacks the scope write")
    # The environment's key has all scopes; a wrong key, or only the key's digest, has none.
    assert code(server, API_KEY, "settings.get") is None and code(server, API_KEY, "user.upsert", id="bob") is None
    for wrong in (digest, READER + "x", READER[:-1], "x", "reader"):
        assert code(server, wrong, "user.list_all") == 101


async def test_a_disconnected_user_is_closed_everywhere_and_can_reconnect(server, name):
    ann, bob = name("ann"), name("bob")
    async with Wire(server) as first, Wire(server) as second, Wire(server) as other:
        for wire, user in ((first, bob), (second, bob), (other, ann)):
            await wire.connect(user)
        answer = server.app("user.disconnect", user_id=bob)
        assert answer["user"]["id"] == bob
        assert await first.close_code() == 3503 and await second.close_code() == 3503
        assert await other.call(ping={}) == {"ping": {}}
        async with Wire(server) as again:
            await again.connect(bob)
            assert await again.call(ping={}) == {"ping": {}}
    status, answer = server.post("user.disconnect", {"user_id": name("absent")}, key=API_KEY)
    assert (status, answer["error"]["code"]) == (404, 1000)
    status, answer = server.post("user.disconnect", {"user_id": bob}, user=ann)
    assert (status, answer["error"]["code"]) == (403, 1009)


def test_the_articles_key_file_is_accepted(start_with):
    backend, ops = json.loads(block("ServerAPI.md", "["))
    assert backend["key"] == "a key of at least 16 bytes" and ops["expires_at"] > 0
    # The article leaves a digest and a future time to the reader.
    ops |= {"sha256": hashlib.sha256(ADMIN.encode()).hexdigest(), "expires_at": int(time.time() * 1_000) + 3_600_000}
    server = start_with(backend, ops)
    assert code(server, backend["key"], "user.upsert", id="ann") is None
    assert code(server, backend["key"], "settings.get") == 1019
    assert code(server, ADMIN, "settings.get") is None
    assert code(server, ADMIN, "user.upsert", id="ann") == 1019


def test_files_require_the_key_scope_too(start_with):
    server = start_with(entry("reader", READER, "read"), entry("writer", WRITER, "write"))
    server.app("user.upsert", id="ann")
    server.app("channel.create", id="general", user_ids=["ann"])
    path = "/v1/files?channel_id=general&name=a.txt&as_user_id=ann"
    answers = {}
    for key in (READER, WRITER):
        answer, body = server._request("POST", path, b"text", {"X-API-Key": key, "Content-Type": "text/plain"})
        answers[key] = (answer.status, json.loads(body))
    assert answers[READER][0] == 403 and answers[READER][1]["error"]["code"] == 1019
    assert answers[WRITER][0] == 200
    url = answers[WRITER][1]["file"]["url"] + "?as_user_id=ann"
    assert server._request("GET", url, headers={"X-API-Key": WRITER})[0].status == 403
    assert server._request("GET", url, headers={"X-API-Key": READER})[0].status == 200


def test_sighup_reloads_the_keys_and_an_invalid_file_changes_nothing(start_with, tmp_path):
    server = start_with(entry("old", READER, "read"))
    assert code(server, READER, "user.list_all") is None and code(server, WRITER, "user.list_all") == 101

    def reload(metric: str, *keys: dict, mode: int = 0o600):
        keys_file(tmp_path, *keys, mode=mode)
        before = server.metric(metric)
        server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + DEADLINE
        while server.metric(metric) == before:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    done, failed = "belfry_api_keys_reloads_total", "belfry_api_keys_reload_failures_total"
    # Both keys are valid for a while, then only the new one.
    reload(done, entry("old", READER, "read"), entry("new", WRITER, "read"))
    assert code(server, READER, "user.list_all") is None and code(server, WRITER, "user.list_all") is None
    used = 'belfry_api_key_requests_total{key="%s"}'
    assert (server.metric(re.escape(used % "old")), server.metric(re.escape(used % "new"))) == (2, 1)
    assert server.metric(re.escape(used % "BELFRY_API_KEY")) == 0
    reload(done, entry("new", WRITER, "read"))
    assert used % "old" not in server.get("/metrics")[1]
    assert code(server, READER, "user.list_all") == 101 and code(server, WRITER, "user.list_all") is None
    assert server.metric(re.escape(used % "new")) == 2
    reload(failed, entry("new", WRITER, "everything"))
    reload(failed, entry("old", READER, "read"), mode=0o644)
    reload(failed, entry("mine", API_KEY, "read"))
    os.remove(tmp_path / "keys.json")
    keys_file(tmp_path, entry("new", WRITER, "read"))
    assert code(server, READER, "user.list_all") == 101 and code(server, WRITER, "user.list_all") is None
    now = int(time.time() * 1000)
    reload(done, entry("over", READER, "read", expires_at=now - 1_000), entry("new", WRITER, "read",
                                                                              expires_at=now + 600_000))
    assert code(server, READER, "user.list_all") == 101 and code(server, WRITER, "user.list_all") is None
    assert code(server, API_KEY, "user.list_all") is None
    log = server.log.read_text()
    for words in ("cannot reload server keys", "key 1: scopes must be", "by others", "contains the key in BELFRY_API_KEY",
                  "a server key has expired"):
        assert words in log, words


@pytest.mark.parametrize("keys, mode, words", [
    ([entry("a", READER, "read")], 0o604, "can be read or written by others"),
    ([entry("a", READER, "read")], 0o620, "can be read or written by others"),
    ([entry("a", "short", "read")], 0o600, "key 1: key must have at least 16 bytes"),
    ([entry("a", READER, "read", note="x")], 0o600, "key 1: it has an unknown member"),
    ([entry("a", "canary-key" * 7_000, "read")], 0o600, "is larger than 65536 bytes"),
])
def test_an_unusable_key_file_prevents_startup(tmp_path, keys, mode, words):
    path = keys_file(tmp_path, *keys, mode=mode)
    with pytest.raises(NotStarted) as stopped:
        Server(tmp_path, {"BELFRY_SERVER_API_KEYS_FILE": str(path)})
    status, log = stopped.value.args
    assert status == 78 and words in log and "canary-key" not in log


@pytest.mark.parametrize("path", ["absent.json", "."])
def test_a_missing_key_file_prevents_startup(tmp_path, path):
    with pytest.raises(NotStarted) as stopped:
        Server(tmp_path, {"BELFRY_SERVER_API_KEYS_FILE": str(tmp_path / path)})
    assert stopped.value.args[0] == 78 and str(tmp_path) in stopped.value.args[1]
