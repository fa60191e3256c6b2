"""`deploy/run --cluster` serves one chat on three nodes with three NATS servers."""

import json
import os
import signal
import subprocess
import time

import pytest
from belfry import API_KEY, SECRET, Door
from cluster import change
from fronts import DEPLOY
from nats_server import PROGRAM
from storage import BINARY
from test_cluster_command import run
from test_deploy import is_free

SECONDS = 60


class Trial:
    """The script, with free ports and the keys of the tests."""

    def __init__(self, folder):
        self.folder = folder
        taken = (0, 1, 2, 10, 11, 12, 110, 111, 112)
        self.port = next(port for port in range(30_000, 32_000, 200) if all(is_free(port + more) for more in taken))
        folder.mkdir()
        (folder / "keys").write_text(f"BELFRY_TOKEN_SECRET='{SECRET}'\nBELFRY_API_KEY='{API_KEY}'\n")
        self.nodes = [Door("127.0.0.1", self.port + index) for index in range(3)]
        self.urls = ",".join(f"nats://127.0.0.1:{self.port + 10 + index}" for index in range(3))

    def start(self):
        self.script = subprocess.Popen([DEPLOY / "run", "--cluster"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={
            **os.environ, "BELFRY_BIN": os.path.abspath(BINARY), "NATS_SERVER": str(PROGRAM), "PORT": str(self.port),
            "NATS_PORT": str(self.port + 10), "BELFRY_DATA": str(self.folder)})
        deadline = time.monotonic() + SECONDS
        for node in self.nodes:
            while not self.is_ready(node):
                assert self.script.poll() is None and time.monotonic() < deadline
                time.sleep(0.05)

    @staticmethod
    def is_ready(node: Door) -> bool:
        try:
            return node.get("/readyz")[0] == 200
        except OSError:
            return False

    def stop(self) -> int:
        self.script.send_signal(signal.SIGINT)
        return self.script.wait(SECONDS)


def test_three_nodes_serve_one_chat_that_survives_a_restart(tmp_path):
    if "--traits Cluster" in run("check", "--cluster-url", "nats://127.0.0.1", BELFRY_TOKEN_SECRET="0" * 32)[2]:
        pytest.skip("the program is built without the trait Cluster")
    trial = Trial(tmp_path / "data")
    trial.start()
    try:
        change(trial.nodes[0], "user.upsert", id="ann")
        change(trial.nodes[1], "channel.create", id="general", user_ids=["ann"])
        assert trial.nodes[2].post("message.send", {"channel_id": "general", "text": "hello"}, user="ann")[0] == 200
        for node in trial.nodes:
            answer = node.post("message.list", {"channel_id": "general"}, user="ann")[1]
            assert [message["text"] for message in answer["messages"]] == ["hello"]
        described = json.loads(run("cluster", "status", "--json", BELFRY_CLUSTER_URL=trial.urls)[1])
        assert described["last"]["writer"] in ("node-0", "node-1", "node-2") and described["configured_replicas"] == 3
        assert [node["name"] for node in described["nodes"]] == ["node-0", "node-1", "node-2"]
    finally:
        assert trial.stop() == 0
    trial.start()
    try:
        answer = trial.nodes[0].post("message.list", {"channel_id": "general"}, user="ann")[1]
        assert [message["text"] for message in answer["messages"]] == ["hello"]
    finally:
        assert trial.stop() == 0
