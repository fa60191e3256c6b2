"""Misbehaving peers of the TLS port: each is disconnected, and nobody else is affected."""

import contextlib
import os
import random
import signal
import socket
import ssl
import struct
import time

import pytest
from belfry import DEADLINE
from clients import Wire
from tls import TLSServer, Tunnel

GET = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
ALIVE = b"alive\n"


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    # One second, so that an endless handshake soon ends; valid ones are faster.
    server = TLSServer(tmp_path_factory.mktemp("tls"), {"BELFRY_CONNECTIONS_TLS_HANDSHAKE_MS": "1000"})
    yield server
    # Only the querying connection remains.
    wait(lambda: server.metric("belfry_connections") == 1, "every connection is closed")
    assert server.terminate() == 0


def wait(condition, what: str):
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def rest(bare: socket.socket) -> bytes:
    """Returns everything until the server closes or resets the connection."""
    data = b""
    with contextlib.suppress(ConnectionResetError):
        while more := bare.recv(65_536):
            data += more
    return data


def serves(server):
    with Tunnel(server) as tunnel:
        tunnel.handshake()
        tunnel.write(GET)
        assert tunnel.read_with(ALIVE).startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_handshake_and_request_can_arrive_byte_by_byte(tls, version):
    context = tls.context()
    context.minimum_version = context.maximum_version = version
    with Tunnel(tls, context=context) as tunnel:
        tunnel.handshake(at_a_time=1)
        tunnel.write(GET, at_a_time=1)
        assert tunnel.read_with(ALIVE).startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("requests", [1, 5])
def test_a_request_can_arrive_together_with_the_end_of_the_handshake(tls, version, requests):
    """Such bytes have left the kernel when the handshake completes, and no event reports them again."""
    context = tls.context()
    context.minimum_version = context.maximum_version = version
    with Tunnel(tls, context=context) as tunnel:
        if version == ssl.TLSVersion.TLSv1_2:
            # In this version the server sends the last handshake message.
            tunnel.handshake()
        else:
            tunnel.handshake(keeps_the_end=True)
        for _ in range(requests):
            tunnel.tls.write(GET)
        tunnel.flush()
        tunnel.read_with(ALIVE, requests)


def test_a_peer_that_sends_nothing_or_half_a_hello_is_disconnected_after_a_second(tls):
    timed_out = tls.metric("belfry_tls_handshakes_timed_out_total")
    with Tunnel(tls) as half, tls.dial() as silent, Tunnel(tls) as bystander:
        bystander.handshake()
        with pytest.raises(ssl.SSLWantReadError):
            half.tls.do_handshake()
        half.socket.sendall(half.outgoing.read()[:100])
        began = time.monotonic()
        assert rest(silent) == b"" and rest(half.socket) == b""
        assert time.monotonic() - began < DEADLINE
        # That deadline does not end an established connection.
        bystander.write(GET)
        bystander.read_with(ALIVE)
    assert tls.metric("belfry_tls_handshakes_timed_out_total") == timed_out + 2


def test_unfinished_handshakes_count_as_connections(tls):
    before = tls.metric("belfry_connections")
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(tls.dial())
        wait(lambda: tls.metric("belfry_connections") == before + 20, "they count")
        wait(lambda: tls.metric("belfry_connections") == before, "they are let go")


GARBAGE = {
    "HTTP": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "a long request": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + b"x" * 100_000,
    "zeroes": bytes(1_000),
    "noise": random.Random(7).randbytes(10_000),
    "a record longer than records are": b"\x16\x03\x01\xff\xff" + b"x" * 65_535,
    "an empty record": b"\x16\x03\x01\0\0",
    "data first": b"\x17\x03\x03\0\x10" + b"x" * 16,
    "an alert first": b"\x15\x03\x01\0\x02\x02\x28",
    "empty records without end": b"\x16\x03\x01\0\0" * 10_000,
    "SSL 2": b"\x80\x2e\x01\0\x02\0\x15\0\0\0\x10\x07\0\xc0" + b"x" * 34,
}


@pytest.mark.parametrize("what", GARBAGE)
def test_a_peer_that_does_not_speak_tls_is_disconnected(tls, what):
    with tls.dial() as bare:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            bare.sendall(GARBAGE[what])
        answer = rest(bare)
        # The server sends at most an alert, and no response.
        assert len(answer) <= 7 and (answer == b"" or answer[0] == 0x15)
    serves(tls)


def test_tls_on_the_plain_port_is_refused(tls):
    with Tunnel(tls) as tunnel, socket.create_connection((tls.plain["host"], tls.plain["port"])) as plain:
        tunnel.socket.close()
        tunnel.socket = plain
        with pytest.raises(ssl.SSLError):
            tunnel.handshake()
    serves(tls)


@pytest.mark.parametrize("byte", range(5, 900, 37))
def test_a_hello_with_a_wrong_byte_is_answered_or_refused(tls, byte):
    with Tunnel(tls) as tunnel:
        with pytest.raises(ssl.SSLWantReadError):
            tunnel.tls.do_handshake()
        hello = bytearray(tunnel.outgoing.read())
        hello[byte % len(hello)] ^= 0xFF
        tunnel.socket.sendall(hello)
        tunnel.socket.shutdown(socket.SHUT_WR)
        rest(tunnel.socket)


def test_a_tampered_record_ends_the_connection(tls):
    with Tunnel(tls) as tunnel:
        tunnel.handshake()
        tunnel.tls.write(GET)
        record = bytearray(tunnel.outgoing.read())
        record[-1] ^= 1
        tunnel.socket.sendall(record)
        with pytest.raises(ssl.SSLError, match="BAD_RECORD_MAC"):
            tunnel.read()


def test_a_close_notify_is_answered_with_one(tls):
    with Tunnel(tls) as tunnel:
        tunnel.handshake()
        tunnel.write(GET)
        tunnel.read_with(ALIVE)
        with pytest.raises(ssl.SSLWantReadError):
            tunnel.tls.unwrap()
        tunnel.flush()
        while tunnel.receive():
            pass
        # This raises unless the server has also sent `close_notify`.
        tunnel.tls.unwrap()


def test_the_server_ends_a_complete_response_with_close_notify(tls):
    with Tunnel(tls) as tunnel:
        tunnel.handshake()
        tunnel.write(b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        tunnel.read_with(ALIVE)
        # This raises if the stream ends without `close_notify`.
        assert tunnel.read() == b""


def test_a_request_followed_immediately_by_the_end_of_the_stream_is_answered(tls):
    """Tests the end of TLS, and of TCP alone."""
    with Tunnel(tls) as tunnel:
        tunnel.handshake()
        tunnel.write(GET)
        tunnel.socket.shutdown(socket.SHUT_WR)
        tunnel.read_with(ALIVE)
        assert tunnel.read() == b""
    with Tunnel(tls) as tunnel:
        tunnel.handshake()
        tunnel.tls.write(GET)
        with pytest.raises(ssl.SSLWantReadError):
            tunnel.tls.unwrap()
        tunnel.flush()
        # After its own end of stream this library reads no more, so the test checks that the response is longer than an
        # alert.
        assert len(rest(tunnel.socket)) > 100


def test_resets_in_every_state_leave_nothing_behind(tls):
    def reset(bare):
        bare.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        bare.close()

    reset(tls.dial())
    half = Tunnel(tls)
    with pytest.raises(ssl.SSLWantReadError):
        half.tls.do_handshake()
    half.flush()
    reset(half.socket)
    whole = Tunnel(tls)
    whole.handshake()
    reset(whole.socket)
    asking = Tunnel(tls)
    asking.handshake()
    asking.write(GET * 100)
    reset(asking.socket)
    serves(tls)


async def test_hundreds_of_handshakes_leak_no_descriptor(tls):
    def descriptors() -> int:
        return len(os.listdir(f"/proc/{tls.pid}/fd"))

    serves(tls)
    wait(lambda: tls.metric("belfry_connections") == 1, "the others are gone")
    before = descriptors()
    async with Wire(tls) as wire:
        await wire.connect("ann")
        for number in range(500):
            with Tunnel(tls) as tunnel:
                if number % 4 == 0:
                    continue
                tunnel.handshake()
                if number % 4 == 1:
                    continue
                tunnel.write(GET)
                if number % 4 == 2:
                    tunnel.read_with(ALIVE)
        assert await wire.call(ping={}) == {"ping": {}}
    wait(lambda: tls.metric("belfry_connections") == 1, "the others are gone")
    assert descriptors() <= before + 2


def test_shutdown_does_not_wait_for_handshakes(start):
    patience = {"BELFRY_CONNECTIONS_TLS_HANDSHAKE_MS": "600000", "BELFRY_SERVER_DRAIN_MS": "600000"}
    server = start(patience)
    with server.dial() as silent:
        wait(lambda: server.metric("belfry_connections") == 2, "the silent one is in")
        assert server.terminate() == 0
        assert rest(silent) == b""


def test_hundreds_of_simultaneous_connections_are_all_accepted(tls):
    """More connections than one turn of the loop accepts."""
    with contextlib.ExitStack() as stack:
        tunnels = [stack.enter_context(Tunnel(tls)) for _ in range(200)]
        for tunnel in tunnels:
            with pytest.raises(ssl.SSLWantReadError):
                tunnel.tls.do_handshake()
        tls.process.send_signal(signal.SIGSTOP)
        for tunnel in tunnels:
            tunnel.flush()
        tls.process.send_signal(signal.SIGCONT)
        for tunnel in tunnels:
            tunnel.handshake(keeps_the_end=True)
        tls.process.send_signal(signal.SIGSTOP)
        for tunnel in tunnels:
            tunnel.write(GET)
        tls.process.send_signal(signal.SIGCONT)
        for tunnel in tunnels:
            tunnel.read_with(ALIVE)
