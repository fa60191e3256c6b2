"""Webhooks with hostile receivers, and invalid addresses.

Only the server key can set addresses; they are checked when a socket is opened to them.
See also WebhooksTests.swift for order, retries and full queues, and DestinationsTests.swift for each special network.
"""

import asyncio

import pytest
from attacks import CANARY, Watch, until
from belfry import API_KEY, Server
from receivers import LOOPBACK, SECRET, Receiver, refusals


@pytest.fixture
def server(tmp_path):
    """A server with a short delivery timeout, so that it soon gives up on an unresponsive receiver."""
    server = Server(tmp_path, {"BELFRY_WEBHOOKS_TIMEOUT_MS": "1000", **LOOPBACK})
    yield server
    # Shutdown is clean even while a delivery hangs.
    assert server.terminate() == 0
    assert SECRET not in server.log.read_text()


async def never(reader, writer):
    await asyncio.Event().wait()


async def endless_body(reader, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
    while True:
        writer.write(b"x" * 65_536)
        await writer.drain()


async def endless_head(reader, writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X: " + b"y" * 60_000 + b"\r\n")
        await writer.drain()


async def endless_interim(reader, writer):
    while True:
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000)
        await writer.drain()
        # A reader as fast as this writer would leave no time for others.
        await asyncio.sleep(0)


async def garbage(reader, writer):
    writer.write(b"\xff" * 1_000_000)
    writer.close()


async def hangs_up(reader, writer):
    writer.close()


HOSTILE = [never, endless_body, endless_head, endless_interim, garbage, hangs_up]


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda answer: answer.__name__)
async def test_a_hostile_endpoint_is_abandoned_and_delays_no_other(server, name, answer):
    general = name("general")
    server.app("user.upsert", id=name("ann"))
    server.app("channel.create", id=general, user_ids=[name("ann")])
    async with Receiver(answer) as bad, Receiver() as good:
        for id, receiver in (("bad", bad), ("good", good)):
            server.app("webhook.set", id=id, url=receiver.url, events=["message.new"], secret=SECRET)
        async with Watch(server, f"webhook: {answer.__name__}", name):
            texts = [f"{number} " + "x" * 10_000 for number in range(50)]
            for text in texts:
                # In another thread, so that the receivers can respond meanwhile.
                await asyncio.to_thread(
                    server.app, "message.send", channel_id=general, text=text, as_user_id=name("ann"))

            def heard() -> list[str]:
                # On a slow machine a late delivery arrives twice.
                return list(dict.fromkeys(text for text in good.texts() if CANARY not in text))

            await until(lambda: heard() == texts, "the good one hears")
            await until(lambda: server.metric("belfry_webhook_failures_total") >= 1, "the bad one is given up")
            # The same delivery is retried, and no other takes its place.
            await until(lambda: len(bad.bodies) >= 2, "it is tried again")
            assert bad.bodies[0] == bad.bodies[1]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_not_followed(server, name, status):
    async with Receiver() as inside:
        async def redirect(reader, writer):
            writer.write(f"HTTP/1.1 {status} Found\r\nLocation: {inside.url}\r\nContent-Length: 0\r\n\r\n".encode())

        async with Receiver(redirect) as outside:
            server.app("webhook.set", id="outside", url=outside.url, events="*", secret=SECRET)
            async with Watch(server, f"webhook: redirect {status}", name):
                await until(lambda: server.metric("belfry_webhook_failures_total") >= 2, "it counts as a failure")
            assert outside.bodies and not inside.bodies


# Hosts that resolve to this machine, to its network, or to other addresses outside the internet.
INSIDE = [
    "127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "0", "0.0.0.0",
    "127.255.255.254", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
    "10.0.0.1", "172.31.255.254", "192.168.0.1", "100.64.0.1", "169.254.169.254", "2852039166", "[::ffff:169.254.169.254]",
    "[fe80::1]", "[fd00::1]", "[fec0::1]", "[2002:7f00:1::]", "198.18.0.1", "224.0.0.1", "255.255.255.255",
]


async def test_nothing_is_delivered_to_internal_addresses_unless_allowed(tmp_path, name):
    server = Server(tmp_path)
    try:
        server.app("user.upsert", id=name("ann"))
        async with Receiver() as inside, Watch(server, "webhook: addresses inside", name):
            port = inside.url.split(":")[2]
            for begin in range(0, len(INSIDE), 20):
                ids = {f"host{begin + number}": host for number, host in enumerate(INSIDE[begin:begin + 20])}
                for id, host in ids.items():
                    server.app("webhook.set", id=id, url=f"http://{host}:{port}", events="*", secret=SECRET)
                server.app("channel.create", id=name(f"general{begin}"), user_ids=[name("ann")])
                await until(lambda: set(ids) <= set(refusals(server)), "every one is refused")
                for id in ids:
                    server.app("webhook.delete", id=id)
            assert server.metric("belfry_webhook_addresses_refused_total") >= len(INSIDE)
            assert server.metric("belfry_webhook_deliveries_total") == 0
            assert not inside.bodies
    finally:
        assert server.terminate() == 0


async def test_a_proxy_from_the_environment_is_not_used_to_reach_forbidden_addresses(tmp_path, name):
    async with Receiver() as proxy:
        address = proxy.url.removesuffix("/hook")
        server = Server(tmp_path, {"http_proxy": address, "all_proxy": address, **LOOPBACK})
        try:
            server.app("user.upsert", id=name("ann"))
            server.app("webhook.set", id="a", url="http://169.254.169.254/", events="*", secret=SECRET)
            server.app("channel.create", id=name("general"), user_ids=[name("ann")])
            await until(lambda: refusals(server) == {"a": "169.254.169.254"}, "it is refused")
            assert not proxy.bodies
        finally:
            assert server.terminate() == 0


ADDRESSES = [
    "", "x", "//127.0.0.1/x", "/hook", "file:///etc/passwd", "gopher://127.0.0.1:70/_x", "ftp://127.0.0.1/x",
    "dict://127.0.0.1:11211/stat", "javascript:alert(1)", "http:/127.0.0.1/x", "http://127.0.0.1/a b",
    "http://127.0.0.1/\r\nX-Evil: 1", "http://127.0.0.1/\0", "http://b\u00fccher.example/x", " http://127.0.0.1/",
    "http://127.0.0.1/" + "x" * 2_048, "HTTP\u017f://127.0.0.1/x",
]


async def test_a_url_that_is_not_a_valid_http_address_is_refused(server, name):
    async with Watch(server, "webhook: addresses that are none", name):
        for url in ADDRESSES:
            status, answer = server.post(
                "webhook.set", {"id": "a", "url": url, "events": "*", "secret": SECRET}, key=API_KEY)
            assert status == 400 and answer["error"]["code"] in (1030, 1032), url
        assert server.app("webhook.list")["webhooks"] == []


async def test_only_the_server_key_can_manage_webhooks(server, name):
    async with Watch(server, "webhook: by a user", name):
        for method, data in (("set", {"id": "a", "url": "http://127.0.0.1/", "events": "*", "secret": SECRET}),
                             ("list", {}), ("delete", {"id": "a"})):
            status, answer = server.post("webhook." + method, data, user=name("ann"))
            assert (status, answer["error"]["code"]) == (403, 1009)
