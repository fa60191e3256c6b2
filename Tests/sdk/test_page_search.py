"""The page's search for messages (MS10, SE1)."""

from chatting import Room
from page_scene import NARROW

FIELD = "Search messages"
FOUND = ".search-view .found"


def field(window):
    return window.role("searchbox", FIELD)


def indexed(room, query, count):
    """Waits until the server's index has the messages."""
    ann = room.ids["ann"]
    for _ in range(2_000):
        answer = room.server.app("message.search", query=query, channel_id=room.id, as_user_id=ann, limit=100)
        if answer["is_complete"] and len(answer["messages"]) == count:
            return
    raise AssertionError(answer)


def test_messages_are_found_by_words_and_open_in_their_channel(server, browse, name):
    room = Room(server, name, browse)
    said = room.says("bob", "the blue boat leaves at noon")
    room.fill(120)
    room.says("ann", "which boat?")
    indexed(room, "boat", 2)
    ann = room.window("ann", "/")
    ann.css("nav").role("link", FIELD).click()
    field(ann).type("boat")
    ann.css(FOUND).counts(2)
    # The newest first, with author, channel, time, and the word marked.
    first, second = ann.css(FOUND).nth(0), ann.css(FOUND).nth(1)
    first.css(".found-author", "You").wait()
    second.css(".found-author", "Bob").wait()
    second.css(".found-where", "Harbour").wait()
    second.css("time").wait()
    assert second.css("mark").texts == ["boat"]
    second.css(".found-text", "the blue boat leaves at noon").wait()
    second.click()
    ann.css(".conversation .message.highlighted", "the blue boat").wait()
    assert said["id"] in ann.url
    # "Back" returns to what was found.
    ann.back()
    ann.css(FOUND).counts(2)
    field(ann).until("element.value === 'boat'")
    # Deleted messages disappear.
    room.does("bob", "message.delete", message_id=said["id"])
    ann.css(FOUND).counts(1)


def test_the_search_needs_no_pointer(server, browse, name):
    room = Room(server, name, browse)
    room.says("bob", "the first kite")
    room.says("bob", "the second kite")
    indexed(room, "kite", 2)
    ann = room.window("ann")
    ann.role("textbox", "Message").focus()
    ann.keys("Control+k")
    field(ann).until("element === document.activeElement")
    ann.typed("kite")
    ann.css(FOUND).counts(2)
    ann.find("[role=status]", text="2 messages found").unseen.wait()
    ann.keys("ArrowDown", "ArrowDown")
    assert "the first kite" in ann.focused.attribute("aria-label")
    ann.keys("ArrowUp", "ArrowUp")
    field(ann).until("element === document.activeElement")
    ann.keys("ArrowDown", "Escape")
    field(ann).until("element === document.activeElement")
    # The key selects the words, so that others can be typed at once.
    ann.keys("Control+k")
    ann.typed("first")
    ann.css(FOUND).counts(1)
    # Escape empties the field, and then leaves.
    ann.keys("Escape")
    field(ann).until("element.value === ''")
    ann.css(".search-view .notice", "Search messages").wait()
    ann.keys("Escape")
    ann.css(".search-view").gone()
    # A dialog keeps the keyboard.
    ann.role("button", "New channel").click()
    ann.role("dialog", "New channel").wait()
    ann.keys("Control+k")
    ann.role("dialog", "New channel").wait()
    assert ann.css(".search-view").count == 0


def test_one_channel_can_be_searched_and_then_all(server, browse, name):
    room = Room(server, name, browse)
    other = Room(server, name, browse, people=("ann", "bob"), title="Attic")
    word = name("lantern").replace("-", "")
    room.says("bob", f"{word} in the harbour")
    other.says("bob", f"{word} in the attic")
    indexed(room, word, 1)
    indexed(other, word, 1)
    ann = room.window("ann")
    ann.role("button", "Search in this channel").click()
    ann.css(".search-within", "In Harbour").wait()
    field(ann).type(word)
    ann.css(FOUND, "in the harbour").wait()
    ann.css(FOUND).counts(1)
    ann.role("button", "Search in all channels").click()
    ann.css(".search-within").gone()
    ann.css(FOUND).counts(2)


def test_many_found_messages_load_while_scrolling(server, browse, name):
    room = Room(server, name, browse)
    room.fill(70, text="pebble {}")
    indexed(room, "pebble", 70)
    ann = room.window("ann", "/search/pebble")
    ann.css(FOUND).nth(29).unseen.wait()
    ann.css(FOUND, "pebble 69").wait()
    for _ in range(8):
        ann.script("const body = document.querySelector('.search-view .scroll'); body.scrollTop = body.scrollHeight")
        if ann.css(FOUND).count == 70:
            break
    ann.css(FOUND).counts(70)
    ann.css(".search-more .spinner").gone()


def test_nothing_found_a_long_query_and_errors_are_explained(server, browse, name):
    room = Room(server, name, browse)
    ann = room.window("ann", "/search/" + name("nowhere").replace("-", ""))
    ann.css(".search-view .notice", "Nothing found").wait()
    field(ann).replace("é" * 200)
    ann.css(".search-view .notice", "That is too long").wait()
    # Without letters there is nothing to search for.
    field(ann).replace("...")
    ann.css(".search-view .notice[role=alert]", "could not be searched").wait()
    ann.role("button", "Try again").click()
    ann.css(".search-view .notice[role=alert]", "could not be searched").wait()
    ann.go("#/search/%ff")
    ann.css(".search-view").gone()


def test_a_reply_that_is_only_in_its_thread_opens_the_thread(server, browse, name):
    room = Room(server, name, browse)
    parent = room.says("bob", "who has the key?")
    room.says("ann", "under the doormat", parent_message_id=parent["id"], reply_to_channel=False)
    indexed(room, "doormat", 1)
    bob = room.window("bob", "/search/doormat")
    bob.css(FOUND, "under the doormat").click()
    bob.css(".thread-view .timeline [data-message]", "under the doormat").wait()


def test_the_search_fits_a_phone_and_every_direction_of_writing(server, browse, name):
    room = Room(server, name, browse)
    server.app("channel.update", channel_id=room.id, name="מרינה")
    room.says("bob", "הספינה הכחולה יוצאת בצהריים " + "מאוד " * 80)
    room.says("bob", "x" * 55 + " הספינה " + "y" * 200)
    indexed(room, "הספינה", 2)
    ann = room.window("ann", "/search/הספינה", size=NARROW)
    ann.css(FOUND).counts(2)
    assert ann.css(f"{FOUND} mark").texts[-1] == "הספינה"
    assert ann.script("return document.documentElement.scrollWidth <= innerWidth")
    direction = "getComputedStyle(element).direction"
    assert ann.css(f"{FOUND} .found-text").each(direction) == ["ltr", "rtl"]
    # The author's and the channel's names do not change each other's places.
    assert ann.css(f"{FOUND} .found-head bdi").count == 4
    ann.css(FOUND).nth(1).click()
    ann.css(".conversation .message.highlighted").wait()
    ann.css(".back").click()
