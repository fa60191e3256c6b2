"""Rows in which a node fails."""

import contextlib
import http.client
import json
import os
import subprocess
import threading
import time

from scene import API_KEY, CHANNELS, Caller, Figure, Scene, Sent, require, stored  # First: it extends the path.

from belfry import token
from nats_proxy import Rule, is_append, is_from_log
from test_storage import AS_ROOT
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

SIGTERM = 15


def others(index: int) -> set[int]:
    return {0, 1, 2} - {index}


def writer_killed(scene: Scene, times: int = 4) -> list[Figure]:
    pauses = []
    for _ in range(times):
        scene.load()
        writer = scene.writer
        at = scene.kill(writer)
        pauses.append(scene.first_ack(at))
        scene.rest(0.5)
        scene.restart(writer)
        scene.judge()
    return [Figure(f"longest of {times} pauses", max(pauses), 3.0), Figure("shortest", min(pauses))]


def writer_stopped(scene: Scene, seconds: float = 8, times: int = 2) -> list[Figure]:
    pauses, leaving = [], []
    for _ in range(times):
        scene.load()
        writer = scene.writer
        # Requests that reach the old writer while it is stopped.
        caller = Caller(scene, "owner", writer, patience=60)
        caller.once("channel.list", {})
        answers = []

        def ask():
            with contextlib.suppress(OSError):
                answers.append(caller.once("message.send", {"channel_id": "one", "text": "to nobody"}))

        at = scene.stop(writer)
        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        pauses.append(scene.first_ack(at, others(writer)))
        scene.rest(max(0, at + seconds - time.monotonic()))
        continued = scene.go_on(writer)
        status = scene.ended(writer)
        leaving.append(time.monotonic() - continued)
        require(status == 75, "another exit status", status)
        asking.join(60)
        require(not asking.is_alive(), "a request hangs")
        require(
            all("error" in answer for _, answer in answers), "the old writer acknowledged a message", answers)
        scene.restart(writer)
        scene.judge()
        require(not [one for one in texts(scene, "one") if one == "to nobody"], "what the old writer decided is there")
    return [
        Figure(f"longest of {times} pauses", max(pauses), 3.5), Figure("the old writer ends with 75 after", max(leaving), 5.0)]


def texts(scene: Scene, channel: str) -> list[str]:
    return [message["text"] for message in messages(scene, channel)]


def writer_asked(scene: Scene, times: int = 25) -> list[Figure]:
    pauses = []
    scene.load()
    since = time.monotonic()
    for _ in range(times):
        writer = scene.writer
        scene.flow()
        at = time.monotonic()
        scene.nodes[writer].process.send_signal(SIGTERM)
        status = scene.ended(writer)
        require(status == 0, "another exit status", status)
        until = time.monotonic()
        scene.rest(0.3)
        pauses.append(scene.gap(at, until + 0.3))
        scene.restart(writer)
    refused = scene.refused(since, 1040, 1041)
    scene.judge()
    pauses.sort()
    rank = max(0, -(-len(pauses) * 99 // 100) - 1)
    return [
        Figure(f"p99 of {times} pauses", pauses[rank], 0.05), Figure("median", pauses[len(pauses) // 2]),
        Figure("refusals", len(refused), 0, False)]


def killed_before_acknowledgement(scene: Scene, times: int = 3) -> list[Figure]:
    """The writer's message is in the log, but the writer dies before it knows. And the other way round: it dies when the
    message has not left it."""
    answered = []
    for number in range(times):
        for is_stored in (True, False):
            scene.load()
            writer = scene.writer
            (follower, other) = sorted(others(writer))
            proxy = scene.cluster.proxies[writer]
            scene.hold()
            proxy.rules = [Rule(is_from_log if is_stored else is_append, "drop")]
            before = scene.ask_nats("STREAM.INFO")["state"]["last_seq"] if is_stored else 0
            key = f"killed {number} {is_stored} {scene.loads}"
            body = {"channel_id": "one", "text": key, "client_id": key}
            headers = {"Idempotency-Key": json.dumps(key)}
            first, relayed = Caller(scene, "owner", writer, patience=30), Caller(scene, "owner", follower, patience=60)
            told = {}

            def send(caller, name, body, headers):
                with contextlib.suppress(OSError):
                    told[name] = caller.once("message.send", body, headers)

            other_body = {**body, "client_id": key + " relayed", "text": key + " relayed"}
            sending = [
                threading.Thread(target=send, args=(first, "first", body, headers), daemon=True),
                threading.Thread(target=send, args=(relayed, "relayed", other_body, {}), daemon=True)]
            scene.extra += [
                Sent("one", name, one["client_id"], one["text"])
                for name, one in (("the first client", body), ("the follower's client", other_body))]
            sending[0].start()
            if is_stored:
                scene.until(
                    lambda: scene.ask_nats("STREAM.INFO")["state"]["last_seq"] > before, "the message is stored")
            sending[1].start()
            scene.is_holding.clear()
            scene.rest(0.5)
            require("first" not in told, "acknowledged before it was stored", told)
            at = scene.kill(writer)
            proxy.rules = []
            for thread in sending:
                thread.join(60)
            require("first" not in told, "a dead writer answered", told)
            # The client sends it again to another node. The follower's client gets its answer without that.
            code, again = Caller(scene, "owner", other).call("message.send", body, headers)
            require(code is None, "refused", again)
            answered.append(time.monotonic() - at)
            require("relayed" in told and told["relayed"][0] is None, "no answer to the follower's client", told)
            scene.restart(writer)
            scene.judge()
            found = [one for one in messages(scene, "one") if one["text"].startswith(key)]
            require(
                sorted(one["text"] for one in found) == [key, key + " relayed"], "not exactly once", found)
            ids = {one["text"]: one["id"] for one in found}
            require(again["message"]["id"] == ids[key], "a wrong answer", again, found)
            require(told["relayed"][1]["message"]["id"] == ids[key + " relayed"], "a wrong answer", told, found)
    return [Figure(f"answered on another node, {2 * times} times", max(answered), 5.0)]


def messages(scene: Scene, channel: str) -> list[dict]:
    return stored(Caller(scene, "owner", 0, patience=10), channel)


class Idler(threading.Thread):
    """Stays connected to one node until it is closed."""

    def __init__(self, scene: Scene, node: int):
        super().__init__(daemon=True)
        self.closed: tuple[float, int] | None = None
        self.socket = connect(
            f"ws://127.0.0.1:{scene.nodes[node].port}/connection/websocket", proxy=None, max_size=None,
            ping_interval=None).__enter__()
        self.socket.send(json.dumps({"id": 1, "connect": {"token": token("listener-0", 86_400)}}))
        require("connect" in json.loads(self.socket.recv(timeout=20).split("\n")[0]), "not connected")
        self.start()

    def run(self):
        try:
            while True:
                for line in self.socket.recv().split("\n"):
                    if line == "{}":
                        self.socket.send("{}")
        except ConnectionClosed as closed:
            self.closed = time.monotonic(), closed.rcvd.code if closed.rcvd else 1006


def readiness(scene: Scene, index: int, wanted: bool, seconds: float = 30) -> float:
    """Waits until a node says that it is ready, or that it is not, and returns the time."""
    scene.until(lambda: scene.is_ready(index) is wanted, f"node {index + 1}: ready is {wanted}", seconds)
    return time.monotonic()


def follower_cut_off(scene: Scene, is_short: bool = False) -> list[Figure]:
    scene.load()
    writer = scene.writer
    cut = min(others(writer))
    idler = Idler(scene, cut)
    at = time.monotonic()
    scene.cluster.proxies[cut].cut()
    unready = readiness(scene, cut, False) - at
    if not is_short:
        scene.until(lambda: idler.closed, "the cut off node closes its sessions", 30)
        require(idler.closed[1] == 3001, "another code", idler.closed)
    gap = scene.gap(at, time.monotonic())
    scene.cluster.proxies[cut].mend()
    mended = time.monotonic()
    ready = readiness(scene, cut, True) - mended
    require(scene.nodes[cut].process.poll() is None, "the node ended")
    scene.flow()
    require(scene.writer == writer, "the node has deposed a writer that was well")
    scene.judge()
    return [
        Figure("not ready after", unready, 4.0),
        *([] if is_short else [Figure("sessions closed after", idler.closed[0] - at, 16.0)]),
        Figure("longest pause elsewhere", gap, 1.0), Figure("ready again after", ready, 5.0)]


def writer_cut_off(scene: Scene) -> list[Figure]:
    scene.load()
    cut = scene.writer
    idler = Idler(scene, cut)
    at = time.monotonic()
    scene.cluster.proxies[cut].cut()
    pause = scene.first_ack(at, others(cut))
    unready = readiness(scene, cut, False) - at
    scene.until(lambda: idler.closed, "the cut off node closes its sessions", 30)
    require(idler.closed[1] == 3001, "another code", idler.closed)
    require(not [ack for ack in scene.acks if ack.node == cut and ack.begin > at], "acknowledged by the old writer")
    scene.cluster.proxies[cut].mend()
    mended = time.monotonic()
    status = scene.ended(cut)
    require(status == 75, "another exit status", status)
    ended = time.monotonic() - mended
    scene.restart(cut)
    scene.judge()
    return [
        Figure("others write after", pause, 3.5), Figure("not ready after", max(unready, 0), 4.0),
        Figure("sessions closed after", idler.closed[0] - at, 16.0), Figure("ends with 75 after contact", ended, 5.0)]


@contextlib.contextmanager
def small_disk(folder, megabytes: int):
    folder.mkdir(parents=True, exist_ok=True)
    owner = f"size={megabytes}m,uid={os.getuid()},gid={os.getgid()}"
    subprocess.run([*AS_ROOT, "mount", "-t", "tmpfs", "-o", owner, "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*AS_ROOT, "umount", "-l", str(folder)], check=True)


def fill(folder):
    """Fills a file system that is in use."""
    with contextlib.suppress(OSError), open(folder / "ballast", "wb", buffering=0) as ballast:
        while ballast.write(bytes(1 << 16)):
            pass


def disk_full(scene: Scene, disk, is_writer: bool) -> list[Figure]:
    """The disk of a node's data fills up. `disk` is the folder of node 1."""
    scene.load()
    # Give the writer's part to node 1, or to another one.
    while (scene.writer == 0) != is_writer:
        writer = scene.writer
        scene.nodes[writer].process.send_signal(SIGTERM)
        scene.ended(writer)
        scene.restart(writer)
    before = len(scene.acks)
    at = time.monotonic()
    fill(disk)
    node = scene.nodes[0]
    # The others go on; the node is not ready, or has left.
    scene.until(
        lambda: node.process.poll() is not None or not scene.is_ready(0), "the node leaves or is not ready", 60)
    left = time.monotonic() - at
    pause = scene.first_ack(time.monotonic(), {1, 2})
    scene.rest(5)
    gap = scene.gap(at, time.monotonic())
    status = node.process.poll()
    require(status in (None, 74, 75), "another exit status", status)
    require(len(scene.acks) > before, "nobody writes")
    (disk / "ballast").unlink()
    freed = time.monotonic()
    if status is not None:
        scene.restart(0)
    else:
        readiness(scene, 0, True, 60)
    ready = time.monotonic() - freed
    scene.judge()
    return [
        Figure("not ready or gone after", left, 20.0), Figure("others write after", pause, 5.0),
        Figure("longest pause", gap, 20.0), Figure("ready again after space is made", ready, 15.0),
        Figure(f"exit status {status}", 0, None, False)]


def disk_failing(scene: Scene) -> list[Figure]:
    """A node's sync fails, because strace makes it. The node is node 1."""
    scene.load()
    status = scene.ended(0, 120)
    at = time.monotonic()
    require(status == 74, "another exit status", status)
    pause = scene.first_ack(at)
    scene.cluster.under.clear()
    scene.restart(0)
    scene.judge()
    return [Figure("others write after", pause, 3.0), Figure("exit status 74", 0, None, False)]


def clock_off(scene: Scene, times: int = 4) -> list[Figure]:
    """The clock of node 3 is wrong. Writers die, and it never takes their place."""
    pauses = []
    scene.load()
    scene.until(lambda: scene.nodes[0].metric("belfry_cluster_problems") > 0, "the alarm of a clock", 30)
    def acquainted():
        # Of two nodes left, one that has never heard the third could not tell whose clock is wrong.
        scene.until(
            lambda: all(node.metric("belfry_cluster_nodes") == 3 for node in scene.nodes), "all nodes hear each other")

    for _ in range(times):
        acquainted()
        writer = scene.writer
        require(writer != 2, "the node with the wrong clock writes")
        at = scene.kill(writer)
        pauses.append(scene.first_ack(at))
        require(scene.writer != 2, "the node with the wrong clock writes")
        scene.restart(writer)
    # An orderly stop is no reason either.
    acquainted()
    writer = scene.writer
    scene.nodes[writer].process.send_signal(SIGTERM)
    require(scene.ended(writer) == 0, "another exit status")
    scene.restart(writer)
    require(scene.writer != 2, "the node with the wrong clock writes")
    scene.judge()
    for channel in CHANNELS:
        times_ = [message["created_at"] for message in messages(scene, channel)]
        require(times_ == sorted(times_), "the order of times is harmed", channel)
    # Once for each process that a process hears.
    lines = max(node.log.read_text().count("problem=clockOff") for node in scene.nodes)
    # The node that was started last has an alarm once it has heard the others.
    scene.until(
        lambda: all(node.metric("belfry_cluster_problems") > 0 for node in scene.nodes[:2]),
        "the nodes with right clocks have an alarm")
    alarms = [int(scene.nodes[index].metric("belfry_cluster_problems")) for index in range(3)]
    return [
        Figure(f"longest of {times} pauses", max(pauses), 3.0),
        Figure("alarms on the nodes with right clocks", min(alarms[:2]), None, False),
        Figure("lines in a node's log", lines, 4 * (times + 2), False)]


def post(node, path: str, body: bytes, headers: dict) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(node.host, node.port, timeout=20)
    try:
        connection.request("POST", path, body, {"X-API-Key": API_KEY, **headers})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
