"""Clients of a server that is killed repeatedly: they retry unanswered commands with the same client id."""

import http.client
import json
import random
import threading
import time

from history import Sent, Violation
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

KEYS = ["sob", "+1", "heart", "joy"]
# Codes after which a client retries: the server is temporarily unable, or the response to an earlier attempt was lost.
AGAIN = {111, 1040, 1041}


class Caller:
    """The HTTP calls of one user; each is repeated until the server answers it."""

    def __init__(self, world, user):
        self.world, self.user = world, user
        self.connection = None

    def call(self, method, body):
        while not self.world.is_over.is_set():
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.world.port, timeout=10)
                headers = {"X-API-Key": self.world.key, "Content-Type": "application/json"}
                if self.user is not None:
                    body = {**body, "as_user_id": self.user}
                self.connection.request("POST", "/v1/" + method, json.dumps(body), headers)
                answer = json.loads(self.connection.getresponse().read())
                code = answer.get("error", {}).get("code")
                if code not in AGAIN:
                    return code, answer
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                self.connection = None
                self.world.retries += 1
            else:
                # Another node may be able to.
                self.connection = None if self.world.has_nodes else self.connection
            time.sleep(0.02)
        return None, None


class Writer(threading.Thread):
    """Sends, edits, deletes and reacts, one operation at a time; edits only its own messages."""

    def __init__(self, world, user, seed):
        super().__init__(daemon=True)
        self.world, self.user = world, user
        self.random = random.Random(seed)
        self.caller = Caller(world, user)
        self.sent: list[Sent] = []
        self.error = None

    def run(self):
        try:
            while not self.world.is_pausing.is_set():
                self.step()
        except Exception as error:  # Reported by the main thread.
            self.error = error

    def step(self):
        mine = [one for one in self.sent if one.ack and one.content is not None]
        dice = self.random.random()
        if dice < 0.6 or not mine:
            self.send()
        elif dice < 0.75:
            one = self.random.choice(mine)
            text = f"{one.text} edited {self.random.random()}"
            if self.does("message.update", one, text=text):
                one.content = text
        elif dice < 0.8:
            one = self.random.choice(mine)
            # The tombstone may come from an attempt whose response was lost.
            if self.does("message.delete", one, ok={1023}):
                one.content = None
        else:
            one = self.random.choice(mine)
            key = self.random.choice(KEYS[:1])
            if (self.user, key) in one.reactions:
                if self.does("reaction.remove", one, key=key):
                    one.reactions.discard((self.user, key))
            elif self.does("reaction.add", one, key=key):
                one.reactions.add((self.user, key))

    def send(self):
        number = len(self.sent)
        one = Sent(
            channel=self.random.choice(self.world.channels), sender=self.user, client_id=f"{self.user}-{number}",
            text=f"message {number} of {self.user} " + "x" * self.random.choice([300, 15_000]))
        self.sent.append(one)
        code, answer = self.caller.call(
            "message.send", {"channel_id": one.channel, "client_id": one.client_id, "text": one.text})
        if answer is None:
            return
        if code is not None:
            raise Violation("a message was refused", one, answer)
        one.ack = answer["message"]
        self.world.acknowledged += 1

    def does(self, method, one, ok=(), **fields):
        code, answer = self.caller.call(method, {"channel_id": one.channel, "message_id": one.ack["id"], **fields})
        if answer is None:
            one.ack = None  # Its state is unknown and no longer checked.
            return False
        if code is not None and code not in ok:
            raise Violation(f"{method} was refused", one, answer)
        return True


class Subscriber(threading.Thread):
    """Receives every channel from its first event on, and recovers missed events whenever the server returns."""

    def __init__(self, world, user, token):
        super().__init__(daemon=True)
        self.world, self.user, self.token = world, user, token
        self.events = {channel: [] for channel in world.channels}
        self.start_offsets = {}
        self.epochs = {}
        self.recoveries = 0
        self.error = None

    def run(self):
        while not self.world.is_over.is_set():
            try:
                self.session()
            except (OSError, WebSocketException, TimeoutError, EOFError):
                time.sleep(0.02)
            except Exception as error:
                self.error = error
                return

    def top(self, channel):
        events = self.events[channel]
        return events[-1][0] if events else self.start_offsets.get(channel)

    def session(self):
        subs = {
            channel: {"recover": True, "offset": self.top(channel), "epoch": self.epochs[channel]}
            for channel in self.epochs
        }
        with connect(f"ws://127.0.0.1:{self.world.port}/connection/websocket", max_size=None) as socket:
            command = {"id": 1, "connect": {"token": self.token, "data": {"subscribe": "joined"}, "subs": subs}}
            socket.send(json.dumps(command))
            while not self.world.is_over.is_set():
                for line in socket.recv(timeout=30).split("\n"):
                    self.take(socket, json.loads(line))

    def take(self, socket, message):
        if not message:
            socket.send("{}")
        if "error" in message:
            if message["error"]["code"] in AGAIN:
                raise TimeoutError
            raise Violation("connect was refused", message)
        for channel, sub in message.get("connect", {}).get("subs", {}).items():
            if channel in self.events:
                self.subscribed(channel, sub)
        push = message.get("push", {})
        if "pub" in push and push["channel"] in self.events and "offset" in push["pub"]:
            self.hear(push["channel"], push["pub"])

    def subscribed(self, channel, sub):
        if channel not in self.epochs:
            self.epochs[channel], self.start_offsets[channel] = sub["epoch"], sub["offset"]
            return
        if not sub.get("recovered"):
            raise Violation("nothing was recovered", self.user, channel, self.top(channel), sub)
        if sub["epoch"] != self.epochs[channel]:
            raise Violation("another epoch", channel)
        self.recoveries += 1
        for publication in sub.get("publications", []):
            self.hear(channel, publication)

    def hear(self, channel, publication):
        self.events[channel].append((publication["offset"], publication["data"]))
