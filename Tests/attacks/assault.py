"""What attacks share: users at the full rate that they are allowed, guests, and what one attack is."""

import asyncio
import contextlib
import itertools
import json
import pathlib
import struct
import time

from victim import API_KEY, MIB, Backend, Victim
from wires import Http, Pace, Tally, Wire, code_of, wait_of

# Names of attackers and of the people they harm.
MALLORY = "mallory"
# Six bytes of JSON for each.
ESCAPED = "\u0001"
TEXT = 16_384
DATA = 8_192
NOBODY = {"data": {"subscribe": "none"}}
# Budgets that hold for every attack: one answer, with some room around the mebibyte that an answer is built under, and the
# memory of one attacker.
ANSWER = 1.5 * MIB
MEMORY = 64 * MIB


class Attack:
    """One attack. Its class has no state of the server; an instance is used once."""

    name = ""
    title = ""
    # Beyond the defaults: only what the attack needs to be possible at all.
    settings: dict[str, str] = {}
    attackers = 1
    # How much of the legal state is built: 1 is what the runner uses, the suite takes less.
    scale = 1.0
    # Whether the answer of a restart is expected to grow with what the attack legally stored.
    restarts = True

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
        """Looks at what the attack achieved while the server still runs; fills `facts` and `problems`."""

    async def judge_folder(self, victim: Victim):
        """The same of the folder, once the server has ended."""


class Source:
    """Commands in turn: `(method, JSON)`."""

    def __init__(self, commands):
        self.commands = itertools.cycle(commands) if isinstance(commands, list) else iter(commands)

    def __next__(self):
        return next(self.commands)


def rpc(method: str, **data) -> tuple[str, str]:
    return method, json.dumps(data)


async def flood(
    victim, user, commands, seconds, tally, connections=4, in_flight=16, pace=None, connect=NOBODY, token=None,
):
    """One user over WebSocket at the rate that a user is allowed, until the time is over or the commands are."""
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
    """The same over HTTP. `fields()` are further header fields of each request."""
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
    """Ids and tokens of new guests, made by the server key unless `address(n)` names where each one comes from."""
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
    """The whole answer of one command of a user, or `{"error": …}`."""
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
    """The largest piece of a snapshot, and the largest frame of the journal, in bytes (the articles on the format)."""

    def largest(paths) -> int:
        found = 0
        for path in paths:
            with path.open("rb") as file:
                file.seek(36)
                while len(head := file.read(20)) == 20:
                    length, _, sequence = struct.unpack("<IIQ", head[:16])
                    # What was set aside and is not written yet.
                    if length == 0:
                        break
                    found = max(found, length)
                    file.seek(length, 1)
        return found

    folder = data / "journal"
    return largest(folder.glob("*.snapshot")), largest(folder.glob("*.journal"))
