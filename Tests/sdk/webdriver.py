"""WebDriver (W3C) for headless Chromium: the driver process, its sessions and the plain commands.

Needs Debian's `chromium-headless-shell` and `chromium-driver`; the driver speaks WebDriver over plain HTTP. The shell has no user
interface, and so needs less than half the CPU time of `chromium --headless`.
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

# The timeout for starting a browser, which takes long on a busy machine.
SECONDS = 60
# The timeout for page operations on a busy machine.
DEADLINE = 15.0
EVERY = 0.05
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

BROWSER = "chromium-headless-shell"
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
         "--ignore-certificate-errors", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
         # Two windows talk to each other, and neither may be throttled because the other has the focus.
         "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
         "--disable-renderer-backgrounding"]


class WebDriverError(Exception):
    """`code` is WebDriver's name for the error, such as "stale element reference"."""

    def __init__(self, answer: dict):
        self.code = answer["error"]
        super().__init__(answer["error"] + ": " + answer["message"].splitlines()[0])


# Errors that are resolved a moment later when the page has settled.
MOVING = ("stale element reference", "element not interactable", "element click intercepted", "no such element",
          "move target out of bounds", "detached shadow root", "javascript error")


def wait_until(condition, what="the condition", deadline=DEADLINE):
    """Returns the result of `condition` once it is true; a check that fails because the page moved is repeated."""
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
    """A separate browser whose windows share cookies, storage and cache with no other; `downloads` contains their
    downloads."""

    def __init__(self, port: int, downloads: pathlib.Path):
        self.port, self.downloads = port, downloads
        options = {"args": FLAGS, "binary": shutil.which(BROWSER),
                   "prefs": {"download.default_directory": str(downloads)}}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
                        # An unexpected dialog makes the current command fail.
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
        """Resets the browser to one empty window without stored data. Immutable files remain in its cache, as for any
        returning visitor. A window's settings (size, network, scripts that run before a page) and its `sessionStorage`
        end with the window."""
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
        # Messages are marked as read only in a focused page, and a window opened in the background does not get the
        # focus.
        self("POST", "/goog/cdp/execute", cmd="Page.bringToFront", params={})
        wait_until(lambda: self("POST", "/execute/sync", script="return document.hasFocus()", args=[]), "the focus")
        # Discard the console messages of earlier windows.
        self("POST", "/se/log", type="browser")
        shutil.rmtree(self.downloads, ignore_errors=True)
        self.current = empty

    def close(self):
        self("DELETE", "")


class Driver:
    """A chromedriver process; `folder` is for its output."""

    def __init__(self, folder: pathlib.Path):
        for program in (BROWSER, "chromedriver"):
            assert shutil.which(program), f"{program} is missing: apt-get install chromium-headless-shell chromium-driver"
        self.serial = itertools.count()
        # It takes a free IPv4 port and then the same IPv6 port, which may be in use: then it exits.
        for _ in range(5):
            self.process = subprocess.Popen(
                ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=(folder / "driver").open("ab"), text=True)
            started = re.compile(r"started successfully on port (\d+)")
            ports = (int(found[1]) for line in self.process.stdout if (found := started.search(line)))
            self.port = next(ports, None)
            if self.port is not None:
                break
            self.process.wait()
        assert self.port is not None, (folder / "driver").read_text()
        # The pipe must not fill up.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.folder = folder
        self.sessions: list[Session] = []
        self.idle: list[Session] = []

    def take(self) -> Session:
        """Returns a browser without stored data and with one empty window, either a returned or a new one."""
        if self.idle:
            return self.idle.pop()
        downloads = self.folder / f"downloads-{next(self.serial)}"
        self.sessions.append(Session(self.port, downloads))
        return self.sessions[-1]

    def give_back(self, session: Session):
        """Takes back a browser, because starting one takes longer than most tests. One that cannot be reset is
        ended."""
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
