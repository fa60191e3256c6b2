"""The real nginx and haproxy in front of the real server, with the files in deploy/."""

import asyncio
import json
import re
import shutil

import pytest
import websockets
from belfry import API_KEY, token
from clients import Person
from fronts import DEPLOY, Front, Haproxy, Nginx, NginxStream
from tls import TLSServer

pytestmark = pytest.mark.needs("nginx", "haproxy")

SETTINGS = {"BELFRY_SERVER_TRUSTED_PROXIES": "127.0.0.1", "BELFRY_CONNECTIONS_PER_ADDRESS": "3"}
KINDS = [
    pytest.param((Nginx, SETTINGS), id="nginx"),
    pytest.param((NginxStream, {**SETTINGS, "BELFRY_SERVER_PROXY_PROTOCOL": "true"}), id="nginx-stream"),
    pytest.param((Haproxy, {**SETTINGS, "BELFRY_SERVER_PROXY_PROTOCOL": "true"}), id="haproxy"),
]


def test_the_proxies_are_installed():
    assert shutil.which("nginx") and shutil.which("haproxy")


@pytest.fixture(params=KINDS)
def front(request, tmp_path):
    kind, settings = request.param
    server = TLSServer(tmp_path / "server", settings)
    server.plain_port = server.plain["port"]
    with kind(tmp_path / "front", server, server.certificate) as front:
        yield front
    assert server.terminate() == 0


async def test_users_can_talk_through_the_proxy(front, name):
    """Connects, calls commands, receives live events and calls as the app's backend, all through the proxy."""
    general = name("general")
    async with Person(front, name("ann")) as ann, Person(front, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user])
        await bob.hears_room("in", general)
        await ann.say(general, "through the front")
        event = await bob.hears(general, "message.new", "through the front")
        assert event.data["message"]["user"]["id"] == ann.user
        # Larger than any buffer in between.
        long = "x" * 8_000
        for number in range(20):
            await ann.say(general, f"{number} {long}")
        for number in range(20):
            await bob.hears(general, "message.new", f"{number} {long}")
        body = json.dumps({"channel_id": general, "text": "from the backend", "as_user_id": ann.user})
        status, answer, _ = await asyncio.to_thread(
            front.request, "POST", "/v1/message.send", body,
            **{"X-API-Key": API_KEY, "Content-Type": "application/json"})
        assert status == 200, answer
        await bob.hears(general, "message.new", "from the backend")
        assert not ann.interruptions and not bob.interruptions


async def upgrade(front: Front, source: str, **fields):
    return await websockets.connect(
        front.socket_url, ssl=front.ssl_context, proxy=None, local_addr=(source, 0), additional_headers=fields)


async def test_connections_are_counted_by_the_clients_own_address(front):
    """`connections.per_address` is 3, and is affected neither by the proxy's own address nor by a client's header."""
    inside = [await upgrade(front, "127.0.0.2", **{"X-Forwarded-For": f"192.0.2.{number}"}) for number in range(3)]
    with pytest.raises((websockets.InvalidStatus, websockets.InvalidMessage, OSError)):
        await upgrade(front, "127.0.0.2", **{"X-Forwarded-For": "192.0.2.9"})
    other = [await upgrade(front, "127.0.0.3") for _ in range(3)]
    for socket_ in (*inside, *other):
        await socket_.send(json.dumps({"id": 1, "connect": {"token": token("ann")}}))
        assert json.loads((await socket_.recv()).split("\n")[0])["connect"]
        await socket_.close()


async def test_internal_endpoints_are_not_reachable_through_the_proxy(front):
    if isinstance(front, NginxStream):
        return
    for path in ("/metrics", "/livez", "/readyz"):
        assert (await asyncio.to_thread(front.request, "GET", path))[0] == 404
    status, _, headers = await asyncio.to_thread(
        front.request, "GET", "/page?a=1", tls=False, Host="chat.example.com")
    assert status == 301 and headers["Location"] == "https://chat.example.com/page?a=1"
    # The page is also served.
    assert (await asyncio.to_thread(front.request, "GET", "/"))[0] == 200


async def test_a_stopping_server_disconnects_its_clients_through_the_proxy(front, name):
    async with Person(front, name("ann")) as ann:
        front.server.process.terminate()
        await ann.until(lambda: ann.interruptions, "ann is told")
        assert ann.interruptions[0] == (3001, "shutdown")


def test_an_idle_connection_outlives_the_ping_interval():
    """Checks the timeouts in the files, in seconds: an upgraded connection must outlive the ping interval."""
    texts = {path: (DEPLOY / path).read_text() for path in (
        "nginx/belfry.conf", "nginx/belfry-stream.conf", "haproxy/belfry.cfg")}
    found = {
        path: [int(value) for value in re.findall(
            r"(?:proxy_read_timeout|proxy_send_timeout|proxy_timeout|timeout tunnel|timeout client|timeout server) (\d+)s",
            text)]
        for path, text in texts.items()}
    assert [len(values) for values in found.values()] == [2, 1, 3]
    assert all(value >= 2 * 25 for values in found.values() for value in values), found
