"""The server's peers: users with the unmodified SDK, bare WebSockets, and a link that can break."""

import asyncio
import json
from collections import namedtuple

import documents
import forms
import websockets
from centrifuge import Client, ClientEventHandler, ReplyError
from websockets.asyncio.client import connect as open_websocket

from belfry import DEADLINE, Server, token

Event = namedtuple("Event", "room offset data")


class Waiter:
    """Waits for conditions over everything that has arrived so far, each with a deadline."""

    def __init__(self):
        self._arrived = asyncio.Event()

    def arrived(self):
        self._arrived.set()

    async def until(self, condition, what: str):
        async def poll():
            while not (result := condition()):
                self._arrived.clear()
                await self._arrived.wait()
            return result

        try:
            return await asyncio.wait_for(poll(), DEADLINE)
        except TimeoutError:
            raise AssertionError(f"never happened: {what}") from None


class Person(ClientEventHandler, Waiter):
    """A user with the SDK, and everything it has reported, equal in both forms."""

    def __init__(self, server: Server, user: str, address: str | None = None, **options):
        Waiter.__init__(self)
        self.server = server
        self.user = user
        self.events: list[Event] = []
        self.rooms: list[tuple[str, str]] = []
        self.subscribed: list = []
        self.connected = 0
        self.interruptions: list[tuple[int, str]] = []
        self.ended: tuple[int, str] | None = None
        self.errors: list = []
        options.setdefault("token", token(user))
        address = address or server.socket_url
        if address.startswith("wss:"):
            options.setdefault("ssl_context", server.ssl_context)
        self.form = options.pop("form", forms.usual)
        if "data" in options:
            options["data"] = self.payload(options["data"])
        self.client = Client(address, events=self, proxy=None, use_protobuf=self.form == "protobuf", **options)

    async def __aenter__(self):
        await self.client.connect()
        await self.client.ready(DEADLINE)
        inbox = "#" + self.user
        await self.until(lambda: ("in", inbox) in self.rooms, f"{self.user} is subscribed to the inbox")
        return self

    async def __aexit__(self, *_):
        await self.client.disconnect()

    async def on_connecting(self, context):
        if self.connected:
            self.interruptions.append((context.code, context.reason))

    async def on_connected(self, context):
        self.connected += 1
        self.arrived()

    async def on_disconnected(self, context):
        self.ended = (context.code, context.reason)
        self.arrived()

    async def on_error(self, context):
        self.errors.append(context)
        self.arrived()

    async def on_subscribed(self, context):
        self.rooms.append(("in", context.channel))
        self.subscribed.append(context)
        self.arrived()

    async def on_unsubscribed(self, context):
        self.rooms.append(("out", context.channel))
        self.arrived()

    def payload(self, data: dict) -> dict | bytes:
        """Converts data to the type that the SDK requires in this form."""
        return data if self.form == "json" else json.dumps(data).encode()

    def told(self, payload) -> dict:
        """Converts data returned by the SDK in this form."""
        return payload if self.form == "json" else json.loads(payload)

    async def on_publication(self, context):
        data = self.told(context.pub.data)
        self.events.append(Event(context.channel, context.pub.offset, data))
        documents.of(self.server).message(data["type"], {
            "push": {"channel": context.channel, "pub": {"offset": context.pub.offset, "data": data}}})
        self.arrived()

    async def rpc(self, method: str, **data) -> dict:
        result = self.told((await self.client.rpc(method, self.payload(data), DEADLINE)).data)
        documents.of(self.server).result(method, result)
        return result

    async def say(self, channel: str, text: str, **fields) -> dict:
        return (await self.rpc("message.send", channel_id=channel, text=text, **fields))["message"]

    async def refused(self, method: str, **data) -> int:
        """Returns the code with which a command is refused."""
        try:
            result = await self.rpc(method, **data)
        except ReplyError as error:
            return error.code
        raise AssertionError(f"{method} was not refused: {result}")

    def heard(self, room: str, type: str | None = None) -> list[Event]:
        return [event for event in self.events if event.room == room and type in (None, event.data["type"])]

    async def hears(self, room: str, type: str, text: str | None = None) -> Event:
        def match():
            found = self.heard(room, type)
            return next((event for event in found if text in (None, event.data.get("message", {}).get("text"))), None)

        return await self.until(match, f"{self.user} hears {type} {text or ''} in {room}")

    async def hears_room(self, way: str, room: str):
        await self.until(lambda: (way, room) in self.rooms, f"{self.user} is told: {way} {room}")


class Wire(Waiter):
    """A bare WebSocket that speaks the protocol directly, answers pings and keeps every push."""

    def __init__(self, server: Server, form: str | None = None):
        super().__init__()
        self.server = server
        self.form = form or forms.usual
        self.pushes: list[dict] = []
        self.replies: dict[int, dict] = {}
        self.last_id = 0

    async def __aenter__(self):
        self.socket = await open_websocket(
            self.server.socket_url, ssl=self.server.ssl_context, proxy=None, max_size=None,
            subprotocols=["centrifuge-protobuf"] if self.form == "protobuf" else None)
        self.reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_):
        await self.socket.close()
        await self.reader

    async def _read(self):
        try:
            async for frame in self.socket:
                for message in forms.decode(frame, self.form):
                    if not message:
                        await self.socket.send(forms.encode([{}], self.form))
                    elif "push" in message:
                        self.pushes.append(message["push"])
                        documents.of(self.server).push(message["push"])
                    else:
                        self.replies[message["id"]] = message
                self.arrived()
        except websockets.ConnectionClosed:
            pass
        self.arrived()

    async def send(self, text: str | bytes):
        """Sends text commands encoded in the connection's form, and bytes unchanged."""
        if self.form == "protobuf" and isinstance(text, str):
            text = forms.encode([json.loads(line) for line in text.split("\n")], self.form)
        await self.socket.send(text)

    async def call(self, **command) -> dict:
        """Sends one command and returns its reply, without the id."""
        self.last_id += 1
        id = self.last_id
        await self.send(json.dumps({"id": id, **command}))
        await self.until(lambda: id in self.replies or not self.is_open, f"a reply to {command}")
        assert id in self.replies, f"closed with {self.closing} instead of a reply to {command}"
        return {key: value for key, value in self.replies[id].items() if key != "id"}

    async def connect(self, user: str, **fields) -> dict:
        """Connects as a user with a fresh token; returns the result."""
        return (await self.call(connect={"token": token(user), **fields}))["connect"]

    async def rpc(self, method: str, data: dict) -> dict:
        reply = await self.call(rpc={"method": method, "data": data})
        if "error" in reply:
            documents.of(self.server).message("error", {"id": self.last_id, **reply})
        else:
            documents.of(self.server).message(method + ".reply", {"id": self.last_id, **reply})
        return reply

    async def subscribe(self, channel: str, **fields) -> dict:
        return await self.call(subscribe={"channel": channel, **fields})

    @property
    def is_open(self) -> bool:
        return self.socket.close_code is None

    @property
    def closing(self) -> tuple[int, str]:
        return self.socket.close_code, self.socket.close_reason

    async def close_code(self) -> int:
        """Returns the code with which the server closes this connection."""
        await self.until(lambda: not self.is_open, "the server closes the connection")
        return self.socket.close_code

    def heard(self, room: str) -> list[dict]:
        return [push["pub"] for push in self.pushes if push["channel"] == room and "pub" in push]

    async def hears(self, room: str, text: str) -> dict:
        def match():
            return next((pub for pub in self.heard(room) if pub["data"].get("message", {}).get("text") == text), None)

        return await self.until(match, f"hears {text} in {room}")


class Link:
    """A TCP proxy to the server that can be cut, which resets connections and refuses new ones until it is restored."""

    def __init__(self, server: Server):
        self.server = server
        self.is_torn = False
        self.writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self):
        self.listener = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port = self.listener.sockets[0].getsockname()[1]
        self.address = f"ws://127.0.0.1:{port}/connection/websocket"
        return self

    async def __aexit__(self, *_):
        self.tear()
        self.listener.close()

    def tear(self):
        self.is_torn = True
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()

    def mend(self):
        self.is_torn = False

    async def _accept(self, reader, writer):
        if self.is_torn:
            return writer.transport.abort()
        far_reader, far_writer = await asyncio.open_connection(self.server.host, self.server.port)
        if self.is_torn:
            far_writer.transport.abort()
            return writer.transport.abort()
        self.writers |= {writer, far_writer}
        await asyncio.gather(self._copy(reader, far_writer), self._copy(far_reader, writer))

    async def _copy(self, reader, writer):
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
            writer.close()
        except OSError:
            writer.transport.abort()
