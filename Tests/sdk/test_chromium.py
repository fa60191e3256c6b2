"""A page in headless Chromium that uses `wss` with permessage-deflate, like web applications."""

import http.server
import threading

import pytest
from belfry import Server, token
from tls import TLSServer

# Runs in the page. Returns everything received until the message arrives as an event, or the error.
SCRIPT = """
const [url, token, channel, text] = arguments;
let done;
const end = new Promise(resolve => { done = resolve; });
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
return end;
"""


@pytest.fixture
def page():
    """Serves an empty page and returns its address."""

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


def test_a_page_in_chromium_talks_over_wss_with_compression(browse, page, tmp_path, name):
    text = "the meeting is at ten tomorrow, can you send me that file again please? " * 100
    server = TLSServer(tmp_path)
    try:
        seen = browse(page).script(SCRIPT, server.socket_url, token(name("ann")), name("general"), text)
        assert "closed" not in seen, seen
        assert seen["extensions"].startswith("permessage-deflate")
        assert seen["replies"]["1"]["connect"]["data"]["user"]["id"] == name("ann")
        assert seen["replies"]["3"]["rpc"]["data"]["message"]["text"] == text
        (event,) = [event for event in seen["events"] if event["type"] == "message.new"]
        assert event["message"]["text"] == text
        # Compression was not only negotiated: the event went through the compressor.
        assert server.metric("belfry_deflate_bytes_in_total") > len(text)
    finally:
        assert server.terminate() == 0


# Attempts the actions of a page of another origin: import the client library, call commands, upload and download.
ELSEWHERE = """
const [server, token, channel] = arguments;
const authorization = {Authorization: `Bearer ${token}`};
async function attempt(work) {
    try {
        return await work();
    } catch (error) {
        return `${error.name}`;
    }
}
return (async () => ({
    library: await attempt(async () => Object.keys(await import(`${server}/belfry.js`)).includes("Chat")),
    call: await attempt(async () => {
        const answer = await fetch(`${server}/v1/channel.create`, {
            method: "POST", body: JSON.stringify({id: channel}),
            headers: {...authorization, "Content-Type": "application/json", "Idempotency-Key": `"once"`},
        });
        return [answer.status, (await answer.json()).channel.id, answer.headers.get("RateLimit") !== null];
    }),
    refusal: await attempt(async () => {
        const answer = await fetch(`${server}/v1/channel.get`, {
            method: "POST", body: "{}", headers: {...authorization, "Content-Type": "application/json"},
        });
        return [answer.status, (await answer.json()).error.code];
    }),
    file: await attempt(async () => {
        const sent = await fetch(`${server}/v1/files?channel_id=${channel}&name=a.txt`, {
            method: "POST", body: "hello", headers: authorization,
        });
        const {file} = await sent.json();
        const got = await fetch(new URL(file.url, server), {headers: authorization});
        return [sent.status, got.status, await got.text()];
    }),
    key: await attempt(async () => {
        const answer = await fetch(`${server}/v1/user.list_all`, {method: "POST", body: "{}", headers: {"X-API-Key": "x"}});
        return answer.status;
    }),
}))();
"""


def told_of_origins(window) -> list[dict]:
    """Returns the console's messages about requests that the browser blocked."""
    told = [entry for entry in window.log() if entry.get("source") in ("javascript", "security")]
    assert all("CORS policy" in entry["message"] for entry in told), told
    return told


def test_a_page_from_an_allowed_origin_can_use_the_whole_api(browse, page, tmp_path, name):
    server = Server(tmp_path, {"BELFRY_SERVER_ALLOWED_ORIGINS": page.rstrip("/")})
    try:
        origin = f"http://{server.host}:{server.port}"
        window = browse(page)
        seen = window.script(ELSEWHERE, origin, token(name("ann")), name("general"))
        assert [entry["message"].split("'")[1] for entry in told_of_origins(window)] == [origin + "/v1/user.list_all"]
        assert seen == {
            "library": True, "call": [200, name("general"), True], "refusal": [400, 107], "file": [200, 200, "hello"],
            "key": "TypeError",
        }
    finally:
        assert server.terminate() == 0


@pytest.mark.parametrize("allowed", ["https://chat.example.com", None])
def test_a_page_from_another_origin_can_use_none_of_the_api(browse, page, tmp_path, name, allowed):
    server = Server(tmp_path, {"BELFRY_SERVER_ALLOWED_ORIGINS": allowed} if allowed else {})
    try:
        origin = f"http://{server.host}:{server.port}"
        window = browse(page)
        seen = window.script(ELSEWHERE, origin, token(name("ann")), name("general"))
        assert len(told_of_origins(window)) == 5
        assert seen == dict.fromkeys(("library", "call", "refusal", "file", "key"), "TypeError")
    finally:
        assert server.terminate() == 0
