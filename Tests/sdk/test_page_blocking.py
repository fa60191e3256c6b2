"""Blocking people on the page: their messages are folded, and the list is in step on all of the user's devices."""

from page_scene import closes_dialog, label, menu, row, scene, toast  # noqa: F401: a fixture
from test_page_guests import COME_IN, welcoming  # noqa: F401: a fixture
from test_page_members import actions, heard, member, members

FOLDED = "Message from someone you have blocked"
# A nickname that is a program if it is interpreted as markup.
PROGRAM = "<img src=x onerror=alert(1)>"


def message(window, sent):
    return window.css(f'.conversation [data-message="{sent["id"]}"]')


def folds(element):
    """Waits until a message is folded, for the eye and for screen readers."""
    element.css(".folded", text=FOLDED).wait()
    element.until(f"element.getAttribute('aria-label').startsWith({FOLDED!r})")
    assert element.css(".bubble").count == 0


def block(scene, who, whom):  # noqa: F811
    scene.do(who, "user.block", user_id=scene.name(whom))


def is_blocked(scene, who) -> list[str]:  # noqa: F811
    return [one["user"]["id"] for one in scene.do(who, "user.list_blocked")["blocked"]]


def test_a_person_is_blocked_and_unblocked_in_their_menus_and_in_the_list_of_blocked_people(scene):  # noqa: F811
    """MO1"""
    scene.person("ann")
    scene.person("bob", PROGRAM)
    channel = scene.channel("ann", "General", "bob")
    said = scene.say("bob", channel, "hello")
    ann = members(scene, "ann", channel)
    assert member(ann, scene, "ann").role("button").count == 0
    menu(ann, actions(ann, PROGRAM), f"Block {PROGRAM}…")
    question = ann.role("dialog", f"Block {PROGRAM}?")
    question.find(text="is not told").wait()
    ann.screenshot("block")
    question.role("button", "Cancel").click()
    closes_dialog(ann)
    assert is_blocked(scene, "ann") == []
    menu(ann, actions(ann, PROGRAM), f"Block {PROGRAM}…")
    question.role("button", "Block").click()
    toast(ann, f"{PROGRAM} is blocked.")
    heard(ann, scene, "bob", "blocked by you")
    member(ann, scene, "bob").css(".tag", text="Blocked").wait()
    assert is_blocked(scene, "ann") == [scene.name("bob")]

    menu(ann, ann.role("button", "Your menu"), "Blocked people…")
    people = ann.role("dialog", "Blocked people")
    people.role("listitem", text=PROGRAM).wait()
    ann.screenshot("blocked-people")
    people.role("button", f"Unblock {PROGRAM}").click()
    people.find(text="You have blocked nobody").wait()
    ann.keys("Escape")
    closes_dialog(ann)
    member(ann, scene, "bob").css(".tag").gone()
    assert is_blocked(scene, "ann") == []
    # A message's menu leads to its author.
    message(ann, said).context()
    ann.role("menuitem", f"Block {PROGRAM}…").click()
    ann.role("dialog").role("button", "Block").click()
    folds(message(ann, said))
    menu(ann, actions(ann, PROGRAM), f"Unblock {PROGRAM}")
    message(ann, said).css(".bubble", text="hello").wait()


def test_messages_of_blocked_people_are_folded_and_open_one_by_one(scene):  # noqa: F811
    """MO1"""
    scene.people("ann", "bob", "carol")
    channel = scene.channel("ann", "General", "bob", "carol")
    block(scene, "ann", "bob")
    first = scene.say("bob", channel, "first secret")
    other = scene.say("carol", channel, "not a secret")
    ann = scene.window("ann", f"#/c/{channel}")
    message(ann, other).css(".bubble", text="not a secret").wait()
    folds(message(ann, first))
    second = scene.say("bob", channel, "second secret")
    folds(message(ann, second))
    ann.screenshot("folded")
    message(ann, first).role("button", "Show").click()
    message(ann, first).css(".bubble", text="first secret").wait()
    message(ann, first).css(".author", text="Bob").wait()
    folds(message(ann, second))
    # By keyboard, the menu of the folded message opens it.
    message(ann, second).focus()
    ann.keys("Enter")
    assert ann.role("menuitem").texts[0] == "Show message"
    assert ann.role("menuitem", text="Reply").count == 0 and ann.role("menuitem", text="Copy").count == 0
    ann.keys("Enter")
    message(ann, second).css(".bubble", text="second secret").wait()
    # Both are folded again after a reload, and unfolded without one when Bob is unblocked.
    ann.reload()
    for sent in (first, second):
        folds(message(ann, sent))
    scene.do("ann", "user.unblock", user_id=scene.name("bob"))
    for sent, text in ((first, "first secret"), (second, "second secret")):
        message(ann, sent).css(".bubble", text=text).wait()


def test_previews_quotes_threads_and_found_messages_do_not_show_what_blocked_people_wrote(scene):  # noqa: F811
    """MO1"""
    scene.people("ann", "bob")
    word = scene.name("lighthouse")
    channel = scene.channel("ann", "General", "bob")
    parent = scene.say("bob", channel, f"secret {word}")
    quoting = scene.say("ann", channel, "which one?", parent_message_id=parent["id"])
    ann = scene.window("ann", f"#/c/{channel}")
    message(ann, quoting).css(".quote", text="secret").wait()
    block(scene, "ann", "bob")
    message(ann, quoting).css(".quote", text=FOLDED).wait()
    assert message(ann, quoting).css(".quote", text="secret").count == 0
    reply = scene.say("bob", channel, "secret reply", parent_message_id=parent["id"])
    folds(message(ann, reply))
    label(ann, channel, FOLDED)
    row(ann, channel).css(".last", text=FOLDED).wait()
    # It was not read aloud either; the next message is.
    scene.server.app("message.send", channel_id=channel, kind="admin", text="marker")
    ann.css("[data-announcer]").unseen.reads("marker")

    ann.go("#/threads")
    item = ann.css(f'[data-thread="{parent["id"]}"]')
    item.until(f"element.getAttribute('aria-label').includes({FOLDED!r})")
    item.css(".thread-about", text=FOLDED).wait()
    item.css(".thread-reply", text=FOLDED).wait()
    ann.go(f"#/c/{channel}/t/{parent['id']}")
    ann.css(".parent-info .folded").wait()
    folded = ann.css(f'.thread-view [data-message="{reply["id"]}"] .folded')
    folded.wait()
    ann.screenshot("folded-thread")
    assert ann.css(".thread-view").css("*", text="secret").count == 0
    ann.css(".parent-info").role("button", "Show").focus()
    ann.keys("Enter")
    ann.css(".parent-info .text", text="secret").wait()
    assert ann.script("return document.activeElement.closest('.parent-info') !== null")
    folded.wait()

    ann.go(f"#/search/{word}")
    found = ann.css(f'[data-found="{parent["id"]}"]')
    found.css(".found-text", text=FOLDED).wait()
    assert "secret" not in found.attribute("aria-label")
    scene.do("ann", "user.unblock", user_id=scene.name("bob"))
    found.css("mark").wait()


def test_all_windows_of_the_user_know_who_is_blocked(scene):  # noqa: F811
    """MO1"""
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    said = scene.say("bob", channel, "hello")
    ann = members(scene, "ann", channel)
    other = scene.window("ann", f"#/c/{channel}")
    message(other, said).css(".bubble").wait()
    menu(ann, actions(ann, "Bob"), "Block Bob…")
    ann.role("dialog").role("button", "Block").click()
    folds(message(other, said))
    menu(other, other.role("button", "Your menu"), "Blocked people…")
    other.role("dialog").role("button", "Unblock Bob").click()
    message(other, said).css(".bubble", text="hello").wait()
    member(ann, scene, "bob").css(".tag").gone()


def test_a_long_list_of_blocked_people_is_complete(scene):  # noqa: F811
    """MO1"""
    scene.person("ann")
    others = [{"id": scene.name(f"o{number:03}"), "nickname": f"Other {number:03}"} for number in range(120)]
    for users in (others[:60], others[60:]):
        scene.server.app("user.upsert_many", users=users)
    for one in others:
        scene.do("ann", "user.block", user_id=one["id"])
    ann = scene.window("ann")
    menu(ann, ann.role("button", "Your menu"), "Blocked people…")
    people = ann.role("dialog", "Blocked people")
    people.css("[data-user]").counts(100)
    people.role("button", "Show more").click()
    people.css("[data-user]").counts(120)
    assert people.css(".name").texts == [one["nickname"] for one in others]


def test_typing_of_blocked_people_is_not_shown(scene):  # noqa: F811
    """MO1"""
    scene.people("ann", "bob", "carol")
    channel = scene.channel("ann", "General", "bob", "carol")
    ann = scene.window("ann", f"#/c/{channel}")
    scene.do("bob", "typing.start", channel_id=channel)
    ann.css(".typing-line", text="Bob is typing…").wait()
    block(scene, "ann", "bob")
    ann.wait_until("document.querySelector('.typing-line').textContent === ''")
    scene.do("bob", "typing.start", channel_id=channel)
    scene.do("carol", "typing.start", channel_id=channel)
    ann.css(".typing-line", text="Carol is typing…").wait()
    assert "Bob" not in ann.css(".typing-line").text


def test_alone_with_someone_blocked_a_notice_says_so_and_the_user_can_still_write(scene):  # noqa: F811
    """MO1"""
    scene.people("ann", "bob")
    channel = scene.channel("ann", "", "bob", is_distinct=True)
    ann = scene.window("ann", f"#/c/{channel}")
    bob = scene.window("bob", f"#/c/{channel}")
    ann.role("textbox", "Message").wait()
    block(scene, "ann", "bob")
    notice = ann.css("[data-barrier^=blocked]", text="You have blocked Bob, who cannot write to you here.")
    notice.wait()
    ann.role("textbox", "Message").type("to you alone\n")
    bob.css("[data-message]", text="to you alone").wait()
    ann.screenshot("blocked-alone")
    notice.role("button", "Unblock Bob").click()
    notice.gone()
    bob.role("textbox", "Message").type("thank you\n")
    ann.css("[data-message] .bubble", text="thank you").wait()


def test_a_message_to_someone_who_has_blocked_the_user_fails_with_a_plain_reason(scene):  # noqa: F811
    """MO1"""
    scene.people("ann", "bob")
    channel = scene.channel("ann", "", "bob", is_distinct=True)
    block(scene, "ann", "bob")
    bob = scene.window("bob", f"#/c/{channel}")
    bob.role("textbox", "Message").type("can you hear me?\n")
    failed = bob.css("[data-state=failed]", text="can you hear me?")
    failed.css("[data-status=failed]", text="This could not be delivered to this person.").wait()
    bob.screenshot("blocked-by")
    assert bob.css("[data-barrier]").count == 0
    scene.do("ann", "user.unblock", user_id=scene.name("bob"))
    failed.css("[data-part=retry]").click()
    bob.css("[data-state=sent]", text="can you hear me?").wait()


def test_someone_who_has_blocked_the_user_cannot_be_invited(scene):  # noqa: F811
    """MO1"""
    scene.people("ann", "bob")
    channel = scene.channel("bob", "General")
    block(scene, "ann", "bob")
    bob = members(scene, "bob", channel)
    bob.role("button", "Invite people").click()
    dialog = bob.role("dialog", "Invite to General")
    dialog.role("combobox", "People").type(scene.name("ann") + "\n")
    dialog.css(".chip", text="Ann").wait()
    dialog.role("button", "Invite").click()
    dialog.role("alert", text="Ann: You cannot invite this person.").wait()
    bob.keys("Escape")
    closes_dialog(bob)
    bob.role("button", "New channel").click()
    dialog = bob.role("dialog", "New channel")
    dialog.role("combobox", "Members").type(scene.name("ann"))
    dialog.role("button", "Create channel").click()
    dialog.role("alert", text="You cannot invite this person.").wait()


def test_guests_are_not_offered_to_block(welcoming):  # noqa: F811
    """MO1"""
    scene = welcoming()  # noqa: F811
    scene.people("ann")
    scene.channel("ann", "Square", is_public=True)
    guest = scene.browse(f"http://{scene.server.host}:{scene.server.port}/")
    guest.role("button", COME_IN).click()
    guest.go("#/public")
    guest.role("button", "Join Square").click()
    guest.role("button", "Your menu").click()
    guest.role("menuitem", text="Sign out").wait()
    assert guest.role("menuitem", text="Blocked people").count == 0
    guest.keys("Escape")
    guest.role("button", "Members").click()
    actions(guest, "Ann").click()
    guest.role("menuitem", text="Report person").wait()
    assert guest.role("menuitem").texts == ["Report person…"]
