"""A server with a TLS listener, certificates for it, and a client that lets the test control every byte."""

import fcntl
import http.client
import pathlib
import socket
import ssl
import struct
import subprocess
import termios

from belfry import DEADLINE, Server


def openssl(*arguments, input: bytes = b"") -> subprocess.CompletedProcess:
    return subprocess.run(["openssl", *map(str, arguments)], input=input, capture_output=True, timeout=30)


EC = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")


class Certificate:
    """A self-signed certificate for 127.0.0.1 and its key, each in a file."""

    def __init__(self, folder: pathlib.Path, kind: tuple[str, ...] = EC):
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self.key = folder / "certificate.pem", folder / "key.pem"
        made = openssl(
            "req", "-x509", "-newkey", *kind, "-nodes", "-keyout", self.key, "-out", self.path, "-days", 2,
            "-subj", f"/CN={folder.name}", "-addext", "subjectAltName=IP:127.0.0.1")
        assert made.returncode == 0, made.stderr

    def copy(self, to: "Certificate"):
        """Replaces another certificate, like a tool that renews certificates."""
        for source, target in ((self.path, to.path), (self.key, to.key)):
            fresh = target.with_suffix(".fresh")
            fresh.write_bytes(source.read_bytes())
            fresh.rename(target)

    @property
    def der(self) -> bytes:
        return ssl.PEM_cert_to_DER_cert(self.path.read_text())

    def options(self) -> tuple[str, ...]:
        return ("--tls-port", "0", "--tls-certificate", str(self.path), "--tls-key", str(self.key))


class TLSServer(Server):
    """A server accessed over TLS by clients that trust its certificate; `plain_url` is the URL of the other
    listener."""

    def __init__(self, folder: pathlib.Path, settings: dict | None = None, kind: tuple[str, ...] = EC):
        self.certificate = Certificate(folder / "tls", kind)
        self.ssl_context = ssl.create_default_context(cafile=str(self.certificate.path))
        super().__init__(folder, settings, options=self.certificate.options())
        self.plain = self.hello["listening"]
        self.host, self.port = self.hello["tls"]["host"], self.hello["tls"]["port"]

    @property
    def socket_url(self) -> str:
        return f"wss://{self.host}:{self.port}/connection/websocket"

    @property
    def plain_url(self) -> str:
        return f"ws://{self.plain['host']}:{self.plain['port']}/connection/websocket"

    def context(self) -> ssl.SSLContext:
        """Returns a new client context, which may be modified."""
        return ssl.create_default_context(cafile=str(self.certificate.path))

    def connect_http(self) -> http.client.HTTPConnection:
        return http.client.HTTPSConnection(self.host, self.port, timeout=DEADLINE, context=self.ssl_context)

    def dial(self, receive_buffer: int | None = None) -> socket.socket:
        """Returns a TCP connection to the TLS port."""
        bare = socket.socket()
        if receive_buffer:
            bare.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        bare.settimeout(DEADLINE)
        bare.connect((self.host, self.port))
        bare.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return bare


class Tunnel:
    """A TLS client whose records are sent as and when the test decides."""

    def __init__(self, server: TLSServer, receive_buffer: int | None = None, context: ssl.SSLContext | None = None):
        self.socket = server.dial(receive_buffer)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = (context or server.ssl_context).wrap_bio(self.incoming, self.outgoing, server_hostname=server.host)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def flush(self, at_a_time: int = 1 << 20):
        data = self.outgoing.read()
        for start in range(0, len(data), at_a_time):
            self.socket.sendall(data[start : start + at_a_time])

    @property
    def unacknowledged(self) -> int:
        """Returns the number of bytes that the server's kernel has not received yet."""
        return struct.unpack("i", fcntl.ioctl(self.socket, termios.TIOCOUTQ, bytes(4)))[0]

    def receive(self, limit: int = 65_536) -> bool:
        """Reads more input; returns False at the end of the stream."""
        data = self.socket.recv(limit)
        self.incoming.write(data) if data else self.incoming.write_eof()
        return bool(data)

    def handshake(self, at_a_time: int = 1 << 20, keeps_the_end: bool = False):
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self.flush(at_a_time)
                self.receive()
        if not keeps_the_end:
            self.flush(at_a_time)

    def write(self, data: bytes, at_a_time: int = 1 << 20):
        self.tls.write(data)
        self.flush(at_a_time)

    def read(self, limit: int = 65_536) -> bytes:
        """Returns decrypted bytes, empty once the server has closed properly (close_notify); any other end is an
        error."""
        while True:
            try:
                return self.tls.read(limit)
            except ssl.SSLWantReadError:
                self.receive(limit)
            except ssl.SSLZeroReturnError:
                return b""

    def read_more(self, limit: int = 65_536) -> bytes:
        data = self.read(limit)
        assert data, "the server has ended"
        return data

    def read_with(self, words: bytes, count: int = 1) -> bytes:
        """Returns everything until the words have occurred this often."""
        data = b""
        while data.count(words) < count:
            data += self.read_more()
        return data
