"""A channel with its users and their windows: the starting point of the page's conversation tests."""

import contextlib
import json
import pathlib
import socket

from belfry import API_KEY, Server, token
from browser import Window, page_url
from storage import SMALL

# A PNG of 2 by 2 pixels, which browsers can display.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a73"
    "0000001649444154789c63606060f8cfc0c0f0ff3f030303030300"
    "1e0d03fd0b5e1c3f0000000049454e44ae426082")


class Room:
    """A channel; `people` become members with nicknames, the first one an operator if `operated`."""

    def __init__(self, server, name, browse, people=("ann", "bob"), operated=False, title="Harbour", **channel):
        self.server, self.browse = server, browse
        self.ids = {person: name(person) for person in people}
        for person, user in self.ids.items():
            server.app("user.upsert", id=user, nickname=person.capitalize())
        operators = [self.ids[people[0]]] if operated else []
        self.id = server.app("channel.create", id=name(title.lower().replace(" ", "-")), name=title,
                             user_ids=list(self.ids.values()), operator_user_ids=operators, **channel)["channel"]["id"]

    def window(self, person: str, path: str | None = None, size=(1280, 800)) -> Window:
        """Opens the channel, or another place on the page, in a user's window."""
        # The token has no expiry, because some tests show the page on another day.
        window = self.browse(page_url(self.server) + "#token=" + token(self.ids[person], expires_in=None))
        window.size(*size)
        window.css("nav").wait()
        window.go("#" + (path or f"/c/{self.id}"))
        if path is None:
            window.css(".conversation .timeline-content").unseen.wait()
            window.wait_until("!document.querySelector('.conversation .skeleton')")
        return window

    def says(self, person: str | None, text: str | None = None, **fields) -> dict:
        """Sends a message from a user, or from the app itself."""
        who = {"as_user_id": self.ids[person]} if person else {"kind": "admin"}
        words = {} if text is None else {"text": text}
        return self.server.app("message.send", channel_id=self.id, **who, **words, **fields)["message"]

    def does(self, person: str, command: str, **data) -> dict:
        return self.server.app(command, as_user_id=self.ids[person], channel_id=self.id, **data)

    def fill(self, count: int, people: tuple[str, ...] | None = None, text="message {}") -> list[str]:
        """Sends many messages in turn over one connection; returns their ids."""
        people = people or tuple(self.ids)
        made = []
        with contextlib.closing(self.server.connect_http()) as connection:
            for number in range(count):
                body = {"as_user_id": self.ids[people[number % len(people)]], "channel_id": self.id,
                        "text": text.format(number)}
                headers = {"Content-Type": "application/json", "X-API-Key": API_KEY}
                connection.request("POST", "/v1/message.send", json.dumps(body), headers)
                answer = json.loads(connection.getresponse().read())
                made.append(answer["message"]["id"])
        return made


def row(window: Window, text: str):
    """Finds the message that contains `text` in the conversation."""
    return window.css(".conversation [data-message]", text)


def write(window: Window, text: str, label="Message"):
    window.role("textbox", label).type(text + "\n")


def choose(window: Window, where, action: str):
    """Chooses an action in a message's menu."""
    menu_of(window, where)
    window.css("[role=menuitem]", action).click()


def menu_of(window: Window, where):
    where.css(".bubble, .admin-message, .parent-head").hover()
    where.role("button", "More actions").click()
    return window.css("[role=menu]").wait()


def box_of(where) -> dict:
    """Returns an element's position in the window: `left`, `top`, `right`, `bottom` in px."""
    return where.value("element.getBoundingClientRect().toJSON()")


class LastingServer:
    """A server that can be killed and restarts on the same port and data, as under a supervisor."""

    def __init__(self, folder: pathlib.Path, settings: dict | None = None):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.fixed = free.getsockname()[1]
        self.folder, self.settings = folder, settings
        self.server = self._start()

    def __getattr__(self, name):
        return getattr(self.server, name)

    def _start(self) -> Server:
        # Reading a large journal takes long.
        return Server(self.folder, {**SMALL, **(self.settings or {})}, options=("--port", str(self.fixed)))

    def kill(self):
        """Kills the server with SIGKILL, so nothing more is sent or written."""
        self.server.process.kill()
        self.server.process.wait()

    def start_again(self):
        self.server = self._start()
