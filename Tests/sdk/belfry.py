"""The real server as a child process, its HTTP interface, and generated tokens."""

import base64
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import select
import signal
import ssl
import subprocess
import time

import documents

SECRET = "a secret of the test suite, long enough for HS256"
API_KEY = "an api key of the test suite"
RING_EVENTS = 50
DEADLINE = 10.0


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(user: str, expires_in: float | None = 3600, secret: str = SECRET, algorithm: str = "HS256", **claims) -> str:
    """Returns a JWT (RFC 7519) with the claims `sub` and, unless None, `exp` in whole seconds from now."""
    if expires_in is not None:
        claims["exp"] = int(time.time() + expires_in)
    parts = [{"alg": algorithm, "typ": "JWT"}, {"sub": user, **claims}]
    signed = ".".join(_base64url(json.dumps(part).encode()) for part in parts)
    signature = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return signed + "." + ("" if algorithm == "none" else _base64url(signature))


class NotStarted(Exception):
    """The server exited, with its status and output."""


class Door:
    """The HTTP interface of a running server."""

    # For clients with a `wss` `socket_url`.
    ssl_context: ssl.SSLContext | None = None

    def __init__(self, host: str, port: int):
        self.host, self.port = host, port

    @property
    def socket_url(self) -> str:
        return f"ws://{self.host}:{self.port}/connection/websocket"

    def get(self, path: str, method: str = "GET") -> tuple[int, str]:
        answer, body = self._request(method, path)
        return answer.status, body.decode()

    def metric(self, name: str) -> float:
        """Returns the sum over all labels; `name` is a regular expression, which can select a label."""
        lines = self.get("/metrics")[1].splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if re.match(name + r"[ {]", line))

    def post(self, command: str, data=None, **credentials) -> tuple[int, dict]:
        """Sends `POST /v1/<command>` as `user=…` (with a fresh token), with `bearer=…`, or with `key=…`."""
        headers = {"Content-Type": "application/json"}
        if "user" in credentials:
            credentials["bearer"] = token(credentials["user"])
        if "bearer" in credentials:
            headers["Authorization"] = "Bearer " + credentials["bearer"]
        if "key" in credentials:
            headers["X-API-Key"] = credentials["key"]
        body = data if isinstance(data, bytes) else json.dumps(data or {}).encode()
        answer, body = self._request("POST", "/v1/" + command, body, headers)
        result = json.loads(body)
        documents.of(self).answer(command, answer.status, result)
        return answer.status, result

    def app(self, command: str, **data) -> dict:
        """Runs a command of the app's backend, which must succeed."""
        status, result = self.post(command, data, key=API_KEY)
        assert status == 200, result
        return result

    def connect_http(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=DEADLINE)

    def _request(self, method, path, body=None, headers=None):
        connection = self.connect_http()
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()


class Server(Door):
    """`belfry serve` on a free loopback port, with its own data folder."""

    def __init__(
        self, folder: pathlib.Path, settings: dict | None = None, under: tuple[str, ...] = (),
        options: tuple[str, ...] = (), listens: tuple[str, ...] = ("--port", "0"), sockets: tuple[int, ...] = (),
        log: tuple[str, ...] = ("--log-level", "debug"),
    ):
        """`settings` are additional environment variables, `under` is a command that runs the server, and `options` are
        the server's options.

        `listens` are the options for its addresses, `sockets` the descriptors it inherits, and `log` the log level."""
        self.log = folder / "log"
        self.data = folder / "data"
        binary = os.environ.get("BELFRY_BIN", ".build/debug/belfry")
        environment = {
            "BELFRY_TOKEN_SECRET": SECRET,
            "BELFRY_API_KEY": API_KEY,
            "BELFRY_ROOMS_RING_EVENTS": str(RING_EVENTS),
            # Tests request metrics repeatedly, and nearly all without a token.
            "BELFRY_CONNECTIONS_STRANGERS_PER_SECOND": "1000000",
            "BELFRY_CONNECTIONS_STRANGERS_AT_ONCE": "1000000",
            "PATH": os.environ["PATH"],
            # A page other than the built-in one, for working on the page without building the program.
            **{name: os.environ[name] for name in ("BELFRY_PAGE_FOLDER",) if name in os.environ},
            **(settings or {}),
        }
        self.process = subprocess.Popen(
            [*under, binary, "serve", *listens, "--data", str(self.data), *log, *options],
            env=environment,
            pass_fds=sockets,
            stdout=subprocess.PIPE,
            stderr=self.log.open("ab"),
        )
        readable, _, _ = select.select([self.process.stdout], [], [], DEADLINE)
        line = self.process.stdout.readline() if readable else b""
        if not line:
            try:
                # The wrapping command may take a moment longer.
                self.process.wait(2 if readable else 0)
            except subprocess.TimeoutExpired:
                self.process.kill()
            raise NotStarted(self.process.wait(), self.log.read_text())
        hello = self.hello = json.loads(line)
        super().__init__(hello["listening"]["host"], hello["listening"]["port"])
        self.pid = hello["pid"]
        assert under or self.pid == self.process.pid

    def terminate(self) -> int:
        """Sends SIGTERM and returns the exit status; a server that does not exit in time is killed and fails the
        test."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
