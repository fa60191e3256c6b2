"""The server under a service manager: inherited sockets, status notifications, keys in files."""

import base64
import hashlib
import hmac
import http.client
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import time

import pytest
from belfry import API_KEY, DEADLINE, SECRET, NotStarted, Server, token
from clients import Person
from storage import BINARY
from supervisor import Supervisor
from test_limits import raw
from tls import Certificate


@pytest.fixture
def supervise(tmp_path):
    made = []

    def make(*names, **options):
        made.append(Supervisor(tmp_path / str(len(made)), names or ("plain",), **options))
        return made[-1]

    yield make
    for supervisor in made:
        supervisor.__exit__()


def certified(folder: pathlib.Path) -> tuple[Certificate, tuple[str, ...]]:
    certificate = Certificate(folder)
    return certificate, certificate.options()[2:]


def stopped(start) -> tuple[int, str]:
    with pytest.raises(NotStarted) as error:
        start()
    return error.value.args


# Sockets


def test_a_plain_and_a_tls_socket_are_recognized_by_name(supervise, tmp_path):
    supervisor = supervise("tls", "plain")
    certificate, options = certified(tmp_path / "certificate")
    server = supervisor.start(options=options)
    tls, plain = supervisor.ports
    assert server.hello["listening"] == {"host": "127.0.0.1", "port": plain}
    assert server.hello["tls"] == {"host": "127.0.0.1", "port": tls}
    assert server.get("/livez") == (200, "alive\n")
    context = ssl.create_default_context(cafile=str(certificate.path))
    connection = http.client.HTTPSConnection("127.0.0.1", tls, timeout=DEADLINE, context=context)
    connection.request("GET", "/livez")
    assert connection.getresponse().read() == b"alive\n"
    assert server.terminate() == 0


@pytest.mark.parametrize("name", ["belfry.socket", "unknown", "plain", ""])
def test_a_single_socket_is_plain_whatever_its_name(supervise, name):
    supervisor = supervise(name)
    server = supervisor.start()
    assert server.port == supervisor.ports[0]
    assert server.get("/livez")[0] == 200


def test_child_processes_do_not_inherit_the_sockets(supervise):
    server = supervise().start()
    folder = pathlib.Path(f"/proc/{server.pid}")
    flags = int(re.search(r"flags:\s+(\d+)", (folder / "fdinfo/3").read_text())[1], 8)
    assert os.readlink(folder / "fd/3").startswith("socket:")
    assert flags & os.O_CLOEXEC and flags & os.O_NONBLOCK


def watched(pid: int) -> list[int]:
    """Returns how many descriptors each epoll descriptor of a process watches."""
    counts = []
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            if os.readlink(entry) == "anon_inode:[eventpoll]":
                counts.append((entry.parents[1] / "fdinfo" / entry.name).read_text().count("tfd:"))
        except FileNotFoundError:
            pass
    return sorted(counts)


def test_connections_accepted_by_one_loop_are_spread_over_all_loops(supervise):
    server = supervise().start()
    loops = os.cpu_count()
    before = watched(server.pid)
    peers = [raw(server) for _ in range(20 * loops)]
    deadline = time.monotonic() + DEADLINE
    while sum(watched(server.pid)) < sum(before) + len(peers):
        assert time.monotonic() < deadline, watched(server.pid)
    # Each loop watches its twenty connections and its wake-up descriptor; one also watches the listener.
    assert [count for count in watched(server.pid) if count >= 20][-loops:] == [21] * (loops - 1) + [22]
    for peer in peers:
        peer.sendall(b"GET /livez HTTP/1.1\r\nHost: b\r\n\r\n")
        assert b"alive" in peer.recv(1_000)


async def test_users_on_all_loops_can_talk_through_one_socket(supervise, name):
    server = supervise(is_abstract=True).start()
    general, people = name("general"), []
    async with Person(server, name("ann")) as ann:
        await ann.rpc("channel.create", id=general, is_public=True)
        for number in range(4):
            people.append(await Person(server, name(f"bob{number}")).__aenter__())
            await people[-1].rpc("channel.join", channel_id=general)
        await ann.say(general, "all of you")
        for person in people:
            await person.hears(general, "message.new", "all of you")
            await person.client.disconnect()


def test_sockets_meant_for_another_process_are_ignored(supervise):
    supervisor = supervise()
    server = supervisor.start({"LISTEN_PID": "1"}, listens=("--port", "0"))
    assert server.port != supervisor.ports[0]
    assert server.get("/livez")[0] == 200


def test_contradictory_socket_settings_prevent_startup(supervise, tmp_path):
    _, options = certified(tmp_path / "certificate")
    one, two, tls = supervise(), supervise("a", "b"), supervise("tls")
    for start, words in (
        (lambda: one.start(listens=("--port", "0")), "remove --host and --port"),
        (lambda: one.start(listens=("--host", "127.0.0.1")), "remove --host and --port"),
        (lambda: two.start(), "name them plain and tls"),
        (lambda: supervise("tls", "tls").start(options=options), "name them plain and tls"),
        (lambda: tls.start(listens=("--port", "0")), "--tls-certificate"),
        (lambda: tls.start(listens=("--tls-port", "0"), options=options), "remove --tls-host and --tls-port"),
        (lambda: supervise("a", "b", "c").start(), "LISTEN_FDS must be 0 to 2"),
        (lambda: one.start({"LISTEN_FDS": "-1"}), "LISTEN_FDS must be 0 to 2"),
        (lambda: one.start({"LISTEN_FDS": "2", "LISTEN_FDNAMES": "plain:tls"}), "descriptor 4"),
    ):
        status, log = stopped(start)
        assert status == 78 and words in log.splitlines()[-1], log


def test_a_socket_that_is_not_listening_prevents_startup(supervise):
    supervisor = supervise()
    for other in (socket.socket(), socket.socket(socket.AF_UNIX), socket.socket(type=socket.SOCK_DGRAM)):
        supervisor.sockets[0].close()
        supervisor.sockets[0] = other
        status, log = stopped(supervisor.start)
        assert status == 78 and "cannot use descriptor 3: it is not a listening TCP socket" in log


# Notifications


@pytest.mark.parametrize("is_abstract", [False, True])
def test_the_service_manager_is_notified_of_startup_reload_and_shutdown(supervise, tmp_path, is_abstract):
    supervisor = supervise("plain", "tls", is_abstract=is_abstract)
    _, options = certified(tmp_path / "certificate")
    server = supervisor.start(options=options)
    assert supervisor.hears("READY=1") == ["READY=1"]
    before = time.monotonic_ns() // 1_000
    server.process.send_signal(signal.SIGHUP)
    (reloading, ready) = supervisor.hears("READY=1")
    words = dict(line.split("=") for line in reloading.split("\n"))
    assert words["RELOADING"] == "1" and before <= int(words["MONOTONIC_USEC"]) <= time.monotonic_ns() // 1_000
    assert server.metric("belfry_tls_reloads_total") == 1
    assert server.terminate() == 0
    assert supervisor.hears("STOPPING=1") == ["STOPPING=1"]


def test_sighup_does_not_end_a_supervised_server_without_a_settings_file(supervise):
    supervisor = supervise()
    server = supervisor.start()
    supervisor.hears("READY=1")
    server.process.send_signal(signal.SIGHUP)
    supervisor.hears("READY=1")
    assert server.get("/livez")[0] == 200 and server.terminate() == 0


def test_a_server_run_from_a_terminal_ends_with_its_terminal(tmp_path):
    # The test runner may ignore SIGHUP, which children inherit.
    server = Server(tmp_path, under=("env", "--default-signal=HUP"), options=("--development",))
    server.process.send_signal(signal.SIGHUP)
    assert server.process.wait(DEADLINE) == -signal.SIGHUP


def test_the_watchdog_is_notified_while_the_server_works_but_not_while_it_hangs(supervise):
    supervisor = supervise()
    server = supervisor.start({"WATCHDOG_USEC": "400000"})
    for _ in range(3):
        supervisor.hears("WATCHDOG=1")
    os.kill(server.pid, signal.SIGSTOP)
    # Discard earlier notifications.
    supervisor.news.setblocking(False)
    try:
        while supervisor.news.recv(4_096):
            pass
    except BlockingIOError:
        pass
    with pytest.raises(AssertionError, match="never said"):
        supervisor.hears("WATCHDOG=1", seconds=1)
    os.kill(server.pid, signal.SIGCONT)
    supervisor.hears("WATCHDOG=1")
    assert server.terminate() == 0


def test_a_watchdog_meant_for_another_process_is_not_notified(supervise):
    supervisor = supervise()
    server = supervisor.start({"WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"})
    assert server.terminate() == 0
    assert supervisor.hears("STOPPING=1") == ["READY=1", "STOPPING=1"]


@pytest.mark.parametrize("settings, words", [
    ({"NOTIFY_SOCKET": "vsock:2:1"}, "NOTIFY_SOCKET"),
    ({"NOTIFY_SOCKET": "/" + 107 * "x"}, "NOTIFY_SOCKET"),
    ({"WATCHDOG_USEC": "soon"}, "WATCHDOG_USEC"),
    ({"WATCHDOG_USEC": "0"}, "WATCHDOG_USEC"),
])
def test_an_unusable_notify_socket_or_watchdog_interval_prevents_startup(supervise, settings, words):
    status, log = stopped(lambda: supervise().start(settings))
    assert status == 78 and words in log


# Keys


@pytest.fixture
def keys(tmp_path):
    folder = tmp_path / "keys"
    folder.mkdir()
    (folder / "token_secret").write_text(SECRET + "\n")
    (folder / "api_key").write_text(API_KEY)
    return folder


def without(*names: str) -> tuple[str, ...]:
    return ("env", *(word for name in names for word in ("-u", name)))


BOTH = without("BELFRY_TOKEN_SECRET", "BELFRY_API_KEY")


@pytest.mark.parametrize("kind", ["files", "credentials"])
def test_keys_are_read_from_files(tmp_path, keys, kind):
    settings = {"CREDENTIALS_DIRECTORY": str(keys)} if kind == "credentials" else {
        "BELFRY_TOKEN_SECRET_FILE": str(keys / "token_secret"), "BELFRY_API_KEY_FILE": str(keys / "api_key")}
    server = Server(tmp_path, settings, under=BOTH)
    try:
        server.app("user.upsert", id="ann")
        assert server.post("channel.create", {"id": "general"}, bearer=token("ann"))[0] == 200
    finally:
        assert server.terminate() == 0


@pytest.mark.parametrize("settings, under, words", [
    ({"BELFRY_TOKEN_SECRET_FILE": "token_secret"}, (), "BELFRY_TOKEN_SECRET and BELFRY_TOKEN_SECRET_FILE"),
    ({"BELFRY_API_KEY_FILE": "api_key"}, (), "BELFRY_API_KEY and BELFRY_API_KEY_FILE"),
    ({"BELFRY_API_KEY_FILE": "api_key", "CREDENTIALS_DIRECTORY": "."}, BOTH, "the credential api_key"),
    ({"BELFRY_TOKEN_SECRET_FILE": "nowhere"}, BOTH, "nowhere\": No such file"),
    ({"BELFRY_TOKEN_SECRET_FILE": "/dev/zero"}, BOTH, "/dev/zero\" contains no key"),
    ({"BELFRY_TOKEN_SECRET_FILE": "short"}, BOTH, "BELFRY_TOKEN_SECRET has 5 bytes"),
    ({"CREDENTIALS_DIRECTORY": "loop"}, BOTH, "loop/token_secret\": Too many levels"),
])
def test_a_duplicate_or_invalid_key_prevents_startup(tmp_path, keys, settings, under, words):
    (keys / "short").write_text("short\r\n")
    (keys / "loop").symlink_to("loop")
    paths = {name: str(keys / value) for name, value in settings.items()}
    status, log = stopped(lambda: Server(tmp_path, paths, under=under))
    assert status == 78 and words in log.replace(str(keys) + "/", ""), log
    assert SECRET not in log


def test_a_token_is_signed_with_the_key_from_a_file(keys):
    made = subprocess.run(
        [BINARY, "token", "--user", "ann"], env={"BELFRY_TOKEN_SECRET_FILE": str(keys / "token_secret")},
        capture_output=True, text=True, timeout=30)
    assert made.returncode == 0, made.stderr
    signed, _, signature = made.stdout.strip().rpartition(".")
    mac = hmac.new(SECRET.encode(), signed.encode(), hashlib.sha256).digest()
    assert base64.urlsafe_b64decode(signature + "=") == mac
