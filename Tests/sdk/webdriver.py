"""WebDriver (W3C) to headless Chromium: the driver process, its sessions, and the plain commands.

Needs Debian's `chromium` and `chromium-driver`; the driver speaks WebDriver over plain HTTP.
"""

import contextlib
import http.client
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import threading
import time

# A browser starting on a busy machine takes long.
SECONDS = 60
# For page operations on a busy machine.
DEADLINE = 15.0
EVERY = 0.05
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

FLAGS = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
         "--ignore-certificate-errors", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
         # Two windows that talk to each other: neither may be throttled because the other one has the focus.
         "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
         "--disable-renderer-backgrounding"]


class WebDriverError(Exception):
    """`code` is WebDriver's name for it: "stale element reference" and so on."""

    def __init__(self, answer: dict):
        self.code = answer["error"]
        super().__init__(answer["error"] + ": " + answer["message"].splitlines()[0])


# Errors that the page resolves a moment later.
MOVING = ("stale element reference", "element not interactable", "element click intercepted", "no such element",
          "move target out of bounds", "detached shadow root", "javascript error")


def wait_until(condition, what="the condition", deadline=DEADLINE):
    """Returns what `condition` returns once it is true; a check that fails because the page moved is repeated."""
    end = time.monotonic() + deadline
    while True:
        last = None
        try:
            if value := condition():
                return value
            last = value
        except WebDriverError as error:
            if error.code not in MOVING:
                raise
            last = error
        assert time.monotonic() < end, f"waited {deadline} s for {what}: {last!r}"
        time.sleep(EVERY)


class Session:
    """A separate browser: its windows share cookies, storage and cache with nobody else; `downloads` has their
    downloads."""

    def __init__(self, port: int, downloads: pathlib.Path):
        self.port, self.downloads = port, downloads
        options = {"args": FLAGS, "binary": shutil.which("chromium"),
                   "prefs": {"download.default_directory": str(downloads)}}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
                        # An unexpected dialog fails the command that meets it.
                        "unhandledPromptBehavior": "dismiss and notify"}
        self.path = ""
        self.current: str | None = None
        answer = self("POST", "/session", capabilities={"alwaysMatch": capabilities})
        self.path = "/session/" + answer["sessionId"]
        self("POST", "/timeouts", script=SECONDS * 1_000)

    def __call__(self, method: str, path: str, **body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        with contextlib.closing(connection):
            connection.request(method, self.path + path, json.dumps(body) if method == "POST" else None)
            answer = json.loads(connection.getresponse().read())["value"]
        if isinstance(answer, dict) and "error" in answer and "stacktrace" in answer:
            raise WebDriverError(answer)
        return answer

    def forget(self):
        """As if newly started: one empty window, and nothing remembered. Immutable files are still in its cache, as for
        any returning visitor. Settings of a window (its size, its network, scripts that run before a page) and its
        `sessionStorage` end with it."""
        before = self("GET", "/window/handles")
        empty = self("POST", "/window/new", type="tab")["handle"]
        for handle in before:
            self("POST", "/window", handle=handle)
            self("DELETE", "/window")
        self("POST", "/window", handle=empty)
        for command, parameters in (
            ("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"}), ("Storage.clearCookies", {}),
            ("Browser.resetPermissions", {}),
        ):
            self("POST", "/goog/cdp/execute", cmd=command, params=parameters)
        # A page counts as read only with the focus, and a window opened in the background does not get it.
        self("POST", "/goog/cdp/execute", cmd="Page.bringToFront", params={})
        wait_until(lambda: self("POST", "/execute/sync", script="return document.hasFocus()", args=[]), "the focus")
        # The console messages of earlier windows.
        self("POST", "/se/log", type="browser")
        shutil.rmtree(self.downloads, ignore_errors=True)
        self.current = empty

    def close(self):
        self("DELETE", "")


class Driver:
    """A chromedriver process; `folder` is for its output."""

    def __init__(self, folder: pathlib.Path):
        for program in ("chromium", "chromedriver"):
            assert shutil.which(program), f"{program} is missing: apt-get install chromium chromium-driver"
        self.serial = itertools.count()
        self.process = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=(folder / "driver").open("ab"), text=True)
        started = re.compile(r"started successfully on port (\d+)")
        self.port = next(int(found[1]) for line in self.process.stdout if (found := started.search(line)))
        # The pipe must not fill up.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.folder = folder
        self.sessions: list[Session] = []
        self.idle: list[Session] = []

    def take(self) -> Session:
        """A browser that remembers nothing and has one empty window: a returned one, or a new one."""
        if self.idle:
            return self.idle.pop()
        downloads = self.folder / f"downloads-{next(self.serial)}"
        self.sessions.append(Session(self.port, downloads))
        return self.sessions[-1]

    def give_back(self, session: Session):
        """Starting a browser takes longer than most tests. One that cannot be reset is ended."""
        try:
            session.forget()
            self.idle.append(session)
        except (AssertionError, WebDriverError, OSError):
            self.sessions.remove(session)
            with contextlib.suppress(WebDriverError, OSError):
                session.close()

    def close(self):
        try:
            for session in self.sessions:
                with contextlib.suppress(WebDriverError, OSError):
                    session.close()
        finally:
            self.process.terminate()
            self.process.wait(SECONDS)
