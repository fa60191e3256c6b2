"""SIGTERM: the server is no longer ready, asks every client to reconnect, and exits cleanly."""

import asyncio
import http.client
import signal
import time

from clients import Person, Wire


async def test_shutdown_makes_every_client_reconnect_and_the_process_exits(own_server, name, form):
    server = own_server
    async with Wire(server) as ann, Wire(server) as nobody, Person(server, name("bob")) as bob:
        await ann.connect(name("ann"))
        await ann.rpc("channel.create", {"id": name("general")})
        started = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert await ann.close_code() == 3001
        assert ann.closing == (3001, "shutdown")
        # A connection that never sent connect is also closed.
        assert await nobody.close_code() == 3001
        await bob.until(lambda: bob.interruptions, "bob is told")
        assert bob.interruptions[0] == (3001, "shutdown") and bob.ended is None
    assert await asyncio.to_thread(server.process.wait, 5) == 0
    assert time.monotonic() - started < 5


async def test_a_stopping_server_is_not_ready_and_never_becomes_ready_again(own_server):
    server = own_server
    assert server.get("/readyz")[0] == 200
    server.process.send_signal(signal.SIGTERM)

    def ready() -> bool:
        try:
            status = server.get("/readyz")[0]
        except (OSError, http.client.HTTPException):
            # The listener is already closed, which is equivalent.
            return False
        assert status in (200, 503)
        return status == 200

    deadline = time.monotonic() + 5
    while ready():
        assert time.monotonic() < deadline
    # Once not ready, never ready again.
    while server.process.poll() is None:
        assert not ready()
        assert time.monotonic() < deadline
    assert server.process.returncode == 0


async def test_an_acknowledged_message_is_delivered_before_the_close(own_server, name, form):
    """MS3"""
    general = name("general")
    async with Wire(own_server) as wire:
        await wire.connect(name("ann"))
        await wire.rpc("channel.create", {"id": general})
        for number in range(200):
            await wire.send(
                '{"id":%d,"rpc":{"method":"message.send","data":{"channel_id":"%s","text":"%d"}}}'
                % (1000 + number, general, number)
            )
        await wire.until(lambda: 1000 in wire.replies, "the first is acknowledged")
        own_server.process.send_signal(signal.SIGTERM)
        assert await wire.close_code() == 3001
        acknowledged = [
            reply["rpc"]["data"]["message"]["id"]
            for id, reply in wire.replies.items()
            if id >= 1000 and "rpc" in reply
        ]
        heard = {event["data"]["message"]["id"] for event in wire.heard(general) if "message" in event["data"]}
        assert acknowledged and set(acknowledged) <= heard


async def test_a_client_that_does_not_answer_the_close_does_not_delay_shutdown(own_server):
    reader, writer = await asyncio.open_connection(own_server.host, own_server.port)
    writer.write(
        b"GET /connection/websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
    own_server.process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(own_server.process.wait, 9) == 0
    writer.close()
