"""Compares the number of allocations with `Tests/allocations/expected.json`: for single operations, and for a message
and a delivery by the whole server. A decreased number also fails; update it, so that it cannot grow back unnoticed.

    Tests/sdk/test_allocations.py BINARIES        prints the counts for the executables in that folder
"""

import asyncio
import contextlib
import json
import mmap
import os
import pathlib
import statistics
import subprocess
import sys

import pytest
from belfry import Server
from clients import Wire

ALLOCATIONS = pathlib.Path(__file__).parent.parent / "allocations"
MESSAGES = 100
FEW, MANY = 5, 45


def binaries() -> pathlib.Path:
    return pathlib.Path(os.environ.get("BELFRY_BIN", ".build/debug/belfry")).resolve().parent


def preload(folder: pathlib.Path) -> dict[str, str]:
    """Returns the environment of a program whose allocations are counted in `folder`/count."""
    counter = folder / "counter.so"
    source = ALLOCATIONS / "counter.c"
    subprocess.run(["clang", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", counter, source], check=True)
    return {"LD_PRELOAD": str(counter), "BELFRY_ALLOCATIONS": str(folder / "count")}


def of_workloads(folder: pathlib.Path) -> dict[str, float]:
    """Returns the allocations per unit of each workload."""
    program = [binaries() / "DomainBenchmarks", "allocations"]
    result = subprocess.run(program, env={**os.environ, **preload(folder)}, stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)


async def of_server(folder: pathlib.Path) -> dict[str, float]:
    """Returns the allocations for a message sent to nobody else, and for each delivery of a message."""
    # A folder in place of the search index, which therefore stays out of use: it would allocate up to 100 ms after each
    # message, and so during later ones.
    (folder / "data/search/words.sqlite").mkdir(parents=True)
    server = Server(folder, preload(folder))
    try:
        with (folder / "count").open("rb") as file:
            counter = mmap.mmap(file.fileno(), 8, prot=mmap.PROT_READ)
        people = [f"person-{number}" for number in range(MANY + 1)]
        for person in people:
            server.app("user.upsert", id=person, nickname=person)
        server.app("channel.create", id="harbour", name="Harbour", user_ids=people)
        async with contextlib.AsyncExitStack() as stack:
            async def enter(person: str) -> Wire:
                wire = await stack.enter_async_context(Wire(server))
                await wire.connect(person)
                return wire

            crowd = [await enter(person) for person in people[:FEW]]
            few = await per_message(counter, crowd)
            crowd += [await enter(person) for person in people[FEW:MANY]]
            many = await per_message(counter, crowd)
    finally:
        server.terminate()
    delivery = (many - few) / (MANY - FEW)
    return {"message": few - delivery * FEW, "delivery": delivery}


async def per_message(counter: mmap.mmap, crowd: list[Wire]) -> float:
    """Sends messages one at a time, each once all listeners have received the previous one.

    Returns the median, because the server's timers allocate during some messages.
    """
    async def send(count: int) -> list[int]:
        counts = []
        for _ in range(count):
            due = [len(wire.heard("harbour")) + 1 for wire in crowd]
            before = int.from_bytes(counter[:8], sys.byteorder)
            await crowd[0].rpc("message.send", {"channel_id": "harbour", "text": "x" * 300})
            for wire, heard in zip(crowd, due):
                await wire.until(lambda: len(wire.heard("harbour")) >= heard, "the message")
            counts.append(int.from_bytes(counter[:8], sys.byteorder) - before)
        return counts

    await send(MESSAGES // 2)
    return statistics.median(await send(MESSAGES))


def check(counted: dict[str, float], expected: dict[str, float], tolerance: float):
    """`tolerance` is relative; if almost no allocations are expected, half an allocation is tolerated."""
    assert counted.keys() == expected.keys(), f"what is counted is not what {ALLOCATIONS / 'expected.json'} names"
    wrong = {
        name: f"{counted[name]:.2f} instead of {expected[name]:.2f}" for name in counted
        if abs(counted[name] - expected[name]) > max(0.5, tolerance * expected[name])
    }
    assert not wrong, f"allocations of one unit are other than in {ALLOCATIONS / 'expected.json'}: {wrong}"


@pytest.fixture
def expected() -> dict:
    return json.loads((ALLOCATIONS / "expected.json").read_text())[binaries().name]


def test_each_operation_makes_the_recorded_number_of_allocations(tmp_path, expected):
    check(of_workloads(tmp_path), expected["workloads"], 0.02)


async def test_a_message_and_a_delivery_make_the_recorded_number_of_allocations(tmp_path, expected):
    check(await of_server(tmp_path), expected["server"], 0.15)


if __name__ == "__main__":
    import tempfile

    os.environ["BELFRY_BIN"] = sys.argv[1] + "/belfry"
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        print(json.dumps({"server": asyncio.run(of_server(folder)), "workloads": of_workloads(folder)}, indent=2))
