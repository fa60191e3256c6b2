"""Rows that look at what clients rely on while nodes change."""

import asyncio
import contextlib
import json
import threading
import time

from scene import CHANNELS, RING_EVENTS, Caller, Figure, Scene, require  # First: it extends the path.

from belfry import token
from node_faults import others, post
from receivers import SECRET, Receiver
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


class Hopper:
    """A client that goes to another node after each event."""

    def __init__(self, scene: Scene, user: str):
        self.scene = scene
        self.token = token(user, 86_400)
        self.epoch = None
        self.offset = 0

    def visit(self, node: int, wanted: int = 1) -> list[int] | None:
        """Connects, and receives events of the first channel until there are enough. Returns their offsets, or None if the
        node says that it cannot recover."""
        offsets = []
        address = f"ws://127.0.0.1:{self.scene.nodes[node].port}/connection/websocket"
        subs = {} if self.epoch is None else {
            CHANNELS[0]: {"recover": True, "offset": self.offset, "epoch": self.epoch}}
        with connect(address, max_size=None, proxy=None, open_timeout=20, close_timeout=1) as socket:
            socket.send(json.dumps(
                {"id": 1, "connect": {"token": self.token, "data": {"subscribe": "joined"}, "subs": subs}}))
            while len(offsets) < wanted:
                for line in socket.recv(timeout=20).split("\n"):
                    message = json.loads(line)
                    if not message:
                        socket.send("{}")
                    require("error" not in message, message)
                    if "connect" in message:
                        sub = message["connect"]["subs"][CHANNELS[0]]
                        isnew = self.epoch is None
                        require(isnew or sub["epoch"] == self.epoch, "another epoch")
                        self.epoch = sub["epoch"]
                        if isnew:
                            self.offset = sub.get("offset", 0)
                        elif not sub.get("recovered"):
                            self.offset = sub.get("offset", 0)
                            return None
                        offsets += [publication["offset"] for publication in sub.get("publications", [])]
                    push = message.get("push", {})
                    if push.get("channel") == CHANNELS[0] and "offset" in push.get("pub", {}):
                        offsets.append(push["pub"]["offset"])
        require(
            offsets == list(range(self.offset + 1, self.offset + 1 + len(offsets))), "a gap or a repetition", self.offset,
            offsets)
        self.offset += len(offsets)
        return offsets


def hops(scene: Scene, times: int = 200) -> list[Figure]:
    scene.load()
    hopper = Hopper(scene, "listener-1")
    heard = 0
    begin = time.monotonic()
    for hop in range(times):
        offsets = hopper.visit(hop % 3)
        require(offsets is not None, "nothing was recovered")
        heard += len(offsets)
    seconds = time.monotonic() - begin
    scene.judge()
    return [
        Figure("hops", times, None, False), Figure("events heard, without a gap", heard, None, False),
        Figure("mean hop", seconds / times)]


def short_rings(scene: Scene, times: int = 12) -> list[Figure]:
    """The rings of these nodes are short: within their reach each node recovers everything, and beyond it says that it
    cannot."""
    caller = Caller(scene, "owner", 0, patience=20)
    hopper = Hopper(scene, "listener-1")
    send = lambda text: caller.call("message.send", {"channel_id": CHANNELS[0], "text": text})
    send("first")
    visiting = threading.Thread(target=lambda: (time.sleep(1), send("second")), daemon=True)
    visiting.start()
    hopper.visit(0)
    visiting.join()
    exact = told = 0
    for number in range(times):
        missed = [1, RING_EVENTS // 2, RING_EVENTS, RING_EVENTS + 1, 2 * RING_EVENTS][number % 5]
        for text in range(missed):
            require(send(f"missed {number} {text}")[0] is None, "refused")
        before = hopper.offset
        offsets = hopper.visit(number % 3)
        if missed <= RING_EVENTS:
            require(offsets is not None and len(offsets) == missed, "not everything was recovered", missed, offsets)
            exact += 1
        else:
            require(offsets is None and hopper.offset == before + missed, "a gap that nobody is told of", missed, offsets)
            told += 1
    scene.judge()
    return [Figure("recovered exactly", exact, None, False), Figure("told that the ring does not reach", told, None, False)]


def changes_of_writer(scene: Scene, times: int = 3) -> list[Figure]:
    """Revocations, idempotency keys, webhooks and uploads while writers are killed."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    run = lambda coroutine: asyncio.run_coroutine_threadsafe(coroutine, loop).result(20)
    receiver = Receiver()
    run(receiver.__aenter__())
    try:
        hook = Caller(scene, None, 0)
        code, answer = hook.call(
            "webhook.set", {"id": "hook", "url": receiver.url, "secret": SECRET, "events": ["message.new"]})
        require(code is None, answer)
        figures = [change_of_writer(scene, receiver, number) for number in range(times)]
        repeated = len(receiver.ids) - len(set(receiver.ids))
        code, answer = hook.call("webhook.delete", {"id": "hook"})
        require(code is None, answer)
    finally:
        run(receiver.__aexit__())
        loop.call_soon_threadsafe(loop.stop)
    return [
        Figure("same answer to a key, from another node", max(pair[0] for pair in figures), 5.0),
        Figure("webhook deliveries", len(receiver.bodies), None, False),
        Figure("repeated deliveries", repeated, None, False),
        Figure("last event delivered after", max(pair[1] for pair in figures), 30.0)]


def change_of_writer(scene: Scene, receiver: Receiver, number: int) -> tuple[float, float]:
    scene.load()
    writer = scene.writer
    (follower, other) = sorted(others(writer))
    victim = f"victim-{number}"
    caller = Caller(scene, None, follower, patience=20)
    for method, body in (
            ("user.upsert", {"id": victim}), ("user.upsert", {"id": victim + "-gone"}),
            ("member.add", {"channel_id": "one", "user_ids": [victim]})):
        code, answer = caller.call(method, body)
        require(code is None, method, answer)
    old = token(victim, 86_400, iat=int(time.time()) - 100)
    connections = [session(scene, index, old) for index in range(3)]
    status, file = post(
        scene.nodes[follower], "/v1/files?channel_id=one&name=a.txt&as_user_id=owner", b"some bytes",
        {"Content-Type": "text/plain"})
    require(status == 200, "the upload was refused", file)
    url = json.loads(file)["file"]["url"]
    # A request with a key that the writer has answered, and one that is under way while it dies.
    key = {"Idempotency-Key": json.dumps(f"key {number} {scene.loads}")}
    body = {"channel_id": "one", "text": f"with a key {number}"}
    code, answered = Caller(scene, "owner", follower, patience=20).call("message.send", body, key)
    require(code is None, "refused", answered)
    under_way = {}
    late_key = {"Idempotency-Key": json.dumps(f"late key {number} {scene.loads}")}
    late_body = {"channel_id": "two", "text": f"with a late key {number}"}
    caller = Caller(scene, "owner", other, patience=30)
    sending = threading.Thread(
        target=lambda: under_way.update(answer=caller.call("message.send", late_body, late_key)), daemon=True)
    revoking = threading.Thread(
        target=lambda: under_way.update(revoked=Caller(scene, None, follower, patience=30).call(
            "user.revoke_tokens", {"user_id": victim})), daemon=True)
    at = scene.kill(writer)
    sending.start()
    revoking.start()
    sending.join(60)
    revoking.join(60)
    require(under_way.get("answer", (1,))[0] is None and under_way.get("revoked", (1,))[0] is None, under_way)
    code, again = Caller(scene, "owner", other, patience=20).call("message.send", body, key)
    require((code, again) == (None, answered), "another answer to the same key", answered, again)
    code, again = Caller(scene, "owner", follower, patience=20).call("message.send", late_body, late_key)
    require((code, again) == under_way["answer"], "another answer to the same key", under_way, again)
    answered_after = time.monotonic() - at
    scene.restart(writer)
    # Revoked: the token is refused everywhere, and its connections are closed.
    for index, node in enumerate(scene.nodes):
        status, answer = node.post("user.get", {}, bearer=old)
        require(status == 401, "a revoked token is accepted", index, answer)
    for index, socket in enumerate(connections):
        require(index == writer or closing(socket) == 3500, "a revoked session goes on", index)
    # The file of the upload is served by all nodes, the restarted one included.
    for node in scene.nodes:
        connection = node.connect_http()
        connection.request("GET", url, headers={"Authorization": "Bearer " + token("owner")})
        answer = connection.getresponse()
        require((answer.status, answer.read()) == (200, b"some bytes"), "the file is gone", answer.status)
    # Disconnected on every node.
    code, answer = Caller(scene, None, follower, patience=20).call("user.upsert", {"id": victim + "-again"})
    require(code is None, answer)
    fresh = [session(scene, index, token(victim + "-again", 86_400)) for index in range(3)]
    code, answer = Caller(scene, None, other, patience=20).call("user.disconnect", {"user_id": victim + "-again"})
    require(code is None, answer)
    require(all(closing(socket) for socket in fresh), "a disconnected session goes on")
    scene.judge()
    # Everything acknowledged is delivered at least once, and a repetition has the same id.
    sent = {one.ack["id"] for writer in scene.writers for one in writer.sent}
    begin = time.monotonic()

    def missing():
        return sent - {body["data"]["message"]["id"] for body in list(receiver.bodies) if body["type"] == "message.new"}

    scene.until(lambda: not missing(), "webhook events are delivered", 60)
    delivered = time.monotonic() - begin
    by_message = {}
    for body, identity in zip(list(receiver.bodies), receiver.ids):
        message = body["data"]["message"]["id"]
        require(by_message.setdefault(message, identity) == identity, "a repetition has another id", body)
    return answered_after, delivered


def session(scene: Scene, node: int, bearer: str):
    socket = connect(
        f"ws://127.0.0.1:{scene.nodes[node].port}/connection/websocket", proxy=None, max_size=None, ping_interval=None,
        close_timeout=1).__enter__()
    socket.send(json.dumps({"id": 1, "connect": {"token": bearer}}))
    answer = json.loads(socket.recv(timeout=20).split("\n")[0])
    require("connect" in answer, "not connected", answer)
    return socket


def closing(socket, seconds: float = 20) -> int | None:
    """The code with which the server closes a connection."""
    deadline = time.monotonic() + seconds
    with contextlib.suppress(TimeoutError):
        try:
            while True:
                for line in socket.recv(timeout=max(0, deadline - time.monotonic())).split("\n"):
                    if line == "{}":
                        socket.send("{}")
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 1006
    return None
