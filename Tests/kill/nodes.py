"""Nodes of a cluster on three NATS servers, any of which is killed and started again."""

import os
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

from history import Violation, require

sys.path.append(str(pathlib.Path(__file__).parents[1] / "sdk"))
import nats_server  # noqa: E402: the fixtures of the other suite

# What a cycle kills, with its share of all cycles.
VICTIMS = {"the writer": 10, "a node": 5, "all nodes": 2, "a NATS server": 3}


class Nodes:
    """`start` is a function that starts a node: `start(binary, folder, port, settings)`."""

    def __init__(self, start, binary, folder, ports):
        self.binary, self.ports, self._start = binary, ports, start
        self.uploads = folder / "uploads"
        self.uploads.mkdir()
        self.folders = [folder / f"node{index + 1}" for index in range(len(ports))]
        self.nats = nats_server.start_three(folder)
        self.settings = {"BELFRY_CLUSTER_URL": ",".join(server.url for server in self.nats)}
        for one in self.folders:
            (one / "data").mkdir(parents=True)
            (one / "data" / "files").symlink_to(self.uploads)
        subprocess.run(
            [binary, "cluster", "create", "--data", str(self.folders[0] / "data")], check=True, timeout=60,
            stdout=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "BELFRY_CLUSTER_NODE": "node1", **self.settings})
        self.servers = [self.start(index) for index in range(len(ports))]
        self.settle()

    def start(self, index):
        settings = {**self.settings, "BELFRY_CLUSTER_NODE": f"node{index + 1}"}
        return self._start(self.binary, self.folders[index], self.ports[index], settings)

    def kill_some(self, dice):
        """Kills something, starts it again, and returns its name."""
        victim = dice.choices(list(VICTIMS), VICTIMS.values())[0]
        if victim == "a NATS server":
            server = dice.choice(self.nats)
            server.kill()
            time.sleep(dice.uniform(0, 1))
            server.start()
            return victim
        indices = list(range(len(self.servers)))
        if victim == "a node":
            indices = [dice.choice(indices)]
        elif victim == "the writer":
            # During an election there is none.
            indices = [index for index in indices if self.is_writer(index)] or [dice.choice(indices)]
        for index in indices:
            self.servers[index].kill()
        for index in indices:
            self.servers[index] = self.start(index)
        self.start_departed()
        return victim

    def start_departed(self):
        """Starts nodes that had to leave the cluster (75), as a service manager does."""
        for index, server in enumerate(self.servers):
            if (status := server.process.poll()) is not None:
                require(status == 75, "a node has ended", status, server.text[-2000:])
                self.servers[index] = self.start(index)

    def restart(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.kill()
        self.servers = [self.start(index) for index in range(len(self.servers))]
        self.settle()

    def answer(self, index, path):
        """Returns the status and the body; 0 without an answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[index]}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, ""
        except OSError:
            return 0, ""

    def is_writer(self, index):
        return "\nbelfry_cluster_writer 1\n" in self.answer(index, "/metrics")[1]

    def settle(self):
        """Waits until there is a writer and every node follows it."""
        deadline = time.monotonic() + 60
        while True:
            self.start_departed()
            indices = range(len(self.servers))
            if sum(map(self.is_writer, indices)) == 1 and all(self.answer(i, "/readyz")[0] == 200 for i in indices):
                return
            if time.monotonic() > deadline:
                raise Violation("the cluster does not settle", *(server.text[-1000:] for server in self.servers))
            time.sleep(0.05)

    def figures(self, texts):
        terms = max(text.count("a term of the cluster began") for text in texts)
        return f", {terms} terms"

    def end(self):
        for server in self.nats:
            if server.process.poll() is None:
                server.kill()
