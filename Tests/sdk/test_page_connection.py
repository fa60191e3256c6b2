"""The page shows the actual state of the connection, and recovers missed events without a reload."""

import contextlib
import re
import signal
import socket

import pytest
from belfry import DEADLINE, RING_EVENTS, Server
from browser import page_url, wait_until
from page_scene import Scene, label, row, settled
from storage import SMALL

BANNER = "[data-banner]"
STATUS = "[data-connection]"


class House:
    """A server that is killed and restarted at the same address."""

    def __init__(self, folder):
        self.folder = folder
        self.server = Server(folder, SMALL)

    def kill(self):
        self.server.process.send_signal(signal.SIGKILL)
        assert self.server.process.wait(DEADLINE) == -signal.SIGKILL

    def start(self) -> Server:
        self.server = Server(self.folder, SMALL, options=("--port", str(self.server.port)))
        return self.server


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path)
    yield house
    if house.server.process.poll() is None:
        house.server.process.send_signal(signal.SIGCONT)
        house.server.terminate()


@pytest.fixture
def scene(house, name, browse):
    return Scene(house.server, name, browse)


def banner(window, kind: str, text: str = ""):
    return window.css(f'[data-banner="{kind}"]', text=text)


def never_left(window):
    """Marks the document; the returned condition holds until the page is reloaded."""
    window.script("window.mark = 1")
    return lambda: window.script("return window.mark") == 1


def test_two_users_continue_after_the_server_is_killed_and_restarted(house, scene):
    scene.people("ann", "bob", "carol")
    general = scene.channel("carol", "General", "ann", "bob")
    quiet = scene.channel("carol", "Quiet", "ann", "bob")
    scene.say("carol", quiet, "before")
    windows = [scene.window(who) for who in ("ann", "bob")]
    stayed = [never_left(window) for window in windows]
    for window in windows:
        label(window, quiet, "Carol: before")
        window.css(STATUS).until("element.dataset.connection === 'live'")
        assert window.css(STATUS).text == "Live"
        assert window.css(BANNER).count == 0

    house.kill()
    for window in windows:
        banner(window, "waiting").wait()
        window.css(STATUS).until("element.dataset.connection !== 'live'")
    ann = windows[0]
    # The seconds count down; a screen reader announces them once.
    texts = set()
    wait_until(lambda: texts.update(ann.css(BANNER).texts) or len(texts) > 2, "a countdown")
    assert all(re.match(r"Reconnecting(…| in \d+ s)", text) for text in texts), texts
    assert ann.css(BANNER).attribute("role") == "alert"
    banner(ann, "waiting").until("element.getAttribute('aria-live') === 'off'")
    ann.screenshot("reconnecting")
    # Existing content stays readable.
    assert row(ann, quiet).count == 1

    scene.server = house.start()
    scene.say("carol", general, "first of all")
    for number in range(RING_EVENTS + 10):
        # More messages than can be recovered, so they must be fetched.
        scene.say("carol", quiet, f"number {number}")
    made = scene.channel("carol", "Made meanwhile", "ann", "bob")
    for window in windows:
        if banner(window, "waiting").count:
            with contextlib.suppress(AssertionError):
                window.role("button", "Try now").click()
        window.css('[data-connection="live"]').wait()
        window.css(BANNER).gone()
        label(window, general, "Carol: first of all")
        label(window, quiet, f"number {RING_EVENTS + 9}")
        label(window, quiet, f"{RING_EVENTS + 11} unread")
        row(window, made).wait()
    ann.css("[data-announcer]", text="Connected again").unseen.wait()
    # From now on events arrive by themselves again.
    scene.say("bob", general, "all well?")
    label(ann, general, "Bob: all well?")
    assert all(look() for look in stayed)


def test_try_now_shows_reconnecting_while_the_server_does_not_answer(house, scene):
    scene.people("ann", "bob")
    channel = scene.channel("bob", "General", "ann")
    ann = scene.window("ann")
    row(ann, channel).wait()
    house.kill()
    banner(ann, "waiting").wait()
    with socket.socket() as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        silent.bind((house.server.host, house.server.port))
        silent.listen()
        if banner(ann, "waiting").count:
            with contextlib.suppress(AssertionError):
                ann.role("button", "Try now").click()
        banner(ann, "connecting", "Reconnecting…").wait()
        assert ann.css(STATUS).text == "Reconnecting…"
    scene.server = house.start()
    scene.say("bob", channel, "back again")
    label(ann, channel, "Bob: back again")
    ann.css(BANNER).gone()


def test_an_unresponsive_server_is_not_shown_as_live(house, scene):
    scene.people("ann")
    window = scene.browse(page_url(house.server))
    window.role("textbox", "Token").fill(scene.token("ann"))
    house.server.process.send_signal(signal.SIGSTOP)
    window.role("button", "Sign in").click()
    banner(window, "connecting", "Connecting…").wait()
    assert window.css(STATUS).text == "Connecting…"
    window.screenshot("connecting")
    house.server.process.send_signal(signal.SIGCONT)
    settled(window)
    window.css(BANNER).gone()


def test_the_page_reconnects_after_a_clean_restart(house, scene):
    scene.people("ann", "bob")
    channel = scene.channel("bob", "General", "ann")
    ann = scene.window("ann")
    row(ann, channel).wait()
    assert house.server.terminate() == 0
    ann.css(BANNER).wait()
    scene.server = house.start()
    scene.say("bob", channel, "good morning")
    label(ann, channel, "Bob: good morning")


def test_without_a_network_the_page_shows_that_it_is_offline(house, scene):
    scene.people("ann", "bob")
    channel = scene.channel("bob", "General", "ann")
    ann = scene.window("ann")
    row(ann, channel).wait()
    # The emulation does not affect the open connection, which ends with the server.
    ann.offline(True)
    house.kill()
    banner(ann, "offline", "Offline: no network").wait()
    assert ann.css(STATUS).text == "Offline: no network"
    ann.screenshot("offline")
    scene.server = house.start()
    scene.say("bob", channel, "can you hear me?")
    assert banner(ann, "offline").count == 1
    ann.offline(False)
    label(ann, channel, "Bob: can you hear me?")
    ann.css(BANNER).gone()


def test_a_deactivated_user_sees_a_notice_and_can_sign_in_as_someone_else(house, scene):
    scene.people("ann", "bob")
    ann = scene.window("ann")
    house.server.app("user.deactivate", user_id=scene.name("ann"))
    banner(ann, "ended", "The server has ended this connection").wait()
    assert ann.css(BANNER).role("button", "Try now").count == 0
    ann.role("button", "Sign in again").click()
    ann.role("textbox", "Token").fill(scene.token("bob"))
    ann.role("button", "Sign in").click()
    settled(ann).css(".profile", text="Bob").wait()
    ann.css(BANNER).gone()


def test_an_expired_token_leads_to_the_sign_in_form(house, scene):
    scene.people("ann")
    # On a busy machine, loading the page may take longer than a short token lasts, but the token should expire while
    # the page is live.
    for seconds in (6, 24, 55):
        ann = scene.browse(f"{page_url(house.server)}#token={scene.token('ann', expires_in=seconds)}")
        ann.css('[data-connection="live"], [data-connection="ended"]').wait()
        if ann.css('[data-connection="live"]').count:
            break
    banner(ann, "ended", "Signed out").wait(60)
    ann.role("button", "Sign in again").click()
    ann.role("heading", "Sign in to Belfry").wait()
