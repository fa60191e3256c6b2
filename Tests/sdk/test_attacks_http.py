"""Attacks over HTTP/1.1 (RFC 9110, 9112): request smuggling and slow clients.

See also test_http.py for ordinary paths and bodies of commands, and test_limits.py for the limits on connections per
address and on unauthenticated ones.
"""

import asyncio
import contextlib
import json
import socket

import pytest
from attacks import SCALE, Peer, frame, until, upgrade
from belfry import DEADLINE, token

HOST = b"Host: belfry\r\n"
# Bytes that a proxy may interpret as the body, and a careless server as the next request.
SMUGGLED = b"GET /livez HTTP/1.1\r\nHost: belfry\r\nX-Smuggled: 1\r\n\r\n"


def post(fields: bytes, body: bytes = b"") -> bytes:
    return b"POST /v1/user.get HTTP/1.1\r\n" + HOST + fields + b"\r\n" + body


def chunks(body: bytes) -> bytes:
    return post(b"Transfer-Encoding: chunked\r\n", body)


def get(fields: bytes = HOST, target: bytes = b"/livez", version: bytes = b"HTTP/1.1") -> bytes:
    return b"GET " + target + b" " + version + b"\r\n" + fields + b"\r\n"


# Each request is refused once, and nothing after it is parsed.
REFUSED = {
    "CL and TE": (post(b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"), 400),
    "TE and CL": (post(b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", b"0\r\n\r\n"), 400),
    "two CLs": (post(b"Content-Length: 5\r\nContent-Length: 6\r\n", b"hello"), 400),
    "the same CL twice": (post(b"Content-Length: 5\r\nContent-Length: 5\r\n", b"hello"), 400),
    **{f"CL {value!r}": (post(b"Content-Length: " + value + b"\r\n", b"hello"), 400)
       for value in (b"+5", b"-5", b"5,5", b"5, 5", b"0x5", b"5 5", b"", b"5;", b"5.0", b"5e0", b"\xd9\xa5", b"1_0",
                     b"99999999999999999999", b"9223372036854775808")},
    "CL 2^63 - 1": (post(b"Content-Length: 9223372036854775807\r\n"), 413),
    "CL over the limit": (post(b"Content-Length: 1048577\r\n"), 413),
    **{f"TE {value!r}": (post(b"Transfer-Encoding: " + value + b"\r\n", b"0\r\n\r\n"), status)
       for value, status in (
           (b"gzip", 501), (b"identity", 501), (b"xchunked", 501), (b"gzip, chunked", 501), (b"chunked;q=1", 501),
           (b'"chunked"', 501), (b"chunked, chunked", 400), (b"chunked, gzip", 400), (b"", 400), (b",", 400),
           (b"\x0bchunked", 400), (b"chunked\x00", 400))},
    "two TEs": (post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"), 400),
    "two TEs, one unknown": (post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n", b"0\r\n\r\n"), 400),
    "a folded TE": (post(b"X: 1\r\n Transfer-Encoding: chunked\r\n", b"0\r\n\r\n"), 400),
    "TE with a space before the colon": (post(b"Transfer-Encoding : chunked\r\n", b"0\r\n\r\n"), 400),
    "CL with a tab before the colon": (post(b"Content-Length\t: 5\r\n", b"hello"), 400),
    "a folded line": (get(HOST + b"X: a\r\n b\r\n"), 400),
    "a folded first line": (get(b" X: a\r\n" + HOST), 400),
    "a bare LF behind a field": (get(b"X: a\nTransfer-Encoding: chunked\r\n" + HOST), 400),
    "a bare LF behind the request line": (b"GET /livez HTTP/1.1\nHost: belfry\r\n\r\n", 400),
    "bare LFs everywhere": (get().replace(b"\r\n", b"\n"), 400),
    "a bare CR in a value": (get(HOST + b"X: a\rY: b\r\n"), 400),
    "a bare CR behind a field": (get(HOST + b"X: a\r\rY: b\r\n"), 400),
    "a NUL in a value": (get(HOST + b"X: a\0b\r\n"), 400),
    "a NUL in a name": (get(HOST + b"X\0: a\r\n"), 400),
    "a NUL in the target": (get(target=b"/livez\0"), 400),
    "a name that is no token": (get(HOST + b"X(Y): a\r\n"), 400),
    "an empty name": (get(HOST + b": a\r\n"), 400),
    "no colon": (get(HOST + b"Transfer-Encoding\r\n"), 400),
    "no Host": (get(b""), 400),
    "two Hosts": (get(HOST + b"Host: other\r\n"), 400),
    "a Host with a path": (get(b"Host: belfry/x\r\n"), 400),
    "a Host with a user": (get(b"Host: ann@belfry\r\n"), 400),
    "absolute form with another host": (get(target=b"http://other/livez"), 400),
    "absolute form with a user": (get(target=b"http://ann@belfry/livez"), 400),
    "another scheme": (get(target=b"ftp://belfry/livez"), 400),
    "CONNECT": (b"CONNECT belfry:443 HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "two spaces": (b"GET  /livez HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    "no version": (b"GET /livez\r\n" + HOST + b"\r\n", 400),
    "HTTP/1.0": (get(version=b"HTTP/1.0"), 505),
    "HTTP/2.0": (get(version=b"HTTP/2.0"), 505),
    "the preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    "HTTP/1.10": (get(version=b"HTTP/1.10"), 400),
    "an expectation": (post(b"Content-Length: 5\r\nExpect: 200-ok\r\n", b"hello"), 417),
    "chunk 2^64": (chunks(b"10000000000000000\r\n"), 413),
    "chunk 2^64 + 5": (chunks(b"10000000000000005\r\nhello\r\n0\r\n\r\n"), 413),
    "chunk 2^63": (chunks(b"8000000000000000\r\n"), 413),
    "chunks over the limit": (chunks(b"1\r\nx\r\n" + b"fffff\r\n" + b"x" * 0xFFFFF + b"\r\n1\r\nx\r\n0\r\n\r\n"), 413),
    **{f"chunk size {size!r}": (chunks(size + b"\r\nhello\r\n0\r\n\r\n"), 400)
       for size in (b"0x5", b"+5", b"-5", b"5 ", b" 5", b"5 ;x", b"g", b"", b"5\0", b";x")},
    "a chunk longer than it says": (chunks(b"4\r\nhello\r\n0\r\n\r\n"), 400),
    "a chunk that ends with LF": (chunks(b"5\nhello\r\n0\r\n\r\n"), 400),
    "a chunk's content that ends with LF": (chunks(b"5\r\nhello\n0\r\n\r\n"), 400),
    "a long extension": (chunks(b"5;" + b"x" * 10_000 + b"\r\nhello\r\n0\r\n\r\n"), 400),
    "long extensions of many chunks": (chunks((b"1;" + b"x" * 250 + b"\r\ny\r\n") * 1_000 + b"0\r\n\r\n"), 400),
    "an extension with a bare CR": (chunks(b"5;a\rb\r\nhello\r\n0\r\n\r\n"), 400),
    "a chunk size of zeroes without end": (chunks(b"0" * 10_000), 400),
    "trailers that are none": (chunks(b"0\r\nX : 1\r\n\r\n"), 400),
    "trailers beyond the limit": (chunks(b"0\r\n" + b"X: 1\r\n" * 10_000 + b"\r\n"), 431),
    "a value of 64 KiB": (get(HOST + b"X: " + b"y" * 65_536 + b"\r\n"), 431),
    "a value of 64 KiB of spaces": (get(HOST + b"X: " + b" " * 65_536 + b"y\r\n"), 431),
    "64 KiB of commas": (post(b"Connection: " + b"," * 65_536 + b"\r\n"), 431),
    "10,000 fields": (get(HOST + b"".join(b"X%d: 1\r\n" % number for number in range(10_000))), 431),
    "10,000 empty fields": (get(HOST + b"X:\r\n" * 10_000), 431),
    "101 fields": (get(HOST + b"X:\r\n" * 100), 431),
    "a request line of 64 KiB": (get(target=b"/" + b"x" * 65_536), 414),
    "a head that never ends": (b"GET /livez HTTP/1.1\r\n" + b"X: " + b"y" * 1_000_000, 431),
    "a method of 64 KiB": (b"G" * 65_536 + b" / HTTP/1.1\r\n" + HOST + b"\r\n", 414),
    "garbage": (b"\xff" * 1_000 + b"\r\n\r\n", 400),
    "empty lines": (b"\r\n\r\n\r\n" + get(), 400),
}


@pytest.mark.parametrize("what", REFUSED)
async def test_an_ambiguous_request_is_refused_and_its_connection_closed(
    target, attack, what
):
    request, status = REFUSED[what]
    async with attack(f"http: {what}"):
        for at_a_time in (65_536, 1):
            async with Peer(target) as peer:
                # Longer requests are not sent byte by byte.
                if at_a_time == 1 and len(request) > 2_000:
                    continue
                answered, _ = await asyncio.gather(peer.answer(), peer.send(request + SMUGGLED, at_a_time))
                assert answered[0] == status, answered
                assert await peer.rest() == b"", "what was behind it was answered"


UNDERSTOOD = {
    "an empty line before": b"\r\n" + get(),
    "absolute form with the same host": get(target=b"http://BELFRY:80/livez"),
    "trailers that frame": chunks(
        b"2;ext=1\r\n{}\r\n0\r\nContent-Length: 100\r\nTransfer-Encoding: gzip\r\nHost: other\r\n\r\n"),
    "CL with zeroes before": post(b"Content-Length: 0002\r\n", b"{}"),
    "TE in capitals": post(b"TRANSFER-ENCODING: Chunked\r\n", b"0\r\n\r\n"),
    "CL 0": post(b"Content-Length: 0\r\n"),
    "no body at all": post(b""),
    "a body of a GET": get(HOST + b"Content-Length: 5\r\n") + b"hello",
    "400 pieces": chunks(b"1\r\n \r\n" * 400 + b"0\r\n\r\n"),
}


@pytest.mark.parametrize("what", UNDERSTOOD)
async def test_an_unusual_but_unambiguous_request_is_read_exactly_to_its_end(target, attack, what):
    async with attack(f"http: {what}"):
        for at_a_time in (65_536, 1):
            async with Peer(target) as peer:
                await peer.send(UNDERSTOOD[what] + get() + get(target=b"/last"), at_a_time)
                assert (await peer.answer())[0] in (200, 401)
                assert await peer.answer() == (200, b"alive\n")
                assert (await peer.answer())[0] == 404


TRICKS = [
    "/connection/%77ebsocket", "//connection/websocket", "/connection//websocket", "/connection/websocket/",
    "/./connection/websocket", "/x/../connection/websocket", "/connection/websocket%00", "/connection/websocket;x",
    "/CONNECTION/websocket", "/connection%2fwebsocket", "/connection/%2e%2e/connection/websocket",
    "/%2e%2e/%2e%2e/etc/passwd", "/../../etc/passwd", "/v1/files/../../../etc/passwd",
]


async def test_path_tricks_reach_no_resource(target, attack, name):
    async with attack("http: tricks with paths"):
        for path in TRICKS:
            async with Peer(target) as peer:
                await peer.send(upgrade(path=path))
                assert (await peer.answer())[0] == 404, path
        # A command name, in which `..` has no meaning.
        assert target.post("../metrics", user=name("ann"))[0] == 404
        for path in ("/connection/websocket%zz", "/connection\\websocket", "/connection/websocket#x", "/conn ection"):
            async with Peer(target) as peer:
                await peer.send(upgrade(path=path))
                assert (await peer.answer())[0] == 400, path
                assert await peer.rest() == b""


async def test_requests_before_the_upgrade_and_frames_right_after_it_are_processed(target, attack, name):
    connect = frame(0x81, json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}).encode())
    async with attack("http: bytes before and behind the upgrade"):
        # Requests before the upgrade are answered, and bytes right after it are read as frames.
        for at_a_time in (65_536, 1):
            async with Peer(target) as peer:
                await peer.send(get() + upgrade() + connect, at_a_time)
                assert await peer.answer() == (200, b"alive\n")
                assert (await peer.head()).startswith("HTTP/1.1 101 ")
                first, payload = await peer.frame()
                assert first == 0x81 and b'"connect"' in payload
        # No HTTP request is possible after the upgrade.
        async with Peer(target) as peer:
            await peer.send(upgrade() + get())
            assert (await peer.head()).startswith("HTTP/1.1 101 ")
            assert await peer.close_code() == 1002
        # No frames are possible before the upgrade.
        async with Peer(target) as peer:
            await peer.send(connect + upgrade())
            assert (await peer.answer())[0] == 400
            assert await peer.rest() == b""
        # An upgrade must have no body, not even an announced one.
        for fields in ("Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"):
            async with Peer(target) as peer:
                await peer.send(upgrade(fields) + b"0\r\n\r\n" + get())
                assert (await peer.answer())[0] == 400, fields
                assert await peer.rest() == b""


async def test_invalid_upgrades_are_refused(target, attack):
    async with attack("http: upgrades that are none"):
        for change, status in (
            (("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 12"), 426),
            (("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 13, 13"), 400),
            (("Sec-WebSocket-Version: 13\r\n", ""), 426),
            (("Sec-WebSocket-Key: ", "Sec-WebSocket-Key: x"), 400),
            (("Sec-WebSocket-Key: ", "Sec-WebSocket-Key: x\r\nSec-WebSocket-Key: "), 400),
            (("Upgrade: websocket", "Upgrade: h2c"), 426),
            (("Connection: Upgrade", "Connection: close"), 400),
            (("GET ", "POST "), 405),
        ):
            async with Peer(target) as peer:
                await peer.send(upgrade().replace(*(text.encode() for text in change)))
                answered = (await peer.answer())[0]
                # Both codes can mean "not an upgrade": RFC 6455 §4.2.1, RFC 9110 §15.5.22.
                assert answered == status or {answered, status} == {400, 426}, change


async def test_slow_and_silent_http_clients_are_disconnected(target, attack, name):
    """A request has ten seconds, however it arrives. All of these wait in parallel."""
    ann, general = name("ann"), name("general")
    assert target.post("channel.create", {"id": general}, user=ann)[0] == 200
    upload = (f"POST /v1/files?channel_id={general}&name=half HTTP/1.1\r\nHost: belfry\r\n"
              f"Authorization: Bearer {token(ann)}\r\nContent-Length: 1000000\r\n\r\n").encode()
    # The beginning, the repeated part, and the number of connections.
    beginnings = [
        (b"GET /livez HTTP/1.1\r\n" + HOST + b"X: ", b"y", 100 * SCALE),
        (b"GET /livez HTTP/1.1\r\n" + HOST, b"X: y\r\nX", 100 * SCALE),
        (post(b"Content-Length: 100000\r\n"), b"x", 100 * SCALE),
        (chunks(b""), b"1\r\nx\r\n", 100 * SCALE),
        # An upload that makes progress may take as long as it needs, and a stalled one is ended. Further uploads of the
        # same user are refused.
        (upload + b"x" * 1_000, b"", 20),
        # A silent client gets no response either.
        (b"", b"", 600 * SCALE),
    ]
    count = sum(count for _, _, count in beginnings)

    async def trickle(peer: Peer, more: bytes) -> bytes:
        heard = asyncio.create_task(peer.rest(3 * DEADLINE))
        while not heard.done():
            if more:
                await peer.send(more)
            await asyncio.wait([heard], timeout=0.5)
        return await heard

    async with attack(f"http: {count} slow heads, bodies, uploads and silent ones"):
        async with contextlib.AsyncExitStack() as stack:
            peers = []
            for begin, more, each in beginnings:
                for _ in range(each):
                    peer = await stack.enter_async_context(Peer(target))
                    await peer.send(begin)
                    peers.append((peer, begin, more))
            await until(lambda: target.metric("belfry_connections") >= count, "all of them are taken in")
            ends = await asyncio.gather(*(trickle(peer, more) for peer, _, more in peers))
            for (_, begin, _), heard in zip(peers, ends, strict=True):
                assert heard.startswith(b"HTTP/1.1 408 ") if begin else not heard, (begin, heard)
                assert not begin or b"Connection: close\r\n" in heard
            # The bystander's connection and that of the query.
            await until(lambda: target.metric("belfry_connections") <= 2, "all of them are gone")
            await until(lambda: not list((target.data / "files").iterdir()), "nothing of the uploads is left")


async def test_no_further_request_is_read_from_a_client_that_does_not_read_responses(target, attack):
    """The server reads no further request while 1 MiB of responses is pending."""
    async with attack("http: 20 slow readers"), contextlib.AsyncExitStack() as stack:
        deaf = [stack.enter_context(socket.socket()) for _ in range(20)]
        for one in deaf:
            # The buffer is small, so that the responses wait in the server and not in the kernel.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            one.connect((target.host, target.port))
            one.sendall(get(target=b"/openapi.json") * 1_000)
        # A client that finally reads gets everything, ending with the last response.
        with deaf[0] as late:
            late.settimeout(DEADLINE)
            late.sendall(get(HOST + b"Connection: close\r\n"))

            def listen() -> bytes:
                end = b""
                while more := late.recv(1 << 20):
                    end = (end + more)[-100:]
                return end

            assert (await asyncio.to_thread(listen)).endswith(b"\r\n\r\nalive\n")
