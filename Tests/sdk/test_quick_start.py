"""Runs the quick start and the README block by block, unchanged: `deploy/run`, two users, a custom program."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from articles import ROOT, block
from belfry import DEADLINE, Server

BINARY = pathlib.Path(os.environ.get("BELFRY_BIN", ".build/debug/belfry")).absolute()


class Development(Server):
    """Runs `deploy/run` without waiting for a release build."""

    def __init__(self, folder: pathlib.Path):
        swift = folder / "bin" / "swift"
        swift.parent.mkdir()
        swift.write_text(f'#!/bin/sh\ncase "$*" in *--show-bin-path*) echo {BINARY.parent} ;; esac\n')
        swift.chmod(0o755)
        self.environment = {
            "PATH": f"{swift.parent}:{os.environ['PATH']}", "BELFRY_DATA": str(folder / "data"), "HOME": str(folder)}
        self.said: list[str] = []
        self.process = subprocess.Popen(
            ["sh", "-c", "exec " + block("QuickStart.md", "deploy/run") + " --port 0"], cwd=ROOT, env=self.environment,
            stdout=subprocess.PIPE, stderr=(folder / "log").open("ab"), text=True)
        threading.Thread(target=self.said.extend, args=(self.process.stdout,), daemon=True).start()
        printed = wait_for(lambda: re.search(
            r'"port":(\d+).*ANN=(\S+).*BOB=(\S+).*Server key: (\S+)', "".join(self.said), re.S), "its greeting")
        self.host, self.port = "127.0.0.1", int(printed[1])
        self.environment |= {"ANN": printed[2], "BOB": printed[3], "KEY": printed[4]}

    def adapted(self, text: str) -> str:
        return text.replace("8080", str(self.port)).replace(".build/release/belfry", str(BINARY))

    def shell(self, text: str) -> str:
        done = subprocess.run(["sh", "-ec", self.adapted(text)], env=self.environment, capture_output=True, text=True,
                              timeout=3 * DEADLINE)
        assert done.returncode == 0 and '"error"' not in done.stdout, done
        return done.stdout

    def python(self, text: str) -> str:
        done = subprocess.run([sys.executable, "-c", self.adapted(text)], env=self.environment, capture_output=True,
                              text=True, timeout=3 * DEADLINE)
        assert done.returncode == 0, done.stderr
        return done.stdout


def wait_for(condition, what: str):
    # Allows for programs and shells that start slowly on a busy machine.
    deadline = time.monotonic() + 3 * DEADLINE
    while not (found := condition()):
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.02)
    return found


@pytest.fixture
def development(tmp_path):
    server = Development(tmp_path)
    yield server
    assert server.terminate() == 0


def test_two_users_and_a_custom_program_talk(development):
    listening = block("QuickStart.md", ".build/release/belfry listen")
    address = f" --url ws://127.0.0.1:{development.port}/connection/websocket"
    bob = subprocess.Popen(["sh", "-c", "exec " + development.adapted(listening) + address],
                           env=development.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           # Tests in the background ignore Ctrl-C, as do their children.
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    heard: list[str] = []
    told: list[str] = []
    for stream, lines in ((bob.stdout, heard), (bob.stderr, told)):
        threading.Thread(target=lines.extend, args=(stream,), daemon=True).start()

    def hears(*words: str):
        wait_for(lambda: any(all(word in line for word in words) for line in heard), f"{words} in {heard}")

    try:
        wait_for(lambda: any("connected as bob" in line for line in told), "the listener's greeting")
        development.shell(block("QuickStart.md", "curl -s http://127.0.0.1:8080/v1/channel.create"))
        hears("general", '"member.joined"')
        hears("general 3 ", '"message.new"', "hello bob")
        carol = development.python(block("QuickStart.md", "import json")).strip()
        hears('"message.new"', "Carol is new here", '"kind":"admin"')
        hears('"message.new"', "hello everyone", '"carol"')
    finally:
        bob.send_signal(signal.SIGINT)
        bob.wait(3 * DEADLINE)
    page = json.loads(development.shell(
        block("QuickStart.md", "curl -s http://127.0.0.1:8080/v1/message.list")))["messages"]
    assert [message["text"] for message in page] == ["hello bob", "Carol is new here", "hello everyone"]
    status, answer = development.post("user.get", bearer=carol)
    assert status == 200 and answer["user"]["nickname"] == "Carol"
    assert development.get("/")[0] == 200


def test_the_readmes_commands_run_unchanged(tmp_path):
    exports, serve, token = re.fullmatch(
        r"((?:export .*\n)+)(.* serve .*)\n(.* token .*)", block("README.md", "export BELFRY_TOKEN_SECRET")).groups()
    script = "\n".join([
        exports, "{", serve, "} > hello &", "server=$!", "{", token, "} > token",
        "printf %s $BELFRY_API_KEY > key", "wait $server"])
    script = script.replace(".build/release/belfry", str(BINARY)).replace("8080", "0").replace(
        "/var/lib/belfry", str(tmp_path / "data"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BELFRY_")}
    process = subprocess.Popen(["sh", "-eu", "-c", script], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    written = {name: tmp_path / name for name in ("hello", "token", "key")}
    wait_for(lambda: all(path.exists() and path.read_text() for path in written.values()), "what it prints")
    hello = json.loads(written["hello"].read_text())
    server = object.__new__(Server)
    server.host, server.port = hello["listening"]["host"], hello["listening"]["port"]
    try:
        status, answer = server.post("user.get", bearer=written["token"].read_text().strip())
        assert status == 200 and answer["user"]["id"] == "ann"
        assert server.post("user.list_all", key=written["key"].read_text())[0] == 200
    finally:
        os.kill(hello["pid"], signal.SIGTERM)
        assert process.wait(3 * DEADLINE) == 0
