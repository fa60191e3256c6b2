import asyncio
import inspect
import itertools
import resource

import documents
import forms
import pytest
from attacks import CANARY, Watch
from belfry import API_KEY, SECRET, Server, token
from browser import browse, driver  # noqa: F401: fixtures
from tls import TLSServer

TEST_SECONDS = 60
# Some tests hold thousands of connections.
FILES = 20_000


def pytest_configure():
    """Lets the tests open as many files as they may: a user has a thousand unless they ask for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
    if soft != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs coroutine tests, each on a loop of its own and under a deadline."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    test = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    asyncio.run(asyncio.wait_for(test, TEST_SECONDS))
    return True


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One server for every test that does not end it."""
    server = Server(tmp_path_factory.mktemp("belfry"))
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
    """A server that the test may end."""
    server = Server(tmp_path)
    yield server
    if server.process.poll() is None:
        server.terminate()


@pytest.fixture
def start(tmp_path):
    """Starts a server with TLS that ends with the test: `start(settings)`."""
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
    """The test runs once in each form of the client protocol."""
    monkeypatch.setattr(forms, "usual", request.param)
    return request.param


_serial = itertools.count(1)


@pytest.fixture
def name():
    """Makes names that no other test uses: `name("ann")` is `ann-7`."""
    serial = next(_serial)
    return lambda text: f"{text}-{serial}"


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    """A server to be attacked, one for each file of attacks: its figures are not those of other tests."""
    server = Server(tmp_path_factory.mktemp("target"))
    yield server
    metrics = server.get("/metrics")[1]
    assert server.terminate() == 0
    for secret in (SECRET, API_KEY, CANARY, token("ann").split(".")[0]):
        assert secret not in server.log.read_text() and secret not in metrics


@pytest.fixture
def attack(target, name):
    """`async with attack("a gigabyte announced"):` watches the target while it is attacked."""
    return lambda what, server=None, **bounds: Watch(server or target, what, name, **bounds)
