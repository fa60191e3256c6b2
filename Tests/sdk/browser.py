"""Windows of headless Chromium for the page's tests: what a user does and sees, with deadlines.

    ann, bob = browse(page_url(server, "ann")), browse(page_url(server, "bob"))
    ann.role("textbox", "Message").type("hello\n")
    bob.css("[data-message]", text="hello").wait()

Lookups wait for the element, and actions are retried while the page still moves. The fixture `browse` gives every
window its own session. A test fails if one of its windows raised a Content-Security-Policy report, opened a dialog or
threw an uncaught exception; `window.problems()` returns these earlier.
"""

import base64
import contextlib
import os
import pathlib

import pytest
from belfry import token
from locator import Locator, press
from webdriver import DEADLINE, Driver, Session, WebDriverError, wait_until

# Runs in every document before the page's own code.
WATCHER = """
window.belfryTest = {violations: [], dialogs: []};
addEventListener("securitypolicyviolation", event => belfryTest.violations.push(
    [event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber, event.sample].join(" ")), true);
for (const name of ["alert", "confirm", "prompt", "print"])
    window[name] = text => { belfryTest.dialogs.push(name + " " + text); };
"""


def page_url(server, user: str | None = None) -> str:
    """Returns the page's address, with a token of `user` in its fragment."""
    return f"http://{server.host}:{server.port}/" + (f"#token={token(user)}" if user else "")


class Window:
    """A window of a session. `css`, `role` and `find` return locators: see `Locator`."""

    def __init__(self, session: Session, handle: str, *, watched=True):
        """`watched=False` is a window as opened by the browser, with its default size and without the watcher."""
        self.session = session
        self.handle = handle
        self.found: list[str] = []
        if watched:
            self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCHER)
            self.size(1280, 800)

    def __call__(self, method: str, path: str, **body):
        if self.session.current != self.handle:
            self.session("POST", "/window", handle=self.handle)
            self.session.current = self.handle
        return self.session(method, path, **body)

    def another(self) -> "Window":
        """Opens a second window of the same session, which shares everything except `sessionStorage`."""
        return Window(self.session, self("POST", "/window/new", type="window")["handle"])

    def close(self):
        self("DELETE", "/window")
        self.session.current = None

    # Navigation

    def open(self, url: str, *, accept=True) -> "Window":
        """Opens an address. The page asks before it uses a token in the fragment; `accept=False` leaves the answer to
        the test."""
        # Changing only the fragment would not load the page.
        self("POST", "/url", url="about:blank")
        self("POST", "/url", url=url)
        if accept and "#token=" in url:
            self.wait_until("document.querySelector('[data-continue], .app, .sign-in form') !== null")
            self.script("document.querySelector('[data-continue]')?.click()")
        return self

    def go(self, fragment: str):
        """Goes to another fragment of the same page: `go("#/threads")`."""
        self.script("location.hash = arguments[0]", fragment)

    def reload(self):
        self("POST", "/refresh")

    def back(self):
        self("POST", "/back")

    @property
    def url(self) -> str:
        return self("GET", "/url")

    # Content

    def find(self, css="*", *, role=None, name=None, text=None) -> Locator:
        """Finds visible elements by CSS, ARIA role, complete accessible name and partial text."""
        return Locator(self, ({"css": css, "role": role, "name": name, "text": text},))

    def css(self, css: str, text: str | None = None) -> Locator:
        return self.find(css, text=text)

    def role(self, role: str, name: str | None = None, text: str | None = None) -> Locator:
        return self.find(role=role, name=name, text=text)

    @property
    def focused(self) -> Locator:
        return Locator(self, ({"css": ":focus"},))

    def script(self, body: str, *arguments):
        """Runs the body of a JavaScript function of `arguments`, and returns the result of its `return`. A promise is
        awaited."""
        return self("POST", "/execute/sync", script=body, args=list(arguments))

    def wait_until(self, condition, what="the condition", deadline=DEADLINE):
        """`condition` is a function or a JavaScript expression."""
        if isinstance(condition, str):
            expression, condition = condition, lambda: self.script("return " + expression)
            what = expression
        try:
            return wait_until(condition, what, deadline)
        except AssertionError as error:
            self.screenshot("failed")
            raise AssertionError(f"{error}\nThe page shows: {self.looks()}") from None

    def looks(self) -> str:
        """Returns a description of the visible page, for tests that fail unattended."""
        with contextlib.suppress(WebDriverError, OSError):
            return self.script("""return [
                location.hash.slice(0, 80), document.hasFocus() ? "focused" : "not focused",
                document.activeElement?.outerHTML.slice(0, 120), document.body.innerText.slice(0, 600),
            ].join(" | ")""")
        return "nothing: it does not answer"

    # Actions

    def keys(self, *names: str):
        """Presses keys one after the other in the focused element: `keys("ArrowDown", "Shift+Enter", "a")`."""
        for name in names:
            press(self, name)

    def typed(self, text: str):
        """Types into the focused element; "\\n" is Enter."""
        for character in text:
            press(self, "Enter" if character == "\n" else character)

    def insert(self, text: str):
        """Inserts text into the focused element in one step, like an input method, replacing the selection."""
        self.cdp("Input.insertText", text=text)

    def clipboard(self) -> str:
        self.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        return self.script("return navigator.clipboard.readText()")

    # Appearance

    def size(self, width: int, height: int, scale: float = 1):
        """Sets the size of the viewport in CSS pixels."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                 mobile=False)

    def media(self, **features: str):
        """`media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")`."""
        self.cdp("Emulation.setEmulatedMedia",
                 features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def screenshot(self, name: str):
        """Writes `<name>.png` to the folder in BELFRY_SCREENSHOTS, if set."""
        if folder := os.environ.get("BELFRY_SCREENSHOTS"):
            path = pathlib.Path(folder) / f"{name}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(self("GET", "/screenshot")))

    def cdp(self, command: str, **parameters):
        """Sends a command of the DevTools protocol."""
        return self("POST", "/goog/cdp/execute", cmd=command, params=parameters)

    def offline(self, is_offline: bool):
        self.cdp("Network.enable")
        self.cdp("Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1,
                 uploadThroughput=-1)

    # Problems

    def log(self) -> list[dict]:
        """Returns the console messages since the last call: `level`, `source` (javascript, console-api, network,
        security, …) and `message`."""
        return self("POST", "/se/log", type="browser")

    def problems(self) -> list[str]:
        """Returns the uncaught exceptions, Content-Security-Policy reports and dialogs so far."""
        for entry in self.log():
            if entry.get("source") in ("javascript", "security") and entry["level"] == "SEVERE":
                self.found.append(entry["message"])
        seen = self.script("return window.belfryTest ?? {violations: [], dialogs: []}")
        return self.found + seen["violations"] + seen["dialogs"]


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """One driver for all tests, with as many browsers as a test needs at a time."""
    driver = Driver(tmp_path_factory.mktemp("driver"))
    yield driver
    driver.close()


@pytest.fixture
def browse(driver):
    """`browse(url)` opens a window in a separate session, which ends with the test."""
    windows: list[Window] = []

    def browse(url: str | None = None) -> Window:
        session = driver.take()
        windows.append(Window(session, session("GET", "/window")))
        return windows[-1].open(url) if url else windows[-1]

    yield browse
    problems = []
    for window in windows:
        # A window closed by the test can no longer report anything.
        with contextlib.suppress(WebDriverError):
            problems += window.problems()
        driver.give_back(window.session)
    assert not problems, "\n".join(problems)


__all__ = ["DEADLINE", "Window", "browse", "driver", "page_url", "wait_until"]
