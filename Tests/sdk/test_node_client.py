"""Debian's `ws` for Node, which has an independent implementation of permessage-deflate."""

import asyncio
import json
import os

import pytest
from belfry import DEADLINE, token
from tls import TLSServer

pytestmark = pytest.mark.needs("node", "/usr/share/nodejs/ws")

LONG = "the meeting is at ten tomorrow, can you send me that file again please? " * 100

# A program that prints the negotiated extension and then each message, and sends the lines of its standard input.
CLIENT = """
const [url, options] = process.argv.slice(1);
const socket = new (require("ws"))(url, { perMessageDeflate: JSON.parse(options) });
const say = (words) => process.stdout.write(JSON.stringify(words) + "\\n");
socket.on("open", () => say({ agreed: socket._extensions["permessage-deflate"]?.params ?? null }));
socket.on("message", (data) => String(data).split("\\n").forEach((line) => process.stdout.write(line + "\\n")));
socket.on("close", (code) => { say({ closed: code }); process.exit(); });
require("readline").createInterface({ input: process.stdin }).on("line", (line) => socket.send(line));
"""


@pytest.fixture(scope="module", params=["ws", "wss"])
def place(request, server, tmp_path_factory):
    """Returns the listener to use, plain or TLS, and the environment in which Node trusts it."""
    if request.param == "ws":
        server.node_environment = {}
        yield server
    else:
        server = TLSServer(tmp_path_factory.mktemp("node"))
        server.node_environment = {"NODE_EXTRA_CA_CERTS": str(server.certificate.path)}
        yield server
        assert server.terminate() == 0


class Node:
    def __init__(self, server, options):
        self.server, self.options = server, options

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            "node", "-e", CLIENT, self.server.socket_url, json.dumps(self.options),
            env={**os.environ, "NODE_PATH": "/usr/share/nodejs", **self.server.node_environment}, limit=1 << 24, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE)
        return self

    async def __aexit__(self, *_):
        self.process.kill()
        await self.process.wait()

    def send(self, **command):
        self.process.stdin.write(json.dumps(command).encode() + b"\n")

    async def until(self, condition) -> dict:
        while True:
            line = await asyncio.wait_for(self.process.stdout.readline(), DEADLINE)
            assert line, "the client ended"
            if condition(message := json.loads(line)):
                return message

    async def reply(self, id: int) -> dict:
        return await self.until(lambda message: message.get("id") == id)


ALONE = {"server_no_context_takeover": True, "client_no_context_takeover": True}
OPTIONS = [
    ({"threshold": 0}, ALONE),
    ({"threshold": 0, "clientMaxWindowBits": 9}, {**ALONE, "client_max_window_bits": 9}),
    ({"serverMaxWindowBits": 12}, {**ALONE, "server_max_window_bits": 12}),
    ({"threshold": 0, "clientNoContextTakeover": True, "serverNoContextTakeover": True, "serverMaxWindowBits": 15},
     {**ALONE, "server_max_window_bits": 12}),
    ({"serverMaxWindowBits": 9}, None),
    (False, None),
]


@pytest.mark.parametrize("options, expected", OPTIONS, ids=lambda value: json.dumps(value))
async def test_a_conversation_works_with_every_negotiated_compression(place, name, options, expected):
    general = name("general")
    async with Node(place, options) as node:
        agreed = (await node.until(lambda message: "agreed" in message))["agreed"]
        assert agreed == expected
        node.send(id=1, connect={"token": token(name("ann"))})
        assert "connect" in await node.reply(1)
        node.send(id=2, rpc={"method": "channel.create", "data": {"id": general}})
        assert "rpc" in await node.reply(2)
        texts = [f"{number} {LONG[:number * 300]}" for number in range(20)]
        for number, text in enumerate(texts):
            node.send(id=10 + number, rpc={"method": "message.send", "data": {"channel_id": general, "text": text}})
        for text in texts:
            await node.until(
                lambda message: message.get("push", {}).get("pub", {}).get("data", {}).get("message", {}).get("text")
                == text)
        node.send(id=99, rpc={"method": "message.list", "data": {
            "channel_id": general, "at": 0, "previous": 0, "next": 20, "inclusive": True}})
        listed = (await node.reply(99))["rpc"]["data"]["messages"]
        assert [message["text"] for message in listed] == texts
