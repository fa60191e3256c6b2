"""Webhooks while either side is killed: nothing is skipped, and duplicates are identical.

The seed determines which side is killed when, and what is sent; how far a delivery gets by then depends on the machine.
"""

import http.client
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import threading
import time

from belfry import API_KEY, Server
from storage import kill

SECRET = "a secret of the webhook tests"
SEED = int(os.environ.get("BELFRY_SEED", "8"))
KILLS = 4
SETTINGS = {
    "BELFRY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.1", "BELFRY_WEBHOOKS_TIMEOUT_MS": "1000",
    "BELFRY_JOURNAL_SEGMENT_BYTES": str(1 << 20), "BELFRY_JOURNAL_SNAPSHOT_BYTES": str(1 << 20),
    # Only events not yet delivered to webhooks are kept for them.
    "BELFRY_JOURNAL_RECOVERABLE_FRAMES": "0",
}
CHANNELS = ["one", "two", "three"]


class Receiver:
    """A receiver in a separate process whose records outlive it. It refuses some deliveries and does not respond to
    others."""

    def __init__(self, folder: pathlib.Path, seed: int, port: int):
        self.notes, self.port, self.seed = folder / "received", port, seed
        self.start()

    def start(self):
        self.seed += 1
        self.process = subprocess.Popen(
            [sys.executable, pathlib.Path(__file__).parent / "webhook_receiver.py", str(self.port), self.notes,
             str(self.seed)], stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b"ready\n"

    def kill(self):
        self.process.kill()
        self.process.wait()

    def deliveries(self) -> list[dict]:
        """Returns all recorded deliveries, except a truncated record, whose delivery got no response."""
        lines = self.notes.read_text().split("\n")[:-1] if self.notes.exists() else []
        return [json.loads(line) for line in lines]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def acknowledges(server, channel: str, text: str) -> bool:
    body = {"channel_id": channel, "text": text, "as_user_id": "ann"}
    try:
        return server.post("message.send", body, key=API_KEY)[0] == 200
    except (OSError, http.client.HTTPException, ValueError):
        return False


class Sender(threading.Thread):
    """Keeps sending, whatever happens, and records the acknowledged messages."""

    def __init__(self, dice: random.Random):
        super().__init__(daemon=True)
        self.dice, self.server = dice, None
        self.acknowledged: list[tuple[str, str]] = []
        self.is_over = threading.Event()

    def run(self):
        number = 0
        while not self.is_over.is_set():
            server, channel = self.server, self.dice.choice(CHANNELS)
            number += 1
            text = f"{number} " + "x" * self.dice.randrange(9_000)
            if server and acknowledges(server, channel, text):
                self.acknowledged.append((channel, text))
            time.sleep(0.02)


def until(condition, what: str, seconds: float = 30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def test_no_delivery_is_skipped_when_either_side_is_killed(tmp_path):
    dice = random.Random(SEED)
    receiver = Receiver(tmp_path, SEED, free_port())
    server = Server(tmp_path, SETTINGS)
    sender = Sender(random.Random(SEED + 1))
    try:
        server.app("user.upsert", id="ann")
        for channel in CHANNELS:
            server.app("channel.create", id=channel, as_user_id="ann")
        server.app(
            "webhook.set", id="a", url=f"http://127.0.0.1:{receiver.port}/", events=["message.new"], secret=SECRET)
        sender.server = server
        sender.start()
        for turn in range(KILLS):
            time.sleep(dice.uniform(0.3, 1.0))
            receiver.kill()
            if turn == 0:
                # Enough events for a snapshot, if undelivered ones were included.
                for number in range(260):
                    text = f"big {number} " + "y" * 9_000
                    assert acknowledges(server, "one", text)
                    sender.acknowledged.append(("one", text))
            if turn % 2:
                receiver.start()
            time.sleep(dice.uniform(0.1, 0.5))
            sender.server = None
            kill(server)
            server = Server(tmp_path, SETTINGS)
            sender.server = server
            if not turn % 2:
                receiver.start()
        time.sleep(0.3)
        sender.is_over.set()
        sender.join(20)
        # The last acknowledgement came before the last kill, or from the surviving process.
        judge(server, receiver, sender.acknowledged)
        assert server.metric("belfry_webhook_dropped_total") == 0
        assert server.metric("belfry_webhook_dead_letters") == 0
        assert server.terminate() == 0
        # Events delivered to everyone are not sent again.
        count = len(receiver.deliveries())
        server = Server(tmp_path, SETTINGS)
        server.app("message.send", channel_id="one", text="the last", as_user_id="ann")
        until(lambda: len(receiver.deliveries()) > count, "the last")
        until(lambda: server.metric("belfry_webhook_lag_frames") == 0, "it is up to date")
        assert {json.loads(one["body"])["data"]["message"]["text"] for one in receiver.deliveries()[count:]} == {"the last"}
        assert server.terminate() == 0
    finally:
        sender.is_over.set()
        receiver.kill()
        if server.process.poll() is None:
            server.process.kill()


def judge(server, receiver, acknowledged):
    def taken() -> set[tuple[str, str]]:
        bodies = [json.loads(one["body"]) for one in receiver.deliveries() if one["status"] == 200]
        return {(body["room"], body["data"]["message"]["text"]) for body in bodies}

    assert len(acknowledged) > 20
    until(lambda: set(acknowledged) <= taken(), "an acknowledged message was skipped")
    deliveries = receiver.deliveries()
    bodies, newest = {}, {}
    for one in deliveries:
        # The same id always has the same bytes.
        first = bodies.setdefault(one["id"], one["body"])
        assert first == one["body"]
    seen = set()
    for one in deliveries:
        if one["id"] in seen:
            continue
        seen.add(one["id"])
        body = json.loads(one["body"])
        # First deliveries follow the order of their channel.
        assert body["offset"] > newest.get(body["room"], 0), one["id"]
        newest[body["room"]] = body["offset"]
    assert len(deliveries) > len(bodies), "nothing came twice: nothing was tried"
