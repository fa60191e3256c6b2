"""The console in a browser, and what it talks to: a server with an admin listener and keys with different scopes."""

import contextlib
import http.client
import http.server
import json
import pathlib
import threading

import webdriver
from belfry import API_KEY, DEADLINE, Server
from browser import Window
from fronts import DEPLOY, Nginx, replaced

# The ids of the keys are their names here.
KEYS = {
    "viewer": ["read"],
    "moderator": ["read", "write"],
    "keeper": ["read", "write", "admin"],
    "writer": ["write"],
}


def key_of(name: str) -> str:
    """Returns the key with that id: see `write_keys`."""
    return f"a server key of the {name}, long enough".replace(" ", "-")


def write_keys(folder: pathlib.Path, keys=KEYS) -> pathlib.Path:
    file = folder / "keys.json"
    file.touch(mode=0o600)
    file.write_text(json.dumps([{"id": name, "key": key_of(name), "scopes": scopes} for name, scopes in keys.items()]))
    return file


class Console:
    """A server with an admin listener, whose console opens in windows."""

    def __init__(self, folder: pathlib.Path, browse, settings: dict | None = None):
        keys = {"BELFRY_SERVER_API_KEYS_FILE": str(write_keys(folder))}
        self.server = Server(folder, {**keys, **(settings or {})}, options=("--admin-port", "0"))
        self.browse = browse
        admin = self.server.hello["admin"]
        self.address = (admin["host"], admin["port"])
        self.url = f"http://{admin['host']}:{admin['port']}/"

    def __getattr__(self, name):
        return getattr(self.server, name)

    def ask(self, path: str, method="GET", body=None, **headers) -> tuple[int, http.client.HTTPMessage, str]:
        """Sends a request to the admin listener; `X_API_Key` becomes `X-API-Key`."""
        connection = http.client.HTTPConnection(*self.address, timeout=DEADLINE)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def window(self, key: str | None = None, fragment: str = "", url: str | None = None) -> Window:
        """Opens the console, signed in with the key of that name."""
        window = self.browse((url or self.url) + fragment)
        window.media(prefers_reduced_motion="reduce")
        window.css(".console").wait()
        if key:
            sign_in(window, key_of(key))
            if fragment:
                window.go(fragment)
        return window

    def person(self, user: str, nickname: str | None = None) -> str:
        return self.app("user.upsert", id=user, nickname=nickname or user.capitalize())["user"]["id"]

    def do(self, user: str, command: str, **data) -> dict:
        return self.app(command, as_user_id=user, **data)


def sign_in(window: Window, key: str):
    window.role("button", "Sign in").click()
    window.css("#key").type(key + "\n")
    window.css(".console .session .name").wait()


class Proxy:
    """A proxy in front of the admin listener that passes on the client's `Host`, as nginx with `proxy_set_header Host
    $http_host`."""

    def __init__(self, address: tuple[str, int]):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                connection = http.client.HTTPConnection(*address, timeout=DEADLINE)
                connection.request(self.command, self.path, body or None, dict(self.headers))
                answer = connection.getresponse()
                content = answer.read()
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                connection.close()

            do_GET = do_POST = pass_on

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class NginxForConsole(Nginx):
    """nginx with TLS and the file in deploy/, in front of the admin listener."""

    def text(self) -> str:
        host, port = self.server.address
        return replaced(
            (DEPLOY / "nginx/belfry-console.conf").read_text(), (r"listen \[::\]:443 ", f"listen [::1]:{self.port} "),
            (r"listen 443 ", f"listen 127.0.0.1:{self.port} "), ("127.0.0.1:9090", f"{host}:{port}"),
            ("/etc/ssl/belfry/certificate.pem", self.certificate.path), ("/etc/ssl/belfry/key.pem", self.certificate.key))


@contextlib.contextmanager
def browser_that_knows(driver, host: str):
    """A browser of its own that finds `host` on this machine; yields a window."""
    before, rule = webdriver.FLAGS, f"--host-resolver-rules=MAP {host} 127.0.0.1"
    webdriver.FLAGS = [flag for flag in before if "host-resolver-rules" not in flag] + [rule]
    try:
        session = webdriver.Session(driver.port, driver.folder / "console")
    finally:
        webdriver.FLAGS = before
    try:
        window = Window(session, session("GET", "/window"))
        yield window
        assert window.problems() == []
    finally:
        session.close()


__all__ = ["API_KEY", "Console", "KEYS", "NginxForConsole", "Proxy", "browser_that_knows", "key_of", "sign_in"]
