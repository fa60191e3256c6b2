"""Kills the real server with `kill -9` at random moments while clients work, and checks everything they observed.

    run.py BINARY [--cycles N] [--seed S] [--nodes N]

With several nodes, the clients are spread over them, and what is killed is a node, most often the writer, all nodes, or a
NATS server. What one node tells must be what all tell.

The seed determines what the clients do and when the server is killed; how far they get by then depends on the machine.
"""

import argparse
import itertools
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
from nodes import Nodes

SECRET = "a secret of the kill test, long enough for HS256"
KEY = "an api key of the kill test"


class World:
    def __init__(self, ports):
        self.key, self.has_nodes = KEY, len(ports) > 1
        self.turns = itertools.cycle(ports)
        self.channels = ["one", "two", "three"]
        self.is_pausing, self.is_over = threading.Event(), threading.Event()
        self.acknowledged = self.retries = 0

    @property
    def port(self):
        """The address of the next node, which may be down."""
        return next(self.turns)


class OneNode:
    """A world's view of one node."""

    def __init__(self, world, port):
        self.port, self.key, self.is_over, self.has_nodes = port, KEY, world.is_over, False
        self.retries = 0


class Server:
    # All that have been started.
    started = []

    def __init__(self, binary, folder, port, settings=None):
        self.folder, self.port = folder, port
        self.log = open(folder / "log", "ab")
        environment = {
            "PATH": os.environ["PATH"], "BELFRY_TOKEN_SECRET": SECRET, "BELFRY_API_KEY": KEY,
            "BELFRY_JOURNAL_SEGMENT_BYTES": str(1 << 20), "BELFRY_ROOMS_RING_EVENTS": "1000000",
            "BELFRY_ROOMS_RING_BYTES": str(1 << 30), "SWIFT_BACKTRACE": "enable=no",
            # Snapshots are small and frequent, so that many kills interrupt one.
            "BELFRY_JOURNAL_SNAPSHOT_BYTES": str(1 << 20), "BELFRY_JOURNAL_RECOVERABLE_FRAMES": "300",
            # What a snapshot has stored is read from disk.
            "BELFRY_HISTORY_MEMORY_BYTES": "0", "BELFRY_HISTORY_CACHE_BYTES": str(1 << 20),
            **(settings or {}),
        }
        self.process = subprocess.Popen(
            [binary, "serve", "--port", str(port), "--data", str(folder / "data")],
            env=environment, stdout=subprocess.PIPE, stderr=self.log)
        Server.started.append(self)
        line = self.process.stdout.readline()
        if not line:
            raise Violation("the server does not start", (folder / "log").read_text()[-2000:])
        require(json.loads(line)["listening"]["port"] == port, "another port")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @property
    def text(self):
        return (self.folder / "log").read_text()


class OneServer:
    """A single server, with the interface of `Nodes`."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.ports = binary, folder, [free_port()]
        self.start()

    def start(self):
        self.servers = [Server(self.binary, self.folder, self.ports[0])]

    def kill_some(self, dice):
        self.restart()
        return "killed"

    def restart(self):
        for server in self.servers:
            server.kill()
        self.start()

    def settle(self):
        pass

    def figures(self, texts):
        return ""

    def end(self):
        pass


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


def run(servers, cycles, seed, binary, folder):
    dice = random.Random(seed)
    world = World(servers.ports)
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
        what = servers.kill_some(dice)
        for thread in [*writers, subscriber]:
            if thread.error:
                raise thread.error
        print(f"cycle {cycle}: {what}, {world.acknowledged} acknowledged, {world.retries} retries", flush=True)
    time.sleep(0.5)
    # However often a snapshot was interrupted, the next process completes one. On a slow machine, few frames were written so far.
    deadline = time.monotonic() + 120
    for server in servers.servers:
        while not list((server.folder / "data" / "journal").glob("*.snapshot")):
            for thread in [*writers, subscriber]:
                if thread.error:
                    raise thread.error
            require(time.monotonic() < deadline, "no snapshot is made")
            time.sleep(0.1)
    world.is_pausing.set()
    for writer in writers:
        writer.join(60)
        require(not writer.is_alive(), "a writer hangs")
        if writer.error:
            raise writer.error
    judge(world, servers, writers, subscriber)
    # The checked properties must also hold for the next process.
    servers.restart()
    judge(world, servers, writers, subscriber)
    world.is_over.set()
    for server in servers.servers:
        server.process.send_signal(signal.SIGTERM)
        require(server.process.wait(30) == 0, "the server does not end in order")
    servers.restart()
    texts = [server.text for server in servers.servers]
    require(not any("skipped an unreadable snapshot" in text for text in texts), "a snapshot was damaged")
    tails, snapshots = (sum(text.count(what) for text in texts)
                        for what in ("cut off an unfinished write", "snapshot completed"))
    print(
        f"ok: {cycles} kills, {world.acknowledged} acknowledged, {world.retries} retries,"
        f" {subscriber.recoveries} recoveries, {tails} torn tails, {snapshots} snapshots{servers.figures(texts)}")


def judge(world, servers, writers, subscriber):
    servers.settle()
    sent = [one for writer in writers for one in writer.sent]
    owners = [Caller(OneNode(world, port), "owner") for port in servers.ports]
    for channel in world.channels:
        lists = [stored(owner, channel) for owner in owners]
        require(all(messages == lists[0] for messages in lists), "nodes differ", channel, *lists)
        here = [one for one in sent if one.channel == channel]
        world.seen = getattr(world, "seen", {})
        world.seen[channel] = check_channel(here, lists[0], world.seen.get(channel, {}))
        _, answer = owners[0].call("message.send", {"channel_id": channel, "text": "the end"})
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
    parser.add_argument("--nodes", type=int, default=1)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    binary = str(pathlib.Path(arguments.binary).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder, servers = pathlib.Path(name), None
        try:
            if arguments.nodes == 1:
                servers = OneServer(binary, folder)
            else:
                servers = Nodes(Server, binary, folder, [free_port() for _ in range(arguments.nodes)])
            run(servers, arguments.cycles, arguments.seed, binary, folder)
        except Violation as violation:
            print("VIOLATION", *violation.args, *(log.read_text()[-1000:] for log in folder.rglob("log")), sep="\n  ")
            sys.exit(1)
        finally:
            for server in Server.started:
                if server.process.poll() is None:
                    server.kill()
            if servers:
                servers.end()


if __name__ == "__main__":
    main()
