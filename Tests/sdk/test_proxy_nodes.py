"""The real haproxy and nginx in front of two servers: what happens to clients when one of the nodes fails. The servers
do not share their data."""

import asyncio
import re
import time

import documents
import pytest
from belfry import DEADLINE, Server
from clients import Person
from fronts import DEPLOY, HaproxyNodes, NginxNodes
from tls import Certificate

pytestmark = pytest.mark.needs("nginx", "haproxy")

SETTINGS = {"BELFRY_SERVER_TRUSTED_PROXIES": "127.0.0.1"}
PROXY_PROTOCOL = {**SETTINGS, "BELFRY_SERVER_PROXY_PROTOCOL": "true"}


class Node:
    """A relay to a server that can report that the node is not ready."""

    def __init__(self, server: Server):
        self.server = server
        self.is_ready = True
        self.clients: set[asyncio.StreamWriter] = set()

    async def __aenter__(self):
        self.listener = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self.listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        await self.kill()

    async def kill(self):
        """As when the machine's process dies: connections are reset and new ones refused."""
        self.listener.close()
        for writer in self.clients:
            writer.transport.abort()

    async def _accept(self, reader, writer):
        first = await reader.read(65_536)
        # The PROXY header and the request arrive in one or two pieces.
        while first and b"\r\n\r\n" not in first.replace(b"\r\n\r\n\0\r\nQUIT\n", b""):
            piece = await reader.read(65_536)
            if not piece:
                break
            first += piece
        if b"GET /readyz" in first and not self.is_ready:
            writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return writer.close()
        if is_client := b"/connection/websocket" in first:
            self.clients.add(writer)
        far_reader, far_writer = await asyncio.open_connection(self.server.host, self.server.port)
        far_writer.write(first)
        await asyncio.gather(self._copy(reader, far_writer), self._copy(far_reader, writer))
        if is_client:
            self.clients.discard(writer)

    async def _copy(self, reader, writer):
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()


class Nodes:
    """Two nodes and the proxy in front of them."""

    def __init__(self, folder, kind, settings):
        folders = [folder / name for name in ("one", "two")]
        for each in folders:
            each.mkdir()
        self.servers = [Server(each, settings) for each in folders]
        self.folder, self.kind = folder, kind

    async def __aenter__(self):
        self.nodes = [await Node(server).__aenter__() for server in self.servers]
        self.front = self.kind(self.folder / "front", self.nodes, Certificate(self.folder / "tls"))
        await asyncio.to_thread(self.front.__enter__)
        # People fetch them when they first need them, which would stop the relays on this loop.
        await asyncio.to_thread(documents.of, self.front)
        return self

    async def __aexit__(self, *_):
        await asyncio.to_thread(self.front.__exit__)
        for node in self.nodes:
            await node.kill()
        for server in self.servers:
            assert await asyncio.to_thread(server.terminate) == 0

    async def until(self, condition, what: str):
        deadline = time.monotonic() + DEADLINE
        while not await asyncio.to_thread(condition):
            assert time.monotonic() < deadline, what
            await asyncio.sleep(0.02)

    def counts(self) -> list[int]:
        return [len(node.clients) for node in self.nodes]


@pytest.mark.parametrize("kind, settings", [
    pytest.param(HaproxyNodes, PROXY_PROTOCOL, id="haproxy"), pytest.param(NginxNodes, SETTINGS, id="nginx")])
async def test_clients_of_a_node_that_dies_continue_at_the_other_one(kind, settings, tmp_path, name):
    async with Nodes(tmp_path, kind, settings) as nodes:
        people = [Person(nodes.front, name("ann")) for _ in range(4)]
        for person in people:
            await person.__aenter__()
        assert nodes.counts() == [2, 2]
        await nodes.nodes[0].kill()
        await nodes.until(lambda: nodes.counts()[1] == 4, "all are at the other node")
        general = name("general")
        interrupted = [person for person in people if person.interruptions]
        assert len(interrupted) == 2
        for person in interrupted:
            await person.client.ready(DEADLINE)
        await people[0].rpc("channel.create", id=general, user_ids=[person.user for person in people[1:]])
        for person in people:
            await person.hears_room("in", general)
        await people[0].say(general, "still here")
        for person in people:
            await person.hears(general, "message.new", "still here")
            assert person.ended is None
            await person.__aexit__()


async def test_a_node_that_is_not_ready_gets_no_new_clients_and_keeps_those_that_it_has(tmp_path, name):
    async with Nodes(tmp_path, HaproxyNodes, PROXY_PROTOCOL) as nodes:
        people = [Person(nodes.front, name("ann")) for _ in range(6)]
        for person in people[:2]:
            await person.__aenter__()
        assert nodes.counts() == [1, 1]
        nodes.nodes[0].is_ready = False
        await nodes.until(lambda: nodes.front.states()["one"] == "DOWN", "haproxy has noticed")
        for person in people[2:5]:
            await person.__aenter__()
        assert nodes.counts() == [1, 4]
        assert not any(person.interruptions for person in people)
        nodes.nodes[0].is_ready = True
        await nodes.until(lambda: nodes.front.states()["one"].startswith("UP"), "haproxy has noticed")
        # The first clients leave. A node without clients has the fewest, although its weight grows only slowly.
        for person in people[:2]:
            await person.__aexit__()
        await nodes.until(lambda: nodes.counts() == [0, 3], "two have left")
        await people[5].__aenter__()
        assert nodes.counts()[0] == 1
        for person in people[2:]:
            await person.__aexit__()


async def test_new_clients_are_refused_only_when_no_node_is_ready(tmp_path, name):
    async with Nodes(tmp_path, HaproxyNodes, PROXY_PROTOCOL) as nodes:
        for node in nodes.nodes:
            node.is_ready = False
        await nodes.until(lambda: set(nodes.front.states().values()) == {"DOWN"}, "haproxy has noticed")
        assert (await asyncio.to_thread(nodes.front.request, "GET", "/"))[0] == 503
        nodes.nodes[1].is_ready = True
        await nodes.until(lambda: nodes.front.states()["two"].startswith("UP"), "haproxy has noticed")
        async with Person(nodes.front, name("ann")):
            assert nodes.counts() == [0, 1]


def test_both_configurations_of_haproxy_agree_except_for_the_nodes():
    """A change of one file's frontend or timeouts belongs in the other one, too."""
    one, several = ((DEPLOY / f"haproxy/{file}.cfg").read_text() for file in ("belfry", "belfry-nodes"))

    def settings(text: str, section: str) -> list[str]:
        body = re.search(rf"^{section}.*\n((?: .*\n)+)", text, re.MULTILINE)[1]
        return [line.strip() for line in body.splitlines() if not line.strip().startswith("#")]

    for section in ("frontend belfry_http ", "frontend belfry_https"):
        assert settings(one, section) == settings(several, section)
    common = [line for line in settings(one, "defaults") if not line.startswith("timeout connect")]
    assert set(common) <= set(settings(several, "defaults"))
