"""Allowed origins of pages, and trusted proxies that report their clients' addresses."""

import socket
import struct
import time

import pytest
from belfry import DEADLINE, NotStarted, Server
from test_limits import UPGRADE, ends, raw, refused
from tls import TLSServer


@pytest.fixture
def serve(tmp_path):
    servers = []

    def start(kind=Server, **settings):
        servers.append(kind(tmp_path, {"BELFRY_" + name.upper(): str(value) for name, value in settings.items()}))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            assert server.terminate() == 0


def with_field(field: str) -> bytes:
    return UPGRADE.replace(b"\r\n\r\n", b"\r\n" + field.encode() + b"\r\n\r\n")


def status(server: Server, request: bytes, before: bytes = b"") -> int:
    peer = raw(server)
    peer.sendall(before + request)
    line = peer.recv(65_536).split(b"\r\n")[0]
    peer.close()
    return int(line.split()[1]) if line else 0


def test_browsers_can_connect_only_from_listed_origins(serve):
    server = serve(server_allowed_origins="https://chat.example.com,http://localhost:3000")
    assert status(server, UPGRADE) == 101
    assert status(server, with_field("Origin: https://chat.example.com")) == 101
    assert status(server, with_field("Origin: http://localhost:3000")) == 101
    for origin in ("https://evil.example.com", "null", "http://chat.example.com", "https://chat.example.com.evil.com"):
        assert status(server, with_field("Origin: " + origin)) == 403


def shared(server: Server, method: str, path: str, **fields) -> tuple[int, dict]:
    connection = server.connect_http()
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in fields.items()})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}


CHAT, EVIL = "https://chat.example.com", "https://evil.example.com"


def test_only_pages_from_listed_origins_can_read_responses(serve):
    server = serve(server_allowed_origins=CHAT)
    for method, path in (
        ("POST", "/v1/message.send"), ("GET", "/v1/files/0123456789abcdef0123456789abcdef/a"), ("POST", "/v1/files"),
        ("GET", "/belfry.js"), ("GET", "/openapi.json"), ("PUT", "/v1/message.send"),
    ):
        _, fields = shared(server, method, path, Origin=CHAT)
        assert fields["access-control-allow-origin"] == CHAT and "Origin" in fields["vary"], path
        assert "access-control-allow-credentials" not in fields and "RateLimit" in fields["access-control-expose-headers"]
        for other in ({"Origin": EVIL}, {"Origin": "null"}, {}):
            _, fields = shared(server, method, path, **other)
            assert "access-control-allow-origin" not in fields and "Origin" in fields["vary"], path
    for path in ("/metrics", "/livez", "/nothing"):
        assert not [name for name in shared(server, "GET", path, Origin=CHAT)[1] if name.startswith("access-control")]


def test_a_preflight_lists_what_pages_may_send_without_the_server_key_field(serve):
    server = serve(server_allowed_origins=CHAT)
    asked = {"Origin": CHAT, "Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "authorization"}
    for path in ("/v1/message.send", "/v1/files", "/v1/files/0123456789abcdef0123456789abcdef/a", "/belfry.js"):
        status, fields = shared(server, "OPTIONS", path, **asked)
        assert status == 204 and fields["access-control-allow-origin"] == CHAT
        assert fields["access-control-allow-methods"] == "GET, HEAD, POST" and int(fields["access-control-max-age"]) > 0
        allowed = {name.strip().lower() for name in fields["access-control-allow-headers"].split(",")}
        assert {"authorization", "content-type", "idempotency-key"} <= allowed and "x-api-key" not in allowed
        assert "content-type" not in fields and "content-length" not in fields
        for other in ({**asked, "Origin": EVIL}, {"Origin": CHAT}):
            status, fields = shared(server, "OPTIONS", path, **other)
            assert status == 405 and "access-control-allow-methods" not in fields
    assert shared(server, "OPTIONS", "/metrics", **asked)[0] == 405


def test_without_a_list_of_origins_no_cross_origin_access_is_granted(serve):
    server = serve()
    assert shared(server, "OPTIONS", "/v1/x", Origin=CHAT, Access_Control_Request_Method="POST")[0] == 405
    fields = shared(server, "POST", "/v1/x", Origin=CHAT)[1]
    assert "access-control-allow-origin" not in fields and "vary" not in fields


@pytest.mark.parametrize("settings, name", [
    ({"server_allowed_origins": "*"}, "server.allowed_origins"),
    ({"server_trusted_proxies": "10.0.0.0/33"}, "server.trusted_proxies"),
    ({"server_trusted_proxies": "proxy.example.com"}, "server.trusted_proxies"),
    ({"server_proxy_protocol": "true"}, "server.trusted_proxies"),
])
def test_invalid_origins_and_trusted_proxies_prevent_startup(serve, settings, name):
    with pytest.raises(NotStarted) as stopped:
        serve(**settings)
    assert stopped.value.args[0] == 78 and name in stopped.value.args[1]


def test_forwarded_addresses_from_untrusted_peers_are_ignored(serve):
    server = serve(connections_per_address=3)
    inside = [raw(server) for _ in range(3)]
    for number, peer in enumerate(inside):
        peer.sendall(with_field(f"X-Forwarded-For: 192.0.2.{number}"))
        assert b" 101 " in peer.recv(1_000)
    assert status(server, b"") == 0
    assert [ends(raw(server)) for _ in range(2)] == [b"", b""]


def test_the_address_reported_by_a_trusted_proxy_is_the_one_counted(serve):
    server = serve(connections_per_address=2, server_trusted_proxies="127.0.0.0/8")
    inside = []
    for number in range(6):
        peer = raw(server)
        # The client's own values precede the one that the proxy adds.
        peer.sendall(with_field(f"X-Forwarded-For: 203.0.113.{number}, 192.0.2.{number // 2}"))
        assert b" 101 " in peer.recv(1_000)
        inside.append(peer)
    assert status(server, with_field("X-Forwarded-For: 192.0.2.1")) == 429
    assert refused(server, "address") == 1
    peer = raw(server)
    peer.sendall(with_field("X-Forwarded-For: 192.0.2.1"))
    head = ends(peer).decode().split("\r\n\r\n")[0].split("\r\n")
    fields = dict(line.split(": ", 1) for line in head[1:])
    assert fields["Retry-After"] == "10" and fields["RateLimit"] == '"address";r=0'
    assert fields["RateLimit-Policy"] == '"address";q=2;qu="concurrent-requests"'
    inside[2].close()
    # Its place is free again once the server has read the end of the stream.
    deadline = time.monotonic() + DEADLINE
    while status(server, with_field("X-Forwarded-For: 192.0.2.1")) != 101:
        assert time.monotonic() < deadline


SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"


def binary(address: str) -> bytes:
    block = socket.inet_aton(address) + socket.inet_aton("10.0.0.1") + struct.pack(">HH", 4_711, 443)
    return SIGNATURE + b"\x21\x11" + struct.pack(">H", len(block)) + block


def text(address: str) -> bytes:
    return f"PROXY TCP4 {address} 10.0.0.1 4711 443\r\n".encode()


@pytest.mark.parametrize("header", [binary, text])
def test_the_address_in_the_proxy_protocol_is_the_one_counted(serve, header):
    server = serve(
        connections_per_address=1, server_trusted_proxies="127.0.0.1", server_proxy_protocol="true",
        connections_connect_ms=60_000)
    first = raw(server)
    for byte in header("192.0.2.1") + UPGRADE:
        first.sendall(bytes([byte]))
    assert b" 101 " in first.recv(1_000)
    # Another address, and another connection of the first one; a request header changes nothing.
    second = raw(server)
    second.sendall(header("192.0.2.2") + UPGRADE)
    assert b" 101 " in second.recv(1_000)
    third = raw(server)
    third.sendall(header("192.0.2.1") + with_field("X-Forwarded-For: 192.0.2.3"))
    assert ends(third) == b""
    # The proxy's health checks name no client.
    for local in (SIGNATURE + b"\x20\0\0\0", b"PROXY UNKNOWN\r\n"):
        assert status(server, b"GET /livez HTTP/1.1\r\nHost: b\r\n\r\n", local) == 200


def test_a_connection_without_a_valid_proxy_header_is_refused(serve):
    server = serve(server_trusted_proxies="127.0.0.1", server_proxy_protocol="true")
    for begun in (
        UPGRADE, b"PROXY\n", b"PROXY TCP4 a b c d\r\n", SIGNATURE + b"\x21\x11\xff\xff", SIGNATURE[:-1] + b"x",
        b"\x16\x03\x01" + bytes(40), b"PROXY TCP4 192.0.2.1" + b"9" * 200,
    ):
        peer = raw(server)
        peer.sendall(begun)
        assert ends(peer) == b"", begun
    assert status(server, b"GET /livez HTTP/1.1\r\nHost: b\r\n\r\n", text("192.0.2.1")) == 200


def test_the_proxy_header_comes_before_tls(serve):
    server = serve(TLSServer, server_trusted_proxies="127.0.0.1", server_proxy_protocol="true")
    for header in (binary("192.0.2.1"), text("192.0.2.9")):
        peer = raw(server)
        peer.sendall(header)
        with server.ssl_context.wrap_socket(peer, server_hostname=server.host) as tunnel:
            tunnel.sendall(b"GET /livez HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n")
            assert b"alive" in ends(tunnel)
