"""`/cluster` of the admin listener: what a node knows of its cluster."""

import json
import os
import subprocess
import time

import pytest
from articles import block
from belfry import API_KEY
from cluster import Cluster
from test_admin import Admin

ADMIN = {"BELFRY_ADMIN_PORT": "0"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("nodes") / "cluster", settings=ADMIN, replicated=False)
    yield cluster
    cluster.end()


def views(cluster) -> list[dict]:
    return [Admin(node).get("/cluster") for node in cluster.live]


def until(condition, what: str):
    deadline = time.monotonic() + 30
    while not (result := condition()):
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.05)
    return result


def test_each_node_shows_its_role_the_term_and_the_other_nodes(cluster):
    cluster.app("user.upsert", id="ann")

    def settled():
        found = views(cluster)
        alike = len({(one["term"], one.get("writer"), one["applied_frame"], one["last_message"]) for one in found}) == 1
        # The last beat of the writer may be from its election.
        have_heard = all(other["role"] != "candidate" for one in found for other in one["nodes"])
        ready = all(one["is_ready"] and len(one["nodes"]) == 2 for one in found)
        # Each node updates its view at intervals, so that all may still show the time before the command.
        has_applied = all(one["applied_frame"] == one["last_frame"] >= 1 for one in found)
        return found if alike and have_heard and ready and has_applied else None

    found = until(settled, "the nodes agree")
    assert [one["node"] for one in found] == ["node1", "node2", "node3"]
    writer = cluster.nodes.index(cluster.writer)
    assert [one["role"] for one in found] == ["writer" if index == writer else "follower" for index in range(3)]
    for index, one in enumerate(found):
        assert one["writer"] == f"node{writer + 1}" and one["term"] >= 1
        assert one["problems"] == []
        assert 0 <= one["lag_ms"] <= 1000 and 0 <= one["log_silent_ms"] < 3000 and 0 <= one["bus_silent_ms"] < 3000
        assert [other["name"] for other in one["nodes"]] == [f"node{n + 1}" for n in range(3) if n != index]
        for other in one["nodes"]:
            assert other["is_live"] and abs(other["clock_difference_ms"]) < 1000
            assert other["version"] == one["version"] and other["record_version"] == one["record_version"]
            assert other["role"] == ("writer" if other["name"] == one["writer"] else "follower")


def test_what_the_status_command_shows_too_has_the_same_names(cluster):
    told = subprocess.run(
        [os.environ.get("BELFRY_BIN", ".build/debug/belfry"), "cluster", "status", "--json"], capture_output=True,
        text=True, check=True, timeout=60, env={"PATH": os.environ["PATH"], **cluster.settings})
    status, shown = json.loads(told.stdout), Admin(cluster.nodes[0]).get("/cluster")
    assert shown["stream"] == status["stream"] and shown["writer"] == status["last"]["writer"]
    assert set(status["nodes"][0]) <= set(shown["nodes"][0])
    (same,) = [node for node in status["nodes"] if node["name"] == "node3"]
    (other,) = [node for node in shown["nodes"] if node["name"] == "node3"]
    assert {name: other[name] for name in ("version", "address", "term", "role")} == {
        name: same[name] for name in ("version", "address", "term", "role")}


def test_a_node_that_died_and_one_with_other_settings_are_shown(cluster):
    cluster.nodes[2].process.kill()
    cluster.nodes[2].process.wait()
    until(
        lambda: all(any(other["name"] == "node3" and not other["is_live"] for other in one["nodes"])
                    for one in views(cluster)), "node3 is gone")
    cluster.settings["BELFRY_CHAT_CHANNELS_PER_USER"] = "77"
    cluster.restart(2)
    until(
        lambda: all(any("otherSettings" in problem for problem in one["problems"]) for one in views(cluster)),
        "all nodes see the difference")
    # An operator is told by the log and by a metric, too.
    until(lambda: all(node.metric("belfry_cluster_problems") >= 1 for node in cluster.nodes), "the metric tells")


def test_the_metrics_of_a_node_tell_how_the_log_works(cluster):
    cluster.app("user.upsert", id="bob")
    assert cluster.metric("belfry_cluster_append_seconds_count") >= 1
    assert all(node.metric("belfry_cluster_log_reads_total") >= 0 for node in cluster.live)
    assert all(node.metric("belfry_cluster_clock_skew_seconds") < 1 for node in cluster.live)
    assert cluster.metric("belfry_cluster_refused_total") == 0


def test_the_articles_command_shows_a_node(cluster):
    port = cluster.nodes[0].hello["admin"]["port"]
    command = block("SeveralNodes.md", "curl -s -H").replace("9090", str(port))
    shown = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True, timeout=30,
                           env={**os.environ, "KEY": API_KEY})
    assert json.loads(shown.stdout)["node"] == "node1"
