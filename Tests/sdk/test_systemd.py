"""The service, its sockets and its backup from deploy/ under a real systemd, as described in Operations.md; covers
MS3."""

import asyncio
import json
import os
import pathlib
import shutil
import ssl
import time
import urllib.request

import pytest
from articles import block
from belfry import API_KEY, DEADLINE, SECRET, Door
from fronts import DEPLOY
from machine import Machine
from restarts import LOAD, bear_restarts
from storage import BINARY, begin, send, texts
from tls import Certificate

PORT, TLS_PORT = 8080, 8443
SETTINGS = {"connections": {
    name.removeprefix("BELFRY_CONNECTIONS_").lower(): int(value) for name, value in LOAD.items()}}
# The timeout for a start, which takes well below a second unless the machine is busy.
START = 6 * DEADLINE


# The program is already built.
INSTALL = block("Operations.md", "swift build -c release").split("\n")[1:]


def lay_out(root: pathlib.Path):
    """Creates a checkout in which the program was built."""
    shutil.copytree(DEPLOY / "systemd", root / "srv/deploy/systemd")
    program = root / "srv/.build/release/belfry"
    program.parent.mkdir(parents=True)
    shutil.copy(BINARY, program)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Certificate:
    return Certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def machine(tmp_path, certificate):
    files, folder = tmp_path / "files", tmp_path / "machine"
    folder.mkdir()
    lay_out(files)
    machine = Machine(folder, files)
    try:
        machine.run("bash", "-ec", "\n".join(["cd /srv", *INSTALL[:-1]]))
        # Use keys and a certificate known to the test.
        machine.write("/etc/belfry/token_secret", SECRET)
        machine.write("/etc/belfry/api_key", API_KEY)
        machine.write("/etc/belfry/belfry.json", json.dumps(SETTINGS))
        machine.write("/etc/belfry/certificate.pem", certificate.path.read_text())
        machine.write("/etc/belfry/key.pem", certificate.key.read_text())
        with machine.network():
            yield machine
    finally:
        machine.stop()


@pytest.fixture
def door(machine) -> Door:
    """Starts the service, which is ready once `systemctl` returns."""
    machine.run("bash", "-ec", INSTALL[-1], seconds=START)
    return Door("127.0.0.1", PORT)


def said(machine: Machine) -> str:
    return machine.run("journalctl", "--no-pager", "-u", "belfry")


def main_pid(machine: Machine) -> str:
    return machine.show("belfry", "MainPID")


def restarted(machine: Machine, since: str):
    """Waits until the service is ready with a different process."""
    deadline = time.monotonic() + START
    while machine.show("belfry", "SubState") != "running" or main_pid(machine) == since:
        assert time.monotonic() < deadline, said(machine)
        time.sleep(0.05)


def test_the_units_start_unchanged_and_are_ready_when_systemd_says_so(machine, door):
    assert door.get("/readyz") == (200, "ready\n")
    assert machine.show("belfry", "NRestarts") == "0", said(machine)
    begin(door)
    assert send(door, "one") == 200
    # The service's user exists only for it, owns the data, and is the only one who can read it.
    pid = main_pid(machine)
    owner = machine.run("stat", "-c", "%u %a", "/var/lib/private/belfry").split()
    user = machine.run("stat", "-c", "%u", f"/proc/{pid}").strip()
    assert owner == [user, "700"] and 61_184 <= int(user) <= 65_519, (owner, user)
    assert machine.run("grep", "NoNewPrivs", f"/proc/{pid}/status").split()[1] == "1"
    assert machine.run("grep", "^Seccomp:", f"/proc/{pid}/status").split()[1] == "2"
    # The keys are credentials, which appear neither in the environment nor in the output.
    environment = machine.run("cat", f"/proc/{pid}/environ")
    assert "CREDENTIALS_DIRECTORY" in environment and SECRET not in environment and API_KEY not in environment
    assert SECRET not in said(machine) and API_KEY not in said(machine)


def test_no_thread_keeps_the_low_priority_of_the_snapshot_thread(machine):
    """Processes started by a low-priority thread would inherit its priority, which only root can undo."""
    machine.write("/etc/belfry/belfry.json", json.dumps({**SETTINGS, "journal": {"snapshot_seconds": 1, "recoverable_frames": 1}}))
    machine.run("bash", "-ec", INSTALL[-1], seconds=START)
    door = Door("127.0.0.1", PORT)
    begin(door)
    serial, deadline = 0, time.monotonic() + START
    while door.metric("belfry_snapshots_total") < 2:
        assert time.monotonic() < deadline, said(machine)
        serial += 1
        assert send(door, str(serial)) == 200
        time.sleep(0.05)
    # Its end is reported before its thread's.
    while not (nice := set(machine.run("ps", "-L", "-o", "ni=", "-p", main_pid(machine)).split())) <= {"0", "-4"}:
        assert time.monotonic() < deadline, nice
        time.sleep(0.05)
    # The message comes from Dispatch's own thread if LimitNICE= is not available.
    assert said(machine).count("Failed to set thread priority") <= 1


def test_systemctl_reload_applies_the_settings(machine, door):
    before = door.metric("belfry_settings_reloads_total")
    machine.write("/etc/belfry/belfry.json", json.dumps({"connections": {**SETTINGS["connections"], "per_user": 7}}))
    machine.run(
        "env", "BELFRY_TOKEN_SECRET_FILE=/etc/belfry/token_secret", "BELFRY_API_KEY_FILE=/etc/belfry/api_key",
        "bash", "-ec", block("Operations.md", "belfry check --config"))
    deadline = time.monotonic() + DEADLINE
    while door.metric("belfry_settings_reloads_total") == before:
        assert time.monotonic() < deadline, said(machine)
        time.sleep(0.05)
    assert machine.show("belfry", "NRestarts") == "0"


def test_restarting_the_service_refuses_nobody_and_loses_nothing(machine, door):
    restart = lambda: asyncio.to_thread(machine.run, "systemctl", "restart", "belfry", seconds=START)  # noqa: E731
    asyncio.run(asyncio.wait_for(bear_restarts(door, 2, int(os.environ.get("BELFRY_RESTART_RATE", "300")), 7, restart), 120))


def test_a_killed_service_is_restarted_with_everything_it_acknowledged(machine, door):
    begin(door)
    assert send(door, "one") == 200
    pid = main_pid(machine)
    machine.run("kill", "-9", pid)
    restarted(machine, pid)
    assert texts(door) == {"one"} and machine.show("belfry", "NRestarts") == "1"


def test_a_hung_service_is_killed_by_the_watchdog_and_restarted(machine, door):
    machine.write("/etc/systemd/system/belfry.service.d/watchdog.conf", "[Service]\nWatchdogSec=2\nTimeoutAbortSec=2\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "belfry", seconds=START)
    begin(door)
    assert send(door, "one") == 200
    pid = main_pid(machine)
    # A stopped process does not even handle the preceding SIGABRT.
    machine.run("kill", "-STOP", pid)
    restarted(machine, pid)
    assert "Watchdog timeout" in said(machine)
    assert texts(door) == {"one"}


def test_a_misconfigured_service_is_not_restarted_and_reports_why(machine):
    machine.write("/etc/belfry/belfry.json", '{"connections": {"per_usr": 7}}')
    machine.run("systemctl", "start", "belfry", check=False, seconds=START)
    assert machine.show("belfry", "ExecMainStatus") == "78"
    assert machine.show("belfry", "SubState") == "failed" and machine.show("belfry", "NRestarts") == "0"
    assert "connections.per_usr" in said(machine)


def test_a_connection_starts_a_stopped_service(machine, door):
    begin(door)
    assert send(door, "one") == 200
    machine.run("systemctl", "stop", "belfry", seconds=START)
    assert machine.show("belfry", "ActiveState") == "inactive"
    assert texts(door) == {"one"}


def test_shutdown_is_clean_and_within_its_time_limit(machine, door):
    machine.run("systemctl", "stop", "belfry.socket", "belfry.service", seconds=START)
    assert machine.show("belfry", "Result") == "success" and machine.show("belfry", "ExecMainStatus") == "0"


def test_the_timers_backup_contains_what_was_acknowledged(machine, door):
    begin(door)
    assert send(door, "one") == 200
    assert machine.show("belfry-backup.timer", "ActiveState") == "active"
    # Start the backup like the timer does.
    machine.run("systemctl", "start", "belfry-backup", seconds=START)
    copies = machine.run("ls", "/var/lib/private/belfry-backups").split()
    assert len(copies) == 1
    machine.run("/usr/local/bin/belfry", "data", "verify", f"/var/lib/private/belfry-backups/{copies[0]}", seconds=START)


def test_a_backup_is_restored_as_in_the_runbook_and_the_next_one_succeeds(machine, door):
    begin(door)
    assert send(door, "one") == 200
    machine.run("systemctl", "start", "belfry-backup", seconds=START)
    (name,) = machine.run("ls", "/var/lib/private/belfry-backups").split()
    assert send(door, "two") == 200
    machine.run("bash", "-ec", block("Operations.md", "copy=").replace("2026-11-22T033000", name), seconds=START)
    assert texts(door) == {"one"} and send(door, "three") == 200
    # The copy belongs to the backup's user again, which can remove it when it is old.
    path = f"/var/lib/private/belfry-backups/{name}"
    machine.run("touch", "-d", "15 days ago", path)
    machine.run("mv", path, path + "-old")
    machine.run("systemctl", "start", "belfry-backup", seconds=START)
    left = machine.run("ls", "/var/lib/private/belfry-backups").split()
    assert len(left) == 1 and not left[0].endswith("-old")


def test_the_second_socket_serves_tls_with_the_drop_in_shown_in_the_unit(machine, certificate):
    unit = (DEPLOY / "systemd/belfry.service").read_text().splitlines()
    shown = [line.removeprefix("#").strip() for line in unit[unit.index("#     [Service]"):] if line.startswith("#     ")]
    machine.write("/etc/systemd/system/belfry.service.d/tls.conf", "\n".join(shown) + "\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "enable", "--now", "belfry.socket", "belfry-tls.socket", "belfry.service", seconds=START)
    assert Door("127.0.0.1", PORT).get("/readyz")[0] == 200
    context = ssl.create_default_context(cafile=str(certificate.path))
    with urllib.request.urlopen(f"https://127.0.0.1:{TLS_PORT}/readyz", context=context, timeout=DEADLINE) as answer:
        assert answer.read() == b"ready\n"
