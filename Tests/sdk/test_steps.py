"""Tests/run on machines with missing programs: the skipped steps, the required ones, and the last line.

Every program that it runs is replaced, so that a run takes a second.
"""

import os
import pathlib
import shutil
import stat
import subprocess
import sys

import pytest
from articles import ROOT

TOOLS = ("bash", "basename", "cat", "cmp", "cp", "dirname", "env", "grep", "mkdir", "mktemp", "rm", "tail", "tee", "timeout", "touch")

NO_PYTHON = "left out: autobahn, autobahn tls: no Python 2.7: put one on the PATH or name it in PYTHON2"
NO_ROOT = "it takes root: run as root, or let sudo work without asking (sudo -v)"

class Machine:
    """A checkout with Tests/run, and a PATH with only the programs that this class adds."""

    def __init__(self, folder: pathlib.Path):
        self.checkout, self.programs = folder / "checkout", folder / "bin"
        self.programs.mkdir(parents=True)
        for name in ("Tests/run", "Tests/steps", "Tests/autobahn/python2", "deploy/packages", ".ci/run"):
            (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.checkout / name)
        for tool in TOOLS:
            (self.programs / tool).symlink_to(shutil.which(tool))
        self.calls = folder / "calls"
        self.calls.touch()
        for name in ("swift", "swiftc", "clang", "node", "apt-get", "belfry-load"):
            self.program(name, f'[ "${{*: -1}}" != --show-bin-path ] || echo {self.programs}')
        # A link would fail for pyenv's Python, which depends on the PATH.
        self.program("python3", f'exec {sys.executable} "$@"')
        self.program("dpkg-query", "printf installed")
        self.user(0)
        self.file("Tests/autobahn/install", "")
        self.file("Tests/autobahn/run.py", "", python=True)
        self.file("Tests/kill/run.py", "", python=True)
        self.file("Tests/fuzz", "")
        for name in ("loadtest/Package.swift", "Tests/sdk/requirements.txt", ".build/venv/requirements.txt"):
            (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (self.checkout / name).touch()
        self.file(".build/venv/bin/pytest", f'echo "pytest $*" >>{self.calls}')
        self.file(".build/venv/bin/python", "")

    def file(self, name: str, text: str, python: bool = False):
        path = self.checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if python else f"#!/usr/bin/env bash\n{text}\n")
        path.chmod(0o755)

    def program(self, name: str, text: str = "", status: int = 0):
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(f'#!{shutil.which("bash")}\necho "{name} $*" >>{self.calls}\n{text}\nexit {status}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def user(self, number: int, sudo: str | None = None):
        """`sudo` is a command that determines the result of `sudo -n true`; None means that sudo is missing."""
        self.program("id", f"echo {number}")
        (self.programs / "sudo").unlink(missing_ok=True)
        if sudo is not None:
            self.program("sudo", f'[ "$1" = -n ] || exit 9\n{sudo}\nshift; "$@"; exit')

    def lacks(self, *packages: str):
        pattern = "|".join(packages)
        self.program("dpkg-query", f'case "${{*: -1}}" in {pattern}) exit 1;; esac; printf installed')

    def python2(self):
        self.program("python2.7", "echo /usr/bin/python2.7")

    def run(self, *arguments: str, script: str = "Tests/run", **variables: str) -> subprocess.CompletedProcess:
        environment = {"PATH": str(self.programs), "HOME": str(self.checkout), **variables}
        return subprocess.run([self.checkout / script, *arguments], env=environment, capture_output=True, text=True, timeout=60)

    def called(self) -> str:
        return self.calls.read_text()

@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)

def last_lines(run: subprocess.CompletedProcess) -> list[str]:
    """Returns the text after the last line of the timings."""
    lines = run.stdout.rstrip("\n").split("\n")
    ends = [number for number, line in enumerate(lines) if " s  " in line]
    return lines[ends[-1] + 1:]

def test_a_fully_equipped_machine_skips_nothing(machine):
    machine.python2()
    run = machine.run()
    (last,) = last_lines(run)
    assert run.returncode == 0 and last.endswith(" passed, 0 failed"), run.stdout + run.stderr
    assert "autobahn tls" in run.stdout and "sdk as root" in run.stdout
    assert "--leave-out" not in machine.called() and "apt-get" not in machine.called()

def test_without_python_2_the_conformance_steps_are_skipped_and_the_run_passes(machine):
    run = machine.run()
    assert run.returncode == 0, run.stdout + run.stderr
    reason, last = last_lines(run)
    assert reason == NO_PYTHON and last.endswith(" passed, 0 failed")
    whole = int(machine_with_python(machine).split()[0])
    assert int(last.split()[0]) == whole - 2

def machine_with_python(machine: Machine) -> str:
    machine.python2()
    return last_lines(machine.run())[-1]

def test_without_python_2_the_conformance_suite_can_still_be_required(machine):
    machine.file("Tests/autobahn/install", "exit 69")
    run = machine.run(BELFRY_REQUIRE_CONFORMANCE="1")
    (last,) = last_lines(run)
    assert run.returncode == 1 and last.endswith(" passed, 2 failed")

def test_the_real_installer_fails_without_python_2(machine):
    shutil.copy(ROOT / "Tests/autobahn/install", machine.checkout / "Tests/autobahn/install")
    run = machine.run(BELFRY_REQUIRE_CONFORMANCE="1")
    assert last_lines(run)[-1].endswith(" passed, 2 failed") and "no Python 2.7" in run.stderr

def test_ci_requires_the_conformance_suite_and_repeats_what_was_skipped(machine):
    machine.file("Tests/autobahn/install", "exit 69")
    run = machine.run(script=".ci/run")
    assert run.returncode == 1 and run.stdout.rstrip().endswith(" passed, 2 failed")
    machine.python2()
    machine.file("Tests/autobahn/install", "")
    machine.user(1000)
    *_, reason, last = machine.run(script=".ci/run").stdout.rstrip().split("\n")
    assert reason == f"left out: sdk as root: {NO_ROOT}" and last.endswith(" passed, 0 failed")

@pytest.mark.parametrize("sudo", [None, "exit 1"], ids=["no sudo", "sudo asks for a password"])
def test_without_root_a_fully_equipped_machine_skips_what_requires_root(machine, sudo):
    machine.python2()
    machine.user(1000, sudo)
    run = machine.run()
    assert run.returncode == 0, run.stdout + run.stderr
    reason, last = last_lines(run)
    assert reason == f"left out: sdk as root: {NO_ROOT}" and last.endswith(" passed, 0 failed")
    assert "--leave-out" in machine.called()
    # There is no prompt, as a sudo without -n would have exited with 9.
    assert all(line.startswith("sudo -n true") for line in machine.called().split("\n") if line.startswith("sudo"))

def test_skipped_tests_are_named_at_the_end(machine):
    machine.python2()
    machine.user(1000)
    machine.file(".build/venv/bin/pytest", 'while [ "$1" != --leave-out ]; do shift; done; echo "2 tests without root" >"$2"')
    assert "left out: sdk: 2 tests without root" in last_lines(machine.run())

def test_sudo_is_used_if_it_needs_no_password(machine):
    machine.python2()
    machine.user(1000, "true")
    run = machine.run()
    assert run.returncode == 0 and len(last_lines(run)) == 1
    assert "sudo -n env" in machine.called() and "--leave-out" not in machine.called()

def test_without_root_a_missing_package_skips_its_step(machine):
    machine.python2()
    machine.user(1000)
    machine.lacks("haproxy", "chromium-headless-shell", "node-ws")
    run = machine.run()
    assert run.returncode == 0, run.stdout + run.stderr
    *reasons, last = last_lines(run)
    assert f"left out: deployment: not installed: haproxy; {NO_ROOT}" in reasons
    assert f"left out: clients: not installed: node-ws chromium-headless-shell; {NO_ROOT}" in reasons
    assert "apt-get" not in machine.called()

def test_with_root_a_package_that_cannot_be_installed_is_a_failure(machine):
    machine.python2()
    machine.lacks("haproxy")
    machine.program("apt-get", status=100)
    run = machine.run()
    assert run.returncode == 1 and last_lines(run)[-1].endswith(" passed, 1 failed")

def test_without_root_a_missing_build_dependency_fails_the_run(machine):
    machine.user(1000)
    machine.lacks("libssl-dev")
    run = machine.run()
    assert run.returncode == 1 and run.stdout.rstrip().endswith("0 passed, 1 failed")
    assert f"not installed: libssl-dev; {NO_ROOT}" in run.stderr
    assert "swift" not in machine.called()

def test_pytest_skips_tests_whose_tools_are_missing(tmp_path):
    """Runs the tests in this folder with the option that Tests/run passes to pytest."""
    programs = tmp_path / "bin"
    programs.mkdir()
    reasons = tmp_path / "reasons"
    for name in ("node", "nginx", "haproxy", "promtool", "systemd-analyze", "docker-compose", "chromedriver"):
        (programs / name).symlink_to("/bin/true")
    program = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "--leave-out", reasons,
               *(ROOT / "Tests/sdk" / name for name in ("test_storage.py", "test_deploy.py", "test_page_sign_in.py"))]
    listed = subprocess.run(program, env={**os.environ, "PATH": str(programs)}, capture_output=True, text=True, timeout=60)
    assert listed.returncode == 0, listed.stdout + listed.stderr
    assert "test_a_failed_sync" not in listed.stdout and "test_page_sign_in" not in listed.stdout
    assert "test_acknowledged_writes" in listed.stdout and "test_systemd_accepts" in listed.stdout
    said = reasons.read_text().split("\n")
    assert "2 tests without strace" in said and any(line.endswith(" tests without chromium-headless-shell") for line in said)
    assert ("2 tests without root" in said) == (os.getuid() != 0)
