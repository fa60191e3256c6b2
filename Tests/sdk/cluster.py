"""Several real nodes on real NATS servers, as child processes."""

import itertools
import os
import pathlib
import subprocess
import time

import nats_server
from belfry import API_KEY, DEADLINE, Door, Server


class Logs:
    """The log files of several nodes."""

    def __init__(self, paths: list[pathlib.Path]):
        self.paths = paths

    def read_text(self) -> str:
        return "".join(path.read_text() for path in self.paths)


class Cluster(Door):
    """Nodes that share one chat. As a door, it leads to another node each time its address is read, so that the clients
    of a test are spread over all nodes."""

    def __init__(
        self, folder: pathlib.Path, count: int = 3, settings: dict | None = None, replicated: bool = True
    ):
        """With `replicated`, the log is on three NATS servers, otherwise on one."""
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.uploads = folder / "uploads"
        self.uploads.mkdir(exist_ok=True)
        self.servers = nats_server.start_three(folder) if replicated else [nats_server.NATSServer(folder)]
        self.settings = {
            "BELFRY_CLUSTER_URL": ",".join(server.url for server in self.servers),
            "BELFRY_CLUSTER_REPLICAS": str(len(self.servers)),
            **(settings or {}),
        }
        self.nodes: list[Server] = []
        self._turns = itertools.cycle(range(count))
        try:
            self.create()
            for index in range(count):
                self.nodes.append(self.start(index))
            self.wait_for_writer()
        except BaseException:
            self.end()
            raise

    def create(self):
        """Creates the cluster's log."""
        first = self.prepare(0)
        subprocess.run(
            [os.environ.get("BELFRY_BIN", ".build/debug/belfry"), "cluster", "create", "--data", str(first / "data")],
            env={**self.settings, "BELFRY_CLUSTER_NODE": "node1", "PATH": os.environ["PATH"]}, check=True,
            stdout=subprocess.DEVNULL, timeout=60)

    def prepare(self, index: int) -> pathlib.Path:
        """Makes a node's folder, with the folder of uploads that all nodes share."""
        folder = self.folder / f"node{index + 1}"
        (folder / "data").mkdir(parents=True, exist_ok=True)
        files = folder / "data" / "files"
        if not files.exists():
            files.symlink_to(self.uploads)
        return folder

    def start(self, index: int, port: int = 0) -> Server:
        folder = self.prepare(index)
        return Server(
            folder, {**self.settings, "BELFRY_CLUSTER_NODE": f"node{index + 1}"}, listens=("--port", str(port)))

    def restart(self, index: int):
        """Starts a node that has ended, at its earlier address."""
        self.nodes[index] = self.start(index, self.nodes[index].port)

    @property
    def live(self) -> list[Server]:
        return [node for node in self.nodes if node.process.poll() is None]

    @property
    def writer(self) -> Server | None:
        return next((node for node in self.live if node.metric("belfry_cluster_writer") == 1), None)

    def wait_for_writer(self, seconds: float = 30) -> Server:
        deadline = time.monotonic() + seconds
        while (writer := self.writer) is None:
            assert time.monotonic() < deadline, "no node became the writer"
            time.sleep(0.02)
        return writer

    @property
    def next_node(self) -> Server:
        while True:
            node = self.nodes[next(self._turns)]
            if node.process.poll() is None:
                return node

    # A door leads to the next node.
    @property
    def host(self) -> str:
        return "127.0.0.1"

    @property
    def port(self) -> int:
        return self.next_node.port

    @property
    def log(self) -> "Logs":
        return Logs([node.log for node in self.nodes])

    @property
    def process(self) -> subprocess.Popen:
        """The process of a node that has ended, if there is one."""
        processes = [node.process for node in self.nodes]
        return next((process for process in processes if process.poll() is not None), processes[0])

    @property
    def hello(self) -> dict:
        return self.nodes[0].hello

    def metric(self, name: str) -> float:
        return sum(node.metric(name) for node in self.live)

    def terminate(self) -> int:
        """Stops all nodes, the writer last, and returns the highest exit status."""
        writer = self.writer
        statuses = [node.terminate() for node in self.live if node is not writer]
        if writer is not None:
            statuses.append(writer.terminate())
        self.end()
        return max(statuses, default=0)

    def end(self):
        """Kills whatever is left."""
        for node in self.live:
            node.process.kill()
            node.process.wait(DEADLINE)
        for server in self.servers:
            if server.process.poll() is None:
                server.kill()


def change(node: Door, command: str, seconds: float = 30, **data) -> dict:
    """Runs a command of the app's backend, again and again while the cluster has no writer."""
    deadline = time.monotonic() + seconds
    while (answer := node.post(command, data, key=API_KEY))[0] == 503:
        assert time.monotonic() < deadline, answer
        time.sleep(0.05)
    assert answer[0] == 200, answer
    return answer[1]
