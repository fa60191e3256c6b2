"""The server and its child processes need no system call that the systemd service forbids.

The service's call filter is compared with the calls recorded by strace. Its ban on memory that is both writable and
executable is tested with the kernel's equivalent (PR_SET_MDWE), which is as strict.
"""

import http.client
import json
import os
import pathlib
import re
import signal
import ssl
import struct
import subprocess
import sys
import zlib

import pytest
from belfry import DEADLINE, Server, token
from fronts import DEPLOY
from storage import BINARY, begin, send
from tls import Certificate

# prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN), which child processes inherit. Kernels before 6.3 do not support it.
STRICT = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(65, 1, 0, 0, 0); "
    "ctypes.CDLL(None).prctl(38, 1, 0, 0, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)


def calls(name: str) -> set[str]:
    """Returns the system calls in one of systemd's groups, including nested groups."""
    text = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
    words = {line.strip() for line in text.splitlines()[1:] if line.strip() and not line.strip().startswith("#")}
    return {call for word in words for call in (calls(word) if word.startswith("@") else {word})}


def allowed(unit: str) -> set[str]:
    found = set()
    for line in re.findall(r"^SystemCallFilter=(.*)$", (DEPLOY / "systemd" / unit).read_text(), re.M):
        is_denied = line.startswith("~")
        for word in line.lstrip("~").split():
            group = calls(word) if word.startswith("@") else {word}
            found = found - group if is_denied else found | group
    return found


def traced(path: pathlib.Path) -> tuple[str, ...]:
    return sys.executable, "-c", STRICT, "strace", "-f", "-qq", "-c", "-U", "name", "-o", str(path)


def made_in(trace: pathlib.Path) -> set[str]:
    """Returns the system calls recorded by strace."""
    return set(re.findall(r"^\s*([a-z_0-9]+)\s*$", trace.read_text(), re.M)) - {"syscall", "total"}


def picture(side: int = 256) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + bytes((x * 5 + y) & 255 for x in range(side)) for y in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def request(server: Server, method: str, path: str, body: bytes | None = None) -> http.client.HTTPResponse:
    connection = server.connect_http()
    connection.request(method, path, body, {"Authorization": "Bearer " + token("ann")})
    answer = connection.getresponse()
    answer.content = answer.read()
    connection.close()
    return answer


@pytest.mark.needs("strace", "systemd-analyze")
def test_the_server_makes_no_system_call_that_the_service_forbids(tmp_path):
    trace, certificate = tmp_path / "calls", Certificate(tmp_path / "certificate")
    server = Server(
        tmp_path, {"WATCHDOG_USEC": "200000", "NOTIFY_SOCKET": "@nobody-is-there", "BELFRY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.1"}, options=certificate.options(),
        under=traced(trace))
    try:
        begin(server)
        # Use TLS with a reloaded certificate.
        os.kill(server.pid, signal.SIGHUP)
        context = ssl.create_default_context(cafile=str(certificate.path))
        secure = http.client.HTTPSConnection("127.0.0.1", server.hello["tls"]["port"], timeout=DEADLINE, context=context)
        secure.request("GET", "/livez")
        assert secure.getresponse().read() == b"alive\n"
        secure.close()
        # Upload a file, whose thumbnail a separate process creates.
        uploaded = request(server, "POST", "/v1/files?channel_id=general&name=a.png", picture())
        assert uploaded.status == 200, uploaded.content
        file = json.loads(uploaded.content)["file"]
        status, sent = server.post("message.send", {
            "channel_id": "general", "kind": "file", "files": [{"id": file["id"]}],
            "thumbnail_sizes": [{"max_width": 20, "max_height": 20}]}, user="ann")
        assert status == 200, sent
        small = request(server, "GET", sent["message"]["files"][0]["thumbnails"][0]["url"])
        assert small.status == 200 and small.content.startswith(b"\x89PNG")
        # Set a webhook whose address has no listener.
        server.app("webhook.set", id="app", url="http://127.0.0.1:9/", events="*", secret="the secret of a webhook, long")
        assert send(server, "to the webhook") == 200
    finally:
        os.kill(server.pid, signal.SIGTERM)
        server.process.wait(30)
    made = made_in(trace)
    if os.geteuid() == 0:
        # SQLite gives its files to the owner of the database, but only as root, which the service is not.
        made.discard("fchown")
    assert {"epoll_wait", "fdatasync", "accept4", "execve", "sendto"} <= made, trace.read_text()
    assert made - allowed("belfry.service") == set()
    # Make a backup like the other service.
    trace.unlink()
    copy = tmp_path / "copy"
    subprocess.run([*traced(trace), BINARY, "data", "backup", server.data, copy], check=True, timeout=60)
    assert "fsync" in made_in(trace)
    assert made_in(trace) - allowed("belfry-backup.service") == set()
