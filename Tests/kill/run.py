"""Kills the real server with `kill -9` at random moments while clients work, and checks everything they observed.

    run.py BINARY [--cycles N] [--seed S]

The seed determines what the clients do and when the server is killed; how far they get by then depends on the machine.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from clients import Caller, Subscriber, Writer
from history import Violation, check_channel, check_subscriber, require

SECRET = "a secret of the kill test, long enough for HS256"
KEY = "an api key of the kill test"


class World:
    def __init__(self, port):
        self.port, self.key = port, KEY
        self.channels = ["one", "two", "three"]
        self.is_pausing, self.is_over = threading.Event(), threading.Event()
        self.acknowledged = self.retries = 0


class Server:
    # The running server, if any.
    latest = None

    def __init__(self, binary, folder, port):
        self.log = open(folder / "log", "ab")
        environment = {
            "PATH": os.environ["PATH"], "BELFRY_TOKEN_SECRET": SECRET, "BELFRY_API_KEY": KEY,
            "BELFRY_JOURNAL_SEGMENT_BYTES": str(1 << 20), "BELFRY_ROOMS_RING_EVENTS": "1000000",
            "BELFRY_ROOMS_RING_BYTES": str(1 << 30), "SWIFT_BACKTRACE": "enable=no",
            # Snapshots are small and frequent, so that many kills interrupt one.
            "BELFRY_JOURNAL_SNAPSHOT_BYTES": str(1 << 20), "BELFRY_JOURNAL_RECOVERABLE_FRAMES": "300",
        }
        self.process = subprocess.Popen(
            [binary, "serve", "--port", str(port), "--data", str(folder / "data")],
            env=environment, stdout=subprocess.PIPE, stderr=self.log)
        Server.latest = self
        line = self.process.stdout.readline()
        if not line:
            raise Violation("the server does not start", (folder / "log").read_text()[-2000:])
        require(json.loads(line)["listening"]["port"] == port, "another port")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def token(binary, user, folder):
    environment = {"PATH": os.environ["PATH"], "BELFRY_TOKEN_SECRET": SECRET, "BELFRY_API_KEY": KEY}
    command = [binary, "token", "--user", user, "--expires", "24h"]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stored(caller, channel):
    """Returns all messages of a channel including tombstones, oldest first."""
    messages, page = [], {}
    while True:
        body = {"channel_id": channel, "limit": 100, "include_deleted": True, "include_reactions": True, **page}
        code, answer = caller.call("message.list", body)
        require(code is None, "message.list", answer)
        messages += answer["messages"]
        if "next" not in answer:
            return sorted(messages, key=lambda message: message["offset"])
        page = {"next": answer["next"]}


def run(binary, cycles, seed, folder):
    dice = random.Random(seed)
    world = World(free_port())
    server = Server(binary, folder, world.port)
    owner = Caller(world, "owner")
    people = [f"writer-{number}" for number in range(4)]
    for user in ["owner", "listener", *people]:
        code, answer = Caller(world, None).call("user.upsert", {"id": user})
        require(code is None, "user.upsert", answer)
    for channel in world.channels:
        code, answer = owner.call("channel.create", {"id": channel, "user_ids": [*people, "listener"]})
        require(code is None or code == 1015, "channel.create", answer)
    subscriber = Subscriber(world, "listener", token(binary, "listener", folder))
    subscriber.start()
    while len(subscriber.epochs) < len(world.channels) and not subscriber.error:
        time.sleep(0.01)
    writers = [Writer(world, user, f"{seed} {user}") for user in people]
    for writer in writers:
        writer.start()
    for cycle in range(1, cycles + 1):
        time.sleep(dice.uniform(0.05, 1.2))
        server.kill()
        server = Server(binary, folder, world.port)
        for thread in [*writers, subscriber]:
            if thread.error:
                raise thread.error
        print(f"cycle {cycle}: {world.acknowledged} acknowledged, {world.retries} retries", flush=True)
    time.sleep(0.5)
    world.is_pausing.set()
    for writer in writers:
        writer.join(60)
        require(not writer.is_alive(), "a writer hangs")
        if writer.error:
            raise writer.error
    judge(world, owner, writers, subscriber)
    # However often a snapshot was interrupted, the next process completes one.
    deadline = time.monotonic() + 120
    while not list((folder / "data" / "journal").glob("*.snapshot")):
        require(time.monotonic() < deadline, "no snapshot is made")
        time.sleep(0.1)
    # The checked properties must also hold for the next process.
    server.kill()
    server = Server(binary, folder, world.port)
    judge(world, owner, writers, subscriber)
    world.is_over.set()
    server.process.send_signal(signal.SIGTERM)
    require(server.process.wait(30) == 0, "the server does not end in order")
    server = Server(binary, folder, world.port)
    log = (folder / "log").read_text()
    require("skipped an unreadable snapshot" not in log, "a snapshot was damaged")
    server.kill()
    print(
        f"ok: {cycles} kills, {world.acknowledged} acknowledged, {world.retries} retries,"
        f" {subscriber.recoveries} recoveries, {log.count('cut off an unfinished write')} torn tails,"
        f" {log.count('snapshot completed')} snapshots")


def judge(world, owner, writers, subscriber):
    sent = [one for writer in writers for one in writer.sent]
    for channel in world.channels:
        messages = stored(owner, channel)
        here = [one for one in sent if one.channel == channel]
        world.seen = getattr(world, "seen", {})
        world.seen[channel] = check_channel(here, messages, world.seen.get(channel, {}))
        _, answer = owner.call("message.send", {"channel_id": channel, "text": "the end"})
        top = answer["message"]["offset"]
        deadline = time.time() + 20
        while (subscriber.top(channel) or 0) < top and time.time() < deadline and not subscriber.error:
            time.sleep(0.02)
        if subscriber.error:
            raise subscriber.error
        check_subscriber(subscriber.events[channel], subscriber.start_offsets[channel], here, top)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--cycles", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(str(pathlib.Path(arguments.binary).resolve()), arguments.cycles, arguments.seed, pathlib.Path(folder))
        except Violation as violation:
            print("VIOLATION", *violation.args, (pathlib.Path(folder) / "log").read_text()[-1000:], sep="\n  ")
            sys.exit(1)
        finally:
            if Server.latest:
                Server.latest.kill()


main()
