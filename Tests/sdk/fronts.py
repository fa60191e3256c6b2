"""nginx and haproxy with the files in deploy/, in front of the real server. Only ports and paths are replaced."""

import http.client
import os
import pathlib
import re
import socket
import ssl
import subprocess
import time

from belfry import DEADLINE, Server
from tls import Certificate

DEPLOY = pathlib.Path(__file__).parents[2] / "deploy"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def replaced(text: str, *pairs: tuple[str, object]) -> str:
    for old, new in pairs:
        assert re.search(old, text), f"{old} is not there"
        text = re.sub(old, str(new), text)
    return text


class Front:
    """A proxy that ends with the test. Clients connect with TLS to `port` and without TLS to `plain_port`."""

    def __init__(self, folder: pathlib.Path, server: Server, certificate: Certificate):
        self.folder, self.server, self.certificate = folder, server, certificate
        folder.mkdir(parents=True, exist_ok=True)
        self.port, self.plain_port = free_port(), free_port()
        self.ssl_context = ssl.create_default_context(cafile=str(certificate.path))
        self.process = None

    @property
    def host(self) -> str:
        return "127.0.0.1"

    @property
    def socket_url(self) -> str:
        return f"wss://127.0.0.1:{self.port}/connection/websocket"

    def request(self, method: str, path: str, body=None, source: str = "127.0.0.2", tls: bool = True, **fields):
        """Returns status, body and headers of the response to a client with that address."""
        options = {"timeout": DEADLINE, "source_address": (source, 0)}
        if tls:
            connection = http.client.HTTPSConnection(self.host, self.port, context=self.ssl_context, **options)
        else:
            connection = http.client.HTTPConnection(self.host, self.plain_port, **options)
        try:
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()

    def get(self, path: str) -> tuple[int, str]:
        status, body, _ = self.request("GET", path, source="127.0.0.4")
        return status, body.decode()

    # The program's arguments, and those that check its configuration.
    program: tuple[str, ...]
    checks: tuple[str, ...]

    def __enter__(self):
        self.write()
        checked = subprocess.run([*self.checks], capture_output=True, text=True, timeout=DEADLINE)
        assert checked.returncode == 0, checked.stderr
        assert "warn" not in checked.stderr.lower(), checked.stderr
        self.log = self.folder / "log"
        self.process = subprocess.Popen(self.program, stdout=self.log.open("ab"), stderr=subprocess.STDOUT)
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()
                time.sleep(0.02)

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Nginx(Front):
    # The file, and its section of nginx.conf.
    file, context = "nginx/belfry.conf", "http"

    def write(self):
        for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi"):
            (self.folder / name).mkdir(exist_ok=True)
        main = self.folder / "nginx.conf"
        temporary = "".join(
            f"{name}_temp_path {self.folder}/{'body' if name == 'client_body' else name};\n"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) if self.context == "http" else ""
        (self.folder / "belfry.conf").write_text(self.text())
        main.write_text(
            ("user root;\n" if os.getuid() == 0 else "")
            + ("load_module /usr/lib/nginx/modules/ngx_stream_module.so;\n" if self.context == "stream" else "")
            + f"daemon off;\nworker_processes 1;\npid {self.folder}/pid;\nerror_log stderr;\n"
            + "events { worker_connections 1024; }\n"
            + f"{self.context} {{\naccess_log off;\n{temporary}include {self.folder}/belfry.conf;\n}}\n")
        self.program = ("nginx", "-p", str(self.folder), "-e", "stderr", "-c", str(main))
        self.checks = (*self.program, "-t", "-q")

    def text(self) -> str:
        return replaced(
            (DEPLOY / self.file).read_text(),
            (r"listen (\[::\]:)(\d+)", r"listen [::1]:\2"), (r"listen 80;", f"listen 127.0.0.1:{self.plain_port};"),
            (r"listen 443 ", f"listen 127.0.0.1:{self.port} "), (r"\[::1\]:80", f"[::1]:{self.plain_port}"),
            (r"\[::1\]:443", f"[::1]:{self.port}"), ("127.0.0.1:8080", f"127.0.0.1:{self.server.plain_port}"),
            ("/etc/ssl/belfry/certificate.pem", self.certificate.path),
            ("/etc/ssl/belfry/key.pem", self.certificate.key))


class NginxStream(Nginx):
    file, context = "nginx/belfry-stream.conf", "stream"

    def text(self) -> str:
        return replaced(
            (DEPLOY / self.file).read_text(),
            (r"listen \[::\]:443", f"listen [::1]:{self.port}"), (r"listen 443 ", f"listen 127.0.0.1:{self.port} "),
            ("127.0.0.1:8443", f"127.0.0.1:{self.server.port}"))


class Haproxy(Front):
    file = "haproxy/belfry.cfg"

    def write(self):
        both = self.folder / "both.pem"
        both.write_bytes(self.certificate.path.read_bytes() + self.certificate.key.read_bytes())
        path = self.folder / "belfry.cfg"
        path.write_text(replaced(
            (DEPLOY / self.file).read_text(),
            ("bind :80", f"bind 127.0.0.1:{self.plain_port}"), ("bind :443", f"bind 127.0.0.1:{self.port}"),
            ("/etc/ssl/belfry/both.pem", both), *self.nodes()))
        # The global section belongs to the distribution.
        (self.folder / "global.cfg").write_text(
            f"global\n    maxconn 1000\n    nbthread 1\n    stats socket {self.folder}/stats\n")
        self.program = ("haproxy", "-db", "-f", str(self.folder / "global.cfg"), "-f", str(path))
        self.checks = (*self.program, "-c")

    def nodes(self) -> list[tuple[str, object]]:
        """Returns the replacements for the servers' addresses."""
        return [("127.0.0.1:8080", f"127.0.0.1:{self.server.plain_port}")]


class HaproxyNodes(Haproxy):
    """haproxy in front of two nodes, which are also at `one` and `two`."""

    file = "haproxy/belfry-nodes.cfg"

    def __init__(self, folder: pathlib.Path, nodes: list, certificate: Certificate):
        super().__init__(folder, nodes[0], certificate)
        self.ports = [node.port for node in nodes]

    def nodes(self) -> list[tuple[str, object]]:
        one, two = self.ports
        return [
            ("10.0.0.1:8080", f"127.0.0.1:{one}"), ("10.0.0.2:8080", f"127.0.0.1:{two}"), (r" *server three .*\n", "")]

    def states(self) -> dict[str, str]:
        """Returns whether each node gets new connections: `UP`, `DOWN`, or what lies in between."""
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(DEADLINE)
            control.connect(str(self.folder / "stats"))
            control.sendall(b"show stat -1 4 -1\n")
            answer = b""
            while data := control.recv(65_536):
                answer += data
        lines = [line.split(",") for line in answer.decode().lstrip("# ").splitlines() if line]
        name, status = lines[0].index("svname"), lines[0].index("status")
        return {line[name]: line[status] for line in lines[1:]}


class NginxNodes(Nginx):
    """nginx with a second node in its list, as the runbook describes."""

    def __init__(self, folder: pathlib.Path, nodes: list, certificate: Certificate):
        self.node_ports = [node.port for node in nodes]
        nodes[0].plain_port = nodes[0].port
        super().__init__(folder, nodes[0], certificate)

    def text(self) -> str:
        one, two = self.node_ports
        return replaced(super().text(), (f"server 127.0.0.1:{one};", (
            f"least_conn;\n    server 127.0.0.1:{one};\n    server 127.0.0.1:{two};")))
