"""A page in headless Chromium that speaks over `wss` with permessage-deflate, as web applications do.

Needs Debian's `chromium` and `chromium-driver`; the driver speaks WebDriver (W3C) over plain HTTP.
"""

import contextlib
import http.client
import http.server
import json
import re
import shutil
import subprocess
import threading

import pytest
from belfry import DEADLINE, token
from tls import TLSServer

FLAGS = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
         "--ignore-certificate-errors", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
# A browser that starts on a busy machine takes its time.
BROWSER_SECONDS = 60

# Runs in the page: everything it sees until the message comes back as an event, or what went wrong instead.
SCRIPT = """
const [url, token, channel, text, done] = arguments;
const seen = {replies: {}, events: []};
const socket = new WebSocket(url);
const command = (id, body) => socket.send(JSON.stringify({id, ...body}));
const rpc = (id, method, data) => command(id, {rpc: {method, data}});
socket.onopen = () => {
    seen.extensions = socket.extensions;
    command(1, {connect: {token}});
};
socket.onmessage = ({data}) => {
    for (const line of data.split("\\n")) {
        const message = JSON.parse(line);
        if (message.id) seen.replies[message.id] = message;
        if (message.push && message.push.pub) seen.events.push(message.push.pub.data);
        if (message.id === 1) rpc(2, "channel.create", {id: channel});
        if (message.id === 2) rpc(3, "message.send", {channel_id: channel, text});
    }
    if (seen.replies[3] && seen.events.some(event => event.type === "message.new")) {
        socket.onclose = () => done(seen);
        socket.close(1000);
    }
};
socket.onclose = event => done({...seen, closed: [event.code, event.reason]});
"""


class Browser:
    """A session of WebDriver."""

    def __init__(self, port: int):
        self.port = port
        options = {"args": FLAGS, "binary": shutil.which("chromium")}
        capabilities = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}
        self.session = ""
        self.session = "/session/" + self("POST", "/session", capabilities=capabilities)["sessionId"]

    def __call__(self, method: str, path: str, **body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=BROWSER_SECONDS)
        with contextlib.closing(connection):
            connection.request(method, self.session + path, json.dumps(body) if method == "POST" else None)
            answer = json.loads(connection.getresponse().read())["value"]
        assert not (isinstance(answer, dict) and "error" in answer), answer
        return answer

    def close(self):
        self("DELETE", "")


@pytest.fixture
def browser(tmp_path):
    for program in ("chromium", "chromedriver"):
        assert shutil.which(program), f"{program} is missing: apt-get install chromium chromium-driver"
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=(tmp_path / "driver").open("ab"), text=True)
    try:
        started = re.compile(r"started successfully on port (\d+)")
        port = next(found[1] for line in driver.stdout if (found := started.search(line)))
        # The pipe must not fill up.
        threading.Thread(target=driver.stdout.read, daemon=True).start()
        with contextlib.closing(Browser(int(port))) as browser:
            yield browser
    finally:
        driver.terminate()
        driver.wait(DEADLINE)


@pytest.fixture
def page():
    """The address of a page without anything on it."""

    class Empty(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_a_page_in_chromium_talks_over_wss_with_compression(browser, page, tmp_path, name):
    text = "the meeting is at ten tomorrow, can you send me that file again please? " * 100
    server = TLSServer(tmp_path)
    try:
        browser("POST", "/timeouts", script=BROWSER_SECONDS * 1_000)
        browser("POST", "/url", url=page)
        arguments = [server.socket_url, token(name("ann")), name("general"), text]
        seen = browser("POST", "/execute/async", script=SCRIPT, args=arguments)
        assert "closed" not in seen, seen
        assert seen["extensions"].startswith("permessage-deflate")
        assert seen["replies"]["1"]["connect"]["data"]["user"]["id"] == name("ann")
        assert seen["replies"]["3"]["rpc"]["data"]["message"]["text"] == text
        (event,) = [event for event in seen["events"] if event["type"] == "message.new"]
        assert event["message"]["text"] == text
        # Not only agreed to: the event went through the compressor.
        assert server.metric("belfry_deflate_bytes_in_total") > len(text)
    finally:
        assert server.terminate() == 0
