"""Clients of several nodes: they send with client ids, subscribe with recovery, and go to another node when theirs fails."""

import collections
import http.client
import json
import random
import threading
import time

from belfry import API_KEY, token
from history import Sent, Violation, require
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import connect

CHANNELS = ["one", "two", "three"]
# Codes after which a client repeats a command: for now the cluster cannot, or the outcome is unknown.
AGAIN = {111, 1037, 1040, 1041}
# How long a client waits for an answer.
PATIENCE = 3.0
# How long a client keeps away from a node that failed.
AVOIDANCE = 1.0
EXPIRY = 86_400

Ack = collections.namedtuple("Ack", "begin end node")
Refusal = collections.namedtuple("Refusal", "at node code")
Closing = collections.namedtuple("Closing", "at node code")
Probe = collections.namedtuple("Probe", "begin end node ok")


class Caller:
    """HTTP calls of one user, over a connection to one node at a time."""

    def __init__(self, scene, user: str | None, home: int, patience: float = PATIENCE):
        self.scene, self.user, self.home, self.patience = scene, user, home, patience
        self.node = home
        self.connection = None
        self.avoided_until = 0.0

    def once(self, method: str, body: dict, headers: dict | None = None) -> tuple[int | None, dict]:
        """One attempt on the current node; returns the error code, if any, and the answer."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(
                "127.0.0.1", self.scene.nodes[self.node].port, timeout=self.patience)
        headers = {"X-API-Key": API_KEY, "Content-Type": "application/json", **(headers or {})}
        if self.user is not None:
            body = {"as_user_id": self.user, **body}
        try:
            self.connection.request("POST", "/v1/" + method, json.dumps(body), headers)
            answer = json.loads(self.connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError):
            self.drop()
            raise OSError("no answer") from None
        return answer.get("error", {}).get("code"), answer

    def ask(self, method: str, body: dict, seconds: float = 30) -> dict:
        """A query that the client's own node must answer."""
        deadline = time.monotonic() + seconds
        self.move(self.home)
        while True:
            try:
                code, answer = self.once(method, body)
                if code is None:
                    return answer
                require(code in AGAIN, "a query was refused", method, answer)
            except OSError:
                pass
            require(time.monotonic() < deadline, "never answered", method, self.home)
            time.sleep(0.05)

    def drop(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def move(self, node: int):
        if node != self.node:
            self.drop()
        self.node = node

    def call(self, method: str, body: dict, headers: dict | None = None, seconds: float = 150) -> tuple[int | None, dict]:
        """Repeats a command until it is answered, on other nodes if necessary."""
        deadline = time.monotonic() + seconds
        while True:
            now = time.monotonic()
            if self.node != self.home and now > self.avoided_until:
                self.move(self.home)
            try:
                code, answer = self.once(method, body, headers)
                if code not in AGAIN:
                    return code, answer
                self.scene.refusals.append(Refusal(time.monotonic(), self.node, code))
            except OSError:
                self.scene.broken += 1
            require(time.monotonic() < deadline, "never answered", method, self.user)
            self.avoided_until = time.monotonic() + AVOIDANCE
            self.move((self.node + 1) % len(self.scene.nodes))
            time.sleep(0.02)


class Writer(threading.Thread):
    """Sends, edits and reacts, one operation at a time."""

    def __init__(self, scene, home: int, serial: int, seed: str, pause: float):
        super().__init__(daemon=True)
        self.scene, self.pause = scene, pause
        self.user = f"writer-{home}"
        # Each set of writers has its own client ids.
        self.prefix = f"{self.user}-{serial}"
        self.random = random.Random(f"{seed} {self.prefix}")
        self.caller = Caller(scene, self.user, home)
        self.sent: list[Sent] = []
        self.error = None

    def run(self):
        try:
            while not self.scene.is_pausing.is_set():
                if not self.scene.is_holding.is_set():
                    self.step()
                time.sleep(self.pause)
        except Exception as error:  # Reported by the main thread.
            self.error = error

    def step(self):
        mine = [one for one in self.sent[-20:] if one.ack]
        dice = self.random.random()
        if dice < 0.8 or not mine:
            return self.send()
        one = self.random.choice(mine)
        at = {"channel_id": one.channel, "message_id": one.ack["id"]}
        if dice < 0.9:
            text = f"{one.text} edited {self.random.random()}"
            self.does("message.update", one, {**at, "text": text})
            one.content = text
        elif (self.user, "sob") in one.reactions:
            self.does("reaction.remove", one, {**at, "key": "sob"})
            one.reactions.discard((self.user, "sob"))
        else:
            self.does("reaction.add", one, {**at, "key": "sob"})
            one.reactions.add((self.user, "sob"))

    def send(self):
        number = len(self.sent)
        one = Sent(
            channel=self.random.choice(CHANNELS), sender=self.user, client_id=f"{self.prefix}-{number}",
            text=f"message {number} of {self.prefix} " + "x" * self.random.choice([30, 300]))
        self.sent.append(one)
        answer = self.does(
            "message.send", one, {"channel_id": one.channel, "client_id": one.client_id, "text": one.text})
        one.ack = answer["message"]

    def does(self, method: str, one: Sent, body: dict) -> dict:
        begin = time.monotonic()
        code, answer = self.caller.call(method, body)
        if code is not None:
            raise Violation(f"{method} was refused", one, answer)
        self.scene.acks.append(Ack(begin, time.monotonic(), self.caller.node))
        return answer


class Subscriber(threading.Thread):
    """Receives every channel from its first event on, and recovers what it missed when its node fails."""

    def __init__(self, scene, home: int):
        super().__init__(daemon=True)
        self.scene, self.home, self.node = scene, home, home
        self.user = f"listener-{home}"
        self.token = token(self.user, EXPIRY)
        self.events = {channel: [] for channel in CHANNELS}
        self.start_offsets, self.epochs = {}, {}
        self.recoveries = 0
        self.error = None

    def run(self):
        while not self.scene.is_over.is_set():
            try:
                self.session()
            except ConnectionClosed as closed:
                if closed.rcvd is not None:
                    self.scene.closings.append(Closing(time.monotonic(), self.node, closed.rcvd.code))
            except (OSError, WebSocketException, TimeoutError, EOFError):
                pass
            except Exception as error:
                self.error = error
                return
            self.node = (self.node + 1) % len(self.scene.nodes)
            time.sleep(0.02)

    def top(self, channel):
        events = self.events[channel]
        return events[-1][0] if events else self.start_offsets.get(channel, 0)

    def session(self):
        subs = {
            channel: {"recover": True, "offset": self.top(channel), "epoch": self.epochs[channel]}
            for channel in self.epochs
        }
        address = f"ws://127.0.0.1:{self.scene.nodes[self.node].port}/connection/websocket"
        with connect(address, max_size=None, proxy=None, open_timeout=PATIENCE, close_timeout=1) as socket:
            command = {"id": 1, "connect": {"token": self.token, "data": {"subscribe": "joined"}, "subs": subs}}
            socket.send(json.dumps(command))
            while not self.scene.is_over.is_set():
                for line in socket.recv(timeout=30).split("\n"):
                    self.take(socket, json.loads(line))

    def take(self, socket, message):
        if not message:
            socket.send("{}")
        if "error" in message:
            raise Violation("connect was refused", message)
        for channel, sub in message.get("connect", {}).get("subs", {}).items():
            if channel in self.events:
                self.subscribed(channel, sub)
        push = message.get("push", {})
        if "pub" in push and push["channel"] in self.events and "offset" in push["pub"]:
            self.hear(push["channel"], push["pub"])

    def subscribed(self, channel, sub):
        if channel not in self.epochs:
            self.epochs[channel], self.start_offsets[channel] = sub["epoch"], sub.get("offset", 0)
            return
        require(sub.get("recovered"), "nothing was recovered", self.user, channel, self.top(channel), sub)
        require(sub["epoch"] == self.epochs[channel], "another epoch", channel)
        self.recoveries += 1
        for publication in sub.get("publications", []):
            self.hear(channel, publication)

    def hear(self, channel, publication):
        self.events[channel].append((publication["offset"], publication["data"]))


class Prober(threading.Thread):
    """Reads from one node several times a second, and connects to it."""

    def __init__(self, scene, node: int):
        super().__init__(daemon=True)
        self.scene, self.node = scene, node
        self.caller = Caller(scene, "owner", node, patience=20)
        self.token = token("owner", EXPIRY)
        self.reads: list[Probe] = []
        self.connects: list[Probe] = []
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.wait(0.1):
            self.time(self.reads, self.read)
            self.time(self.connects, self.connect)

    def time(self, probes: list[Probe], attempt):
        begin = time.monotonic()
        try:
            ok = attempt()
        except (OSError, WebSocketException, TimeoutError, EOFError):
            ok = False
        probes.append(Probe(begin, time.monotonic(), self.node, ok))

    def read(self) -> bool:
        return self.caller.once("message.list", {"channel_id": "one", "limit": 5})[0] is None

    def connect(self) -> bool:
        """Connects and recovers from an earlier position."""
        address = f"ws://127.0.0.1:{self.scene.nodes[self.node].port}/connection/websocket"
        with connect(address, max_size=None, proxy=None, open_timeout=20, close_timeout=1) as socket:
            socket.send(json.dumps({"id": 1, "connect": {"token": self.token, "data": {"subscribe": "joined"}}}))
            answer = json.loads(socket.recv(timeout=20).split("\n")[0])
            return "connect" in answer
