"""SIGHUP reloads the settings file: reloadable settings are applied, and the others are reported."""

import json
import signal
import socket
import time

import pytest
from belfry import DEADLINE, Server, token
from clients import Wire
from websockets.asyncio.client import connect as open_websocket
from websockets.exceptions import InvalidStatus


class Running:
    """A server whose settings file changes."""

    def __init__(self, folder, settings: dict, environment: dict | None = None, log: tuple[str, ...] = ()):
        self.file = folder / "settings.json"
        self.write(settings)
        self.server = Server(folder, environment, options=("--config", str(self.file)), log=log)

    def write(self, settings: dict | str):
        self.file.write_text(settings if isinstance(settings, str) else json.dumps(settings))

    def told(self, text: str) -> list[str]:
        return [line for line in self.server.log.read_text().splitlines() if text in line]

    def count(self, what: str) -> float:
        return self.server.metric(f"belfry_settings_{what}_total")

    def reload(self, settings: dict | str, what: str = "reloads"):
        """Reloads the file and waits until the server has applied or refused it."""
        self.write(settings)
        before = self.count(what)
        self.server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + DEADLINE
        while self.count(what) == before:
            assert time.monotonic() < deadline, f"SIGHUP: no {what}"
            time.sleep(0.02)

    def told_in_time(self, text: str) -> str:
        deadline = time.monotonic() + DEADLINE
        while not self.told(text):
            assert time.monotonic() < deadline, f"never told: {text}"
            time.sleep(0.02)
        return self.told(text)[-1]


@pytest.fixture
def run(tmp_path):
    running = []

    def run(*arguments, **options) -> Running:
        running.append(Running(tmp_path, *arguments, **options))
        return running[-1]

    yield run
    for one in running:
        if one.server.process.poll() is None:
            assert one.server.terminate() == 0


async def test_reloaded_user_rates_apply_immediately_and_connection_rates_to_new_connections(run, name):
    running = run({})
    ann = name("ann")
    async with Wire(running.server) as former:
        await former.connect(ann)
        running.reload({"connections": {"commands_per_second": 1, "commands_at_once": 1}})

        async def codes(wire) -> list[int | None]:
            replies = [await wire.rpc("user.get", {"user_id": ann}) for _ in range(3)]
            return [reply.get("error", {}).get("code") for reply in replies]

        assert await codes(former) == [None] * 3, "a session keeps its rate"
        async with Wire(running.server) as fresh:
            await fresh.connect(ann)
            assert 111 in await codes(fresh)
        running.reload({"connections": {"user_commands_per_second": 1, "user_commands_at_once": 1}})
        assert 111 in await codes(former)
        assert running.server.post("user.get", {"user_id": ann}, user=ann)[0] == 429
        running.reload({})
        assert await codes(former) == [None] * 3
        async with Wire(running.server) as fresh:
            await fresh.connect(ann)
            assert await codes(fresh) == [None] * 3, "what left the file has its default again"


async def test_origins_and_connection_limits_apply_to_new_connections(run, name):
    running = run({})
    ann = name("ann")

    async def opens(origin: str) -> bool:
        try:
            async with open_websocket(running.server.socket_url, origin=origin, proxy=None):
                return True
        except InvalidStatus as error:
            assert error.response.status_code == 403
            return False

    async with Wire(running.server) as former:
        await former.connect(ann)
        assert await opens("https://evil.example.com")
        running.reload({"server": {"allowed_origins": ["https://chat.example.com"]}, "connections": {"per_user": 1}})
        assert not await opens("https://evil.example.com") and await opens("https://chat.example.com")
        async with Wire(running.server) as second:
            await second.send(json.dumps({"id": 1, "connect": {"token": token(ann)}}))
            assert await second.close_code() == 3504
        assert "error" not in await former.rpc("user.get", {"user_id": ann}), "who is there stays"
        running.reload({})
        assert await opens("https://evil.example.com")
        async with Wire(running.server) as second:
            await second.connect(ann)


async def test_the_log_level_changes_at_run_time(run, name):
    running = run({})
    assert not running.told("session opened")
    async with Wire(running.server) as wire:
        await wire.connect(name("ann"))
    assert not running.told("session opened")
    running.reload({"log": {"level": "info"}})
    async with Wire(running.server) as wire:
        await wire.connect(name("ann"))
        running.told_in_time("session opened")
    running.reload({"log": {"level": "critical"}})
    before = running.server.log.read_text()
    running.reload({"log": {"level": "loud"}}, "reload_failures")
    assert running.server.log.read_text() == before, "not even an error is logged"
    running.reload({})
    running.told_in_time("changed=log.level")


async def test_an_option_takes_precedence_over_the_file(run, name):
    running = run({"log": {"level": "error"}}, log=("--log-level", "info"))
    running.reload({"log": {"level": "critical"}})
    async with Wire(running.server) as wire:
        await wire.connect(name("ann"))
        running.told_in_time("session opened")


INVALID = {
    "no JSON": "{",
    "no sections": '{"log": 3}',
    "an unknown name": '{"connections": {"commands_a_second": 1}}',
    "a number out of range": '{"connections": {"commands_per_second": 0}}',
    "another type": '{"connections": {"commands_per_second": "many"}}',
    "one bad beside a good one": '{"connections": {"commands_per_second": 1}, "server": {"allowed_origins": ["*"]}}',
    "what only a start would find": '{"connections": {"commands_per_second": 1}, "page": {"folder": "/nowhere"}}',
    "an address that others reach": '{"admin": {"port": 0, "host": "0.0.0.0"}}',
}


async def test_a_file_that_startup_would_refuse_changes_nothing(run, name):
    running = run({})
    for what, text in INVALID.items():
        reloads = running.count("reloads")
        running.reload(text, "reload_failures")
        assert running.count("reloads") == reloads, what
        assert "error" in running.told_in_time("cannot reload settings")
    assert len(running.told("cannot reload settings")) == len(INVALID)
    running.file.unlink()
    before = running.count("reload_failures")
    running.server.process.send_signal(signal.SIGHUP)
    deadline = time.monotonic() + DEADLINE
    while running.count("reload_failures") == before:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    ann = name("ann")
    async with Wire(running.server) as wire:
        await wire.connect(ann)
        for _ in range(5):
            assert "error" not in await wire.rpc("user.get", {"user_id": ann})
    running.reload({"server": {"drain_ms": 1_000}})
    assert "changed=server.drain_ms" in running.told_in_time("settings reloaded")


def test_settings_that_require_a_restart_are_named_every_time_and_the_others_applied(run):
    running = run({"journal": {"sync_ms": 50}})
    changed = {"journal": {"sync_ms": 60}, "chat": {"reactions": False}, "server": {"drain_ms": 1_000}}
    running.reload(changed)
    warning = running.told_in_time("some changed settings need a restart")
    assert "chat.reactions, journal.sync_ms" in warning and "drain_ms" not in warning and "warning" in warning
    running.reload({**changed, "connections": {"per_user": 7}})
    running.told_in_time("changed=connections.per_user")
    assert len(running.told("need a restart")) == 2
    running.reload({"journal": {"sync_ms": 50}})
    running.told_in_time("changed=connections.per_user, server.drain_ms")
    assert len(running.told("need a restart")) == 2, "all is as it was at the start"


def test_an_environment_variable_takes_precedence_as_at_startup(run):
    running = run({}, {"BELFRY_SERVER_DRAIN_MS": "2000"})
    running.reload({"server": {"drain_ms": 3_000}})
    assert "drain_ms" not in running.told_in_time("settings reloaded")


def test_shutdown_uses_the_reloaded_drain_time(run, name):
    """Shutdown waits for a client that does not disconnect."""
    running = run({"server": {"drain_ms": 60_000}})
    with socket.create_connection((running.server.host, running.server.port)) as stubborn:
        stubborn.sendall(b"POST /v1/files HTTP/1.1\r\nHost: x\r\n")
        running.reload({"server": {"drain_ms": 100}})
        begun = time.monotonic()
        assert running.server.terminate() == 0
        assert time.monotonic() - begun < DEADLINE


def test_without_a_settings_file_there_is_nothing_to_reload(tmp_path):
    server = Server(tmp_path)
    try:
        server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + DEADLINE
        while "nothing to reload" not in server.log.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert server.metric("belfry_settings_reloads_total") == 0
    finally:
        assert server.terminate() == 0
