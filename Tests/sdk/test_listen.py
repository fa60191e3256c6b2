"""`belfry listen` over TLS: the client trusts only the given certificates and receives everything."""

import contextlib
import os
import subprocess
import threading
import time

import pytest
from belfry import DEADLINE, token
from tls import TLSServer


class Listener:
    """The running command with its output so far."""

    def __init__(self, *arguments: str):
        self.process = subprocess.Popen(
            [os.environ.get("BELFRY_BIN", ".build/debug/belfry"), "listen", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.heard: list[str] = []
        self.told: list[str] = []
        for stream, lines in ((self.process.stdout, self.heard), (self.process.stderr, self.told)):
            threading.Thread(target=lambda stream=stream, lines=lines: lines.extend(stream), daemon=True).start()

    def wait(self, lines: list[str], *texts: str):
        deadline = time.monotonic() + DEADLINE
        while not all(any(text in line for line in lines) for text in texts):
            assert time.monotonic() < deadline, (texts, self.told, self.heard[-3:])
            time.sleep(0.02)

    def close(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    server = TLSServer(tmp_path_factory.mktemp("listen"))
    yield server
    assert server.terminate() == 0


def listen(*arguments: str):
    return contextlib.closing(Listener(*arguments))


def test_listen_receives_the_same_events_over_tls(tls, name):
    ann, general = name("ann"), name("general")
    with listen("--url", tls.socket_url, "--trust", str(tls.certificate.path), "--token", token(ann)) as listener:
        listener.wait(listener.told, f"connected as {ann}")
        tls.app("channel.create", id=general, user_ids=[ann])
        # Less than one TLS record, more than one record, and more than one read by the client.
        texts = [f"{number}:" + "x" * size for number, size in enumerate((1, 4_000, 9_000, 15_900) * 30)]
        for text in texts:
            tls.app("message.send", channel_id=general, text=text, as_user_id=ann)
        listener.wait(listener.heard, f'"text":"{len(texts) - 1}:')
        heard = [line.split('"text":"')[1].split('"')[0] for line in listener.heard if '"message.new"' in line]
        assert heard == texts


def test_an_untrusted_certificate_is_refused(tls, name):
    with listen("--url", tls.socket_url, "--token", token(name("ann"))) as listener:
        listener.wait(listener.told, "the certificate is not trusted: self-signed certificate")
        assert not any("connected as" in line for line in listener.told)


def test_a_certificate_for_another_host_is_refused(tls, name):
    url = tls.socket_url.replace("127.0.0.1", "localhost")
    with listen("--url", url, "--trust", str(tls.certificate.path), "--token", token(name("ann"))) as listener:
        listener.wait(listener.told, "the certificate is not trusted: hostname mismatch")


def test_a_server_without_tls_is_reported_as_such(tls, name):
    url = tls.plain_url.replace("ws:", "wss:")
    with listen("--url", url, "--trust", str(tls.certificate.path), "--token", token(name("ann"))) as listener:
        listener.wait(listener.told, "no TLS: wrong version number")


def test_a_trust_file_without_certificates_is_refused_immediately(tmp_path):
    for path, why in ((tmp_path / "none.pem", "cannot read"), (tmp_path / "empty.pem", "contains no certificate")):
        if path.name == "empty.pem":
            path.write_text("")
        with listen("--url", "wss://127.0.0.1:1/", "--trust", str(path), "--token", "x") as listener:
            listener.wait(listener.told, why)
            assert listener.process.wait(DEADLINE) == 64
