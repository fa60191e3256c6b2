"""The log is a window: what all nodes have is dropped from it, and a node that lacks more copies the chat from another."""

import json
import os
import pathlib
import re
import subprocess
import time

import pytest
from belfry import API_KEY, SECRET, NotStarted, Server
from cluster import Cluster, change
from nats_proxy import NATSProxy
from storage import BINARY, texts

CHANNEL = "general"
PATIENCE = 90
# The least that a log may hold.
MAX_BYTES = 16 << 20
# Dropped as soon as all nodes have it.
AT_ONCE = {"BELFRY_CLUSTER_KEEP_HOURS": "0"}
# Several files to copy.
SEGMENTS = {"BELFRY_JOURNAL_SEGMENT_BYTES": str(1 << 20)}


def begin(folder: pathlib.Path, count: int, settings: dict, kind: type[Cluster] = Cluster) -> Cluster:
    cluster = kind(folder / "cluster", count, {**SEGMENTS, **settings}, replicated=False)
    change(cluster.nodes[0], "user.upsert", id="ann")
    change(cluster.nodes[0], "channel.create", id=CHANNEL, as_user_id="ann")
    return cluster


@pytest.fixture
def two(tmp_path):
    """Two nodes whose log keeps nothing that both have."""
    cluster = begin(tmp_path, 2, AT_ONCE)
    yield cluster
    cluster.end()


@pytest.fixture
def three(tmp_path):
    cluster = begin(tmp_path, 3, AT_ONCE)
    yield cluster
    cluster.end()


def send(cluster: Cluster, texts: list[str]):
    for text in texts:
        change(cluster.next_node, "message.send", channel_id=CHANNEL, text=text, as_user_id="ann", client_id=text[:40])


def until(condition, what: str):
    deadline = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < deadline, what
        time.sleep(0.05)
    return value


def status(cluster: Cluster) -> dict:
    done = subprocess.run(
        [BINARY, "cluster", "status", "--json"], env={**cluster.settings, "PATH": os.environ["PATH"]}, check=True,
        capture_output=True, timeout=60)
    return json.loads(done.stdout)


def trimmed(cluster: Cluster, least: float):
    """Waits until the log has dropped its first messages."""
    return until(
        lambda: (writer := cluster.writer) and writer.metric("belfry_cluster_first_message") > least, "nothing is dropped")


def last_message(cluster: Cluster) -> int:
    return status(cluster)["last_message"]


def are_equal(cluster: Cluster, expected: set[str]):
    until(lambda: all(node.get("/readyz")[0] == 200 for node in cluster.live), "a node is not ready")
    for node in cluster.live:
        until(lambda node=node: texts(node) == expected, f"{node.port} has other messages")


def add(cluster: Cluster):
    """Starts another node, with an empty folder."""
    cluster.nodes.append(cluster.start(len(cluster.nodes)))
    return cluster.nodes[-1]


def test_a_new_node_copies_what_the_log_no_longer_has(two):
    first = [f"first {number}" for number in range(60)]
    send(two, first)
    trimmed(two, last_message(two) - 10)
    described = status(two)
    assert described["first_message"] > 1 and described["messages"] < described["last_message"]
    assert sum(node.metric("belfry_cluster_messages_trimmed_total") for node in two.nodes) == described["first_message"] - 1
    third = add(two)
    assert third.metric("belfry_cluster_copies_total") == 1
    assert sum(node.metric("belfry_cluster_copies_served_total") for node in two.nodes) == 1
    assert sum(node.metric("belfry_cluster_copy_bytes_total") for node in two.nodes) > 1_000
    second = [f"second {number}" for number in range(20)]
    send(two, second)
    are_equal(two, {*first, *second})
    # What it has, it need not copy again.
    assert third.terminate() == 0
    two.restart(2)
    assert two.nodes[2].metric("belfry_cluster_copies_total") == 0
    are_equal(two, {*first, *second})
    assert not list((third.data).glob("journal.*"))
    # The log is trimmed further with the new node.
    send(two, ["third"])
    trimmed(two, last_message(two) - 3)
    logs = "".join(node.log.read_text() for node in two.nodes[:2])
    assert "another node copies this node's journal" in logs and "another node has copied this node's journal" in logs


def test_a_node_that_was_away_too_long_copies_what_it_missed(three):
    sent = [f"before {number}" for number in range(20)]
    send(three, sent)
    writer = three.writer
    away = next(index for index, node in enumerate(three.nodes) if node is not writer)
    node = three.nodes[away]
    until(lambda: texts(node) == set(sent), "the node lags")
    node.process.kill()
    node.process.wait()
    during = [f"during {number}" for number in range(40)]
    send(three, during)
    trimmed(three, last_message(three) - 10)
    three.restart(away)
    assert three.nodes[away].metric("belfry_cluster_copies_total") == 1
    assert "the log begins after the end of this node's journal" in node.log.read_text()
    are_equal(three, {*sent, *during})
    # The journal before is kept aside.
    assert list((node.data / "journal.replaced").glob("*.journal"))
    send(three, ["after"])
    are_equal(three, {*sent, *during, "after"})


class Proxied(Cluster):
    """Nodes of which the second one reaches NATS through a proxy."""

    proxy: NATSProxy | None = None

    def start(self, index: int, port: int = 0) -> Server:
        if index != 1:
            return super().start(index, port)
        self.proxy = self.proxy or NATSProxy([server.port for server in self.servers])
        own = {**self.settings, "BELFRY_CLUSTER_URL": self.proxy.url, "BELFRY_CLUSTER_NODE": "node2"}
        return Server(self.prepare(index), own, listens=("--port", str(port)))

    def end(self):
        super().end()
        if self.proxy:
            self.proxy.close()
            self.proxy = None


def test_a_running_node_that_falls_behind_ends_and_copies_when_it_starts_again(tmp_path):
    three = begin(tmp_path, 3, AT_ONCE, Proxied)
    try:
        sent = [f"before {number}" for number in range(10)]
        send(three, sent)
        node = three.nodes[1]
        until(lambda: texts(node) == set(sent), "the node lags")
        # The others go on without it, and a writer that is cut off gives way to one of them.
        three.proxy.cut()
        during = [f"during {number}" for number in range(40)]
        for number, text in enumerate(during):
            change(three.nodes[number % 2 * 2], "message.send", channel_id=CHANNEL, text=text, as_user_id="ann", client_id=text)
        # Wherever the node reads on, the log has dropped it.
        until(
            lambda: max(other.metric("belfry_cluster_first_message") for other in (three.nodes[0], three.nodes[2]))
            > last_message(three) - 10, "nothing is dropped")
        three.proxy.mend()
        # The service manager starts it again.
        assert node.process.wait(PATIENCE) == 75
        three.restart(1)
        assert three.nodes[1].metric("belfry_cluster_copies_total") == 1
        are_equal(three, {*sent, *during})
    finally:
        three.end()


def test_without_a_node_to_copy_from_a_start_fails_for_now(two):
    send(two, [f"text {number}" for number in range(30)])
    trimmed(two, last_message(two) - 10)
    ports = [node.port for node in two.nodes]
    for node in two.nodes:
        node.process.kill()
        node.process.wait()
    two.settings["BELFRY_CLUSTER_WAIT_SECONDS"] = "2"
    with pytest.raises(NotStarted) as failure:
        two.start(2)
    assert failure.value.args[0] == 75
    assert re.search(
        r"this node lacks frames 1 to \d+, which the log no longer has, and cannot copy them from another node: "
        "no node was heard", failure.value.args[1])
    # Its next start is its first.
    del two.settings["BELFRY_CLUSTER_WAIT_SECONDS"]
    for index, port in enumerate(ports):
        two.nodes[index] = two.start(index, port)
    add(two)
    are_equal(two, {f"text {number}" for number in range(30)})


def large(number: int) -> str:
    return f"{number} ".ljust(16_000, "x")


def start_and_kill(cluster: Cluster, index: int) -> pathlib.Path:
    """Starts a node and kills it while it copies. Returns its data folder."""
    folder = cluster.prepare(index)
    data = folder / "data"
    for _ in range(10):
        with (folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [BINARY, "serve", "--port", "0", "--data", data], stdout=subprocess.DEVNULL, stderr=log,
                env={**cluster.settings, "BELFRY_CLUSTER_NODE": f"node{index + 1}", "BELFRY_TOKEN_SECRET": SECRET,
                     "BELFRY_API_KEY": API_KEY, "PATH": os.environ["PATH"]})
        try:
            until(lambda: list((data / "journal.copy").glob("*.journal")) or (data / "journal").exists(), "no copy begins")
        finally:
            process.kill()
            process.wait()
        if not (data / "journal").exists():
            return data
        # It was too quick.
        for name in ("journal", "journal.copy"):
            subprocess.run(["rm", "-rf", data / name], check=True)
    raise AssertionError("the copy is always complete")


def test_a_full_log_loses_its_oldest_messages_and_a_killed_copy_begins_again(tmp_path):
    # Messages stay for a day, unless the log is nearly full.
    cluster = begin(tmp_path, 2, {"BELFRY_CLUSTER_MAX_BYTES": str(MAX_BYTES)})
    try:
        sent = [large(number) for number in range(1_200)]
        send(cluster, sent)
        trimmed(cluster, 1)
        described = status(cluster)
        assert described["first_message"] > 1 and described["bytes"] < MAX_BYTES
        data = start_and_kill(cluster, 2)
        assert list((data / "journal.copy").glob("*"))
        third = add(cluster)
        assert third.metric("belfry_cluster_copies_total") == 1
        are_equal(cluster, set(sent))
        assert not list(data.glob("journal.*"))
    finally:
        cluster.end()
