"""Webhooks with a name that resolves differently the next time. The separate hosts file requires root."""

import socket

import pytest
from attacks import until
from belfry import Server
from receivers import LOOPBACK, SECRET, Receiver, refusals


async def test_a_name_that_resolves_differently_the_next_time_is_checked_by_its_new_address(tmp_path, name):
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 hook.example\n")
    # Run the server with a separate hosts file.
    under = ("unshare", "--mount", "--propagation", "private", "bash", "-c",
             f'mount --bind "{hosts}" /etc/hosts && exec "$@"', "bash")

    async def once(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    server = Server(tmp_path, LOOPBACK, under=under)
    try:
        async with Receiver(once) as allowed:
            port = allowed.url.split(":")[2].split("/")[0]
            other = socket.create_server(("127.0.0.2", int(port)))
            other.setblocking(False)
            server.app("user.upsert", id=name("ann"))
            server.app("webhook.set", id="a", url=f"http://hook.example:{port}/", events=["channel.created"],
                       secret=SECRET)
            server.app("channel.create", id=name("first"), user_ids=[name("ann")])
            await until(lambda: len(allowed.bodies) == 1, "the first time it is the allowed one")
            hosts.write_text("127.0.0.2 hook.example\n")
            server.app("channel.create", id=name("second"), user_ids=[name("ann")])
            await until(lambda: refusals(server) == {"a": "127.0.0.2"}, "the second time it is refused")
            assert len(allowed.bodies) == 1
            with pytest.raises(BlockingIOError):
                other.accept()
            # Pending deliveries are not lost.
            hosts.write_text("127.0.0.1 hook.example\n")
            await until(lambda: len(allowed.bodies) == 2, "it is delivered when the name is mended")
            other.close()
    finally:
        assert server.terminate() == 0
