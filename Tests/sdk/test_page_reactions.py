"""Reactions on the page: the bar, the full list, the box, and the users who reacted."""

import pytest
from chatting import Room, menu_of, row

CHIP = ".reaction-chip[data-emoji={}]"


def test_the_bar_has_the_first_six_emojis_and_the_list_has_all(server, browse, name):
    room = Room(server, name, browse)
    room.says("bob", "lunch?")
    ann, bob = room.window("ann"), room.window("bob")
    emojis = [emoji["key"] for emoji in server.app("emoji.list")["emojis"]]
    menu_of(ann, row(ann, "lunch?"))
    bar = ann.css(".menu .reaction-bar .emoji-button[data-emoji]")
    assert bar.each("element.dataset.emoji") == emojis[:6]
    ann.screenshot("reaction-bar")
    ann.css(".reaction-bar").role("button", "All reactions").click()
    every = ann.role("dialog", "Reactions").css("[data-emoji]")
    every.wait()
    assert every.each("element.dataset.emoji") == emojis
    ann.role("searchbox", "Search reactions").type("down")
    every.counts(1)
    every.click()
    ann.role("dialog", "Reactions").gone()
    for window in (ann, bob):
        row(window, "lunch?").css(CHIP.format("thumbs_down"), "1").wait()


def test_a_click_toggles_a_reaction_updates_all_counts_and_marks_the_users_own(server, browse, name):
    room = Room(server, name, browse, people=("ann", "bob", "cleo"))
    message = room.says("bob", "lunch?")
    ann, bob = room.window("ann"), room.window("bob")
    menu_of(ann, row(ann, "lunch?"))
    ann.css(".reaction-bar").role("button", "thumbs up").click()
    ann.css("[role=menu]").gone()
    mine, his = (row(window, "lunch?").css(CHIP.format("thumbs_up")) for window in (ann, bob))
    mine.until("element.getAttribute('aria-pressed') === 'true'")
    his.until("element.getAttribute('aria-pressed') === 'false'")
    his.click()
    for chip in (mine, his):
        chip.css(".count", "2").wait()
        chip.until("element.getAttribute('aria-pressed') === 'true'")
    assert mine.attribute("aria-label") == "thumbs up, you and Bob"
    # The bar also marks the user's own reactions.
    menu_of(ann, row(ann, "lunch?"))
    assert ann.css(".reaction-bar [data-emoji=thumbs_up]").attribute("aria-pressed") == "true"
    ann.keys("Escape")
    mine.click()
    his.css(".count", "1").wait()
    mine.until("element.getAttribute('aria-pressed') === 'false'")
    his.click()
    mine.gone()
    # The button in the box leads to the list.
    room.does("cleo", "reaction.add", message_id=message["id"], key="rage")
    row(ann, "lunch?").role("button", "Add reaction").click()
    ann.role("dialog", "Reactions").role("button", "laughing").click()
    row(bob, "lunch?").css(CHIP.format("laughing"), "1").wait()


@pytest.mark.parametrize("way", ["hover", "long press", "arrow key"])
def test_users_who_reacted_are_shown_in_tabs(server, browse, name, way):
    room = Room(server, name, browse, people=("ann", "bob", "cleo"))
    message = room.says("bob", "lunch?")
    for person, key in (("ann", "thumbs_up"), ("bob", "thumbs_up"), ("cleo", "sob")):
        room.does(person, "reaction.add", message_id=message["id"], key=key)
    ann = room.window("ann")
    chip = row(ann, "lunch?").css(CHIP.format("thumbs_up"))
    chip.css(".count", "2").wait()
    if way == "hover":
        chip.hover()
    elif way == "long press":
        chip.hold(700)
    else:
        chip.focus()
        ann.keys("ArrowDown")
    people = ann.role("dialog", "Who reacted").css("[role=tabpanel] li")
    people.counts(2)
    assert sorted(text.split("\n")[-1] for text in people.texts) == ["Ann (you)", "Bob"]
    tabs = ann.role("dialog", "Who reacted").role("tab")
    assert tabs.each("element.getAttribute('aria-selected')") == ["true", "false"]
    if way == "hover":
        ann.screenshot("reacted-users")
    if way == "arrow key":
        ann.keys("ArrowRight")
    else:
        tabs.nth(1).click()
    people.counts(1)
    assert people.text.split("\n")[-1] == "Cleo"
    # Hovering is not a click.
    stored = server.app("message.get", channel_id=room.id, message_id=message["id"])["message"]
    assert stored["reactions"][0]["count"] == 2
    if way == "arrow key":
        ann.keys("Escape")
        ann.role("dialog", "Who reacted").gone()
        assert ann.focused.attribute("data-emoji") == "thumbs_up"


def test_reactions_can_be_chosen_with_the_keyboard_alone(server, browse, name):
    room = Room(server, name, browse)
    room.says("bob", "lunch?")
    ann = room.window("ann")
    row(ann, "lunch?").focus()
    ann.keys("Enter")
    ann.css("[role=menu]").wait()
    ann.keys("Home", "ArrowRight", "Enter")
    second = server.app("emoji.list")["emojis"][1]["key"]
    row(ann, "lunch?").css(CHIP.format(second), "1").wait()
    assert "lunch?" in ann.focused.attribute("aria-label")


@pytest.mark.parametrize("way", ["menu", "dialog"])
def test_focus_returns_to_a_message_that_changed_under_its_menu(server, browse, name, way):
    room = Room(server, name, browse)
    message = room.says("bob", "lunch?")
    ann = room.window("ann")
    row(ann, "lunch?").focus()
    ann.keys("Enter")
    ann.css("[role=menu]").wait()
    if way == "dialog":
        ann.css(".reaction-bar").role("button", "All reactions").click()
        ann.role("dialog", "Reactions").wait()
    room.does("bob", "reaction.add", message_id=message["id"], key="rage")
    row(ann, "lunch?").css(CHIP.format("rage"), "1").wait()
    ann.keys("Escape")
    ann.css("[role=menu], dialog").gone()
    assert "lunch?" in ann.focused.attribute("aria-label")


def test_no_reactions_are_shown_if_the_app_disables_them(own_server, browse, name):
    own_server.app("settings.update", reactions=False)
    room = Room(own_server, name, browse)
    room.says("bob", "lunch?")
    ann = room.window("ann")
    menu_of(ann, row(ann, "lunch?"))
    assert ann.css(".reaction-bar").count == 0
