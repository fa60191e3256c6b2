"""Guests on the page: joining without an account if guests are enabled, and how others see them."""

import signal

import pytest
from belfry import Server
from browser import page_url
from page_scene import Scene, scene, settled  # noqa: F401: a fixture
from storage import SMALL

COME_IN = "Look around as a guest"


@pytest.fixture
def welcoming(tmp_path, name, browse):
    """A scene on a server with guests enabled."""
    servers = []

    def start(**settings) -> Scene:
        servers.append(Server(tmp_path, {"BELFRY_GUESTS_ENABLED": "true", **SMALL, **settings}))
        return Scene(servers[-1], name, browse)

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.send_signal(signal.SIGCONT)
            assert server.terminate() == 0


def test_the_page_offers_no_guest_access_if_guests_are_disabled(scene, server):  # noqa: F811
    window = scene.browse(page_url(server))
    window.role("button", "Sign in").wait()
    window.role("button", COME_IN).gone()


def test_a_guest_joins_talks_and_is_marked_as_a_guest(welcoming):
    scene = welcoming()  # noqa: F811
    scene.people("ann")
    channel = scene.channel("ann", "Square", is_public=True)
    ann = scene.window("ann", f"#/c/{channel}/members")
    ann.role("heading", "Members").wait()
    guest = scene.browse(page_url(scene.server))
    guest.screenshot("sign-in-with-guests")
    guest.role("button", COME_IN).click()
    settled(guest)
    guest.css(".profile", text="Guest").wait()
    guest.go("#/public")
    guest.role("button", "Join Square").click()
    guest.role("textbox", "Message").type("hello from outside\n")
    guest.css("[data-message]", text="hello from outside").wait()

    ann.css("[data-message] .author .tag", text="Guest").wait()
    # A guest can choose any name, so replies are also marked.
    guest_token = guest.script("return sessionStorage.getItem('belfry.token')")
    quoted = scene.say("ann", channel, "who is there?")
    reply = {"channel_id": channel, "text": "me", "parent_message_id": quoted["id"]}
    status, sent = scene.server.post("message.send", reply, bearer=guest_token)
    assert status == 200, sent
    ann.css(f'[data-message="{sent["message"]["id"]}"] .replied-to .tag', text="Guest").wait()
    said = ann.css(f'[data-message="{sent["message"]["id"]}"]').attribute("aria-label")
    assert ", guest, " in said
    member = ann.css('.member:not([data-role="operator"])')
    member.until("element.getAttribute('aria-label').includes(', guest, Online')")
    member.css(".tag", text="Guest").wait()
    ann.role("button", "Actions for " + guest.css(".profile .name").text).click()
    ann.role("menuitem", "Ban…").wait()
    ann.role("menuitem", "Make operator").gone()
    ann.keys("Escape")
    ann.screenshot("guest-in-a-channel")
    # A reload keeps the guest; signing out and in again creates another.
    guest.reload()
    settled(guest)
    guest.css("[data-message]", text="hello from outside").wait()
    assert scene.server.metric("belfry_guests") == 1
    guest.role("button", "Your menu").click()
    guest.role("menuitem", "Sign out").click()
    guest.role("button", COME_IN).click()
    settled(guest)
    assert scene.server.metric("belfry_guests") == 2


def test_a_guest_who_tries_something_forbidden_sees_why_it_is_refused(welcoming):
    scene = welcoming(BELFRY_GUESTS_TALK="false")  # noqa: F811
    scene.people("ann")
    scene.channel("ann", "Square", is_public=True)
    guest = scene.browse(page_url(scene.server))
    guest.role("button", COME_IN).click()
    settled(guest)
    guest.go("#/public")
    guest.role("button", "Join Square").click()
    guest.role("textbox", "Message").type("hello\n")
    guest.find(text="Guests cannot do that. Sign in to do it.").wait()


def test_an_address_with_too_many_guests_sees_a_notice_and_can_still_use_a_token(welcoming):
    scene = welcoming(BELFRY_GUESTS_PER_ADDRESS="1")  # noqa: F811
    scene.people("ann")
    assert scene.server.post("guest.create")[0] == 200
    window = scene.browse(page_url(scene.server))
    window.role("button", COME_IN).click()
    window.role("alert", text="Too fast").wait()
    assert window.focused.text == COME_IN and window.css("#token").attribute("aria-invalid") == "false"
    window.role("textbox", "Token").fill(scene.token("ann"))
    window.role("button", "Sign in").click()
    settled(window)
    window.css(".profile", text="Ann").wait()


def test_signing_in_while_a_guest_is_being_created_wins_over_the_guest(welcoming):
    scene = welcoming()  # noqa: F811
    scene.people("ann")
    window = scene.browse(page_url(scene.server))
    window.role("textbox", "Token").fill(scene.token("ann"))
    scene.server.process.send_signal(signal.SIGSTOP)
    window.role("button", COME_IN).click()
    window.wait_until("document.querySelector('button[disabled]') !== null")
    window.role("button", "Sign in").click()
    scene.server.process.send_signal(signal.SIGCONT)
    settled(window)
    window.css(".profile", text="Ann").wait()
    window.wait_until("performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/v1/guest.create'))")
    window.css(".profile", text="Ann").wait()


def test_joining_as_a_guest_reports_an_unreachable_server(welcoming):
    scene = welcoming()  # noqa: F811
    window = scene.browse(page_url(scene.server))
    window.role("button", COME_IN).wait()
    assert scene.server.terminate() == 0
    window.role("button", COME_IN).click()
    window.role("alert", text="The server is not responding. Try again.").wait()
