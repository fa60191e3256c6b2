"""`belfry cluster` creates, replaces and describes the log that several nodes share, on real NATS servers."""

import json
import os
import re
import shutil
import socket
import subprocess

import pytest
from articles import block
from belfry import NotStarted, Server
from cluster import change
from nats_server import NATSServer, start_three

BINARY = os.environ.get("BELFRY_BIN", ".build/debug/belfry")


def run(*words, **environment) -> tuple[int, str, str]:
    done = subprocess.run(
        [BINARY, *map(str, words)], env={"PATH": os.environ["PATH"], **environment}, capture_output=True, text=True,
        timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def nats(tmp_path):
    if "--traits Cluster" in run("check", "--cluster-url", "nats://127.0.0.1", BELFRY_TOKEN_SECRET="0" * 32)[2]:
        pytest.skip("the program is built without the trait Cluster")
    server = NATSServer(tmp_path)
    yield server
    server.kill()


class Cluster:
    """Runs the commands with a data folder and one replica."""

    def __init__(self, nats, data):
        self.nats, self.data = nats, data

    def __call__(self, command: str, *options, **environment) -> tuple[int, str, str]:
        data = () if command == "status" else ("--data", self.data)
        return run("cluster", command, *data, *options, **{
            "BELFRY_CLUSTER_URL": self.nats.url, "BELFRY_CLUSTER_REPLICAS": "1", "BELFRY_CLUSTER_NODE": "ann",
            **environment})

    def status(self) -> dict:
        status, told, errors = self("status", "--json")
        assert (status, errors) == (0, "")
        return json.loads(told)


@pytest.fixture
def cluster(nats, tmp_path):
    (tmp_path / "data").mkdir(0o700)
    return Cluster(nats, tmp_path / "data")


def frames(data) -> int:
    return int(re.search(r"^frames (\d+)", run("data", "inspect", data)[1], re.M)[1])


def chat(tmp_path, *users: str):
    """Creates a data folder with users, or adds them to it."""
    server = Server(tmp_path)
    for user in users:
        server.app("user.upsert", id=user)
    assert server.terminate() == 0
    return server.data


def jetstream(nats, method: str, stream: str, body: dict | None = None) -> dict:
    """Calls JetStream's API over the text protocol."""
    with socket.create_connection(("127.0.0.1", nats.port), 10) as connection:
        text = json.dumps(body or {})
        connection.sendall(
            (f'CONNECT {{"verbose":false}}\r\nSUB reply 1\r\nPUB $JS.API.{method}.{stream} reply '
             f"{len(text)}\r\n{text}\r\n").encode())
        lines = connection.makefile()
        while not (line := lines.readline()).startswith("MSG"):
            assert line, "the connection was closed"
        return json.loads(lines.readline())


def test_the_articles_commands_create_describe_and_replace_a_log(nats, tmp_path):
    said = []
    (tmp_path / "data").mkdir(0o700)
    for line in block("SeveralNodes.md", "belfry cluster create").split("\n"):
        words = line.replace("belfry-data", str(tmp_path / "data")).split()[1:]
        status, told, errors = run(*words, BELFRY_CLUSTER_URL=nats.url, BELFRY_CLUSTER_REPLICAS="1")
        assert (status, errors) == (0, "")
        said.append(told)
    assert said[0].startswith("created belfry-belfry-1 ") and said[1].startswith("cluster belfry  log belfry-belfry-1\n")
    assert said[2].startswith("sealed belfry-belfry-1\ncreated belfry-belfry-2 ")
    assert said[3].startswith("sealed belfry-belfry-2\n")


def test_a_new_log_continues_after_the_last_frame_of_the_data_folder(cluster, tmp_path):
    data = chat(tmp_path, "ann", "bob")
    last = frames(data)
    status, told, errors = cluster("create")
    assert (status, errors) == (0, "")
    assert told.splitlines()[0] == f"created belfry-belfry-1  replicas 1  continues after frame {last}"
    assert "not fault tolerant" in told and "sync_interval" in told
    described = cluster.status()
    assert described["stream"] == "belfry-belfry-1" and described["messages"] == 1
    assert described["last"] == {"term": 0, "writer": "ann", "frame": last}
    assert described["configured_replicas"] == 1 and described["nodes"] == [] and not described["is_sealed"]
    # The folder is unchanged.
    assert frames(data) == last and last > 0


def test_a_new_log_can_begin_with_an_empty_folder(cluster):
    assert "continues after frame 0" in cluster("create")[1]
    assert cluster.status()["last"]["frame"] == 0


def test_an_existing_log_is_not_created_again(cluster):
    assert cluster("create")[0] == 0
    for _ in range(2):
        status, told, errors = cluster("create")
        assert (status, told) == (78, "") and "already has a log with 1 messages" in errors
    assert cluster.status()["messages"] == 1


def test_creating_a_log_again_adds_only_the_missing_first_message(cluster, nats):
    assert cluster("create")[0] == 0
    configuration = jetstream(nats, "STREAM.INFO", "belfry-belfry-1")["config"]
    assert jetstream(nats, "STREAM.DELETE", "belfry-belfry-1")["success"]
    assert "error" not in jetstream(nats, "STREAM.CREATE", "belfry-belfry-1", configuration)
    assert cluster("create")[1].startswith("created belfry-belfry-1 ")
    assert cluster.status()["messages"] == 1


def test_a_data_folder_in_use_is_refused(cluster, tmp_path):
    server = Server(tmp_path)
    for words in (("create",), ("recreate",), ("leave",), ("leave", "--without-log")):
        status, _, errors = cluster(*words)
        assert status == 78 and "in use by another server" in errors
    assert server.terminate() == 0
    assert "has no log: run belfry cluster create" in cluster("status")[2]


@pytest.mark.parametrize("command", ["create", "recreate", "leave", "status"])
def test_settings_come_from_the_file_and_the_options_and_are_checked(nats, tmp_path, command):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"cluster": {"url": ["nats://127.0.0.1:1"], "wait_seconds": 1}}))
    (tmp_path / "data").mkdir(0o700)
    data = () if command == "status" else ("--data", tmp_path / "data")
    status, _, errors = run("cluster", command, *data)
    assert status == 78 and errors.startswith("belfry: cluster.url is not set")
    status, _, errors = run("cluster", command, *data, "--config", file)
    assert status == 69 and errors.startswith("belfry: cannot reach the NATS server 127.0.0.1:1: ")
    assert not data or "closed cleanly" in run("data", "inspect", data[1])[1]
    status, _, errors = run("cluster", command, *data, "--config", file, "--cluster-url", "http://127.0.0.1")
    assert status == 78 and "cluster.url must be" in errors
    urls = f"nats://127.0.0.1:1,{nats.url}"
    status, _, errors = run(
        "cluster", command, *data, "--config", file, "--cluster-url", urls, BELFRY_CLUSTER_REPLICAS="1")
    assert status == (78 if command == "status" else 0), errors


def test_a_log_needs_as_many_servers_as_replicas(cluster):
    status, _, errors = cluster("create", BELFRY_CLUSTER_REPLICAS="3", BELFRY_CLUSTER_WAIT_SECONDS="5")
    assert status == 69 and "JetStream refused the request" in errors


def test_check_shows_the_cluster_and_its_settings(nats):
    environment = {"BELFRY_CLUSTER_URL": "nats://other", "BELFRY_CLUSTER_REPLICAS": "1", "BELFRY_CLUSTER_NODE": "ann"}
    status, told, errors = run("check", "--cluster-url", nats.url, BELFRY_TOKEN_SECRET="0" * 32, **environment)
    assert (status, errors) == (0, "")
    lines = told.splitlines()
    assert {"cluster: belfry, as node ann", f"NATS servers: {nats.url}"} <= set(lines)
    assert "cluster.node = ann (BELFRY_CLUSTER_NODE)" in lines and "cluster.replicas = 1 (BELFRY_CLUSTER_REPLICAS)" in lines


def test_a_wiped_log_is_replaced_by_one_with_another_number(cluster, nats, tmp_path):
    data = chat(tmp_path, "ann", "bob")
    assert cluster("create")[0] == 0
    assert jetstream(nats, "STREAM.DELETE", "belfry-belfry-1")["success"]
    status, told, errors = cluster("recreate")
    assert (status, errors) == (0, "")
    stream, last = re.match(r"created belfry-belfry-(\d+)  replicas 1  continues after frame (\d+)\n", told).groups()
    assert int(stream) > 1_000_000_000 and int(last) == frames(data)
    assert cluster.status()["stream"] == f"belfry-belfry-{stream}"


def test_a_mistyped_folder_is_refused(cluster, tmp_path):
    cluster.data = tmp_path / "typo"
    for command in ("create", "recreate", "leave"):
        status, told, errors = cluster(command)
        assert (status, told) == (78, "") and f'there is no folder "{cluster.data}"' in errors
        assert not cluster.data.exists()


def refused(folder, environment: dict | None = None) -> str:
    with pytest.raises(NotStarted) as refusal:
        Server(folder, environment)
    return str(refusal.value)


def test_a_single_server_refuses_a_nodes_folder_until_it_leaves_the_cluster(cluster, nats, tmp_path):
    data = chat(tmp_path, "ann")
    assert cluster("create")[0] == 0
    shutil.copytree(data, tmp_path / "copy" / "data")
    told = refused(tmp_path)
    assert 'belongs to a node of the cluster with the log "belfry-belfry-1"' in told and "cluster leave" in told
    status, told, errors = cluster("leave")
    assert (status, errors) == (0, "")
    assert told.splitlines() == [
        "sealed belfry-belfry-1", f"{data} belongs to a single server now: remove the cluster settings"]
    chat(tmp_path, "bob")
    # No other node goes on without what that server does.
    environment = {"BELFRY_CLUSTER_URL": nats.url, "BELFRY_CLUSTER_REPLICAS": "1", "BELFRY_CLUSTER_NODE": "bob"}
    for folder in ("copy", "."):
        assert "the nodes left it" in refused(tmp_path / folder, environment)
    assert "already has a log" in cluster("create")[2]
    assert f"continues after frame {frames(data)}\n" in cluster("recreate")[1]
    server = Server(tmp_path, environment)
    assert server.app("user.get", user_id="bob")
    assert server.terminate() == 0


def test_a_cluster_is_left_with_all_that_the_log_has(cluster, tmp_path):
    chat(tmp_path, "ann", "bob")
    assert cluster("create")[0] == 0
    cluster.data = tmp_path / "shorter"
    cluster.data.mkdir(0o700)
    status, told, errors = cluster("leave")
    assert (status, told) == (78, "") and "this journal ends with frame 0" in errors
    assert not cluster.status()["is_sealed"]
    assert cluster("leave", "--discard-newer")[0] == 0
    assert cluster.status()["is_sealed"]


def test_a_cluster_whose_log_is_out_of_reach_can_be_left(cluster, nats, tmp_path):
    chat(tmp_path, "ann")
    assert cluster("create")[0] == 0
    nats.kill()
    assert cluster("leave", BELFRY_CLUSTER_WAIT_SECONDS="1")[0] == 69
    assert "belongs to a node" in refused(tmp_path)
    assert cluster("leave", "--without-log")[0] == 0
    chat(tmp_path, "bob")
    nats.start()


def test_a_replaced_log_is_sealed_and_its_successor_has_the_next_number(cluster, nats, tmp_path):
    data = chat(tmp_path, "ann")
    assert cluster("create")[0] == 0
    # What a single server does is not in the log.
    assert cluster("leave", "--without-log")[0] == 0
    data = chat(tmp_path, "bob", "cid")
    before = jetstream(nats, "STREAM.INFO", "belfry-belfry-1")["config"]
    status, told, errors = cluster("recreate")
    assert (status, errors) == (0, "")
    assert told.startswith(
        f"sealed belfry-belfry-1\ncreated belfry-belfry-2  replicas 1  continues after frame {frames(data)}\n")
    after = jetstream(nats, "STREAM.INFO", "belfry-belfry-1")["config"]
    assert after["sealed"] and {**before, **{"sealed": True, "deny_purge": True}} == after
    described = cluster.status()
    assert described["stream"] == "belfry-belfry-2" and described["last"]["frame"] == frames(data)


def test_frames_that_only_the_old_log_has_are_given_up_only_on_demand(cluster, tmp_path):
    chat(tmp_path, "ann", "bob")
    assert cluster("create")[0] == 0
    newer, longer = cluster.status()["last"]["frame"], cluster.data
    cluster.data = tmp_path / "empty"
    cluster.data.mkdir(0o700)
    status, told, errors = cluster("recreate")
    assert (status, told) == (78, "")
    assert f"reaches frame {newer}, but this journal ends with frame 0" in errors and "--discard-newer" in errors
    assert not cluster.status()["is_sealed"]
    status, told, _ = cluster("recreate", "--discard-newer")
    assert status == 0 and "created belfry-belfry-2  replicas 1  continues after frame 0" in told
    # The next one continues after an interrupted attempt, too.
    cluster.data = longer
    assert f"created belfry-belfry-3  replicas 1  continues after frame {newer}" in cluster("recreate")[1]


def test_an_interrupted_replacement_is_completed(cluster, nats, tmp_path):
    chat(tmp_path, "ann")
    assert cluster("create")[0] == 0 and cluster("recreate")[0] == 0
    configuration = jetstream(nats, "STREAM.INFO", "belfry-belfry-2")["config"]
    assert jetstream(nats, "STREAM.DELETE", "belfry-belfry-2")["success"]
    assert "error" not in jetstream(nats, "STREAM.CREATE", "belfry-belfry-2", configuration)
    assert cluster("recreate")[1].startswith("sealed belfry-belfry-1\ncreated belfry-belfry-2 ")
    assert cluster.status()["messages"] == 1


def test_the_status_names_the_writer_and_nothing_is_replaced_while_a_node_runs(cluster, nats, tmp_path):
    assert cluster("create")[0] == 0
    environment = {"BELFRY_CLUSTER_URL": nats.url, "BELFRY_CLUSTER_REPLICAS": "1", "BELFRY_CLUSTER_NODE": "bob"}
    server = Server(tmp_path, environment)
    change(server, "user.upsert", id="ann")
    described = cluster.status()
    assert described["last"]["writer"] == "bob" and described["last"]["term"] == 1 and described["last"]["frame"] > 0
    (node,) = described["nodes"]
    assert (node["name"], node["role"], node["term"]) == ("bob", "writer", 1)
    assert node["applied_frame"] == described["last"]["frame"]
    told = cluster("status")[1]
    assert "term 1  writer bob  frame " in told and "  node bob  writer  term 1  frame " in told
    cluster.data = tmp_path / "other"
    cluster.data.mkdir(0o700)
    status, _, errors = cluster("recreate", "--discard-newer")
    assert status == 78 and f"stop all nodes first (bob at frame {node['applied_frame']}); this journal ends" in errors
    assert not cluster.status()["is_sealed"]
    assert server.terminate() == 0
    # The node's journal continues in the new log.
    cluster.data = server.data
    assert f"continues after frame {frames(server.data)}\n" in cluster("recreate")[1]
    server = Server(tmp_path, environment)
    assert server.app("user.get", user_id="ann")
    assert server.terminate() == 0


def test_the_status_shows_the_servers_that_store_the_log(tmp_path, nats):
    (tmp_path / "three").mkdir()
    servers = start_three(tmp_path / "three")
    try:
        environment = {"BELFRY_CLUSTER_URL": ",".join(server.url for server in servers)}
        (tmp_path / "data").mkdir(0o700)
        status, told, errors = run("cluster", "create", "--data", tmp_path / "data", **environment)
        assert (status, errors) == (0, "") and "replicas 3 " in told and "fault tolerant" not in told
        status, told, errors = run("cluster", "status", **environment)
        assert (status, errors) == (0, "")
        assert re.findall(r"^  server (n\d)  ", told, re.M) != [] and told.count("  leader") == 1
        assert {"n1", "n2", "n3"} == set(re.findall(r"^  server (n\d)  ", told, re.M))
        assert "term 0, no writer yet  frame 0" in told and "no node was heard" in told and "sync_interval" in told
        described = json.loads(run("cluster", "status", "--json", **environment)[1])
        assert {replica["name"] for replica in described["replicas"]} == {"n1", "n2", "n3"}
        (leader,) = [replica["name"] for replica in described["replicas"] if replica["is_leader"]]
        # The log can be read while one of its servers is down.
        {f"n{index + 1}": server for index, server in enumerate(servers)}[leader].kill()
        described = json.loads(run("cluster", "status", "--json", **environment)[1])
        assert described["messages"] == 1 and described["last"]["frame"] == 0
    finally:
        for server in servers:
            server.kill()
