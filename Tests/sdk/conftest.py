import asyncio
import inspect
import itertools
import os
import pathlib
import resource
import shutil
import subprocess

import documents
import forms
import pytest
from attacks import CANARY, Watch
from belfry import API_KEY, SECRET, Server, token
from browser import browse, driver  # noqa: F401: fixtures
from cluster import Cluster
from tls import TLSServer

TEST_SECONDS = 60
# How many nodes the shared server has.
NODES = int(os.environ.get("BELFRY_NODES", "1"))
ONE_SERVER = pytest.StashKey[list[str]]()
# Some tests hold thousands of connections.
FILES = 20_000


def pytest_addoption(parser):
    parser.addoption("--leave-out", type=pathlib.Path, metavar="FILE",
                     help="deselect the tests that this machine cannot run, and write the reasons into FILE")


def pytest_configure(config):
    """Raises the limit of open files, which is usually about a thousand."""
    config.addinivalue_line("markers", "needs(names…): programs, files or root that the test cannot run without")
    config.addinivalue_line("markers", "one_server(reason): what the test shows is not true of several nodes")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
    if soft != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def is_here(need: str) -> bool:
    """Returns whether a program, a file (by path), or `root` without a password prompt is available."""
    if need == "root":
        return os.getuid() == 0 or shutil.which("sudo") is not None and subprocess.run(
            ["sudo", "-n", "true"], stderr=subprocess.DEVNULL).returncode == 0
    return os.path.exists(need) if need.startswith("/") else shutil.which(need) is not None


def needs(item) -> set[str]:
    """Returns the requirements of `@pytest.mark.needs("strace", …)`, and the browser for the fixture `driver`."""
    named = {need for mark in item.iter_markers("needs") for need in mark.args}
    return named | ({"chromium-headless-shell", "chromedriver"} if "driver" in item.fixturenames else set())


def leave_out_tests_of_one_server(config, items):
    """With BELFRY_NODES, deselects the tests marked with `one_server` that use the shared server."""
    if NODES == 1:
        return
    left = [item for item in items if item.get_closest_marker("one_server") and "server" in item.fixturenames]
    items[:] = [item for item in items if item not in left]
    config.hook.pytest_deselected(items=left)
    config.stash[ONE_SERVER] = [f"{item.nodeid}: {item.get_closest_marker('one_server').args[0]}" for item in left]


def pytest_terminal_summary(terminalreporter, config):
    for line in config.stash.get(ONE_SERVER, []):
        terminalreporter.write_line(f"not run on {NODES} nodes: {line}")


def pytest_collection_modifyitems(config, items):
    leave_out_tests_of_one_server(config, items)
    file = config.getoption("--leave-out")
    if file is None:
        return
    missing = {need for item in items for need in needs(item)}
    missing = {need for need in missing if not is_here(need)}
    left = [item for item in items if needs(item) & missing]
    items[:] = [item for item in items if not needs(item) & missing]
    config.hook.pytest_deselected(items=left)
    # Each worker collects all tests, but only one of them writes.
    if getattr(config, "workerinput", {}).get("workerid", "gw0") != "gw0":
        return
    reasons = {}
    for item in left:
        reasons.setdefault(", ".join(sorted(needs(item) & missing)), []).append(item)
    file.write_text("".join(f"{len(tests)} tests without {reason}\n" for reason, tests in sorted(reasons.items())))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs coroutine tests, each on a separate loop with a deadline."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    test = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    asyncio.run(asyncio.wait_for(test, TEST_SECONDS))
    return True


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One server for every test that does not stop it; with BELFRY_NODES, that many nodes of a cluster."""
    folder = tmp_path_factory.mktemp("belfry")
    server = Server(folder) if NODES == 1 else Cluster(folder, NODES)
    yield server
    failures = documents.of(server).failures
    assert server.terminate() == 0
    assert not failures
    log = server.log.read_text()
    assert log, "the log is empty: nothing was looked at"
    for secret in (SECRET, API_KEY, token("ann").split(".")[0]):
        assert secret not in log


@pytest.fixture
def own_server(tmp_path):
    """A server that the test may stop."""
    server = Server(tmp_path)
    yield server
    if server.process.poll() is None:
        server.terminate()


@pytest.fixture
def start(tmp_path):
    """Starts a TLS server that stops with the test: `start(settings)`."""
    servers = []

    def start(*arguments, **options) -> TLSServer:
        servers.append(TLSServer(tmp_path / str(len(servers)), *arguments, **options))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


@pytest.fixture(params=forms.FORMS)
def form(request, monkeypatch) -> str:
    """Runs the test once in each form of the client protocol."""
    monkeypatch.setattr(forms, "usual", request.param)
    return request.param


_serial = itertools.count(1)


@pytest.fixture
def name():
    """Generates names that no other test uses: `name("ann")` is `ann-7`."""
    serial = next(_serial)
    return lambda text: f"{text}-{serial}"


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """A server to attack, one per file of attacks, so that other tests do not affect its figures."""
    server = Server(tmp_path_factory.mktemp("target"))
    yield server
    metrics = server.get("/metrics")[1]
    assert server.terminate() == 0
    for secret in (SECRET, API_KEY, CANARY, token("ann").split(".")[0]):
        assert secret not in server.log.read_text() and secret not in metrics


@pytest.fixture
def attack(target, name):
    """`async with attack("a gigabyte announced"):` watches the target during an attack."""
    return lambda what, server=None, **bounds: Watch(server or target, what, name, **bounds)
