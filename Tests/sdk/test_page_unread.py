"""Unread messages in the page's conversation: the divider, the floating count, marking read and unread."""

from chatting import Room, box_of, choose, row, write

PILL = ".unread-pill"
DIVIDER = "[data-divider]"


def scroll_to_end(window):
    window.script("const list = document.querySelector('.conversation .timeline'); list.scrollTop = list.scrollHeight")


def to_the_beginning(window):
    """Loads page after page, like a user who keeps scrolling up."""
    def is_there():
        window.script("document.querySelector('.conversation .timeline').scrollTop = 0")
        return window.css("[data-start]").count

    window.wait_until(is_there)
    window.script("document.querySelector('.conversation .timeline').scrollTop = 0")


def unread(room, person) -> int:
    channel = room.does(person, "channel.get")["channel"]
    return channel["my"]["unread_count"]


def reads_all(room, person):
    return lambda: unread(room, person) == 0


def test_the_divider_is_above_the_first_unread_message(server, browse, name):
    room = Room(server, name, browse)
    room.fill(5, people=("bob",), text="old {}")
    room.does("ann", "read.mark")
    room.fill(3, people=("bob",), text="new {}")
    ann = room.window("ann")
    divided = row(ann, "new 0")
    divided.css(DIVIDER, "New messages").wait()
    assert ann.css(DIVIDER).count == 1
    # The divider and the end are both in view, which counts as reading. The divider stays for this visit, and the count
    # is gone.
    ann.wait_until(reads_all(room, "ann"))
    assert ann.css(PILL).count == 0
    divided.css(DIVIDER).wait()
    write(ann, "I have seen it")
    ann.css(DIVIDER).gone()


def test_the_count_floats_only_while_the_divider_is_out_of_view(server, browse, name):
    room = Room(server, name, browse)
    room.fill(40, people=("bob",), text="old {}")
    room.does("ann", "read.mark")
    room.fill(60, people=("bob",), text="new {}")
    ann = room.window("ann")
    row(ann, "new 59").wait()
    ann.css(PILL, "60 new messages").wait()
    assert unread(room, "ann") == 60
    ann.css(".unread-jump").click()
    row(ann, "new 0").css(DIVIDER).wait()
    ann.css(PILL).gone()
    # After seeing the first new messages, the user reads them by going to the end.
    assert unread(room, "ann") == 60
    ann.script("document.querySelector('.conversation .timeline').scrollTop += 900")
    ann.css(PILL, "60 new messages").wait()
    scroll_to_end(ann)
    ann.wait_until(reads_all(room, "ann"))
    ann.css(PILL).gone()


def test_the_close_button_marks_all_read_and_removes_the_count_and_the_divider(server, browse, name):
    room = Room(server, name, browse)
    room.fill(2, people=("bob",), text="old {}")
    room.does("ann", "read.mark")
    room.fill(120, people=("bob",), text="new {}")
    ann = room.window("ann")
    ann.css(PILL, "99+ new messages").wait()
    ann.screenshot("conversation-unread")
    ann.css(PILL).role("button", "Mark all as read").click()
    ann.css(PILL).gone()
    ann.wait_until(reads_all(room, "ann"))
    to_the_beginning(ann)
    row(ann, "old 1").wait()
    assert ann.css(DIVIDER).count == 0


def test_messages_that_arrive_while_reading_older_ones_are_counted_below(server, browse, name):
    room = Room(server, name, browse)
    room.fill(60, people=("bob",), text="old {}")
    room.does("ann", "read.mark")
    ann = room.window("ann")
    row(ann, "old 59").wait()
    ann.script("document.querySelector('.conversation .timeline').scrollTop = 300")
    ann.role("button", "To the newest messages").wait()
    # The current message keeps its position in the window, while older ones may be inserted above it.
    reading = ann.script("""
        const end = document.querySelector('.conversation .timeline').getBoundingClientRect().bottom;
        const rows = [...document.querySelectorAll('.conversation [data-message]')];
        return rows.findLast((row) => row.getBoundingClientRect().bottom <= end).dataset.message;""")
    place = f"""
        return document.querySelector('.conversation [data-message="{reading}"]').getBoundingClientRect().top"""
    before = ann.script(place)
    room.says("bob", "one more")
    ann.css(PILL, "1 new message").wait()
    assert abs(ann.script(place) - before) <= 1
    ann.role("button", "To the newest messages").click()
    row(ann, "one more").css(DIVIDER).wait()
    ann.wait_until(reads_all(room, "ann"))
    ann.css(PILL).gone()


def test_a_message_marked_unread_stays_so_until_the_user_leaves_or_dismisses_the_count(server, browse, name):
    room = Room(server, name, browse)
    ids = room.fill(40, people=("bob",))
    ann = room.window("ann")
    scroll_to_end(ann)
    ann.css(PILL).role("button", "Mark all as read").click()
    ann.wait_until(reads_all(room, "ann"))
    choose(ann, row(ann, "message 37"), "Mark as unread")
    row(ann, "message 37").css(DIVIDER).wait()
    ann.wait_until(lambda: unread(room, "ann") == 3)
    assert room.does("ann", "channel.get")["channel"]["my"]["first_unread_message_id"] == ids[37]
    assert ann.css(PILL).count == 0
    ann.css(f"nav [data-channel='{room.id}'] .badge", "3").wait()
    # Viewing the channel does not revert it, even with the end in view.
    scroll_to_end(ann)
    ann.script("document.querySelector('.conversation .timeline').scrollTop = 0")
    ann.css(PILL, "3 new messages").wait()
    scroll_to_end(ann)
    ann.css(PILL).gone()
    assert unread(room, "ann") == 3
    ann.script("document.querySelector('.conversation .timeline').scrollTop = 0")
    ann.css(PILL).role("button", "Mark all as read").click()
    ann.wait_until(reads_all(room, "ann"))
    ann.css(f"nav [data-channel='{room.id}'] .badge").gone()


def test_admin_messages_cannot_be_marked_as_unread(server, browse, name):
    room = Room(server, name, browse)
    room.says(None, "closed today")
    ann = room.window("ann")
    row(ann, "closed today").css(".admin-message").context()
    ann.css("[role=menuitem]", "Copy text").wait()
    assert ann.css("[role=menuitem]", "Mark as unread").count == 0


def test_another_window_of_the_same_user_stays_in_sync(server, browse, name):
    room = Room(server, name, browse)
    room.fill(3, people=("bob",))
    first, second = room.window("ann"), room.window("ann")
    for window in (first, second):
        row(window, "message 2").wait()
    first.wait_until(reads_all(room, "ann"))
    choose(first, row(first, "message 1"), "Mark as unread")
    row(second, "message 1").css(DIVIDER).wait()
    assert unread(room, "ann") == 2


def test_in_one_column_a_channel_hidden_by_its_thread_is_not_marked_read_and_keeps_its_position(server, browse, name):
    room = Room(server, name, browse)
    ids = room.fill(60, people=("bob",))
    room.does("ann", "read.mark")
    ann = room.window("ann", size=(390, 844))
    row(ann, "message 59").wait()
    ann.script("document.querySelector('.conversation .timeline').scrollTop -= 700")
    ann.role("button", "To the newest messages").wait()
    shown = ann.script("""
        const frame = document.querySelector(".conversation .timeline").getBoundingClientRect();
        window.watched = [...document.querySelectorAll(".conversation .row")]
            .find(row => row.getBoundingClientRect().top > frame.top + 100);
        return [watched.dataset.message, watched.getBoundingClientRect().top];""")
    ann.go(f"#/c/{room.id}/t/{ids[59]}")
    ann.css(".thread-view .parent").wait()
    room.says("bob", "while the thread is open")
    ann.wait_until(lambda: unread(room, "ann") == 1)
    ann.role("button", "Back").click()
    ann.css(PILL, "1 new message").wait()
    message, top = shown
    assert abs(box_of(ann.css(f".conversation [data-message='{message}']"))["top"] - top) < 2
    assert unread(room, "ann") == 1
