"""Nodes that have come to different states: the one that differs leaves, and the others go on."""

import shutil
import time

import pytest
from belfry import Server
from cluster import Cluster

CHANNEL = "general"
SECONDS = 60


def history(folder, name: str):
    """Makes a data folder of the same frames as another's, except for a user's name."""
    folder.mkdir(parents=True)
    server = Server(folder)
    server.app("user.upsert", id="ann", nickname=name)
    server.app("channel.create", id=CHANNEL, user_ids=["ann"])
    server.app("message.send", channel_id=CHANNEL, as_user_id="ann", text="before")
    assert server.terminate() == 0
    return folder / "data"


def replace(cluster: Cluster, index: int, data):
    """Gives a node that has not started yet its data."""
    target = cluster.folder / f"node{index + 1}"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copytree(data, target / "data")


class Differing(Cluster):
    """Three nodes, one of which has another history."""

    def __init__(self, folder, wrong: int):
        folder.mkdir()
        right = history(folder / "right", "Ann")
        other = history(folder / "wrong", "Anna")
        self.folder = folder / "cluster"
        for index in range(3):
            replace(self, index, other if index == wrong else right)
        super().__init__(self.folder, replicated=False)

    def prepare(self, index: int):
        folder = self.folder / f"node{index + 1}"
        files = folder / "data" / "files"
        if not files.is_symlink():
            shutil.rmtree(files)
            files.symlink_to(self.uploads)
        return folder


@pytest.mark.parametrize("wrong", [0, 2])
def test_the_node_that_announces_other_events_leaves_and_the_others_go_on(tmp_path, wrong):
    cluster = Differing(tmp_path / "nodes", wrong)
    try:
        node = cluster.nodes[wrong]
        # The names of users word events.
        deadline = time.monotonic() + SECONDS
        number = 0
        while node.process.poll() is None:
            assert time.monotonic() < deadline
            cluster.nodes[1].post(
                "message.send", {"channel_id": CHANNEL, "text": f"message {number}"}, user="ann")
            number += 1
            time.sleep(0.05)
        assert node.process.returncode == 65
        assert "otherEvents" in node.log.read_text()
        cluster.wait_for_writer()
        rest = [one for one in cluster.nodes if one is not node]
        for one in rest:
            assert one.post("message.send", {"channel_id": CHANNEL, "text": "after"}, user="ann")[0] == 200
            assert one.process.poll() is None
    finally:
        cluster.end()


def test_nodes_with_the_same_history_stay(tmp_path):
    cluster = Differing(tmp_path / "nodes", wrong=3)
    try:
        for number in range(200):
            status, answer = cluster.post(
                "message.send", {"channel_id": CHANNEL, "text": f"message {number}"}, user="ann")
            assert status == 200, answer
        time.sleep(2)
        assert len(cluster.live) == 3
        assert all(node.metric("belfry_cluster_problems") == 0 for node in cluster.nodes)
    finally:
        cluster.end()


def test_nodes_whose_settings_differ_for_a_while_stay(tmp_path):
    cluster = Cluster(tmp_path / "cluster", replicated=False)
    try:
        users = [f"user{number}" for number in range(6)]
        for user in users:
            cluster.app("user.upsert", id=user)
        cluster.app("channel.create", id=CHANNEL, user_ids=users)
        parent = cluster.post("message.send", {"channel_id": CHANNEL, "text": "parent"}, user="user0")[1]["message"]["id"]
        # An operator restarts the nodes one by one.
        writer = cluster.nodes.index(cluster.writer)
        changed = (writer + 1) % 3
        cluster.nodes[changed].terminate()
        cluster.settings["BELFRY_CHAT_MOST_REPLIED_USERS"] = "1"
        cluster.restart(changed)
        for user in users:
            status, answer = cluster.nodes[writer].post(
                "message.send", {"channel_id": CHANNEL, "text": user, "parent_message_id": parent}, user=user)
            assert status == 200, answer
        deadline = time.monotonic() + SECONDS
        while any(node.metric("belfry_cluster_problems") == 0 for node in cluster.nodes):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        # A node on the wrong side leaves within a second.
        time.sleep(2)
        assert len(cluster.live) == 3
    finally:
        cluster.end()
