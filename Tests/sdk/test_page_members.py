"""The members of a channel: roles, presence, and the actions of operators and others."""

from page_scene import MIDDLE, NARROW, closes_dialog, menu, row, scene, toast  # noqa: F401: a fixture


def member(window, scene, who):  # noqa: F811
    return window.css(f'.member[data-user="{scene.name(who)}"]')


def heard(window, scene, who, part):  # noqa: F811
    """Waits until a screen reader would announce `part` of a member's row."""
    member(window, scene, who).until(f"element.getAttribute('aria-label').includes({part!r})")


def members(scene, who, channel):  # noqa: F811
    window = scene.window(who, f"#/c/{channel}/members")
    window.role("heading", "Members").wait()
    member(window, scene, who).wait()
    return window


def actions(window, title):
    return window.role("complementary").role("button", f"Actions for {title}")


def test_members_are_shown_with_roles_and_presence_as_they_come_and_go(scene):  # noqa: F811
    scene.people("ann", "bob", "carol")
    channel = scene.channel("ann", "General", "bob", "carol")
    ann = members(scene, "ann", channel)
    heard(ann, scene, "ann", "Ann (you), operator, Online")
    heard(ann, scene, "bob", "Bob, Offline")
    # Operators come first, then everyone by name.
    names = ann.css(".member").each("element.dataset.user")
    assert names == [scene.name(one) for one in ("ann", "bob", "carol")]
    bob = scene.window("bob")
    heard(ann, scene, "bob", "Bob, Online")
    member(ann, scene, "bob").css(".dot.online").wait()
    ann.screenshot("members")
    bob.close()
    heard(ann, scene, "bob", "Last seen")
    member(ann, scene, "bob").css(".dot.online").gone()


def test_an_invited_user_is_shown_as_invited_until_they_join(scene):  # noqa: F811
    scene.people("ann", "bob", "carol")
    scene.asks_first("bob")
    channel = scene.channel("ann", "General")
    bob = scene.window("bob")
    ann = members(scene, "ann", channel)
    ann.role("button", "Invite people").click()
    dialog = ann.role("dialog", "Invite to General")
    dialog.role("button", "Invite").click()
    dialog.role("alert", text="Choose someone first.").wait()
    field = dialog.role("combobox", "People")
    field.type(scene.name("bob") + "\n")
    dialog.css(".chip", text="Bob").wait()
    # Names need no separate confirmation, as text still in the field also counts.
    field.type(scene.name("carol"))
    dialog.role("button", "Invite").click()
    closes_dialog(ann)
    toast(ann, "1 person joined, 1 person invited.")
    heard(ann, scene, "bob", "Bob, invited, Has not answered yet")
    heard(ann, scene, "carol", "Carol, Offline")
    ann.find(text="2 members · 1 invited").wait()
    ann.screenshot("members-invited")

    bob.role("button", "Accept the invitation to General").click()
    heard(ann, scene, "bob", "Bob, Online")
    ann.find(text="3 members").wait()

    # Existing members, the user, and users who cannot be invited are each reported by name.
    ann.role("button", "Invite people").click()
    field.type(scene.name("bob") + "\n")
    dialog.role("alert", text="Bob is in the channel already.").wait()
    field.fill(scene.name("ann") + "\n")
    dialog.role("alert", text="You are always included.").wait()
    scene.person("dave")
    scene.server.app("user.deactivate", user_id=scene.name("dave"))
    field.fill(scene.name("dave") + "\n")
    dialog.css(".chip", text="Dave").wait()
    dialog.role("button", "Invite").click()
    dialog.role("alert", text="deactivated").wait()


def test_operators_are_added_and_removed(scene):  # noqa: F811
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    ann = members(scene, "ann", channel)
    bob = members(scene, "bob", channel)
    assert actions(bob, "Ann").wait().count == 1
    actions(bob, "Ann").click()
    bob.role("menuitem", text="Report person").wait()
    assert bob.role("menuitem").texts == ["Block Ann…", "Report person…"]
    bob.keys("Escape")

    menu(ann, actions(ann, "Bob"), "Make operator")
    heard(bob, scene, "bob", "Bob (you), operator")
    heard(ann, scene, "bob", "Bob, operator")
    toast(ann, "Bob is an operator now.")
    actions(bob, "Ann").click()
    bob.role("menuitem", text="Ban").wait()
    bob.keys("Escape")
    menu(ann, actions(ann, "Bob"), "Remove operator")
    member(bob, scene, "bob").until("element.dataset.role === 'member'")
    actions(bob, "Ann").click()
    bob.role("menuitem", text="Report person").wait()
    assert bob.role("menuitem", text="Ban").count == 0


def test_a_muted_user_is_marked_until_they_are_unmuted(scene):  # noqa: F811
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    ann = members(scene, "ann", channel)
    menu(ann, actions(ann, "Bob"), "Mute")
    dialog = ann.role("dialog", "Mute Bob?")
    dialog.role("combobox", "For how long").type("1 hour")
    dialog.role("textbox", "Reason (optional)").type("a pause")
    ann.screenshot("mute")
    dialog.role("button", "Mute").click()
    heard(ann, scene, "bob", "Bob, muted")
    assert "Muted until" in member(ann, scene, "bob").css(".tag", text="Muted").attribute("title")
    (mute,) = scene.do("ann", "member.list_muted", channel_id=channel)["mutes"]
    assert mute["description"] == "a pause" and 3_500_000 < mute["until"] - mute["at"] < 3_700_000
    status, answer = scene.server.post("message.send", {"channel_id": channel, "text": "x"}, user=scene.name("bob"))
    assert answer["error"]["code"] == 1004, (status, answer)
    menu(ann, actions(ann, "Bob"), "Unmute")
    member(ann, scene, "bob").css(".tag").gone()
    scene.say("bob", channel, "thank you")


def test_banning_a_user_closes_their_open_channel_and_can_be_undone(scene):  # noqa: F811
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    ann = members(scene, "ann", channel)
    bob = members(scene, "bob", channel)
    row(bob, channel).wait()
    menu(ann, actions(ann, "Bob"), "Ban")
    dialog = ann.role("dialog", "Ban Bob?")
    dialog.role("textbox", "Reason (optional)").type("spam")
    dialog.role("button", "Ban").click()
    member(ann, scene, "bob").gone()
    toast(ann, "Bob is banned.")
    toast(bob, "You are no longer in General.")
    row(bob, channel).gone()
    bob.wait_until("location.hash === '#/'")

    menu(ann, ann.role("complementary").role("button", "Channel actions"), "Banned people")
    banned = ann.role("dialog", "Banned people")
    banned.role("listitem", text="until it is lifted · spam").wait()
    ann.screenshot("banned")
    banned.role("button", "Lift the ban of Bob").click()
    banned.find(text="Nobody is banned").wait()
    # The notice is inside the dialog, as everything outside is inert, and remains afterwards.
    banned.css("[data-toast]", text="Bob may come back.").wait()
    ann.keys("Escape")
    closes_dialog(ann)
    toast(ann, "Bob may come back.")
    scene.do("ann", "channel.invite", channel_id=channel, user_ids=[scene.name("bob")])
    row(bob, channel).wait()


def test_a_frozen_channel_is_shown_as_frozen_until_unfrozen(scene):  # noqa: F811
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    ann = members(scene, "ann", channel)
    bob = members(scene, "bob", channel)
    more = ann.role("complementary").role("button", "Channel actions")
    menu(ann, more, "Freeze channel")
    for window in (ann, bob):
        window.css(".channel-card .tag", text="Frozen").wait()
        row(window, channel).until("element.getAttribute('aria-label').includes('frozen')")
    bob.role("complementary").role("button", "Channel actions").click()
    assert bob.role("menuitem", text="freeze").count == 0
    bob.role("menuitem", text="Leave channel").wait()
    bob.keys("Escape")
    bob.role("button", "Invite people").gone()
    ann.role("button", "Invite people").wait()
    menu(ann, more, "Unfreeze channel")
    for window in (ann, bob):
        window.css(".channel-card .tag", text="Frozen").gone()
    bob.role("button", "Invite people").wait()


def test_a_user_who_leaves_disappears_for_everyone(scene):  # noqa: F811
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    ann = members(scene, "ann", channel)
    bob = members(scene, "bob", channel)
    row(bob, channel).wait()
    menu(bob, bob.role("complementary").role("button", "Channel actions"), "Leave channel")
    question = bob.role("dialog", "Leave General?")
    question.role("button", "Cancel").click()
    closes_dialog(bob)
    member(bob, scene, "bob").wait()
    menu(bob, bob.role("complementary").role("button", "Channel actions"), "Leave channel")
    question.role("button", "Leave channel").click()
    toast(bob, "You left General.")
    row(bob, channel).gone()
    assert bob.css("[data-toast]", text="no longer").count == 0
    member(ann, scene, "bob").gone()
    ann.find(text="1 member").wait()


def test_a_channel_and_a_user_can_be_reported(scene):  # noqa: F811
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    bob = members(scene, "bob", channel)
    menu(bob, actions(bob, "Ann"), "Report person")
    dialog = bob.role("dialog", "Report Ann")
    dialog.css(".check", text="Harassing").css("input").click()
    dialog.role("textbox", "What happened (optional)").type("rude words")
    bob.screenshot("report")
    dialog.role("button", "Report").click()
    toast(bob, "Reported. Thank you.")
    menu(bob, bob.role("complementary").role("button", "Channel actions"), "Report channel")
    bob.role("dialog", "Report General").role("button", "Report").click()
    closes_dialog(bob)
    reports = scene.server.app("report.list")["reports"]
    mine = [one for one in reports if one.get("by") == scene.name("bob")]
    assert [one["category"] for one in mine] == ["spam", "harassing"]
    assert mine[0]["channel_id"] == channel and "user_id" not in mine[0]
    assert mine[1]["user_id"] == scene.name("ann") and mine[1]["description"] == "rude words"


def test_many_members_load_page_by_page_and_can_be_found_by_name(scene):  # noqa: F811
    scene.person("ann")
    people = [f"m{number:03}" for number in range(120)]
    for one in people:
        scene.person(one, f"Member {one[1:]}")
    channel = scene.channel("ann", "Crowd", is_super=True)
    scene.do("ann", "channel.invite", channel_id=channel, user_ids=[scene.name(one) for one in people])
    ann = members(scene, "ann", channel)
    ann.find(text="121 members").wait()
    ann.role("searchbox", "Find a member").type("member 11")
    ann.css(".member").counts(10)
    ann.keys("Escape")
    member(ann, scene, "m000").wait()
    for _ in range(4):
        ann.script("document.querySelector('.members .list-end').scrollIntoView()")
    member(ann, scene, "m119").wait()
    ann.css(".member").counts(121)


def test_the_member_list_works_by_keyboard_and_at_every_width(scene):  # noqa: F811
    scene.people("ann", "bob", "carol")
    channel = scene.channel("ann", "General", "bob", "carol")
    ann = members(scene, "ann", channel)
    member(ann, scene, "carol").wait()
    member(ann, scene, "ann").focus()
    ann.keys("ArrowDown", "Enter")
    ann.role("menu", "Actions for Bob").wait()
    ann.keys("m", "Enter")
    ann.role("dialog", "Mute Bob?").wait()
    ann.keys("Escape")
    closes_dialog(ann)
    member(ann, scene, "bob").focus()
    ann.keys("Escape")
    ann.role("heading", "Members").gone()
    assert ann.url.endswith(f"#/c/{channel}")

    ann.go(f"#/c/{channel}/members")
    ann.size(*MIDDLE)
    # Next to the list there is space for one column, which shows the members.
    assert ann.css(".column").each("element.classList.item(1)") == ["list", "side"]
    ann.role("button", "Close").click()
    ann.wait_until(f"location.hash === '#/c/{channel}'")
    ann.go(f"#/c/{channel}/members")
    ann.size(*NARROW)
    ann.role("heading", "Members").wait()
    assert ann.css(".column").each("element.classList.item(1)") == ["side"]
    assert ann.script("return document.documentElement.scrollWidth <= innerWidth")
    ann.media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")
    ann.screenshot("members-narrow-dark")
    ann.role("complementary").role("button", "Back").click()
    ann.wait_until(f"location.hash === '#/c/{channel}'")
