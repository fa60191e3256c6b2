"""Shared parts of the attacks: the `Attack` base class, and users who send at their full allowed rate."""

import asyncio
import contextlib
import itertools
import json
import pathlib
import struct
import time

from victim import API_KEY, MIB, Backend, Victim
from wires import Http, Pace, Tally, Wire, code_of, wait_of

MALLORY = "mallory"
# A character that takes six bytes in JSON.
ESCAPED = "\u0001"
TEXT = 16_384
DATA = 8_192
# The number of channels in one `channel.upsert_many`.
CHANNELS = 80
NOBODY = {"data": {"subscribe": "none"}}
# Bounds for every attack: the size of one response (the server builds responses below 1 MiB) and the memory per
# attacking user.
ANSWER = 1.5 * MIB
MEMORY = 64 * MIB


class Attack:
    """One attack. Create a new instance for each run."""

    name = ""
    title = ""
    # Settings without which the attack is impossible; all others keep their defaults.
    settings: dict[str, str] = {}
    attackers = 1
    # The maximum factor by which the bystanders' median latency may grow. Waiting for the attacker's work shows as a
    # factor in the hundreds, and the noise of a busy machine stays below 20.
    slower = 20
    # Scales the starting state. The runner uses 1, the test suite less.
    scale = 1.0

    def __init__(self, scale: float | None = None):
        if scale is not None:
            self.scale = scale
        self.facts: dict = {}
        self.problems: list[str] = []

    def of(self, count: int, least: int = 1) -> int:
        return max(least, int(count * self.scale))

    async def prepare(self, victim: Victim, backend: Backend):
        pass

    async def assault(self, victim: Victim, seconds: float, tally: Tally):
        raise NotImplementedError

    async def judge(self, victim: Victim, backend: Backend):
        """Checks what the attack achieved while the server still runs; fills `facts` and `problems`."""

    async def judge_folder(self, victim: Victim):
        """Checks the data folder after the server has stopped."""


class Source:
    """An endless or finite sequence of `(method, JSON)`."""

    def __init__(self, commands):
        self.commands = itertools.cycle(commands) if isinstance(commands, list) else iter(commands)

    def __next__(self):
        return next(self.commands)


def rpc(method: str, **data) -> tuple[str, str]:
    return method, json.dumps(data)


async def flood(
    victim, user, commands, seconds, tally, connections=4, in_flight=16, pace=None, connect=NOBODY, token=None,
):
    """Sends commands of one user over WebSocket at the user's full rate until time or commands run out.

    A refusal with 111 pauses its connection for the time that the refusal names; a closed connection is opened again.
    """
    source, pace = Source(commands), pace or Pace()
    end = time.monotonic() + seconds

    async def open_wire():
        while time.monotonic() < end and victim.is_alive:
            with contextlib.suppress(OSError):
                wire = await Wire.open(victim, tally)
                line = await wire.connect(token or victim.token(user), **connect)
                if line and code_of(line) is None:
                    return wire
                await asyncio.sleep(min(1, wait_of(line)))
                continue
            await asyncio.sleep(0.2)
        return None

    async def work():
        wire = await open_wire()
        room = asyncio.Semaphore(in_flight)
        rest = [0.0]

        def done(future):
            room.release()
            line = future.result() if not future.cancelled() else None
            if line and code_of(line) == 111:
                rest[0] = max(rest[0], time.monotonic() + min(1.0, wait_of(line)))

        while wire and time.monotonic() < end and victim.is_alive:
            try:
                method, data = next(source)
            except StopIteration:
                break
            await pace.take()
            await asyncio.sleep(max(0, rest[0] - time.monotonic()))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.01, end - time.monotonic())):
                    await room.acquire()
                    (await wire.rpc(method, data)).add_done_callback(done)
            if not wire.is_open:
                wire, room = await open_wire(), asyncio.Semaphore(in_flight)
        if wire and wire.waiting and time.monotonic() < end:
            await asyncio.wait(list(wire.waiting.values()), timeout=max(0, end - time.monotonic()))
        if wire:
            await wire.close()

    await asyncio.gather(*(work() for _ in range(connections)))


async def flood_http(
    victim, user, commands, seconds, tally, connections=16, pace=None, fields=None, token=None,
):
    """Sends commands of one user over HTTP. `fields()` returns additional header fields for each request."""
    source, pace = Source(commands), pace or Pace()
    end = time.monotonic() + seconds

    async def work():
        wire = None
        while time.monotonic() < end and victim.is_alive:
            try:
                if wire is None or not wire.is_open:
                    wire = await Http.open(victim, tally)
                try:
                    method, data = next(source)
                except StopIteration:
                    break
                await pace.take()
                async with asyncio.timeout(max(0.01, end - time.monotonic())):
                    status, body = await wire.request(
                        "POST", "/v1/" + method, data.encode(), Authorization="Bearer " + (token or victim.token(user)),
                        **(fields() if fields else {}))
                if status in (429, 503):
                    await asyncio.sleep(min(1.0, wait_of(body)))
                elif status == 0:
                    tally.closed["http"] += 1
                    await asyncio.sleep(0.01)
            except TimeoutError:
                break
            except OSError:
                await asyncio.sleep(0.2)
        if wire and wire.is_open:
            await wire.close()

    await asyncio.gather(*(work() for _ in range(connections)))


async def guests(victim: Victim, count: int, address=None) -> list[tuple[str, str]]:
    """Creates guests and returns their ids and tokens. Uses the server key unless `address(n)` gives the n-th client address."""
    made = []
    wires = [await Http.open(victim, keeps=True) for _ in range(16)]
    numbers = iter(range(count))

    async def work(wire):
        for number in numbers:
            fields = {"X_Forwarded_For": address(number)} if address else {"X_API_Key": API_KEY}
            status, body = await wire.request("POST", "/v1/guest.create", b"{}", **fields)
            if status == 200:
                guest = json.loads(body)
                made.append((guest["user"]["id"], guest["token"]))

    await asyncio.gather(*(work(wire) for wire in wires))
    for wire in wires:
        await wire.close()
    return made


async def ask(victim: Victim, user: str, method: str, **data) -> dict:
    """Runs one command as a user; returns the whole response or `{"error": …}`."""
    wire = await Http.open(victim, keeps=True)
    try:
        _, body = await wire.request(
            "POST", "/v1/" + method, json.dumps(data).encode(), Authorization="Bearer " + victim.token(user))
        return json.loads(body) if body else {"error": {"code": 0, "message": "closed"}}
    finally:
        await wire.close()


def refusal(answer: dict) -> int | None:
    return answer.get("error", {}).get("code") if isinstance(answer.get("error"), dict) else answer.get("code")


def largest_frames(data: pathlib.Path) -> tuple[int, int]:
    """Returns the largest part of any snapshot and the largest frame of the journal, in bytes."""

    def largest(paths) -> int:
        found = 0
        for path in paths:
            with path.open("rb") as file:
                file.seek(36)
                while len(head := file.read(20)) == 20:
                    length, _, sequence = struct.unpack("<IIQ", head[:16])
                    # Preallocated space follows.
                    if length == 0:
                        break
                    found = max(found, length)
                    file.seek(length, 1)
        return found

    folder = data / "journal"
    return largest(folder.glob("*.snapshot")), largest(folder.glob("*.journal"))
