"""Screenshots of the page for the documentation, in which nothing may be cut off."""

import struct
import zlib

import pytest
from chatting import Room, menu_of, row, write

PEOPLE = ("ann", "bob", "cleo", "dimitri", "edda")
WIDE, NARROW = (1280, 800), (390, 844)

# Returns the lists, and the page itself, whose content is wider than they are.
CUT_OFF = """
return [document.scrollingElement, ...document.querySelectorAll(".timeline, .scroll, .composer, .view-header")]
    .filter(element => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1)
    .map(element => `${element.tagName} ${element.className}: ${element.scrollWidth} > ${element.clientWidth}`);
"""

# Waits until all but endless animations have finished.
SETTLED = """
const ending = document.getAnimations().filter(one => one.effect.getComputedTiming().iterations !== Infinity);
return Promise.all([document.fonts.ready, ...ending.map(one => one.finished.catch(() => {}))]).then(() => true);
"""


def png(width: int, height: int, color) -> bytes:
    """Returns a PNG whose pixel at x, y, from 0 to 1, is `color(x, y)`: red, green and blue from 0 to 255."""
    rows = b"".join(
        b"\0" + b"".join(bytes(color(x / width, y / height)) for x in range(width)) for y in range(height))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)),
             (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)


def evening(x: float, y: float) -> tuple[int, int, int]:
    """Returns the colour of a picture of the sun over the sea, with a boat."""
    hull = abs(x - 0.3) < 0.09 - (y - 0.6) * 0.6 and 0.6 < y < 0.64
    sail = abs(x - 0.3) < (y - 0.42) * 0.3 and 0.42 < y < 0.59
    if hull or sail:
        return 44, 52, 66
    if (x - 0.68) ** 2 * 2.25 + (y - 0.48) ** 2 < 0.007 and y < 0.55:
        return 255, 236, 190
    if y < 0.55:
        return 246 - int(60 * (0.55 - y)), 170 - int(150 * (0.55 - y)), 130 + int(90 * (0.55 - y))
    shine = 60 if abs(x - 0.68) < 0.05 + (y - 0.55) * 0.2 and int(y * 60) % 2 else 0
    return 70 + shine, 110 + shine, 140 + shine // 2


@pytest.fixture
def tours(server, browse, name, tmp_path):
    room = Room(server, name, browse, people=PEOPLE, operated=True, title="Harbour tours")
    for title, person, text in (("Kitchen", "edda", "Soup of the day is leek"),
                                ("Boat repairs", "dimitri", "The new rope is here"),
                                ("Weekend plans", "cleo", "Saturday, then?")):
        other = Room(server, name, browse, people=("ann", person), title=title)
        other.says(person, text)
    room.says(None, "Welcome to Harbour tours. The season begins on Monday.")
    room.says("bob", "Morning all! The first boat is fully booked, the second one has twelve seats left.")
    room.says("bob", "Timetable: https://example.com/tours/timetable?week=23")
    room.parent = room.says("cleo", "Can somebody take the nine o'clock tour? I am at the dentist until ten.")
    for person, key in (("ann", "thumbs_up"), ("bob", "thumbs_up"), ("edda", "thumbs_up"), ("dimitri", "sob")):
        room.does(person, "reaction.add", message_id=room.parent["id"], key=key)
    room.says("dimitri", "I can. Keys are in the usual place?", parent_message_id=room.parent["id"])
    for person, text in (("edda", "Yes, in the blue box"), ("bob", "And please refuel before you go"),
                         ("cleo", "You are the best, thank you!"), ("dimitri", "Will do")):
        room.says(person, text, parent_message_id=room.parent["id"], reply_to_channel=False)
    (tmp_path / "evening.png").write_bytes(png(480, 320, evening))
    room.picture = tmp_path / "evening.png"
    room.does("ann", "read.mark")
    return room


def whole(window, name):
    window.script(SETTLED)
    assert window.script(CUT_OFF) == []
    window.screenshot(name)


def test_the_conversation_is_fully_visible_wide_narrow_light_and_dark(tours):
    ann = tours.window("ann", size=WIDE)
    ann.css("input[type=file]").upload(tours.picture)
    ann.css(".attachment").wait()
    ann.role("button", "Send").click()
    ann.css(".row[data-state=sent] .picture:not(.waiting) img").until("element.complete")
    write(ann, "The pier last night.")
    row(ann, "The pier last night.").css("[data-status=sent]").wait()
    tours.does("bob", "typing.start")
    ann.css(".typing-line", "Bob is typing").wait()
    whole(ann, "wide")
    ann.media(prefers_color_scheme="dark")
    whole(ann, "dark")
    ann.size(*NARROW)
    whole(ann, "narrow-dark")
    ann.media(prefers_color_scheme="light")
    whole(ann, "narrow")
    ann.go(f"#/c/{tours.id}/t/{tours.parent['id']}")
    ann.css(".thread-view .row").wait()
    whole(ann, "thread-narrow")
    ann.size(*WIDE)
    ann.css(".conversation .row").wait()
    ann.script("document.querySelector('.thread-view .timeline').scrollTop = 0")
    whole(ann, "thread")
    ann.media(prefers_color_scheme="dark")
    whole(ann, "thread-dark")


def test_menus_and_reactions_are_fully_visible(tours):
    ann = tours.window("ann", size=WIDE)
    message = ann.css(f".conversation [data-message='{tours.parent['id']}']")
    menu_of(ann, message)
    whole(ann, "menu")
    ann.css(".reaction-bar").role("button", "All reactions").click()
    ann.role("dialog", "Reactions").wait()
    whole(ann, "reactions")


def test_the_list_of_threads_is_fully_visible(tours):
    for person, text, answers in (("ann", "Who has the spare anchor?", ["bob", "edda"]),
                                  ("bob", "New life jackets: which size?", ["ann", "cleo"]),
                                  ("ann", "Rota for next week", ["dimitri"])):
        parent = tours.says(person, text)
        for other in answers:
            tours.says(other, "I have it, it is on the second boat." if other == "edda" else "Let me look.",
                       parent_message_id=parent["id"], reply_to_channel=False)
    late = tours.says("ann", "Shall we paint the sign?")
    ann = tours.window("ann", "/threads", size=WIDE)
    ann.css(".thread-item").counts(3)
    tours.says("bob", "Green, please", parent_message_id=late["id"])
    ann.css(".new-threads", "1 new thread").wait()
    whole(ann, "threads")
    ann.size(*NARROW)
    ann.media(prefers_color_scheme="dark")
    whole(ann, "threads-narrow-dark")
