"""Faults of nodes and of their log: nothing acknowledged is lost or doubled, and all nodes agree."""

import contextlib
import http.client
import json
import signal
import time

import pytest
from belfry import token
from cluster import Cluster

CHANNEL = "general"
PATIENCE = 60


@pytest.fixture
def cluster(tmp_path):
    cluster = Cluster(tmp_path / "cluster", replicated=False)
    try:
        for user in ("ann", "bob"):
            cluster.app("user.upsert", id=user)
        cluster.app("channel.create", id=CHANNEL, user_ids=["ann", "bob"])
        yield cluster
    finally:
        cluster.end()


def send(node, text: str) -> bool:
    """Returns whether the message was acknowledged. It is sent with an id, so that it can be repeated."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        status, _ = node.post("message.send", {"channel_id": CHANNEL, "text": text, "client_id": text}, user="ann")
        return status == 200
    return False


def refusal(node, text: str) -> int:
    """Sends a message until it is refused, and returns the error code."""
    deadline = time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < deadline
        # A client with little patience: the first commands wait for the log.
        connection = http.client.HTTPConnection(node.host, node.port, timeout=2)
        with contextlib.closing(connection), contextlib.suppress(TimeoutError):
            body = json.dumps({"channel_id": CHANNEL, "text": text, "client_id": text})
            connection.request("POST", "/v1/message.send", body, {"Authorization": "Bearer " + token("ann")})
            answer = connection.getresponse()
            assert answer.status == 503
            return json.loads(answer.read())["error"]["code"]


def texts(node) -> list[str]:
    """All messages, oldest first, as a node lists them."""
    found, query = [], {"limit": 100}
    while True:
        status, page = node.post("message.list", {"channel_id": CHANNEL, **query}, user="bob")
        assert status == 200, page
        found = [message["text"] for message in page["messages"]] + found
        if "next" not in page:
            return found
        query["next"] = page["next"]


class Writing:
    """Sends numbered messages through all live nodes in turn, and repeats each until it is acknowledged."""

    def __init__(self, cluster: Cluster):
        self.cluster = cluster
        self.sent: list[str] = []

    def send(self, count: int):
        for _ in range(count):
            text = str(len(self.sent))
            deadline = time.monotonic() + PATIENCE
            while not send(self.cluster.next_node, text):
                assert time.monotonic() < deadline, f"never acknowledged: {text}"
                time.sleep(0.02)
            self.sent.append(text)

    def check(self):
        """Every live node has every acknowledged message once, in the order of sending."""
        for node in self.cluster.live:
            assert texts(node) == self.sent


def test_a_killed_writer_is_replaced_and_nothing_is_lost(cluster):
    writing = Writing(cluster)
    writing.send(30)
    for _ in range(2):
        writer = cluster.writer
        writer.process.kill()
        writer.process.wait()
        writing.send(30)
        writing.check()
        cluster.restart(cluster.nodes.index(writer))
        writing.send(30)
    writing.check()


def test_a_writer_that_was_stopped_leaves_when_it_continues(cluster):
    writing = Writing(cluster)
    writing.send(10)
    writer = cluster.writer
    writer.process.send_signal(signal.SIGSTOP)
    others = [node for node in cluster.nodes if node is not writer]
    deadline = time.monotonic() + PATIENCE
    for text in ("10", "11"):
        while not send(others[int(text) % 2], text):
            assert time.monotonic() < deadline
        writing.sent.append(text)
    writer.process.send_signal(signal.SIGCONT)
    # A temporary failure: the service manager starts the node again.
    assert writer.process.wait(PATIENCE) == 75
    cluster.restart(cluster.nodes.index(writer))
    writing.send(10)
    writing.check()


def test_without_nats_writes_fail_and_reads_go_on_until_it_is_back(cluster):
    writing = Writing(cluster)
    writing.send(10)
    for server in cluster.servers:
        server.kill()
    for node in cluster.nodes:
        assert texts(node) == writing.sent
    for node in cluster.nodes:
        # The first ones wait until their clients give up.
        assert refusal(node, "10") in (1040, 1041)
    # The writer's state contains what is not stored yet, so that its clients wait. All others read on.
    for node in cluster.nodes:
        if node.metric("belfry_cluster_writer") == 0:
            assert texts(node) == writing.sent
    for server in cluster.servers:
        server.start()
    writing.send(10)
    writing.check()


def test_all_nodes_stop_and_start_again(cluster):
    writing = Writing(cluster)
    writing.send(10)
    for node in cluster.nodes:
        assert node.terminate() == 0
    for index in range(3):
        cluster.restart(index)
    cluster.wait_for_writer()
    writing.send(10)
    writing.check()
