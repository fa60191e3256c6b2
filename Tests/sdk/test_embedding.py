"""The example servers in `Sources/Programs/Examples`: the host's routes and sign-in, the embedded gateway, listeners
for all events."""

import asyncio
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

import pytest
import websockets
from belfry import DEADLINE, SECRET
from metrics import EMBEDDED, documented, told


class Example:
    name = "EmbeddedExample"

    def __init__(self, folder: pathlib.Path, **environment):
        self.log = folder / "log"
        self.output = folder / "output"
        binary = pathlib.Path(os.environ.get("BELFRY_BIN", ".build/debug/belfry")).with_name(self.name)
        self.process = subprocess.Popen(
            [binary],
            env={
                "PATH": os.environ["PATH"], "PORT": "0", "DATA": str(folder / "data"), "BELFRY_TOKEN_SECRET": SECRET,
                **environment,
            },
            stdout=self.output.open("ab"), stderr=self.log.open("ab"),
        )

    def until_logged(self, pattern: str) -> re.Match:
        deadline = time.monotonic() + DEADLINE
        while not (found := re.search(pattern, self.log.read_text())):
            assert time.monotonic() < deadline and self.process.poll() is None, self.log.read_text()
            time.sleep(0.01)
        return found

    def start(self):
        self.port = int(self.until_logged(r"port=(\d+) .*listening").group(1))
        return self

    def ask(self, method: str, path: str, body: str = "", **fields) -> tuple[int, dict, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(DEADLINE)


class Notifier(Example):
    name = "NotifierExample"

    def paid(self, order: str, **fields) -> int:
        return self.ask("POST", f"/orders/{order}/paid", **fields)[0]


def running(example: Example):
    yield example.start()
    if example.process.poll() is None:
        example.process.kill()
        example.process.wait()


@pytest.fixture
def example(tmp_path):
    yield from running(Example(tmp_path))


@pytest.fixture
def notifier(tmp_path):
    yield from running(Notifier(tmp_path))


def test_the_hosts_routes_work_alongside_the_gateways_own(example):
    status, fields, session = example.ask("POST", "/login", "ann")
    assert status == 200 and session and fields["Server"] == "example"
    status, fields, lobby = example.ask("GET", "/lobby")
    assert json.loads(lobby) == ["ann is here"] and fields["Content-Type"] == "application/json"
    assert example.ask("DELETE", "/lobby")[0] == 405
    assert example.ask("GET", "/nowhere")[0] == 404
    status, fields, text = example.ask("GET", "/metrics")
    assert "belfry_route_requests_total 2" in text and "Server" not in fields


async def test_a_connection_authenticated_by_the_hosts_session_receives_events(example):
    session = example.ask("POST", "/login", "ann")[2]
    async with websockets.connect(f"ws://127.0.0.1:{example.port}/connection/websocket") as socket:
        await socket.send(json.dumps({"id": 1, "connect": {"token": session}}))
        assert json.loads(await socket.recv())["connect"]["data"]["user"]["id"] == "ann"
        await asyncio.to_thread(example.ask, "POST", "/login", "bob")
        async with asyncio.timeout(DEADLINE):
            while "bob is here" not in await socket.recv():
                pass
    async with websockets.connect(f"ws://127.0.0.1:{example.port}/connection/websocket") as stranger:
        await stranger.send(json.dumps({"id": 1, "connect": {"token": "made up"}}))
        with pytest.raises(websockets.ConnectionClosed):
            await stranger.recv()
        assert stranger.close_code == 3500


def test_the_listener_receives_every_event_and_sigterm_shuts_down_cleanly(example):
    for name in ("ann", "bob"):
        assert example.ask("POST", "/login", name)[0] == 200
    assert example.end() == 0
    log = example.log.read_text()
    assert log.count("type=message.new") == 2 and "is here" not in log
    positions = [tuple(map(int, found)) for found in re.findall(r"position=(\d+)\.(\d+)", log)]
    assert len(positions) > 2 and positions == sorted(set(positions))


def test_a_weak_secret_prevents_startup(tmp_path):
    example = Example(tmp_path, BELFRY_TOKEN_SECRET="short")
    assert example.process.wait(DEADLINE) == 78
    assert "the token secret has 5 bytes and needs at least 32" in example.log.read_text()


def test_the_host_sees_metrics_of_its_routes_and_its_sign_in(example):
    seen = told(example.ask("GET", "/metrics")[2])
    expected = {name: row for name, row in documented().items() if row[2].endswith(EMBEDDED)}
    assert {name: seen.get(name) for name in expected} == expected and expected


async def test_the_second_example_notifies_users_of_paid_orders(notifier):
    key = {"X_Shop_Key": "demo-shop-key"}
    assert await asyncio.to_thread(notifier.paid, "1", **key) == 200
    async with websockets.connect(f"ws://127.0.0.1:{notifier.port}/connection/websocket") as socket:
        await socket.send(json.dumps({"id": 1, "connect": {"token": "demo-ann"}}))
        assert json.loads(await socket.recv())["connect"]["data"]["user"]["id"] == "ann"
        join = {"method": "channel.join", "data": {"channel_id": "orders"}}
        await socket.send(json.dumps({"id": 2, "rpc": join}))
        assert await asyncio.to_thread(notifier.paid, "4711") == 403
        assert await asyncio.to_thread(notifier.paid, "4711", **key) == 200
        async with asyncio.timeout(DEADLINE):
            while '"message.new"' not in (heard := await socket.recv()):
                pass
        line = next(line for line in heard.splitlines() if '"message.new"' in line)
        message = json.loads(line)["push"]["pub"]["data"]["message"]
        assert (message["kind"], message["text"]) == ("admin", "order 4711 was paid")
    assert notifier.end() == 0
    assert notifier.output.read_text() == "orders 2 order 1 was paid\norders 4 order 4711 was paid\n"


def answered_until_it_is_gone(example: Example, post) -> list[str]:
    """Posts over eight persistent connections and sends SIGTERM meanwhile; returns the requests answered with 200."""
    answered, many = [], threading.Event()

    def work(worker: int):
        connection = http.client.HTTPConnection("127.0.0.1", example.port, timeout=DEADLINE)
        try:
            for index in range(100_000):
                order = f"{worker}-{index}"
                connection.request("POST", *post(order))
                answer = connection.getresponse()
                answer.read()
                if answer.status == 200:
                    answered.append(order)
                if len(answered) > 100:
                    many.set()
        except (OSError, http.client.HTTPException):
            pass

    workers = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for worker in workers:
        worker.start()
    assert many.wait(DEADLINE)
    assert example.end() == 0
    for worker in workers:
        worker.join()
    return answered


def test_the_listener_receives_events_acknowledged_during_shutdown(example):
    # Eight users sign in repeatedly, because the lobby has room for only a hundred.
    answered = answered_until_it_is_gone(example, lambda order: ("/login", order.split("-")[0]))
    assert example.log.read_text().count("type=message.new") >= len(answered)


def test_the_second_examples_listener_receives_events_acknowledged_during_shutdown(notifier):
    key = {"X-Shop-Key": "demo-shop-key"}
    answered = answered_until_it_is_gone(notifier, lambda order: (f"/orders/{order}/paid", "", key))
    told = {line.split()[3] for line in notifier.output.read_text().splitlines()}
    assert set(answered) <= told
