"""Two users with their own channel, in a separate process. They send at a fixed rate and measure latency from the time
each message was due, so that a stalled server cannot hide its own delay.

Reads `phase NAME` and `end` from standard input, and answers each with one line of JSON about the phase that ended.
"""

import asyncio
import collections
import json
import sys
import time

from wires import Wire, code_of, wait_of

EVERY = 0.04
# Seconds to wait for late replies after a phase.
STRAGGLERS = 20


class Address:
    def __init__(self, host, port):
        self.host, self.port = host, port


class Phase:
    def __init__(self, name):
        self.name, self.begun = name, time.monotonic()
        self.latencies: list[float] = []
        # The due time of each unanswered message.
        self.pending: dict[asyncio.Task, float] = {}
        self.errors = collections.Counter()
        self.heard = 0

    def report(self) -> dict:
        waiting = [time.monotonic() - due for task, due in self.pending.items() if not task.done()]
        unanswered = len(waiting)
        # An unanswered message has already waited this long.
        figures = sorted(self.latencies + waiting)

        def rank(share):
            return round(1_000 * figures[min(len(figures) - 1, int(share * len(figures)))], 2) if figures else None

        return {
            "phase": self.name, "seconds": round(time.monotonic() - self.begun, 1), "answered": len(self.latencies),
            "p50": rank(0.5), "p90": rank(0.9), "p99": rank(0.99), "max": rank(1), "heard": self.heard,
            "errors": dict(self.errors), "unanswered": unanswered}


class Couple:
    def __init__(self, door, channel, tokens):
        self.door, self.channel, self.tokens = door, channel, tokens
        self.phase = Phase("begin")
        self.is_over = False

    def hears(self, line, size):
        self.phase.heard += 1

    async def connect(self, token):
        while True:
            try:
                wire = await Wire.open(self.door)
                wire.on_push = self.hears
                line = await wire.connect(token)
                if line and code_of(line) is None:
                    return wire
                self.phase.errors[f"connect {code_of(line) or wire.close_code}"] += 1
                await asyncio.sleep(min(1, wait_of(line)))
            except OSError as error:
                self.phase.errors[type(error).__name__] += 1
                await asyncio.sleep(0.2)

    async def write(self, token, offset):
        wire = await self.connect(token)
        due = time.monotonic() + offset
        while not self.is_over:
            await asyncio.sleep(max(0, due - time.monotonic()))
            if not wire.is_open:
                self.phase.errors[f"closed {wire.close_code}"] += 1
                wire = await self.connect(token)
                due = max(due, time.monotonic() - 5)
            task = asyncio.create_task(self.say(wire, due, self.phase))
            pending = self.phase.pending
            pending[task] = due
            task.add_done_callback(lambda task, pending=pending: pending.pop(task, None))
            due += EVERY
        await wire.close()

    async def say(self, wire, due, phase):
        future = await wire.rpc("message.send", json.dumps({"channel_id": self.channel, "text": "good morning"}))
        line = await future
        if line is None:
            phase.errors["lost"] += 1
        elif (code := code_of(line)) is not None:
            phase.errors[str(code)] += 1
        else:
            phase.latencies.append(time.monotonic() - due)


async def main():
    host, port, channel, *tokens = sys.argv[1:]
    couple = Couple(Address(host, int(port)), channel, tokens)
    writers = [asyncio.create_task(couple.write(token, EVERY * place / len(tokens))) for place, token in enumerate(tokens)]
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        words = line.decode().split()
        former, couple.phase = couple.phase, Phase(words[1] if len(words) > 1 else "")
        if former.pending:
            await asyncio.wait(list(former.pending), timeout=STRAGGLERS)
        print(json.dumps(former.report()), flush=True)
        if words[0] == "end":
            break
    couple.is_over = True
    for writer in writers:
        writer.cancel()


asyncio.run(main())
