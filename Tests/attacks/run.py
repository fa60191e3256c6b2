"""Runs attacks against a server with default settings and reports the effect of each.

    .build/venv/bin/python Tests/attacks/run.py BINARY [--only NAME …] [--seconds N] [--json FILE] [--full] [--scale S]

Prints a Markdown table. Latencies are reported in milliseconds; pass and fail depend on facts and proportions only.
"""

import argparse
import asyncio
import json
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from assault import MEMORY, Attack  # noqa: E402
from further import FURTHER  # noqa: E402
from listed import LISTED  # noqa: E402
from uncounted import UNCOUNTED  # noqa: E402
from victim import MIB, Backend, Victim, Watchdog  # noqa: E402
from wires import Tally  # noqa: E402

PEACE = "peace"
COUPLE = ("ann", "ben")
# Latencies from this value on, in milliseconds, are printed in bold. This is meaningful only on an idle machine.
P99 = 100


class Bystanders:
    """Controls the process of the two bystanders."""

    def __init__(self, victim: Victim):
        here = pathlib.Path(__file__).parent
        self.process = subprocess.Popen(
            [sys.executable, str(here / "bystander.py"), victim.host, str(victim.port), PEACE,
             *(victim.token(user) for user in COUPLE)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    async def phase(self, name: str) -> dict:
        """Starts a phase and returns the figures of the previous one."""
        return await asyncio.to_thread(self._say, f"phase {name}")

    async def end(self) -> dict:
        return await asyncio.to_thread(self._say, "end")

    def _say(self, line: str) -> dict:
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            return {}

    def kill(self):
        self.process.kill()
        self.process.wait()


async def carry_out(
    attack: Attack, binary: str, folder: pathlib.Path, seconds: float, quiet: float = 3, restarts: bool = True,
    memory_cap: int = 6 << 30, disk_cap: int = 12 << 30,
) -> dict:
    """Runs one attack and returns its results; `problems` is empty if the server withstood it.

    Without `restarts` it skips the timed restarts and checks the running server and its data folder only."""
    victim = Victim(binary, folder, attack.settings)
    result = {"name": attack.name, "title": attack.title, "seconds": seconds}
    tally = Tally()
    bystanders = None
    try:
        assert victim.start() is not None, "the server does not start: " + victim.log.read_text()[-500:]
        begun = time.monotonic()
        async with Backend(victim) as backend:
            await backend.users(COUPLE)
            await backend.one("channel.create", id=PEACE, as_user_id=COUPLE[0], user_ids=[COUPLE[1]])
            await attack.prepare(victim, backend)
        result["prepared in"] = round(time.monotonic() - begun, 1)
        if restarts:
            victim.stop()
            result["start before"] = victim.start()
            assert victim.is_alive, "the server does not start on the legal state"
        bystanders = Bystanders(victim)
        await bystanders.phase("warm-up")
        await asyncio.sleep(min(1, quiet))
        await bystanders.phase("quiet")
        await asyncio.sleep(quiet)
        result["quiet"] = await bystanders.phase("attack")
        victim.forget_peak()
        rss, _ = victim.memory()
        disk = victim.disk()
        with Watchdog(victim, memory_cap, disk_cap) as watchdog:
            # Bounds an attack that never gets its replies.
            try:
                async with asyncio.timeout(seconds * 2 + 60):
                    await attack.assault(victim, seconds, tally)
            except TimeoutError:
                attack.problems.append("the attackers got no answers any more")
            except (OSError, AssertionError, KeyError, TypeError, json.JSONDecodeError) as error:
                attack.facts["attacker"] = f"{type(error).__name__}: {error}"[:200]
            result["attack"] = await bystanders.phase("after")
            if watchdog.why:
                result["stopped"] = watchdog.why
        after, peak = victim.memory() if victim.is_alive else (watchdog.peak, watchdog.peak)
        peak = max(peak, watchdog.peak)
        result |= {
            "rss before": rss, "growth at peak": peak - rss, "growth after": after - rss,
            "disk growth": victim.disk() - disk, "largest answer": tally.largest, "answer bytes": tally.bytes,
            "sent": tally.sent, "answered": tally.answered, "refused": {str(k): v for k, v in tally.refused.items()},
            "closed": {f"closed {k}": v for k, v in tally.closed.items() if v}, "connects": tally.connects}
        if victim.is_alive:
            await asyncio.sleep(min(2, seconds / 4))
            try:
                async with asyncio.timeout(120), Backend(victim, 8) as backend:
                    await attack.judge(victim, backend)
            except (OSError, TimeoutError, AssertionError, KeyError, json.JSONDecodeError) as error:
                attack.problems.append(f"afterwards: {type(error).__name__} {error}"[:300])
        result["after"] = await bystanders.end()
        bystanders.kill()
        crashed = not victim.is_alive
        if crashed and "stopped" not in result:
            attack.problems.append(f"the server is gone: {victim.process.poll()} {victim.log.read_text()[-300:]}")
        if restarts and not crashed:
            result["stop"] = victim.stop()
            await attack.judge_folder(victim)
            result["start after SIGTERM"] = victim.start()
            victim.kill()
            result["start after SIGKILL"] = victim.start()
        elif restarts:
            result["start after SIGKILL"] = victim.start()
        elif not crashed:
            victim.stop()
            await attack.judge_folder(victim)
        if restarts and result["start after SIGKILL"] is None:
            attack.problems.append("the server does not start any more: " + victim.log.read_text()[-300:])
    finally:
        if bystanders:
            bystanders.kill()
        victim.stop() if victim.is_alive else victim.kill()
    weigh(attack, result)
    return result


def weigh(attack: Attack, result: dict):
    """Applies the checks of all attacks: no bystander is refused or unanswered, memory stays within the attackers'
    share, and startup takes about as long as before."""
    problems = attack.problems
    if "stopped" in result:
        problems.append(result["stopped"])
    if result.get("growth at peak", 0) > MEMORY * attack.attackers:
        problems.append(f"memory grew by {result['growth at peak'] / MIB:.0f} MiB")
    for phase in ("attack", "after"):
        found = result.get(phase) or {}
        if found.get("errors") or found.get("unanswered"):
            problems.append(f"bystanders: {found.get('errors')} and {found.get('unanswered')} unanswered ({phase})")
    quiet, under = result.get("quiet") or {}, result.get("attack") or {}
    if under.get("p50") and quiet.get("p50"):
        result["slower at p50"] = round(under["p50"] / quiet["p50"], 1)
        result["slower at p99"] = round(under["p99"] / quiet["p99"], 1)
        if result["slower at p50"] > attack.slower:
            problems.append(f"the median of others is {result['slower at p50']} times what it was")
    before, start = result.get("start before"), result.get("start after SIGTERM")
    if before and start and start > 1 + 4 * before:
        problems.append(f"a start takes {start / before:.0f} times as long as before")
    result |= {"facts": attack.facts, "problems": problems, "passed": not problems}


def shown(seconds) -> str:
    return "**never**" if seconds is None else f"{seconds:.2f}"


def row(result: dict) -> str:
    if "attack" not in result:
        return f"| {result['name']} | {result['title']} | " + " | ".join([""] * 10) + f" | {result.get('error', '')} |"
    quiet, under = result["quiet"] or {}, result["attack"] or {}
    errors = ", ".join(f"{code}: {count}" for code, count in under.get("errors", {}).items())
    if under.get("unanswered"):
        errors += f" unanswered: {under['unanswered']}"
    found = "; ".join([f"{name}: {value}" for name, value in result["facts"].items()] + result["problems"])
    refused = ", ".join(f"{code}: {count}" for code, count in {**result["refused"], **result["closed"]}.items())
    starts = "/".join(shown(result.get(name)) for name in ("start before", "start after SIGTERM", "start after SIGKILL")
                      if name in result)
    cells = [
        result["name"], result["title"], quiet.get("p50"), under.get("p50"),
        f"**{under['p99']}**" if (under.get("p99") or 0) >= P99 else under.get("p99"), under.get("max"), errors,
        f"{result['growth at peak'] / MIB:.0f}", f"{result['disk growth'] / MIB:.0f}",
        f"{result['largest answer'] / MIB:.2f}", f"{result['answered']}/{result['sent']}", refused, starts,
        found.replace("\n", " ").replace("|", "/")]
    return "| " + " | ".join("" if cell is None else str(cell) for cell in cells) + " |"


HEAD = """| attack | | p50 quiet, ms | p50, ms | p99, ms | max, ms | bystanders' errors | memory, MiB | disk, MiB | largest answer, MiB | answered/sent | refused, closed | start before/SIGTERM/SIGKILL, s | found |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--only", action="append", default=[], help="names, or how they begin")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--scale", type=float, help="of the legal state; 1 by default")
    parser.add_argument("--full", action="store_true", help="A1 with all of its 187,000 threads")
    parser.add_argument("--memory-cap", type=int, default=6_144, help="MiB, at which the server is ended")
    parser.add_argument("--folder", type=pathlib.Path, help="where data folders are made")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Do not leave a server behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    kinds = [kind for kind in LISTED + FURTHER + UNCOUNTED
             if not options.only or any(kind.name == name or kind.name.startswith(name) for name in options.only)]
    results = []
    print(HEAD, flush=True)
    if options.markdown:
        with options.markdown.open("a") as file:
            print(HEAD, file=file)
    for kind in kinds:
        attack = kind(options.scale)
        if options.full and kind.name == "A1":
            attack.threads = 187_000
        folder = pathlib.Path(tempfile.mkdtemp(prefix="belfry-attack-", dir=options.folder))
        try:
            result = asyncio.run(carry_out(
                attack, options.binary, folder, options.seconds, memory_cap=options.memory_cap * MIB))
        except Exception as error:
            traceback.print_exc()
            result = {"name": attack.name, "title": attack.title, "error": f"{type(error).__name__}: {error}"[:300],
                      "passed": False}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        results.append(result)
        print(row(result), flush=True)
        if options.markdown:
            with options.markdown.open("a") as file:
                print(row(result), file=file)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    passed = sum(result["passed"] for result in results)
    ratios = [result["slower at p50"] for result in results if "slower at p50" in result]
    quick = sum((result.get("attack") or {}).get("p99") is not None and result["attack"]["p99"] < P99 for result in results)
    print(f"\n{passed} of {len(results)} withstood; bystanders' p99 below {P99} ms in {quick}"
          + (f"; median slowdown {statistics.median(ratios)}" if ratios else ""))
    return 0 if passed == len(results) else 1


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
