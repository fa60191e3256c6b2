"""Attacks with thousands of connections, unauthenticated ones, and concurrent recoveries.

See also test_limits.py for limits per user, per address and for unauthenticated clients, test_recovery.py for every
recovery position, and test_tls_bad_peers.py for resets and endless TLS handshakes.
"""

import asyncio
import contextlib
import json
import signal
import socket
import subprocess
import sys
import textwrap

import pytest
from attacks import SCALE, Peer, frame, until, upgrade
from belfry import DEADLINE, Server, token
from clients import Wire
from test_recovery import fill, position


@pytest.fixture
def serve(tmp_path):
    """`serve(connect_ms=500)`: a server with special connection settings, optionally `under` a command."""
    servers = []

    def start(under: tuple[str, ...] = (), **settings) -> Server:
        settings = {"BELFRY_CONNECTIONS_" + key.upper(): str(value) for key, value in settings.items()}
        servers.append(Server(tmp_path, settings, under))
        return servers[-1]

    yield start
    for server in servers:
        assert server.terminate() == 0


@contextlib.asynccontextmanager
async def sockets(server: Server, count: int, word: bytes = b""):
    """Returns this many connections, each of which has sent these bytes."""
    loop = asyncio.get_running_loop()
    made = []
    try:
        for _ in range(count):
            made.append(socket.socket())
            made[-1].setblocking(False)
            await loop.sock_connect(made[-1], (server.host, server.port))
            await loop.sock_sendall(made[-1], word)
        yield made
    finally:
        for one in made:
            one.close()


async def ends(one: socket.socket) -> bytes:
    """Returns everything until the connection ends."""
    loop, data = asyncio.get_running_loop(), b""
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(3 * DEADLINE):
            while more := await loop.sock_recv(one, 4_096):
                data += more
    return data


async def test_thousands_of_connections_that_never_authenticate_are_closed(serve, attack):
    """Opens 2,000 connections, or 18,000 with `BELFRY_ATTACK_SCALE=9`, limited by the descriptors of one process. For
    clients that never upgrade, see test_attacks_http.py."""
    count = 2_000 * SCALE
    # The timeout is long enough for all of them to be connected at the same time.
    server = serve(connect_ms=1_000 * SCALE, per_address=100_000, unauthenticated=100_000)
    async with attack(f"connections: {count} never authenticated", server, growth_kib=32 * count):
        async with sockets(server, count, upgrade()) as made:
            heard = await asyncio.gather(*map(ends, made))
            assert {data.split(b"\r\n\r\n", 1)[0][:12] for data in heard} == {b"HTTP/1.1 101"}
            # 3502 stale: reconnect and authenticate.
            assert {int.from_bytes(data.split(b"\r\n\r\n", 1)[1][2:4]) for data in heard} == {3502}
        await until(lambda: server.metric("belfry_connections") <= 2, "they are gone")


async def test_without_free_descriptors_new_connections_wait_and_existing_ones_continue(serve, attack):
    """256 descriptors are reserved for files, so of 300 some 40 remain for clients."""
    server = serve(under=("prlimit", "--nofile=300:300"))
    async with attack("connections: no descriptors left", server):
        async with sockets(server, 300) as made:
            heard = [asyncio.create_task(ends(one)) for one in made]
            await until(lambda: sum(task.done() for task in heard) >= 250, "those who find no room are turned away")
            assert {task.result() for task in heard if task.done()} == {b""}
            for task in heard:
                task.cancel()
        # Once these are gone, more than one new connection fits again.
        async def enters() -> bool:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                async with Peer(server) as peer:
                    await peer.send(b"GET /livez HTTP/1.1\r\nHost: belfry\r\n\r\n")
                    return await peer.answer() == (200, b"alive\n")
            return False

        async with asyncio.timeout(DEADLINE):
            while not await enters():
                await asyncio.sleep(0.05)
        for _ in range(30):
            assert await enters()


async def test_two_concurrent_recoveries_of_one_session_are_both_complete(target, attack, name):
    ann, general = name("ann"), name("general")
    top = fill(target, general, ann, 30)
    _, epoch = await position(target, ann, general)
    wanted = {general: {"recover": True, "offset": top - 20, "epoch": epoch}}
    async with attack("connections: a session recovered by 20 at once"), contextlib.AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(Wire(target)) for _ in range(20)]
        replies = await asyncio.gather(*(wire.connect(ann, subs=wanted) for wire in wires))
        for reply in replies:
            sub = reply["subs"][general]
            assert sub["recovered"]
            assert [publication["offset"] for publication in sub["publications"]] == list(range(top - 19, top + 1))
        # Each connection works independently and receives each event once.
        target.app("message.send", channel_id=general, text="to all", as_user_id=ann)
        for wire in wires:
            await wire.hears(general, "to all")
        assert all(len(wire.heard(general)) == 1 for wire in wires)


async def test_recovery_from_hostile_positions_is_exact_or_refused(target, attack, name):
    ann, general = name("ann"), name("general")
    top = fill(target, general, ann, 60)
    _, epoch = await position(target, ann, general)
    async with attack("connections: recovery at every edge"):
        for offset, count in ((top - 51, None), (top - 50, 50), (top - 49, 49), (top - 1, 1), (top, 0), (top + 1, None),
                              (0, None), (2**63 - 1, None), (2**63, None), (2**64 - 1, None)):
            async with Wire(target) as wire:
                sub = (await wire.connect(ann, subs={general: {"recover": True, "offset": offset, "epoch": epoch}}))[
                    "subs"][general]
                assert sub.get("recovered", False) == (count is not None), offset
                assert len(sub.get("publications", [])) == (count or 0), offset
        # Beyond 64 bits or not a number, so not a position.
        for offset in ("18446744073709551616", "-1", "1.5", "1e400", '"7"', "null", "[7]"):
            async with Peer(target) as peer:
                await peer.upgraded()
                await peer.send(frame(0x81, (
                    '{"id":1,"connect":{"token":"%s","subs":{"%s":{"recover":true,"offset":%s,"epoch":"%s"}}}}'
                    % (token(ann), general, offset, epoch)).encode()))
                first, payload = await peer.frame()
                if offset == "null":
                    # The offset is treated as absent, which means 0.
                    assert first == 0x81 and b'"connect"' in payload
                else:
                    assert first == 0x88 and int.from_bytes(payload[:2]) == 3501, (offset, payload)


CROWD = textwrap.dedent("""
    import json, socket, sys
    host, port, count, request, tokens = json.loads(sys.stdin.readline())
    crowd = []
    for index in range(count):
        one = socket.create_connection((host, port))
        one.sendall(request.encode())
        got = b""
        while not got.endswith(b"\\r\\n\\r\\n"):
            got += one.recv(1)
        connect = json.dumps({"id": 1, "connect": {"token": tokens[index]}}).encode()
        one.sendall(bytes([0x81, 0xFE]) + len(connect).to_bytes(2) + bytes(4) + connect)
        assert one.recv(1) == b"\\x81"
        crowd.append(one)
    print("inside", flush=True)
    sys.stdin.read()
""")


async def test_hundreds_of_clients_that_lost_network_access_are_detected_by_missed_pongs(serve, attack, name):
    """The clients' process is stopped. Its kernel still accepts data, but nothing answers, closes or resets the
    connections."""
    count = 200 * SCALE
    server = serve(ping_ms=1_000, pong_ms=1_000)
    users = [name(f"crowd{index}") for index in range(count)]
    # Presence is visible in channels of up to a hundred members.
    seen = users[:50]
    watcher, room = name("watcher"), name("crowd")
    for user in (watcher, *seen):
        server.app("user.upsert", id=user)
    server.app("channel.create", id=room, user_ids=seen, as_user_id=watcher)
    crowd = subprocess.Popen([sys.executable, "-c", CROWD], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        async with attack(f"connections: {count} without a network", server), Wire(server) as wire:
            await wire.connect(watcher)
            hello = [server.host, server.port, count, upgrade().decode(), [token(user) for user in users]]
            crowd.stdin.write(json.dumps(hello).encode() + b"\n")
            crowd.stdin.flush()
            assert await asyncio.to_thread(crowd.stdout.readline) == b"inside\n"
            crowd.send_signal(signal.SIGSTOP)
            await until(lambda: server.metric("belfry_connections") <= 3, "they are closed", 2 * DEADLINE)

            def gone() -> set[str]:
                return {pub["data"]["presence"]["user_id"] for pub in wire.heard(room)
                        if pub["data"]["type"] == "presence.changed" and not pub["data"]["presence"]["online"]}

            await wire.until(lambda: gone() == set(seen), "the watcher sees everyone go")
    finally:
        crowd.kill()
        crowd.wait()
