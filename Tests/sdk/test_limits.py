"""The limits for one connection, one user, one address and unauthenticated clients, each with its own error."""

import asyncio
import base64
import contextlib
import http.client
import json
import os
import re
import select
import signal
import socket
import time

import pytest
import websockets
from articles import block
from belfry import API_KEY, DEADLINE, Server, token
from clients import Wire


@pytest.fixture
def serve(tmp_path):
    """A server with special limits: `serve(commands_per_second=5)`."""
    servers = []

    def start(**limits):
        settings = {"BELFRY_CONNECTIONS_" + name.upper(): str(value) for name, value in limits.items()}
        servers.append(Server(tmp_path, settings))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def refused(server: Server, reason: str) -> float:
    return server.metric(r'belfry_connections_refused_total\{reason="' + reason + r'"\}')


def resident(server: Server) -> int:
    """Returns the resident memory in bytes."""
    return 1_024 * int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{server.pid}/status").read())[1])


def raw(server: Server) -> socket.socket:
    return socket.create_connection((server.host, server.port), DEADLINE)


def ends(peer: socket.socket) -> bytes:
    """Returns everything received until the server closes the connection."""
    got = b""
    try:
        while piece := peer.recv(65_536):
            got += piece
    except ConnectionResetError:
        pass
    return got


UPGRADE = (
    "GET /connection/websocket HTTP/1.1\r\nHost: belfry\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode() + "\r\n\r\n"
).encode()


def upgraded(server: Server) -> socket.socket:
    peer = raw(server)
    peer.sendall(UPGRADE)
    got = b""
    while b"\r\n\r\n" not in got:
        got += peer.recv(1)
    assert b" 101 " in got
    return peer


# Commands


async def test_commands_beyond_the_rate_are_refused_with_a_retry_delay(serve, name):
    server = serve(commands_per_second=5, commands_at_once=3)
    async with Wire(server) as wire:
        await wire.connect(name("ann"))
        for _ in range(3):
            assert "rpc" in await wire.rpc("channel.list", {})
        # The first one may have taken so long that another is allowed.
        while "error" not in (reply := await wire.rpc("channel.list", {})):
            pass
        error = reply["error"]
        assert error["code"] == 111 and error["temporary"] and 1 <= error["retry_after_ms"] <= 200
        while "error" in (reply := await wire.rpc("channel.list", {})):
            await asyncio.sleep(reply["error"]["retry_after_ms"] / 1000)
        assert wire.is_open
    assert server.metric("belfry_commands_refused_total") >= 1


def test_the_articles_rate_limit_fields_report_a_users_rate(server, name):
    connection = http.client.HTTPConnection(server.host, server.port, timeout=DEADLINE)
    connection.request("POST", "/v1/channel.list", "{}", {"Authorization": "Bearer " + token(name("ann"))})
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    for line in block("ServerAPI.md", "RateLimit-Policy").split("\n"):
        field, value = line.split(": ", 1)
        assert answer.headers[field] == value


async def test_a_users_connections_and_requests_share_one_rate(serve, name):
    server = serve(user_commands_per_second=1, user_commands_at_once=4)
    ann, bob = name("ann"), name("bob")
    async with Wire(server) as first, Wire(server) as second:
        await first.connect(ann)
        await second.connect(ann)
        for wire in (first, second, first):
            assert "rpc" in await wire.rpc("channel.list", {})
        assert server.post("channel.list", user=ann)[0] == 200
        assert (await second.rpc("channel.list", {}))["error"]["code"] == 111
        connection = http.client.HTTPConnection(server.host, server.port, timeout=DEADLINE)
        connection.request("POST", "/v1/channel.list", "{}", {"Authorization": "Bearer " + token(ann)})
        answer = connection.getresponse()
        assert answer.status == 429 and int(answer.headers["Retry-After"]) >= 1
        assert answer.headers["RateLimit"] == '"user";r=0;t=1'
        assert json.loads(answer.read())["error"]["code"] == 111
        assert server.post("channel.list", user=bob)[0] == 200
        # The app's backend is trusted, even when it acts for ann.
        for _ in range(10):
            assert server.post("channel.list", {"as_user_id": ann}, key=API_KEY)[0] == 200


async def test_a_ping_flood_is_answered_only_up_to_the_limit(serve, name):
    server = serve(commands_per_second=1, commands_at_once=50, refusals_in_a_row=30)
    async with Wire(server) as wire:
        await wire.connect(name("ann"))
        with pytest.raises(websockets.ConnectionClosed):
            for _ in range(100_000):
                await wire.socket.ping()
                await asyncio.sleep(0)
        assert await wire.close_code() == 3509


# Messages


async def test_an_endless_message_closes_its_connection(serve, name):
    server = serve(message_ms=300)
    async with Wire(server) as living:
        await living.connect(name("ann"))
        await living.socket.ping()
        for begun in (
            b"\x81", b"\x81\xfe\x40\x00" + bytes(4), b"\x01\x80" + bytes(4), b"\x01\x81" + bytes(4) + b"x\x89",
        ):
            peer = upgraded(server)
            peer.sendall(begun)
            assert b"\x03\xf0the message took too long" in ends(peer)
        assert await living.call(ping={}) == {"ping": {}}


# Connections


async def test_a_connection_beyond_the_users_limit_is_closed_with_3504(serve, name):
    server = serve(per_user=2)
    ann = name("ann")
    async with Wire(server) as first, Wire(server) as third:
        await first.connect(ann)
        async with Wire(server) as second:
            await second.connect(ann)
            await third.send(json.dumps({"id": 1, "connect": {"token": token(ann)}}))
            assert await third.close_code() == 3504
            async with Wire(server) as bob:
                await bob.connect(name("bob"))
        # A freed place is available again.
        for attempt in range(100):
            async with Wire(server) as fourth:
                await fourth.send(json.dumps({"id": 1, "connect": {"token": token(ann)}}))
                await fourth.until(lambda: fourth.replies or not fourth.is_open, "an answer")
                if fourth.replies:
                    break
        assert fourth.replies[1]["connect"]
        assert await first.call(ping={}) == {"ping": {}}
    assert refused(server, "user") >= 1


def test_an_address_has_a_limited_number_of_connections(serve):
    server = serve(per_address=10)
    inside = [upgraded(server) for _ in range(9)]
    # The tenth connection is for the query.
    with raw(server) as tenth:
        tenth.sendall(b"GET /livez HTTP/1.1\r\nHost: b\r\n\r\n")
        assert b"200" in tenth.recv(1_000)
        turned_away = [raw(server) for _ in range(5)]
        assert [ends(peer) for peer in turned_away] == [b""] * 5
        tenth.sendall(b"GET /metrics HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n")
        assert b'refused_total{reason="address"} 5' in ends(tenth)
    for peer in inside:
        peer.sendall(b"\x89\x80" + bytes(4))
        assert peer.recv(2) == b"\x8a\x00"


async def test_unauthenticated_connections_take_no_place_from_authenticated_ones(serve, name):
    server = serve(unauthenticated=20)
    async with Wire(server) as ann:
        await ann.connect(name("ann"))
        # Several loops accept them, so the order is unknown.
        nameless = [raw(server) for _ in range(50)]
        deadline = time.monotonic() + DEADLINE
        while len(ended := select.select(nameless, [], [], DEADLINE)[0]) < 30:
            assert time.monotonic() < deadline
        assert all(ends(peer) == b"" for peer in ended)
        assert await ann.call(ping={}) == {"ping": {}}
        for peer in nameless:
            peer.close()


def test_unauthenticated_connections_share_one_limit_of_unfinished_bytes(serve):
    server = serve(unauthenticated_bytes=2_000_000, connect_ms=60_000, strangers_at_once=100_000)
    begun = b"\x81\xff" + (500_000).to_bytes(8, "big") + bytes(4)
    before = resident(server)
    peers = [upgraded(server) for _ in range(100)]
    for peer in peers:
        with contextlib.suppress(OSError):
            peer.sendall(begun + b"x" * 400_000)
    deadline = time.monotonic() + DEADLINE
    while refused(server, "unauthenticated_bytes") < 90:
        assert time.monotonic() < deadline
    # All of the bytes would be 40 MB; the allocator keeps some freed memory.
    assert resident(server) - before < 16 * 1_048_576
    for peer in peers:
        peer.close()


# The end


async def test_a_stopping_server_disconnects_its_clients_in_batches(own_server, name):
    """Batches keep clients from all reconnecting elsewhere simultaneously."""
    server = own_server
    peers = [upgraded(server) for _ in range(600)]
    for peer in peers:
        peer.setblocking(False)
    async with Wire(server) as ann:
        await ann.connect(name("ann"))
        server.process.send_signal(signal.SIGTERM)

        def gone() -> int:
            count = 0
            for peer in peers:
                try:
                    count += b"\x0b\xb9" in peer.recv(100, socket.MSG_PEEK)
                except BlockingIOError:
                    pass
            return count

        while not (some := gone()):
            await asyncio.sleep(0)
        assert some < 600, "everyone was told at once"
        while gone() < 600:
            await asyncio.sleep(0.01)
    for peer in peers:
        peer.close()
    assert await asyncio.to_thread(server.process.wait, DEADLINE) == 0


def test_a_second_signal_ends_the_server_immediately(own_server):
    server = own_server
    # A client that does not answer the close would delay shutdown for seconds.
    peers = [upgraded(server) for _ in range(3)]
    server.process.send_signal(signal.SIGTERM)
    for peer in peers:
        assert b"\x0b\xb9" in peer.recv(100)
    assert server.process.poll() is None
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(DEADLINE) == 143
