"""A proxy between a node and its NATS servers. It understands NATS's text protocol, and can lose, double and delay single
messages, or cut the node off."""

import asyncio
import collections
import dataclasses
import random
import threading
from collections.abc import Callable

# The greatest number of requests whose replies are recognized.
REQUESTS = 10_000
# Longer than any line of the protocol.
LINE_BYTES = 1 << 20


@dataclasses.dataclass(frozen=True)
class Message:
    """A message on its way, with the subject of the request that it answers, if any."""

    subject: str
    reply: str | None
    answers: str | None
    # From the node to NATS.
    is_outgoing: bool


@dataclasses.dataclass(frozen=True)
class Rule:
    """What happens to a share of the messages: `drop`, `double`, or a delay in seconds."""

    matches: Callable[[Message], bool]
    action: str | float
    chance: float = 1.0


def is_append(message: Message) -> bool:
    return message.is_outgoing and message.subject.endswith(".log")


def is_append_reply(message: Message) -> bool:
    return not message.is_outgoing and (message.answers or "").endswith(".log")


def is_from_log(message: Message) -> bool:
    """Everything that could tell a node what the log contains."""
    return not message.is_outgoing and not is_bus(message)


def is_live(message: Message) -> bool:
    return not message.is_outgoing and message.subject.endswith(".live")


def is_bus(message: Message) -> bool:
    return ".bus." in message.subject or ".bus." in (message.answers or "")


class NATSProxy:
    """One node's way to the servers: a port for each of them. It runs on a thread of its own; `rules` and the methods may be
    used from any thread. The first rule that matches a message and whose dice say so applies."""

    def __init__(self, servers: list[int], seed: int = 1):
        """`servers` are ports on loopback."""
        self.rules: list[Rule] = []
        # How often a rule applied, by its action.
        self.applied: collections.Counter = collections.Counter()
        self._dice = random.Random(seed)
        self._requests: collections.OrderedDict[str, str] = collections.OrderedDict()
        self.is_cut = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.ports = [self._do(self._listen(server)) for server in servers]

    @property
    def url(self) -> str:
        return ",".join(f"nats://127.0.0.1:{port}" for port in self.ports)

    def cut(self):
        """Passes nothing on any more, as a network that loses everything. Connections stay open."""
        self.is_cut = True

    def mend(self):
        """Ends `cut`. Connections from before are reset."""
        async def mend():
            self.is_cut = False
            self._abort()

        self._do(mend())

    def close(self):
        async def close():
            self.is_cut = True
            self._abort()

        self._do(close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _do(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(10)

    def _abort(self):
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _listen(self, server: int) -> int:
        async def accept(reader, writer):
            await self._serve(server, reader, writer)

        listener = await asyncio.start_server(accept, "127.0.0.1", 0, limit=LINE_BYTES)
        return listener.sockets[0].getsockname()[1]

    async def _serve(self, server: int, reader, writer):
        self._writers.add(writer)
        far = None
        try:
            if self.is_cut:
                # The node hears nothing and gives up.
                await reader.read()
                return
            far_reader, far = await asyncio.open_connection("127.0.0.1", server, limit=LINE_BYTES)
            self._writers.add(far)
            pumps = [
                asyncio.create_task(self._pump(reader, far, is_outgoing=True)),
                asyncio.create_task(self._pump(far_reader, writer, is_outgoing=False))]
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for pump in pumps:
                pump.cancel()
        except OSError:
            pass
        finally:
            for end in (writer, far):
                if end is not None:
                    self._writers.discard(end)
                    end.transport.abort()

    async def _pump(self, reader, writer, is_outgoing: bool):
        try:
            while True:
                line = await reader.readuntil(b"\r\n")
                words = line.decode().split()
                operation = words[0].upper() if words else ""
                payload = b""
                if operation in ("PUB", "HPUB", "MSG", "HMSG"):
                    payload = await reader.readexactly(int(words[-1]) + 2)
                # What arrives while the node is cut off is gone, with its connection.
                while self.is_cut:
                    await asyncio.sleep(0.02)
                data = line + payload
                if not payload or not self.rules:
                    if payload:
                        self._message(operation, words, is_outgoing)
                    writer.write(data)
                else:
                    self._pass(self._message(operation, words, is_outgoing), data, writer)
                await writer.drain()
        except (OSError, EOFError, asyncio.IncompleteReadError):
            pass

    def _message(self, operation: str, words: list[str], is_outgoing: bool) -> Message:
        # PUB subject [reply] size; HPUB subject [reply] header-size size; with MSG and HMSG, a number after the subject.
        subject = words[1]
        between = words[2 if is_outgoing else 3:-2 if operation.startswith("H") else -1]
        reply = between[0] if between else None
        if is_outgoing and reply is not None:
            self._requests[reply] = subject
            if len(self._requests) > REQUESTS:
                self._requests.popitem(last=False)
        return Message(subject, reply, None if is_outgoing else self._requests.get(subject), is_outgoing)

    def _pass(self, message: Message, data: bytes, writer):
        for rule in self.rules:
            if rule.matches(message) and (rule.chance >= 1 or self._dice.random() < rule.chance):
                self.applied[rule.action] += 1
                if rule.action == "drop":
                    return
                if rule.action == "double":
                    return writer.write(data + data)
                self._loop.call_later(rule.action, writer.write, data)
                return
        writer.write(data)
