"""The admin listener: its output for operators, its refusals and the bounds of its cost."""

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import time

import pytest
from articles import block
from belfry import API_KEY, DEADLINE, SECRET, NotStarted, Server, token
from clients import Wire
from tls import TLSServer

ADMIN = ("--admin-port", "0")
SECRET_WORDS = "canary-words of somebody"


class Admin:
    """A server's admin listener, queried as with curl, with a server key unless a test says otherwise."""

    def __init__(self, server: Server):
        self.address = (server.hello["admin"]["host"], server.hello["admin"]["port"])

    def ask(self, path: str, method: str = "GET", key: str | None = API_KEY,
            **headers) -> tuple[int, http.client.HTTPMessage, str]:
        if key:
            headers["X_API_Key"] = key
        connection = http.client.HTTPConnection(*self.address, timeout=DEADLINE)
        try:
            connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def get(self, path: str) -> dict:
        status, headers, text = self.ask(path)
        assert (status, headers["Content-Type"]) == (200, "application/json"), text
        return json.loads(text)

    def pages(self, path: str, name: str) -> list[list[dict]]:
        pages = []
        while path:
            answer = self.get(path)
            assert SECRET_WORDS not in json.dumps(answer)
            pages.append(answer[name])
            path = answer.get("next")
        return pages


class Tail:
    """`GET /events`, read line by line; `small` keeps the kernel from buffering much if the test does not read."""

    def __init__(self, admin: Admin, query: str = "", small: bool = False, key: str = API_KEY):
        self.socket = socket.socket()
        if small:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        self.socket.settimeout(DEADLINE)
        self.socket.connect(admin.address)
        self.socket.sendall(
            b"GET /events%s HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\n\r\n" % (query.encode(), key.encode()))
        self.answer = http.client.HTTPResponse(self.socket)
        self.answer.begin()

    def line(self) -> dict | None:
        """Returns the next line; None after the last."""
        text = self.answer.readline()
        return json.loads(text) if text else None

    def rest(self) -> list[dict]:
        return list(iter(self.line, None))

    def close(self):
        self.answer.close()
        self.socket.close()


@pytest.fixture
def admin_server(tmp_path):
    servers = []

    def start(settings: dict | None = None, options: tuple[str, ...] = ADMIN) -> Server:
        servers.append(Server(tmp_path, settings, options=options))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            assert server.terminate() == 0
        assert SECRET_WORDS not in server.log.read_text()


async def eventually(condition, what: str):
    deadline = time.monotonic() + DEADLINE
    while not (result := condition()):
        assert time.monotonic() < deadline, f"never happened: {what}"
        await asyncio.sleep(0.02)
    return result


def test_there_is_no_admin_listener_by_default(server):
    assert "admin" not in server.hello
    for path in ("/connections", "/rooms", "/queues", "/cluster", "/events"):
        assert server.get(path)[0] == 404


REFUSED = {
    "all addresses": ({"BELFRY_ADMIN_PORT": "0", "BELFRY_ADMIN_HOST": "0.0.0.0"}, ()),
    "all of both kinds": ({}, ("--admin-port", "0", "--admin-host", "::")),
    "a name": ({}, ("--admin-port", "0", "--admin-host", "chat.example.com")),
    "a host without a port": ({"BELFRY_ADMIN_HOST": "127.0.0.1"}, ()),
    "a port that is none": ({"BELFRY_ADMIN_PORT": "65536"}, ()),
    "a host with a port": ({"BELFRY_ADMIN_ALLOWED_HOSTS": "console.example.com:443"}, ("--admin-port", "0")),
}


@pytest.mark.parametrize("what", REFUSED)
def test_an_admin_address_that_others_can_reach_is_refused_at_startup_and_by_check(tmp_path, what):
    environment, options = REFUSED[what]
    binary = os.environ.get("BELFRY_BIN", ".build/debug/belfry")
    keys = {"BELFRY_TOKEN_SECRET": SECRET, "BELFRY_API_KEY": API_KEY, "PATH": os.environ["PATH"]}
    check = subprocess.run(
        [binary, "check", *options], env={**keys, **environment}, capture_output=True, text=True, timeout=30)
    assert check.returncode == 78 and "admin" in check.stderr and check.stderr.count("\n") == 1
    with pytest.raises(NotStarted) as start:
        Server(tmp_path, environment, options=options)
    assert start.value.args[0] == 78 and start.value.args[1].splitlines()[-1] == check.stderr.strip()


def test_the_admin_port_can_come_from_the_settings_file_and_check_reports_it(tmp_path, admin_server):
    file = tmp_path / "settings.json"
    file.write_text('{"admin": {"port": 0, "host": "127.0.0.2"}}')
    server = admin_server(options=("--config", str(file)))
    assert server.hello["admin"]["host"] == "127.0.0.2"
    assert Admin(server).ask("/metrics")[0] == 200
    binary = os.environ.get("BELFRY_BIN", ".build/debug/belfry")
    told = subprocess.check_output(
        [binary, "check", "--config", file, "--admin-port", "9"], text=True, timeout=30,
        env={"BELFRY_TOKEN_SECRET": SECRET, "PATH": os.environ["PATH"]})
    assert "admin listener: 127.0.0.2 port 9" in told.splitlines()


def test_browser_requests_from_web_pages_are_refused_on_every_path(admin_server):
    admin = Admin(admin_server())
    for path in ("/metrics", "/connections", "/rooms", "/queues", "/cluster", "/events"):
        for headers in ({"Host": "chat.example.com"}, {"Host": f"rebound.example.com:{admin.address[1]}"},
                        {"Origin": "https://evil.example.com"}, {"Origin": f"http://127.0.0.2:{admin.address[1]}"},
                        {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}):
            status, answer, text = admin.ask(path, **headers)
            assert status == 403 and "belfry_" not in text, (path, headers)
            assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
            assert answer["X-Content-Type-Options"] == "nosniff" and answer["Cache-Control"] == "no-store"
    assert admin.ask("/queues", Sec_Fetch_Site="none")[0] == 200


def test_everything_but_metrics_and_health_needs_a_key(admin_server):
    """AD1"""
    server = admin_server()
    admin = Admin(server)
    for path in ("/connections", "/rooms", "/queues", "/cluster", "/events", "/session", "/keys", "/settings"):
        for key in (None, "a key that nobody has"):
            status, answer, text = admin.ask(path, key=key)
            assert (status, json.loads(text)["error"]["code"]) == (401, 101), path
            assert answer["Cache-Control"] == "no-store" and answer["Cross-Origin-Resource-Policy"] == "same-origin"
        bearer = f"Bearer {token('ann')}"
        assert admin.ask(path, key=None, Authorization=bearer)[0] == 401
        assert admin.ask(path, Authorization=bearer)[0] == 401
    for path in ("/metrics", "/livez", "/readyz"):
        assert admin.ask(path, key=None)[0] == 200, path
    # Users have no business here, and nobody becomes a guest.
    for command in ("channel.list", "guest.create"):
        for headers in ({}, {"Authorization": f"Bearer {token('ann')}"}):
            assert admin.ask(f"/v1/{command}", "POST", key=None, **headers)[0] == 401


def test_commands_are_those_of_the_main_listener(admin_server):
    """AD1"""
    server = admin_server()
    admin = Admin(server)
    assert json.loads(admin.ask("/v1/channel.get", "POST")[2])["error"]["code"] == 107
    connection = http.client.HTTPConnection(*admin.address, timeout=DEADLINE)
    for _ in range(2):
        connection.request("POST", "/v1/channel.create", '{"id": "general"}',
                           {"X-API-Key": API_KEY, "Idempotency-Key": '"once"'})
        answer = connection.getresponse()
        assert answer.status == 200 and json.loads(answer.read())["channel"]["id"] == "general"
    connection.close()
    assert server.app("channel.get", channel_id="general")["channel"]["id"] == "general"
    assert admin.ask("/v1/no.such", "POST")[0] == 404 and admin.ask("/v1/report.list")[0] == 405
    session = admin.get("/session")
    assert session["id"] == "BELFRY_API_KEY" and session["scopes"] == ["read", "write", "admin"]
    assert {"app.ban", "report.list", "settings.get"} <= set(session["commands"])
    assert "user.block" not in session["commands"] and "guest.create" not in session["commands"]


def test_the_admin_listener_serves_none_of_the_other_chat_paths(admin_server):
    server = admin_server()
    admin = Admin(server)
    for path in ("/openapi.json", "/asyncapi.json", "/v1/files", "/v1/files/x", "/connection/websocket", "/connections/"):
        assert admin.ask(path)[0] == 404, path
    assert admin.ask("/cluster")[::2] == (404, "this server is not a node of a cluster\n")
    assert admin.ask("/v1/files", "POST")[0] == 404
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13",
               "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    assert admin.ask("/connection/websocket", **upgrade)[0] == 404
    for method in ("POST", "DELETE"):
        assert admin.ask("/connections", method)[0] == 405
    for path in ("/queues?a=1", "/session?a=1", "/keys?a=1", "/settings?a=1", "/cluster?a=1", "/rooms?limit=0", "/rooms?limit=1001", "/rooms?after=a%20b", "/connections?after=x",
                 "/events?type=no.such", "/events?channel=%23", "/rooms?limit=1&limit=2"):
        assert admin.ask(path)[0] == 400, path
    # The same metrics as on the main listener, with other values by then.
    names = [{line.split(" ")[2] for line in text.splitlines() if line.startswith("# TYPE")}
             for text in (admin.ask("/metrics")[2], server.get("/metrics")[1])]
    assert names[0] == names[1] and len(names[0]) > 50


async def test_connections_are_listed_page_by_page_each_once(admin_server, name):
    server = admin_server()
    admin = Admin(server)
    people = [name("ann"), name("bob"), name("cid"), name("dora"), name("eve")]
    wires = [Wire(server) for _ in people]
    before = int(time.time() * 1_000)
    for person, wire in zip(people, wires):
        await wire.__aenter__()
        await wire.connect(person)
    room = name("room")
    await wires[0].rpc("channel.create", {"id": room})
    await wires[0].rpc("message.send", {"channel_id": room, "text": SECRET_WORDS})
    await wires[0].hears(room, SECRET_WORDS)
    pages = admin.pages("/connections?limit=2", "connections")
    assert all(len(page) == 2 for page in pages[:-1])
    rows = [row for page in pages for row in page]
    assert len({row["id"] for row in rows}) == len(rows)
    known = {row["user"]: row for row in rows if "user" in row}
    assert set(people) <= set(known)
    for person in people:
        row = known[person]
        assert set(row) == {
            "id", "user", "address", "since", "subscriptions", "queued_bytes", "protocol", "tls", "admin"}
        assert (row["address"], row["protocol"], row["tls"], row["admin"]) == ("127.0.0.1", "ws", False, False)
        assert before - 1_000 <= row["since"] <= time.time() * 1_000 + 1_000 and row["queued_bytes"] == 0
    assert (known[people[0]]["subscriptions"], known[people[1]]["subscriptions"]) == (2, 1)
    # The first client may be gone between two pages; a page with all connections includes the requesting one.
    own = [row for row in admin.get("/connections")["connections"] if row["admin"]]
    assert own and all(row["protocol"] == "http" and "user" not in row for row in own)
    for wire in wires:
        await wire.__aexit__()
    await eventually(
        lambda: not any("user" in row for page in admin.pages("/connections", "connections") for row in page),
        "everybody is gone")


async def test_a_tls_connection_is_listed_as_such(tmp_path, name):
    server = TLSServer(tmp_path, {"BELFRY_ADMIN_PORT": "0"})
    try:
        ann = name("ann")
        async with Wire(server) as wire:
            await wire.connect(ann)
            rows = Admin(server).get("/connections")["connections"]
            assert [row["tls"] for row in rows if row.get("user") == ann] == [True]
    finally:
        assert server.terminate() == 0


async def test_rooms_are_listed_by_name_with_their_subscribers_and_statistics(admin_server, name):
    server = admin_server()
    admin = Admin(server)
    ann, bob = name("ann"), name("bob ä")
    rooms = [name(f"room-{letter}") for letter in "abcd"]
    async with Wire(server) as one, Wire(server) as two, Wire(server) as again:
        await one.connect(ann)
        await again.connect(ann)
        await two.connect(bob)
        for room in rooms:
            await one.rpc("channel.create", {"id": room})
        await two.rpc("channel.join", {"channel_id": rooms[0]})
        for _ in range(3):
            await one.rpc("message.send", {"channel_id": rooms[1], "text": SECRET_WORDS})
        await eventually(lambda: len(one.heard(rooms[1])) >= 3 and len(again.heard(rooms[1])) >= 3, "it is heard")
        rows = [row for page in admin.pages("/rooms?limit=2", "rooms") for row in page]
        assert [row["room"] for row in rows] == rooms + sorted(["#" + ann, "#" + bob])
        figures = {row["room"]: row for row in rows}
        assert all(set(row) == {"room", "subscribers", "publications"} for row in rows)
        assert figures[rooms[1]]["subscribers"] == 2 and figures[rooms[1]]["publications"] >= 3
        assert figures["#" + ann]["subscribers"] == 2 and figures["#" + bob]["subscribers"] == 1
    await eventually(lambda: admin.get("/rooms") == {"rooms": []}, "nobody hears anything")


async def test_every_queue_reports_its_length_limit_and_lag(admin_server):
    admin = Admin(admin_server())

    def measured():
        queues = {queue["queue"]: queue for queue in admin.get("/queues")["queues"]}
        return queues if all(queue["lag_seconds"]["count"] > 0 for queue in queues.values()) else None

    queues = await eventually(measured, "each queue was asked")
    assert {"loop.0", "chat", "journal"} <= set(queues)
    assert (queues["chat"]["bound"], queues["journal"]["bound"]) == (50_000, 65_536)
    assert "bound" not in queues["loop.0"]
    assert queues["loop.0"]["deliveries_bound"] == 200_000 and 0 <= queues["loop.0"]["deliveries"] < 1_000
    for queue in queues.values():
        lag = queue["lag_seconds"]
        assert 0 <= queue["length"] < 1_000 and 0 <= lag["p50"] <= lag["p90"] <= lag["p99"] <= 10


async def test_every_webhook_reports_its_pending_deliveries_and_why_they_wait(admin_server, name):
    # There is no listener, so each attempt fails immediately, and the second is the last.
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unheard.getsockname()[1]}/"
        server = admin_server({"BELFRY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.1", "BELFRY_WEBHOOKS_ATTEMPTS": "2"})
        admin = Admin(server)
        ann, room = name("ann"), name("room")
        assert admin.get("/queues")["webhooks"] == []
        server.app("webhook.set", id="hook", url=url, events=["message.new"], secret="a secret of the webhook tests")
        assert server.post("channel.create", {"id": room}, user=ann)[0] == 200
        before = time.time() * 1_000
        for _ in range(3):
            assert server.post("message.send", {"channel_id": room, "text": SECRET_WORDS}, user=ann)[0] == 200

        def rows():
            text = admin.ask("/queues")[2]
            assert SECRET_WORDS not in text and url not in text and "a secret" not in text
            return json.loads(text)["webhooks"]

        def failed():
            row = rows()[0]
            return row if row["attempts"] == 1 and row["pending"] == 3 else None

        row = await eventually(failed, "the first is refused")
        assert set(row) == {"webhook", "pending", "oldest_ms", "attempts", "retry_at", "lag_frames", "lag_bound",
                            "dead_letters", "dead_letters_bound"}
        assert (row["webhook"], row["lag_bound"], row["dead_letters_bound"]) == ("hook", 1_000_000, 1_000)
        assert row["lag_frames"] >= 3 and row["dead_letters"] == 0
        assert 0 <= row["oldest_ms"] <= time.time() * 1_000 - before + 1_000
        assert before < row["retry_at"] < time.time() * 1_000 + 60_000
        # A dead letter is on disk before its event stops being pending, so for a moment the last one counts as both.
        row = await eventually(
            lambda: next((row for row in rows() if (row["dead_letters"], row["pending"]) == (3, 0)), None), "all are given up")
        assert (row["attempts"], row["lag_frames"]) == (0, 0)
        assert "oldest_ms" not in row and "retry_at" not in row
        server.app("webhook.delete", id="hook")
        await eventually(lambda: rows() == [], "it is gone")


def test_a_tail_receives_every_durable_event_that_matches_its_filter_and_no_other(admin_server, name):
    server = admin_server()
    admin = Admin(server)
    ann, room, other = name("ann"), name("room"), name("other")
    for channel in (room, other):
        assert server.post("channel.create", {"id": channel}, user=ann)[0] == 200
    tails = [Tail(admin), Tail(admin, f"?channel={room}"), Tail(admin, f"?channel={room}&type=message.new")]
    assert all(tail.answer.headers["Content-Type"] == "application/x-ndjson" for tail in tails)
    for channel in (room, other, room):
        assert server.post("message.send", {"channel_id": channel, "text": channel}, user=ann)[0] == 200
    server.app("channel.freeze", channel_id=room)
    assert server.terminate() == 0
    everything, ours, messages = ([line for line in tail.rest() if line["room"] in (room, other)] for tail in tails)
    assert [line["event"]["message"]["text"] for line in messages] == [room, room]
    assert [line["event"]["type"] for line in ours] == ["message.new", "message.new", "channel.frozen"]
    assert [line for line in everything if line["room"] == room] == ours
    assert [line["room"] for line in everything] == [room, other, room, room]
    assert [line["offset"] for line in ours] == list(range(ours[0]["offset"], ours[0]["offset"] + 3))
    assert all(set(line) == {"position", "room", "offset", "event"} for line in everything)


def test_the_articles_commands_show_queues_and_a_tail(admin_server, tmp_path):
    server = admin_server()
    host, port = Admin(server).address
    queues, tail = (line.replace("127.0.0.1:9090", f"{host}:{port}")
                    for line in block("Operations.md", "curl -s -H").split("\n"))
    key = {**os.environ, "KEY": API_KEY}
    assert json.loads(
        subprocess.run(["sh", "-c", queues], capture_output=True, timeout=DEADLINE, check=True, env=key).stdout)["queues"]
    assert server.post("channel.create", {"id": "general"}, user="ann")[0] == 200
    with subprocess.Popen(["sh", "-c", "exec " + tail], stdout=subprocess.PIPE, env=key) as reader:
        end = time.monotonic() + DEADLINE
        while server.metric("belfry_event_tails") != 1:
            assert time.monotonic() < end, "the tail is not there"
            time.sleep(0.02)
        assert server.post("message.send", {"channel_id": "general", "text": "hello"}, user="ann")[0] == 200
        assert json.loads(reader.stdout.readline())["event"]["message"]["text"] == "hello"
        reader.kill()


def test_shutdown_does_not_wait_for_tails(admin_server):
    server = admin_server({"BELFRY_SERVER_DRAIN_MS": "30000"})
    tail = Tail(Admin(server))
    begun = time.monotonic()
    assert server.terminate() == 0 and tail.rest() == []
    assert time.monotonic() - begun < DEADLINE


async def test_a_slow_tail_learns_how_many_events_it_missed_and_ends(admin_server, name):
    server = admin_server({"BELFRY_ADMIN_TAIL_EVENTS": "5"})
    admin = Admin(server)
    ann, room = name("ann"), name("room")
    assert server.post("channel.create", {"id": room}, user=ann)[0] == 200
    slow, quick = Tail(admin, f"?channel={room}", small=True), Tail(admin, f"?channel={room}&type=channel.frozen")
    # The kernel may buffer megabytes for a reader that does not read.
    for _ in range(1_000):
        assert server.post("message.send", {"channel_id": room, "text": '"' * 16_000, "data": '"' * 8_000},
                           user=ann)[0] == 200
        if server.metric("belfry_event_tails_slow_total"):
            break
    assert server.metric("belfry_event_tails") == 2, "one that was too slow is there until it has heard so"
    server.app("channel.freeze", channel_id=room)
    frozen = quick.line()
    assert frozen["event"]["type"] == "channel.frozen", "one that is slow holds up no other"
    *lines, last = slow.rest()
    offsets = [line["offset"] for line in lines]
    assert offsets == list(range(offsets[0], offsets[0] + len(lines)))
    # The last freezes are among the missed events.
    assert last == {"missed": frozen["offset"] - offsets[-1]} and last["missed"] >= 2
    assert server.metric("belfry_event_tails_slow_total") == 1
    await eventually(lambda: server.metric("belfry_event_tails") == 1, "the place is free again")
    quick.close()
    await eventually(lambda: server.metric("belfry_event_tails") == 0, "who goes is let go of")


async def test_tails_beyond_the_limit_are_refused(admin_server):
    server = admin_server({"BELFRY_ADMIN_TAILS": "2"})
    admin = Admin(server)
    tails = [Tail(admin), Tail(admin)]
    status, headers, _ = admin.ask("/events")
    assert (status, headers["Retry-After"]) == (503, "1")
    tails[0].close()
    await eventually(lambda: server.metric("belfry_event_tails") == 1, "the place is free again")
    tails.append(Tail(admin))
    assert tails[-1].answer.status == 200


async def test_admin_connections_are_limited_and_counted_separately(admin_server):
    """Applies even if the main listener admits nobody new, and if this machine is a trusted proxy."""
    server = admin_server({
        "BELFRY_CONNECTIONS_UNAUTHENTICATED": "1", "BELFRY_CONNECTIONS_PER_ADDRESS": "1",
        "BELFRY_SERVER_TRUSTED_PROXIES": "127.0.0.1", "BELFRY_SERVER_PROXY_PROTOCOL": "true"})
    admin = Admin(server)

    def metric(name):
        lines = admin.ask("/metrics")[2].splitlines()
        return float(next(line for line in lines if line.startswith(name + " ")).rsplit(" ", 1)[1])

    with socket.create_connection((server.host, server.port)) as silent:
        await eventually(lambda: metric("belfry_connections") == 2, "the only one that may be there is there")
        refused = 'belfry_connections_refused_total{reason="admin"}'
        assert metric(refused) == 0
        many = [socket.create_connection(admin.address) for _ in range(32 * (os.cpu_count() or 1) + 200)]
        for waiting in many:
            waiting.settimeout(DEADLINE)
        # Connections beyond the limit are closed.
        gone = await eventually(
            lambda: len(ended := [one for one in many if closed(one)]) >= 200 and ended, "the others are closed")
        for waiting in many:
            waiting.close()
        await eventually(lambda: answers(admin), "there is room again")
        assert metric(refused) >= len(gone) >= 200
        assert silent.fileno() >= 0


def closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def answers(admin: Admin) -> bool:
    try:
        return admin.ask("/queues")[0] == 200
    except (ConnectionError, http.client.HTTPException):
        return False


def test_a_tail_ends_when_its_key_expires_or_a_reload_takes_it_away(admin_server, tmp_path, name):
    """The tail ends instead of delivering the next event."""
    file = tmp_path / "keys.json"
    file.touch(mode=0o600)

    def write(*keys: dict):
        file.write_text(json.dumps([{"key": key_of(key["id"]), "scopes": ["read"], **key} for key in keys]))

    def key_of(key: str) -> str:
        return f"a-server-key-called-{key}"

    def status(key: str) -> int:
        return admin.ask("/connections", key=key_of(key))[0]

    def becomes(key: str, code: int):
        end = time.monotonic() + DEADLINE
        while status(key) != code:
            assert time.monotonic() < end, f"{key} never gets {code}"
            time.sleep(0.02)

    end = int(time.time() * 1_000) + 4_000
    write({"id": "kept"}, {"id": "renamed"}, {"id": "removed"}, {"id": "narrowed"}, {"id": "short", "expires_at": end})
    server = admin_server({"BELFRY_SERVER_API_KEYS_FILE": str(file)})
    admin, room = Admin(server), name("room")
    assert server.post("channel.create", {"id": room}, user=name("ann"))[0] == 200
    tails = {}

    def follow(*keys: str):
        for key in keys:
            tails[key] = Tail(admin, f"?channel={room}", key=key_of(key))

    def say(text: str):
        assert server.post("message.send", {"channel_id": room, "text": text}, user=name("ann"))[0] == 200

    def heard(*keys: str) -> list[str | None]:
        lines = [tails[key].line() for key in keys]
        return [line and line["event"]["message"]["text"] for line in lines]

    # No more than four tails at the same time.
    follow("kept", "short")
    say("for both")
    assert heard("kept", "short") == ["for both", "for both"]
    becomes("short", 401)
    say("after the end")
    assert heard("kept", "short") == ["after the end", None]
    follow("renamed", "removed", "narrowed")
    say("for all")
    assert heard("kept", "renamed", "removed", "narrowed") == ["for all"] * 4
    write({"id": "kept"}, {"id": "other", "key": key_of("renamed")}, {"id": "narrowed", "scopes": ["write"]})
    server.process.send_signal(signal.SIGHUP)
    becomes("narrowed", 403)
    assert status("removed") == 401
    say("after the reload")
    assert heard("kept", "renamed", "removed", "narrowed") == ["after the reload", "after the reload", None, None]
    for tail in tails.values():
        tail.close()


def test_sighup_does_not_end_tails(admin_server, name):
    server = admin_server()
    tail = Tail(Admin(server))
    server.process.send_signal(signal.SIGHUP)
    assert server.post("channel.create", {"id": name("room")}, user=name("ann"))[0] == 200
    assert tail.line()["position"]
    tail.close()
