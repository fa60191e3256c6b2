"""The server under attack: the real binary with default settings. Measures its memory, disk use and start time."""

import asyncio
import http.client
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "sdk"))

from belfry import API_KEY, SECRET, token  # noqa: E402
from wires import Http, Tally, wait_of  # noqa: E402

MIB = 1 << 20


class Victim:
    def __init__(self, binary: str, folder: pathlib.Path, settings: dict | None = None, patience: float = 180):
        self.binary, self.folder, self.settings, self.patience = binary, folder, settings or {}, patience
        self.data, self.log = folder / "data", folder / "log"
        self.process = None
        self.host, self.port = "127.0.0.1", 0
        self._tokens: dict[str, str] = {}

    def start(self) -> float | None:
        """Returns the seconds until `/readyz` answers 200, or None when the process exits or times out."""
        begun = time.monotonic()
        environment = {
            "BELFRY_TOKEN_SECRET": SECRET, "BELFRY_API_KEY": API_KEY, "PATH": os.environ["PATH"],
            "SWIFT_BACKTRACE": "enable=no", **self.settings}
        self.process = subprocess.Popen(
            [self.binary, "serve", "--port", "0", "--data", str(self.data)], env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log.open("ab"))
        readable, _, _ = select.select([self.process.stdout], [], [], self.patience)
        line = self.process.stdout.readline() if readable else b""
        if not line:
            self.kill()
            return None
        hello = json.loads(line)
        self.host, self.port, self.pid = hello["listening"]["host"], hello["listening"]["port"], hello["pid"]
        while time.monotonic() < begun + self.patience:
            try:
                connection = http.client.HTTPConnection(self.host, self.port, timeout=self.patience)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return time.monotonic() - begun
            except OSError:
                if self.process.poll() is not None:
                    return None
            finally:
                connection.close()
            time.sleep(0.005)
        return None

    def stop(self) -> float | None:
        """Sends SIGTERM. Returns the seconds until the process exits, or None when it had to be killed."""
        begun = time.monotonic()
        if self.is_alive:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(self.patience)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        return time.monotonic() - begun

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def token(self, user: str) -> str:
        if user not in self._tokens:
            self._tokens[user] = token(user, expires_in=86_400)
        return self._tokens[user]

    def memory(self) -> tuple[int, int]:
        """Returns the resident memory and its peak, in bytes."""
        try:
            status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
            return tuple(1_024 * int(re.search(rf"{name}:\s+(\d+)", status)[1]) for name in ("VmRSS", "VmHWM"))
        except (OSError, TypeError):
            return 0, 0

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def disk(self) -> int:
        """Returns the disk usage of the data folder, in bytes."""
        total = 0
        for folder, _, files in os.walk(self.data):
            for name in files:
                try:
                    total += os.stat(os.path.join(folder, name)).st_blocks * 512
                except OSError:
                    pass
        return total

    def metric(self, name: str, label: str = "") -> float:
        """Returns the sum of the series with this name, or of those with a label such as `reason="full"`."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=self.patience)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if re.match(name + r"[ {]", line) and label in line)

    def data_tool(self, *arguments: str) -> tuple[int, str]:
        """Runs `belfry data …` on the folder of the stopped server."""
        done = subprocess.run(
            [self.binary, "data", arguments[0], str(self.data), *arguments[1:]], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, env={"PATH": os.environ["PATH"], "SWIFT_BACKTRACE": "enable=no"}, timeout=1_200)
        return done.returncode, done.stdout + done.stderr


class Watchdog:
    """Samples memory and disk use, and kills a server that would exhaust the machine."""

    def __init__(self, victim: Victim, memory_cap: int, disk_cap: int):
        self.victim, self.memory_cap, self.disk_cap = victim, memory_cap, disk_cap
        self.peak = 0
        self.why: str | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._disk = victim.disk()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _look(self):
        turn = 0
        while not self._over.wait(0.1):
            turn += 1
            self.peak = max(self.peak, self.victim.memory()[0])
            if self.peak > self.memory_cap:
                self.why = f"stopped at {self.peak / MIB:.0f} MiB of memory"
            elif turn % 20 == 0 and (grown := self.victim.disk() - self._disk) > self.disk_cap:
                self.why = f"stopped at {grown / MIB:.0f} MiB of disk"
            if self.why:
                self.victim.process.kill()
                return


class Backend:
    """The app's backend, which builds the legal starting state of an attack with the server key."""

    def __init__(self, victim: Victim, connections: int = 48):
        self.victim, self.count = victim, connections

    async def __aenter__(self):
        self.wires = [await Http.open(self.victim, keeps=True) for _ in range(self.count)]
        return self

    async def __aexit__(self, *_):
        for wire in self.wires:
            await wire.close()

    async def one(self, command: str, /, **data) -> dict:
        return (await self.many([(command, data)]))[0]

    async def many(self, commands, allowed: tuple[int, ...] = ()) -> list[dict]:
        """Returns results in the order of the commands. Each must succeed or be refused with an allowed code."""
        commands = commands if isinstance(commands, list) else list(commands)
        results: list[dict] = [{}] * len(commands)
        rest = iter(enumerate(commands))

        async def work(wire):
            for place, (command, data) in rest:
                request = json.dumps(data).encode()
                for _ in range(200):
                    status, body = await wire.request("POST", "/v1/" + command, request, X_API_Key=API_KEY)
                    result = json.loads(body) if body else {}
                    # The user the backend acts for may be out of budget.
                    if status != 429:
                        break
                    await asyncio.sleep(min(5, wait_of(body)))
                if status != 200 and result.get("error", {}).get("code") not in allowed:
                    raise AssertionError(f"{command} {str(data)[:200]}: {status} {result}")
                results[place] = result

        await asyncio.gather(*(work(wire) for wire in self.wires[: max(1, min(self.count, len(commands)))]))
        return results

    async def users(self, ids):
        ids = list(ids)
        await self.many([("user.upsert_many", {"users": [{"id": id} for id in ids[start : start + 100]]})
                         for start in range(0, len(ids), 100)])

    async def members(self, channel: str, ids):
        ids = list(ids)
        await self.many([("member.add", {"channel_id": channel, "user_ids": ids[start : start + 250]})
                         for start in range(0, len(ids), 250)])

    async def messages(self, channel: str, user: str, count: int, text: str, **fields) -> list[str]:
        """Sends `count` messages; returns their ids, oldest first."""
        made = await self.many([("message.send", {"channel_id": channel, "as_user_id": user, "text": text, **fields})
                                for _ in range(count)])
        return sorted(result["message"]["id"] for result in made)


def run(coroutine):
    return asyncio.run(coroutine)


__all__ = ["API_KEY", "MIB", "Backend", "Tally", "Victim", "Watchdog", "run", "token"]
