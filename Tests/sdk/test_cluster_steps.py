"""The steps of the article on several nodes: from one server to three nodes and back, and a node that is replaced."""

import pathlib
import shutil
import time

import pytest
from belfry import Server
from cluster import change
from nats_server import NATSServer
from test_cluster_command import frames, run

SECONDS = 30


class Steps:
    def __init__(self, folder: pathlib.Path, nats: NATSServer):
        self.folder = folder
        self.environment = {"BELFRY_CLUSTER_URL": nats.url, "BELFRY_CLUSTER_REPLICAS": "1"}
        self.servers: list[Server] = []

    def data(self, name: str) -> pathlib.Path:
        return self.folder / name / "data"

    def single(self, name: str) -> Server:
        (self.folder / name).mkdir(exist_ok=True)
        self.servers.append(Server(self.folder / name))
        return self.servers[-1]

    def node(self, name: str) -> Server:
        self.servers.append(Server(self.folder / name, {**self.environment, "BELFRY_CLUSTER_NODE": name}))
        return self.servers[-1]

    def command(self, name: str, *words) -> str:
        status, told, errors = run(*words, **self.environment, BELFRY_CLUSTER_NODE=name)
        assert (status, errors) == (0, "")
        return told

    def copy(self, source: str, target: str):
        (self.folder / target).mkdir(exist_ok=True)
        self.command(source, "data", "backup", self.data(source), self.data(target))


@pytest.fixture
def steps(tmp_path):
    if "--traits Cluster" in run("check", "--cluster-url", "nats://127.0.0.1", BELFRY_TOKEN_SECRET="0" * 32)[2]:
        pytest.skip("the program is built without the trait Cluster")
    nats = NATSServer(tmp_path)
    steps = Steps(tmp_path, nats)
    yield steps
    for server in steps.servers:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
    nats.kill()


def knows(server: Server, *users: str) -> bool:
    deadline = time.monotonic() + SECONDS
    for user in users:
        while server.post("user.get", {"user_id": user}, user="ann")[0] != 200:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
    return True


def test_one_server_becomes_three_nodes_and_one_server_again(steps):
    single = steps.single("a")
    single.app("user.upsert", id="ann")
    assert single.terminate() == 0
    assert f"continues after frame {frames(steps.data('a'))}" in steps.command(
        "a", "cluster", "create", "--data", steps.data("a"))
    for name in ("b", "c"):
        steps.copy("a", name)
    nodes = {name: steps.node(name) for name in ("a", "b", "c")}
    for index, node in enumerate(nodes.values()):
        change(node, "user.upsert", id=f"user{index}")
    users = ("ann", "user0", "user1", "user2")
    assert all(knows(node, *users) for node in nodes.values())
    # The nodes keep running while one is replaced by a copy of another.
    nodes["c"].process.kill()
    nodes["c"].process.wait()
    shutil.rmtree(steps.data("c"))
    change(nodes["b"], "user.upsert", id="late")
    steps.copy("a", "c")
    nodes["c"] = steps.node("c")
    assert knows(nodes["c"], *users, "late")
    assert [node.terminate() for node in nodes.values()] == [0, 0, 0]
    longest = max(nodes, key=lambda name: frames(steps.data(name)))
    assert "sealed belfry-belfry-1\n" in steps.command(longest, "cluster", "leave", "--data", steps.data(longest))
    single = steps.single(longest)
    assert knows(single, *users, "late")
    single.app("user.upsert", id="alone")
    assert single.terminate() == 0
    # Several nodes again: the old log lacks what the single server did.
    assert "sealed belfry-belfry-1\ncreated belfry-belfry-2 " in steps.command(
        longest, "cluster", "recreate", "--data", steps.data(longest))
    again = steps.node(longest)
    change(again, "user.upsert", id="together")
    assert knows(again, *users, "late", "alone")
    # A node with a shorter journal copies what the new log does not have.
    other = next(name for name in nodes if name != longest)
    assert knows(steps.node(other), *users, "late", "alone", "together")


def test_each_node_can_be_restarted_while_the_others_accept_changes(steps):
    for name in ("a", "b", "c"):
        steps.data(name).mkdir(0o700, parents=True)
    steps.command("a", "cluster", "create", "--data", steps.data("a"))
    nodes = {name: steps.node(name) for name in ("a", "b", "c")}
    change(nodes["a"], "user.upsert", id="ann")
    for name in list(nodes):
        assert nodes[name].terminate() == 0
        for other in nodes:
            if other != name:
                change(nodes[other], "user.upsert", id=f"{name}{other}")
        nodes[name] = steps.node(name)
        assert knows(nodes[name], "ann", *(f"{name}{other}" for other in nodes if other != name))
    assert [node.terminate() for node in nodes.values()] == [0, 0, 0]
