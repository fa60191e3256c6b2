"""The programs in the client guides: Python's is run unchanged, and JavaScript's is checked for syntax, as its SDK is
missing; and the bare protocol lines.
"""

import asyncio
import json
import os
import subprocess
import sys

import pytest
import websockets
from articles import CATALOGUE, block
from belfry import DEADLINE, token
from clients import Link, Waiter, Wire
from forms import decode


class Program(Waiter):
    """Runs the guide's program in a separate process; yields the lines it prints."""

    def __init__(self, address: str, channel: str, user: str):
        super().__init__()
        text = block("PythonSDK.md", "import asyncio")
        for there, here in (("ws://127.0.0.1:8080/connection/websocket", address), ('"general"', f'"{channel}"')):
            assert there in text
            text = text.replace(there, here)
        self.text = text
        self.environment = {**os.environ, "TOKEN": token(user)}
        self.lines: list[str] = []

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", self.text, env=self.environment, stdout=asyncio.subprocess.PIPE)
        self.reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_):
        self.process.kill()
        await self.process.wait()
        await self.reader

    async def _read(self):
        async for line in self.process.stdout:
            self.lines.append(line.decode().strip())
            self.arrived()

    async def shows(self, line: str):
        await self.until(lambda: line in self.lines, f"{line} in {self.lines}")


async def test_the_python_program_shows_stored_live_and_missed_messages(server, name):
    ann, bob, general = name("ann"), name("bob"), name("general")
    server.app("user.upsert", id=ann)
    server.app("user.upsert", id=bob)
    server.app("channel.create", id=general, user_ids=[ann, bob])
    first = server.app("message.send", channel_id=general, text="was here before", as_user_id=bob)["message"]["offset"]
    async with Link(server) as link, Program(link.address, general, ann) as program:
        await program.shows(f"{first} {bob} was here before")
        await program.shows(f"{first + 1} {ann} hello from python")
        link.tear()
        server.app("message.send", channel_id=general, text="was missed")
        link.mend()
        await program.shows(f"{first + 2} the app was missed")


async def test_a_client_that_uses_the_wrong_form_learns_the_expected_one(server):
    # {"id": 1, "connect": {"token": "a"}} in both forms, preceded by its length in the Protobuf one.
    cases = {None: b"\x07\x08\x01\x22\x03\x0a\x01a", "centrifuge-protobuf": '{"id":1,"connect":{"token":"a"}}'}
    for offer, message in cases.items():
        async with websockets.connect(server.socket_url, subprotocols=[offer] if offer else None) as socket:
            await socket.send(message)
            await asyncio.wait_for(socket.wait_closed(), DEADLINE)
        assert socket.close_code == 1003
        assert socket.close_reason in " ".join((CATALOGUE / "ClientSDKs.md").read_text().split())


async def test_the_articles_protocol_bytes_are_exchanged_as_shown(server, name):
    lines = block("ClientProtocol.md", "04 08").split("\n")
    assert [line[-1] for line in lines] == ["→", "←"]
    (there, back) = (bytes.fromhex(line[:-1]) for line in lines)
    async with Wire(server, "protobuf") as wire:
        await wire.connect(name("ann"))
        heard = wire.replies
        heard.clear()
        await wire.send(there)
        await wire.until(lambda: 1 in heard, "an answer")
        assert heard[1] == decode(back, "protobuf")[0]


@pytest.mark.needs("node")
def test_the_javascript_program_is_syntactically_valid(tmp_path):
    path = tmp_path / "client.mjs"
    path.write_text(block("JavaScriptSDK.md", "import { Centrifuge"))
    subprocess.run(["node", "--check", path], check=True, timeout=DEADLINE)


def is_like(shown, came, key: str = "") -> bool:
    """Returns whether the result has all documented fields of the same type; protocol numbers and event types must be
    equal."""
    if isinstance(shown, dict):
        return isinstance(came, dict) and all(
            name in came and is_like(value, came[name], name) for name, value in shown.items())
    if isinstance(shown, list):
        return isinstance(came, list) and len(came) == len(shown) and all(map(is_like, shown, came))
    told = key in ("type", "text", "message") if isinstance(shown, str) else key in ("id", "offset", "code", "recovered")
    return shown == came if told else type(shown) is type(came)


async def test_the_articles_protocol_lines_are_exchanged_as_shown(server, name):
    ann, general = name("ann"), name("general")
    assert server.post("channel.create", {"id": general}, user=ann)[0] == 200
    names = {'"general"': f'"{general}"', '"ann"': f'"{ann}"', "#ann": f"#{ann}", "TOKEN": token(ann)}
    socket, came = None, []
    try:
        for line in filter(None, block("ClientProtocol.md", "→").split("\n")):
            way, text = line.split(" ", 1)
            for there, here in names.items():
                text = text.replace(there, here)
            line = json.loads(text)
            if way == "→":
                if "connect" in line:
                    if socket:
                        names["EPOCH"] = came[0]["connect"]["subs"][general]["epoch"]
                        line = json.loads(text.replace("EPOCH", names["EPOCH"]))
                        await socket.close()
                    socket, came = await websockets.connect(server.socket_url), []
                await socket.send(json.dumps(line))
            else:
                assert way == "←"
                try:
                    async with asyncio.timeout(DEADLINE):
                        while not any(is_like(line, one) for one in came):
                            came += map(json.loads, (await socket.recv()).split("\n"))
                except TimeoutError:
                    raise AssertionError(f"{line} is not in {came}") from None
    finally:
        if socket:
            await socket.close()
