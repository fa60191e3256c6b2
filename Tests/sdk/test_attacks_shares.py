"""Shared resources and the share of one client: memory before authentication, time for a head, open files."""

import contextlib
import socket

from attacks import Peer, until
from belfry import DEADLINE, Server, token

HEAD = b"GET /livez HTTP/1.1\r\nHost: belfry\r\n"


async def test_a_slow_head_that_stops_after_a_complete_line_gets_408_too(target, attack):
    """Regression: the connection was closed silently, because such a head has no queued bytes and was not recognized as
    a request."""
    async with attack("http: a head that stops behind a line"), Peer(target) as peer:
        await peer.send(HEAD + b"X: y\r\n")
        assert (await peer.rest(2 * DEADLINE)).startswith(b"HTTP/1.1 408 ")


async def test_fields_of_unfinished_heads_count_as_unfinished_bytes(attack, tmp_path):
    """Regression: complete lines did not count toward `connections.unauthenticated_bytes`, which limits the unfinished
    data of all unauthenticated clients."""
    server = Server(tmp_path, {"BELFRY_CONNECTIONS_UNAUTHENTICATED_BYTES": "1000000"})
    try:
        async with attack("http: 600 heads of 15 KB, unfinished", server, growth_kib=8 * 1024):
            async with contextlib.AsyncExitStack() as stack:
                for _ in range(600):
                    peer = await stack.enter_async_context(Peer(server))
                    await peer.send(HEAD + (b"X: " + b"y" * 150 + b"\r\n") * 98)
                refused = r'belfry_connections_refused_total\{reason="unauthenticated_bytes"\}'
                await until(lambda: server.metric(refused) > 400, "those beyond the limit are closed")
    finally:
        assert server.terminate() == 0


async def test_unread_responses_to_unauthenticated_clients_share_one_limit(target, attack):
    """Regression: each connection without a token held 1 MiB of responses for twenty seconds, which is 20 GB for 20,000
    connections."""
    async with attack("http: 200 who ask for /openapi.json and do not read"), contextlib.AsyncExitStack() as stack:
        for _ in range(200):
            deaf = stack.enter_context(socket.socket())
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            deaf.connect((target.host, target.port))
            deaf.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: belfry\r\n\r\n" * 100)
        await until(lambda: target.metric("belfry_connections") <= 2, "they are let go", 3 * DEADLINE)


async def test_one_users_unfinished_uploads_leave_room_for_other_users(target, attack, name):
    """256 files can be open in total, and a user who holds them all with one token would lock out everyone else."""
    mallory, ann, general = name("mallory"), name("ann"), name("general")
    for user in (mallory, ann):
        target.app("user.upsert", id=user)
    target.app("channel.create", id=general, user_ids=[mallory, ann])

    def head(user: str, length: int) -> bytes:
        return (f"POST /v1/files?channel_id={general}&name=a HTTP/1.1\r\nHost: belfry\r\n"
                f"Authorization: Bearer {token(user)}\r\nContent-Length: {length}\r\n\r\n").encode()

    async with attack("upload: 300 of one user, unfinished"), contextlib.AsyncExitStack() as stack:
        for _ in range(300):
            peer = await stack.enter_async_context(Peer(target))
            await peer.send(head(mallory, 1_000) + b"x")
        folder = target.data / "files"
        await until(lambda: len(list(folder.iterdir())) >= 32, "they come in")
        async with Peer(target) as peer:
            await peer.send(head(ann, 2) + b"hi")
            assert (await peer.answer())[0] == 200
