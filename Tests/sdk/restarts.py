"""Load during restarts: records acknowledgements, refusals and the time without replies."""

import asyncio
import collections.abc
import errno
import json
import random
import time

import websockets
from belfry import Door, token
from storage import begin

WRITERS = 6
MOST_UNANSWERED = 300
# Settings for the server under load.
LOAD = {
    f"BELFRY_CONNECTIONS_{name}": "1000000" for name in (
        "COMMANDS_PER_SECOND", "COMMANDS_AT_ONCE", "USER_COMMANDS_PER_SECOND", "USER_COMMANDS_AT_ONCE")
}
LOAD["BELFRY_CONNECTIONS_COMMANDS_IN_FLIGHT"] = "10000"


class Load:
    """Writers that send at a fixed rate, reconnect when disconnected, and resend unacknowledged messages."""

    def __init__(self, port: int, seed: int):
        self.url = f"ws://127.0.0.1:{port}/connection/websocket"
        self.port = port
        self.random = random.Random(seed)
        self.acknowledged: dict[str, str] = {}
        self.acknowledged_at: list[float] = []
        self.refused: list[str] = []
        self.broken_handshakes = self.newcomers = self.sent_away = self.resent = 0
        self.is_over = False

    async def connect(self) -> websockets.ClientConnection:
        """Connects a writer. A connection is always accepted; a client that is admitted and immediately disconnected
        reconnects."""
        while True:
            try:
                socket = await websockets.connect(self.url, proxy=None, max_size=None, open_timeout=60)
                return socket
            except ConnectionRefusedError as error:
                self.refused.append(str(error))
            except (websockets.InvalidMessage, ConnectionResetError, EOFError):
                self.broken_handshakes += 1
            except OSError as error:
                if error.errno == errno.ECONNREFUSED:
                    self.refused.append(str(error))
                else:
                    self.broken_handshakes += 1
            await asyncio.sleep(0.01)

    async def write(self, number: int, rate: float):
        serial, unanswered = 0, {}
        while not (self.is_over and not unanswered):
            socket = await self.connect()
            try:
                await socket.send(json.dumps({"id": 1, "connect": {"token": token(f"writer-{number}")}}))
                reading = asyncio.create_task(self.read(socket, unanswered))
                # Resend the oldest first, unchanged.
                for id in sorted(unanswered):
                    self.resent += 1
                    await socket.send(unanswered[id])
                due = time.monotonic()
                while not reading.done() and not (self.is_over and not unanswered):
                    # Do not overload a machine that cannot sustain the rate.
                    if not self.is_over and len(unanswered) < MOST_UNANSWERED:
                        serial += 1
                        text = f"{number} {serial} {self.random.getrandbits(32)}"
                        unanswered[serial + 1] = json.dumps({"id": serial + 1, "rpc": {"method": "message.send", "data": {
                            "channel_id": "general", "text": text, "client_id": text}}})
                        await socket.send(unanswered[serial + 1])
                    due += 1 / rate
                    await asyncio.wait([reading], timeout=max(0, due - time.monotonic()))
                await socket.close()
                await reading
            except websockets.ConnectionClosed:
                pass
            self.sent_away += socket.close_code == 3001

    async def read(self, socket, unanswered: dict[int, str]):
        try:
            async for frame in socket:
                for line in frame.split("\n"):
                    message = json.loads(line)
                    if not message:
                        await socket.send("{}")
                    elif "rpc" in message:
                        stored = message["rpc"]["data"]["message"]
                        self.acknowledged[stored["text"]] = stored["id"]
                        self.acknowledged_at.append(time.monotonic())
                        unanswered.pop(message["id"], None)
                    elif "error" in message and message["id"] in unanswered:
                        raise AssertionError(message)
        except websockets.ConnectionClosed:
            pass

    async def come_and_go(self):
        """Opens new connections one by one, each with an HTTP query that must be answered."""
        while not self.is_over:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(b"GET /livez HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n")
                answer = await asyncio.wait_for(reader.read(), 60)
                writer.close()
                if b" 200 " in answer:
                    self.newcomers += 1
                else:
                    self.broken_handshakes += 1
            except ConnectionRefusedError as error:
                self.refused.append(str(error))
            except ConnectionResetError:
                self.broken_handshakes += 1
            await asyncio.sleep(0.005)


def stored(door: Door) -> dict[str, str]:
    found, page = {}, {}
    while True:
        answer = door.app("message.list", channel_id="general", limit=100, **page)
        for message in answer["messages"]:
            assert message["text"] not in found, "twice: " + message["text"]
            found[message["text"]] = message["id"]
        if "next" not in answer:
            return found
        page = {"next": answer["next"]}


async def bear_restarts(
    door: Door, restarts: int, rate: int, seed: int, restart: collections.abc.Callable[[], collections.abc.Awaitable],
) -> Load:
    """Restarts the server while writers send `rate` messages per second. Nobody may be refused, and nothing may be lost
    or duplicated."""
    begin(door)
    for number in range(WRITERS):
        door.app("user.upsert", id=f"writer-{number}")
    door.app(
        "channel.invite", channel_id="general", as_user_id="ann", user_ids=[f"writer-{number}" for number in range(WRITERS)])
    load = Load(door.port, seed)
    tasks = [asyncio.create_task(load.write(number, rate / WRITERS)) for number in range(WRITERS)]
    tasks.append(asyncio.create_task(load.come_and_go()))
    try:
        for life in range(restarts + 1):
            count = len(load.acknowledged)
            # Wait for the load to resume after each start.
            while len(load.acknowledged) < count + 2 * rate:
                for task in tasks:
                    if task.done():
                        task.result()
                await asyncio.sleep(0.02)
            if life < restarts:
                await restart()
        load.is_over = True
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
    there = stored(door)
    pauses = sorted((b - a for a, b in zip(load.acknowledged_at, load.acknowledged_at[1:])), reverse=True)
    print(
        f"\n{restarts} restarts at {rate} messages/s (seed {seed}): {len(load.acknowledged)} acknowledged, "
        f"{load.resent} sent again, {load.newcomers} newcomers answered, {len(load.refused)} refused, "
        f"{load.broken_handshakes} let in and sent away before an answer, longest pauses "
        + ", ".join(f"{1_000 * pause:.0f} ms" for pause in pauses[:restarts]))
    assert load.refused == []
    assert {text: there.get(text) for text in load.acknowledged} == load.acknowledged
    assert set(there) == set(load.acknowledged), "written, and never acknowledged"
    assert load.sent_away >= restarts * WRITERS and load.newcomers > 0
    return load
