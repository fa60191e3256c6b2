"""Mentions: a list of members while typing, and highlighted names for everyone."""

import pytest
from chatting import Room, choose, row

NAMES = "[role=listbox] [role=option] .name"


@pytest.fixture
def room(server, browse, name) -> Room:
    return Room(server, name, browse, ("ann", "bob", "bonnie", "carol"))


def said(room, window, text) -> dict:
    """Returns the message as stored by the server."""
    message = row(window, text).attribute("data-message")
    return room.does("ann", "message.get", message_id=message)["message"]


def options(window) -> list[str]:
    return window.css(".conversation " + NAMES).texts


def listed(window, *names):
    window.wait_until(lambda: options(window) == list(names), f"{names} in the list")


def test_an_at_sign_lists_the_members_and_the_keyboard_selects_one(room):
    ann, bob = room.window("ann"), room.window("bob")
    field = ann.role("textbox", "Message")
    field.type("hello @")
    listed(ann, "Bob", "Bonnie", "Carol")
    ann.screenshot("mention")
    field.type("bO")
    listed(ann, "Bob", "Bonnie")
    # A screen reader announces a field with a list, and the active item.
    described = [field.attribute(name) for name in ("aria-autocomplete", "aria-haspopup")]
    assert described == ["list", "listbox"]
    listbox = ann.role("listbox", "Mention")
    assert field.attribute("aria-controls") == listbox.attribute("id")

    def active():
        chosen = ann.css("[role=option][aria-selected=true]")
        assert chosen.count == 1 and field.attribute("aria-activedescendant") == chosen.attribute("id")
        return chosen.css(".name").text

    assert active() == "Bob"
    ann.keys("ArrowDown")
    assert active() == "Bonnie"
    ann.keys("ArrowDown", "ArrowUp", "ArrowUp")
    assert active() == "Bob"
    ann.keys("Enter")
    listbox.gone()
    field.reads("hello @Bob ")
    assert row(ann, "hello").count == 0
    field.type("and @bon")
    listed(ann, "Bonnie")
    ann.keys("Tab")
    field.reads("hello @Bob and @Bonnie ")
    assert field.attribute("aria-activedescendant") is None
    field.type("at nine\n")
    row(bob, "hello @Bob and @Bonnie at nine").wait()
    message = said(room, ann, "hello @Bob")
    assert message["mention_type"] == "users"
    assert message["mentioned_user_ids"] == [room.ids["bob"], room.ids["bonnie"]]
    for window in (ann, bob):
        assert row(window, "hello").css(".mentioned").texts == ["@Bob", "@Bonnie"]
    # The user's own name is highlighted differently.
    assert row(bob, "hello").css(".mentioned.me").texts == ["@Bob"]
    assert row(ann, "hello").css(".mentioned.me").count == 0
    bob.screenshot("mentioned")
    carol = room.window("carol", "/")
    assert carol.css(".channel-row .mention").count == 0
    bonnie = room.window("bonnie", "/")
    bonnie.css(".channel-row .mention").wait()


def test_escape_closes_the_list_and_a_click_selects_a_member(room):
    ann = room.window("ann")
    field = ann.role("textbox", "Message")
    field.type("write to me@bo")
    field.type(" or @c")
    # An address is not a mention.
    listed(ann, "Carol")
    ann.keys("Escape")
    ann.role("listbox").gone()
    field.type("a")
    field.type("r, @b")
    listed(ann, "Bob", "Bonnie")
    ann.css(".mentions [role=option]", "Bonnie").click()
    field.reads("write to me@bo or @car, @Bonnie ")
    assert field.value("element === document.activeElement")
    # A removed name is not mentioned.
    field.replace("write to me@bo or @car, @Bonni and so on")
    ann.keys("Enter")
    row(ann, "or @car, @Bonni").wait()
    ann.css("[data-state=sending]").gone()
    assert "mentioned_user_ids" not in said(room, ann, "or @car")
    # Nobody has that name, so the list stays closed and Enter sends.
    field.type("@nobody\n")
    row(ann, "@nobody").wait()
    assert row(ann, "@nobody").css(".mentioned").count == 0


def test_an_edited_message_mentions_the_users_it_names_after_the_edit(room):
    ann = room.window("ann")
    room.says("ann", "ask @Bob, @Bob", mention_type="users", mentioned_user_ids=[room.ids["bob"], room.ids["carol"]])
    message = row(ann, "ask @Bob").wait()
    # Only names that occur in the text are highlighted.
    assert message.css(".mentioned").texts == ["@Bob", "@Bob"]
    choose(ann, message, "Edit")
    field = ann.role("textbox", "Message")
    field.replace("ask ")
    field.type("@bon")
    listed(ann, "Bonnie")
    ann.keys("Enter", "Enter")
    row(ann, "ask @Bonnie").css(".mentioned", "@Bonnie").wait()
    assert said(room, ann, "ask @Bonnie")["mentioned_user_ids"] == [room.ids["bonnie"]]


def test_mention_suggestions_show_at_most_eight_members_and_also_work_in_threads(server, browse, name):
    crew = [f"crew{number}" for number in range(12)]
    room = Room(server, name, browse, ("ann", *crew))
    ann = room.window("ann")
    field = ann.role("textbox", "Message")
    field.type("@crew")
    listed(ann, *(person.capitalize() for person in sorted(crew)[:8]))
    field.type("11")
    listed(ann, "Crew11")
    parent = room.says("ann", "parent")["id"]
    ann.go(f"#/c/{room.id}/t/{parent}")
    field = ann.role("textbox", "Reply")
    field.type("@crew7")
    ann.css(".thread-view " + NAMES, "Crew7").wait()
    ann.keys("Enter", "Enter")
    ann.css(".thread-view .row .mentioned", "@Crew7").wait()
