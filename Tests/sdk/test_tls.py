"""TLS: versions and protocols, real clients, large responses, and certificate changes."""

import asyncio
import json
import random
import re
import signal
import ssl
import time
import warnings

import pytest
from belfry import NotStarted, Server, token
from clients import Person, Wire
from tls import EC, Certificate, TLSServer, Tunnel, openssl

GET = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
ALIVE = b"alive\n"
MESSAGE_BYTES = 65_536
TEXT_BYTES = 16_384


# Command bursts are tested elsewhere.
PATIENT = {"BELFRY_CONNECTIONS_COMMANDS_AT_ONCE": "100000", "BELFRY_CONNECTIONS_USER_COMMANDS_AT_ONCE": "100000"}


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    server = TLSServer(tmp_path_factory.mktemp("tls"), PATIENT)
    yield server
    assert server.terminate() == 0


def only(server, version: ssl.TLSVersion) -> ssl.SSLContext:
    context = server.context()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = version
    if version < ssl.TLSVersion.TLSv1_2:
        context.set_ciphers("ALL:@SECLEVEL=0")
    return context


# Protocols


@pytest.mark.parametrize("kind", [EC, ("rsa:2048",)])
def test_both_tls_versions_work_with_both_kinds_of_key(start, kind):
    server = start(kind=kind)
    for version in ("TLSv1.2", "TLSv1.3"):
        with Tunnel(server, context=only(server, ssl.TLSVersion["TLSv1_" + version[-1]])) as tunnel:
            tunnel.handshake()
            assert tunnel.tls.version() == version
            tunnel.write(GET)
            assert tunnel.read_with(ALIVE).startswith(b"HTTP/1.1 200 OK\r\n")
    assert server.terminate() == 0


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_older_tls_versions_are_refused(tls, version):
    failed = tls.metric("belfry_tls_handshakes_failed_total")
    with Tunnel(tls, context=only(tls, version)) as tunnel, pytest.raises(ssl.SSLError, match="PROTOCOL_VERSION"):
        tunnel.handshake()
    assert tls.metric("belfry_tls_handshakes_failed_total") == failed + 1


@pytest.mark.parametrize("ciphers", ["AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA256", "DHE-RSA-AES128-GCM-SHA256"])
def test_ciphers_without_forward_secrecy_or_authenticated_encryption_are_refused(tls, ciphers):
    context = only(tls, ssl.TLSVersion.TLSv1_2)
    context.set_ciphers(ciphers)
    with Tunnel(tls, context=context) as tunnel, pytest.raises(ssl.SSLError, match="HANDSHAKE_FAILURE"):
        tunnel.handshake()


def test_alpn_selects_http_1_1_or_nothing(tls):
    def negotiated(*protocols):
        context = tls.context()
        if protocols:
            context.set_alpn_protocols(protocols)
        with Tunnel(tls, context=context) as tunnel:
            tunnel.handshake()
            return tunnel.tls.selected_alpn_protocol()

    assert negotiated("h2", "http/1.1") == "http/1.1"
    assert negotiated() is None
    with pytest.raises(ssl.SSLError, match="(?i)no.application.protocol"):
        negotiated("h2")
    refused = openssl("s_client", "-connect", f"{tls.host}:{tls.port}", "-alpn", "h2")
    assert refused.returncode != 0 and b"no application protocol" in refused.stderr


def test_renegotiation_is_refused(tls):
    asked = openssl("s_client", "-connect", f"{tls.host}:{tls.port}", "-tls1_2", input=b"R\n")
    assert b"RENEGOTIATING" in asked.stderr and b"no renegotiation" in asked.stderr


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_returning_client_resumes_its_tls_session(tls, version):
    context = only(tls, version)
    with Tunnel(tls, context=context) as first:
        first.handshake()
        first.write(GET)
        first.read_with(ALIVE)
        session = first.tls.session
    with Tunnel(tls, context=context) as second:
        second.tls = context.wrap_bio(
            second.incoming, second.outgoing, server_hostname=tls.host, session=session)
        second.handshake()
        second.write(GET)
        second.read_with(ALIVE)
        assert second.tls.session_reused


# Conversations


async def test_a_conversation_works_over_both_listeners(tls, name):
    general = name("general")
    async with (
        Person(tls, name("ann")) as ann,
        Person(tls, name("bob"), address=tls.plain_url) as bob,
        Wire(tls) as carol,
    ):
        await carol.connect(name("carol"))
        assert [extension.name for extension in carol.socket.protocol.extensions] == ["permessage-deflate"]
        await ann.rpc("channel.create", id=general, user_ids=[bob.user, name("carol")])
        for number in range(20):
            await ann.say(general, f"ann {number}")
            await bob.say(general, f"bob {number}")
        for number in range(20):
            for speaker in ("ann", "bob"):
                await ann.hears(general, "message.new", f"{speaker} {number}")
                await bob.hears(general, "message.new", f"{speaker} {number}")
                await carol.hears(general, f"{speaker} {number}")
        assert not ann.interruptions and not bob.interruptions


async def test_a_message_can_span_many_records(tls, name):
    def frame(size):
        text = '{"id":5,"rpc":{"method":"message.sing","data":""}}'
        return text.replace('""', '"' + "x" * (size - len(text)) + '"')

    async with Wire(tls) as wire:
        await wire.connect(name("ann"))
        await wire.send(frame(MESSAGE_BYTES))
        await wire.until(lambda: 5 in wire.replies, "a reply to the largest message")
        assert wire.replies[5]["error"]["code"] == 104
        await wire.send(frame(MESSAGE_BYTES + 1))
        assert await wire.close_code() == 1009


async def test_commands_beyond_the_limit_in_flight_wait_their_turn(tls, name):
    """Reading pauses while 64 commands are in flight, and data that OpenSSL has decrypted meanwhile is not lost."""
    general = name("general")
    async with Wire(tls) as wire:
        await wire.connect(name("ann"))
        await wire.rpc("channel.create", {"id": general})
        frames = [
            json.dumps({"id": id, "rpc": {"method": "message.send", "data": {"channel_id": general, "text": str(id)}}})
            for id in range(1_000, 3_000)
        ]
        # Send all frames together, so that many records arrive in one read.
        await asyncio.gather(*(wire.send(frame) for frame in frames))
        await wire.until(lambda: 2_999 in wire.replies, "the last reply")
        assert all("rpc" in wire.replies[id] for id in range(1_000, 3_000))


def test_data_decrypted_while_reading_is_paused_is_delivered_afterwards(tls, name):
    """The server reads 65,536 bytes at a time, after which OpenSSL has more and the kernel none."""
    user, general = name("ann"), name("general")

    def frame(command: dict) -> bytes:
        payload = json.dumps(command).encode().ljust(130)
        # The masking key is zero.
        return b"\x81\xfe" + len(payload).to_bytes(2, "big") + bytes(4) + payload

    with Tunnel(tls) as tunnel:
        tunnel.handshake()
        tunnel.write(
            b"GET /connection/websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
        tunnel.read_with(b"\r\n\r\n")
        tunnel.write(frame({"id": 1, "connect": {"token": token(user), "data": {"subscribe": "none"}}}))
        tunnel.write(frame({"id": 2, "rpc": {"method": "channel.create", "data": {"id": general}}}))
        tunnel.read_with(b'"id":2')
        # Grow the window until it accepts the burst below in one piece.
        for _ in range(20):
            tunnel.write(frame({"id": 3, "rpc": {"method": "x" * 60_000, "data": {}}}))
            tunnel.read_with(b'"code":104')
        count = 482
        burst = frame({"id": 4, "rpc": {"method": "channel.get", "data": {"channel_id": general}}}) * count
        # OpenSSL reads 16,709 bytes ahead, and no further before they are consumed, unless they end within the five
        # bytes of a record's header. Two such records and their surroundings are 16,706 bytes.
        while burst:
            for size in (16_384, 278):
                if burst[:size]:
                    tunnel.tls.write(burst[:size])
                burst = burst[size:]
        tls.process.send_signal(signal.SIGSTOP)
        tunnel.flush()
        try:
            wait(lambda: tunnel.unacknowledged == 0, "the kernel of the server has all of it")
        finally:
            tls.process.send_signal(signal.SIGCONT)
        tunnel.read_with(b'"rpc":{', count)


# Large responses


@pytest.fixture(scope="module")
def library(tls):
    """Returns a channel with a history page beyond 1 MB, and a user who may read it."""
    tls.app("user.upsert", id="reader")
    tls.app("channel.create", id="library", user_ids=["reader"])
    for number in range(100):
        tls.app("message.send", channel_id="library", as_user_id="reader", text=str(number % 10) * TEXT_BYTES)
    return "library"


def page(channel: str) -> bytes:
    body = json.dumps({"channel_id": channel, "limit": 100}).encode()
    return (
        f"POST /v1/message.list HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token('reader')}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_slow_reader_receives_complete_pages_of_the_maximum_size(tls, library, version):
    """Eight concurrent responses exceed the kernel's buffers, so records are sent in parts."""
    status, expected = tls.post("message.list", {"channel_id": library, "limit": 100}, user="reader")
    assert status == 200 and len(json.dumps(expected)) > 900_000
    with Tunnel(tls, receive_buffer=4_096, context=only(tls, version)) as tunnel:
        tunnel.handshake()
        tunnel.write(page(library) * 8, at_a_time=100)
        data = b""
        for _ in range(8):
            while b"\r\n\r\n" not in data:
                data += tunnel.read_more(1_000)
            head, _, data = data.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 OK\r\n")
            length = int(re.search(rb"(?i)\r\ncontent-length: (\d+)", head)[1])
            pieces, size = [data], len(data)
            while size < length:
                pieces.append(tunnel.read_more(1_000 if size < 100_000 else 65_536))
                size += len(pieces[-1])
            data = b"".join(pieces)
            assert json.loads(data[:length]) == expected
            data = data[length:]
        assert not data


def test_a_file_is_uploaded_and_downloaded_unchanged(tls, library):
    """Records arrive faster than they are stored, and are sent faster than they are read."""
    content = bytes(range(256)) * 20_000
    connection = tls.connect_http()
    headers = {"Authorization": f"Bearer {token('reader')}"}
    connection.request("POST", f"/v1/files?channel_id={library}&name=a.bin", content, headers)
    answer = connection.getresponse()
    uploaded = json.loads(answer.read())
    assert answer.status == 200, uploaded
    address = (uploaded.get("file") or uploaded)["url"]
    connection.request("GET", address, headers=headers)
    assert connection.getresponse().read() == content
    connection.close()


async def test_a_slow_reader_is_closed_as_slow_after_complete_frames(start, name):
    """The close frame follows a partly sent record and does not replace it."""
    # The test sends more than one user may send in a burst.
    server = start({
        **PATIENT, "BELFRY_CONNECTIONS_OUTBOX_BYTES": "65536", "BELFRY_WORK_USER_US_AT_ONCE": "60000000",
        "BELFRY_WORK_USER_BYTES_AT_ONCE": "1000000000"})
    server.app("user.upsert", id="ann")
    server.app("channel.create", id="general", user_ids=["ann"])

    async with Wire(server) as reader, Wire(server) as talker:
        await reader.connect("ann")
        await talker.connect("ann", data={"subscribe": "none"})
        reader.socket.transport.pause_reading()
        for _ in range(2_000):
            # The text is incompressible.
            text = random.randbytes(TEXT_BYTES // 2).hex()
            reply = await talker.rpc("message.send", {"channel_id": "general", "text": text})
            assert "rpc" in reply
            if server.metric("belfry_slow_consumers_total"):
                break
        reader.socket.transport.resume_reading()
        # Anything other than JSON frames would end the reader differently.
        assert await reader.close_code() == 3008
        assert len(reader.heard("general")) > 10
    assert server.terminate() == 0


# The certificate


def shown(server) -> bytes:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with Tunnel(server, context=context) as tunnel:
        tunnel.handshake()
        return tunnel.tls.getpeercert(binary_form=True)


def wait(condition, what: str):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


async def test_sighup_gives_new_connections_the_new_certificate_and_drops_nobody(start, tmp_path, name):
    server = start()
    first, second = Certificate(tmp_path / "first"), Certificate(tmp_path / "second")
    began_with = server.certificate.der
    for other in (first, second):
        server.ssl_context.load_verify_locations(other.path)
    assert shown(server) == began_with
    async with (
        Person(server, name("ann")) as ann,
        Person(server, name("bob"), address=server.plain_url) as bob,
    ):
        await ann.rpc("channel.create", id="general", user_ids=[bob.user])
        second.copy(to=server.certificate)
        assert shown(server) == began_with, "nothing is read without being asked"
        server.process.send_signal(signal.SIGHUP)
        wait(lambda: shown(server) == second.der, "the new certificate")
        assert server.metric("belfry_tls_reloads_total") == 1
        await ann.say("general", "still here")
        await bob.hears("general", "message.new", "still here")
        # The key of another certificate is refused and reported.
        server.certificate.key.write_bytes(first.key.read_bytes())
        server.process.send_signal(signal.SIGHUP)
        wait(lambda: server.metric("belfry_tls_reload_failures_total") == 1, "the failure is counted")
        assert "cannot reload the certificate" in server.log.read_text()
        assert "does not belong to the certificate" in server.log.read_text()
        assert shown(server) == second.der
        # A missing file is refused and reported.
        server.certificate.path.unlink()
        server.process.send_signal(signal.SIGHUP)
        wait(lambda: server.metric("belfry_tls_reload_failures_total") == 2, "the failure is counted")
        assert shown(server) == second.der
        first.copy(to=server.certificate)
        server.process.send_signal(signal.SIGHUP)
        wait(lambda: shown(server) == first.der, "the next good one")
        await bob.say("general", "and I")
        await ann.hears("general", "message.new", "and I")
        assert not ann.interruptions and not bob.interruptions
    assert server.terminate() == 0


# Starting


def test_incomplete_tls_settings_and_mismatched_files_exit_with_status_78(tmp_path):
    one, two = Certificate(tmp_path / "one"), Certificate(tmp_path / "two")
    path, key = str(one.path), str(one.key)
    cases = [
        (("--tls-port", "0"), "TLS needs --tls-certificate and --tls-key"),
        (("--tls-port", "0", "--tls-key", key), "TLS needs --tls-certificate"),
        (("--tls-certificate", path, "--tls-key", key), "TLS needs --tls-port"),
        (("--tls-host", "127.0.0.1"), "TLS needs --tls-port and"),
        (("--tls-port", "0", "--tls-certificate", path, "--tls-key", str(two.key)), "does not belong to"),
        (("--tls-port", "0", "--tls-certificate", key, "--tls-key", key), "contains no certificate"),
        (("--tls-port", "0", "--tls-certificate", path, "--tls-key", path), "contains no private key"),
        (("--tls-port", "0", "--tls-certificate", path + "x", "--tls-key", key), "\": No such file"),
        (("--tls-host", "no literal", *one.options()), "cannot listen on no literal port 0"),
    ]
    for options, message in cases:
        with pytest.raises(NotStarted) as refusal:
            Server(tmp_path, options=options)
        status, said = refusal.value.args
        assert status == 78 and message in said.splitlines()[-1], (options, said)


def test_an_expired_certificate_causes_a_warning(tmp_path):
    certificate = Certificate(tmp_path / "tls")
    expired = tmp_path / "expired.pem"
    made = openssl("x509", "-in", certificate.path, "-signkey", certificate.key, "-days", -1, "-out", expired)
    assert made.returncode == 0, made.stderr
    expired.rename(certificate.path)
    server = Server(tmp_path, options=certificate.options())
    assert "the certificate has expired or is not valid yet" in server.log.read_text()
    assert server.get("/livez")[0] == 200
    assert server.terminate() == 0
