"""Users with windows: the starting point of the page's tests."""

import pytest
from belfry import token
from browser import Window, page_url

WIDE, MIDDLE, NARROW = (1280, 800), (900, 800), (390, 844)


class Scene:
    """Users, their windows, and actions of others over HTTP. User ids are unique to the test."""

    def __init__(self, server, name, browse):
        self.server, self.name, self.browse = server, name, browse

    def person(self, who: str, nickname: str | None = None) -> str:
        """Registers `who` with the nickname "Ann", for example, and returns the id."""
        self.server.app("user.upsert", id=self.name(who), nickname=nickname or who.capitalize())
        return self.name(who)

    def people(self, *who: str) -> list[str]:
        return [self.person(one) for one in who]

    def window(self, who: str, fragment: str = "") -> Window:
        """Returns a window that is signed in, with the channels loaded; `fragment` is the place, as in "#/public"."""
        window = self.browse(page_url(self.server, self.name(who)))
        # Screenshots are taken without animations.
        window.media(prefers_reduced_motion="reduce")
        settled(window)
        if fragment:
            window.go(fragment)
        return window

    def do(self, who: str, command: str, **data) -> dict:
        """Runs a command of `who`, which must succeed."""
        status, result = self.server.post(command, data, user=self.name(who))
        assert status == 200, result
        return result

    def channel(self, who: str, title: str, *members: str, **fields) -> str:
        """Creates a channel with `who` as operator and `members`; returns its id."""
        data = {"name": title, "user_ids": [self.name(one) for one in members],
                "operator_user_ids": [self.name(who)], **fields}
        return self.do(who, "channel.create", **data)["channel"]["id"]

    def say(self, who: str, channel: str, text: str, **fields) -> dict:
        return self.do(who, "message.send", channel_id=channel, text=text, **fields)["message"]

    def asks_first(self, *who: str):
        """Makes invitations to these users wait for an answer."""
        for one in who:
            self.do(one, "user.preferences", auto_accept_invitations=False)

    def token(self, who: str, **claims) -> str:
        return token(self.name(who), **claims)


@pytest.fixture
def scene(server, name, browse) -> Scene:
    return Scene(server, name, browse)


def settled(window: Window) -> Window:
    """Waits until the window is live and the channels are loaded."""
    window.css('[data-connection="live"]').wait()
    window.find(text="Loading channels…").gone()
    return window


def row(window: Window, channel: str):
    """Finds the channel's link in the list."""
    return window.css(f'[data-channel="{channel}"] .channel-link')


def order(window: Window) -> list[str]:
    """Returns the ids of the channels in the list, from the top."""
    return window.css(".channels > [data-channel]").each("element.dataset.channel")


def label(window: Window, channel: str, part: str):
    """Waits until a screen reader would announce `part` of the channel's row."""
    row(window, channel).until(f"element.getAttribute('aria-label').includes({part!r})")


def menu(window: Window, opener, item: str):
    """Opens a menu and picks an item with the pointer."""
    opener.click()
    window.role("menuitem", text=item).click()


def toast(window: Window, text: str):
    window.css("[data-toast]", text=text).wait()


def closes_dialog(window: Window):
    window.css("dialog").gone()
