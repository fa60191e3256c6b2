"""Moderation on the page: slow mode, removing and banning people, the log, and mutes and bans in the whole app."""

from page_scene import closes_dialog, menu, row, scene, toast  # noqa: F401: a fixture
from test_page_members import actions, heard, member, members

DAY = 86_400
PROGRAM = "<img src=x onerror=alert(1)>"


def channel_menu(window, item):
    menu(window, window.role("complementary").role("button", "Channel actions"), item)


def slow_down(scene, who, channel, seconds):  # noqa: F811
    scene.do(who, "channel.update", channel_id=channel, slow_mode_seconds=seconds)


def countdown(window, where=".conversation"):
    return window.css(f"{where} [data-slow-mode]")


def test_operators_set_the_slow_mode_and_everyone_sees_it(scene):  # noqa: F811
    """MO5"""
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    ann, bob = members(scene, "ann", channel), members(scene, "bob", channel)
    bob.role("complementary").role("button", "Channel actions").click()
    bob.role("menuitem", text="Leave channel").wait()
    assert bob.role("menuitem", text="settings").count == 0
    bob.keys("Escape")
    channel_menu(ann, "Channel settings…")
    dialog = ann.role("dialog", "Channel settings")
    choices = dialog.role("combobox", "Slow mode")
    times = ("5 seconds", "10 seconds", "30 seconds", "1 minute", "5 minutes", "15 minutes", "1 hour")
    offered = choices.value("[...element.options].map((option) => option.text)")
    assert offered == ["Off", *(f"One message in {time}" for time in times)]
    choices.type("One message in 30 seconds")
    ann.screenshot("slow-mode-settings")
    dialog.role("button", "Save").click()
    closes_dialog(ann)
    for window in (ann, bob):
        window.css("[data-tag=slow-mode]", text="Slow: 30 seconds").wait()
        window.css(".channel-card .tag", text="One message in 30 seconds").wait()
    # The app can set any time.
    slow_down(scene, "ann", channel, 90)
    bob.css("[data-tag=slow-mode]", text="Slow: 1 minute 30 seconds").wait()
    channel_menu(ann, "Channel settings…")
    assert choices.value("element.selectedOptions[0].text") == "One message in 1 minute 30 seconds"
    choices.type("Off")
    dialog.role("button", "Save").click()
    bob.css("[data-tag=slow-mode]").gone()
    assert "slow_mode_seconds" not in scene.do("bob", "channel.get", channel_id=channel)["channel"]


def test_after_a_message_the_composer_counts_down_to_the_next_one_and_keeps_its_text(scene):  # noqa: F811
    """MO5"""
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    slow_down(scene, "ann", channel, 3_600)
    parent = scene.say("ann", channel, "a parent")
    bob = scene.window("bob", f"#/c/{channel}/t/{parent['id']}")
    bob.role("textbox", "Message").type("first\n")
    countdown(bob).until("/Slow mode: next message in (1:00:00|59:5\\d)/.test(element.textContent)")
    # A reply in a thread is a message too.
    countdown(bob, ".thread-view").until("element.textContent.includes('59:')")
    bob.css(".conversation [data-state=sent]", text="first").wait()
    field = bob.role("textbox", "Message")
    field.type("second\n")
    bob.css("[data-announcer]").unseen.reads("Slow mode: next message in")
    assert field.value("element.value") == "second"
    assert bob.css(".conversation .send").value("element.disabled")
    assert bob.css(".conversation [data-message]", text="second").count == 0
    bob.screenshot("slow-mode")
    # Edits are not messages.
    field.fill("")
    bob.keys("ArrowUp")
    bob.css(".composer.editing").wait()
    field.type(" thought\n")
    bob.css(".conversation [data-message]", text="first thought").wait()
    # The wait is the same after a reload, and ends with the slow mode.
    bob.reload()
    countdown(bob).until("element.textContent.includes('59:')")
    slow_down(scene, "ann", channel, 1)
    countdown(bob).gone()
    field.type("second\n")
    bob.css(".conversation [data-state=sent]", text="second").wait()

    ann = scene.window("ann", f"#/c/{channel}")
    slow_down(scene, "ann", channel, 3_600)
    for text in ("operators", "do not wait"):
        ann.role("textbox", "Message").type(text + "\n")
        ann.css("[data-state=sent]", text=text).wait()
    assert countdown(ann).count == 0


def test_a_message_that_slow_mode_refuses_is_kept_until_it_can_be_sent(scene):  # noqa: F811
    """MO5"""
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    slow_down(scene, "ann", channel, 3_600)
    scene.say("ann", channel, "hello")
    # A deleted message still counts, but the window does not know of it.
    deleted = scene.say("bob", channel, "a mistake")
    scene.do("bob", "message.delete", channel_id=channel, message_id=deleted["id"])
    bob = scene.window("bob", f"#/c/{channel}")
    bob.css("[data-message]", text="hello").wait()
    assert countdown(bob).count == 0
    bob.role("textbox", "Message").type("too early\n")
    failed = bob.css("[data-state=failed]", text="too early")
    failed.css("[data-status=failed]", text="Not sent. The channel is in slow mode.").wait()
    countdown(bob).until("element.textContent.includes('59:')")
    failed.css("[data-part=retry]").until("element.disabled")
    bob.screenshot("slow-mode-refused")
    slow_down(scene, "ann", channel, 1)
    failed.css("[data-part=retry]").until("!element.disabled")
    failed.css("[data-part=retry]").click()
    bob.css("[data-state=sent]", text="too early").wait()
    texts = [message.get("text") for message in scene.do("ann", "message.list", channel_id=channel, at=2**53 - 1,
                                                         previous=3, next=0)["messages"]]
    assert texts == ["hello", "too early"]


def test_a_member_is_removed_without_a_ban_and_an_invitation_cancelled(scene):  # noqa: F811
    """MO2"""
    scene.people("ann", "bob", "carol")
    scene.asks_first("carol")
    channel = scene.channel("ann", "General", "bob", "carol")
    ann = members(scene, "ann", channel)
    bob = members(scene, "bob", channel)
    menu(ann, actions(ann, "Bob"), "Remove from the channel…")
    question = ann.role("dialog", "Remove Bob?")
    question.find(text="needs an invitation to come back").wait()
    question.role("button", "Remove").click()
    member(ann, scene, "bob").gone()
    toast(ann, "Bob was removed.")
    toast(bob, "You are no longer in General.")
    row(bob, channel).gone()
    assert scene.do("ann", "member.list_banned", channel_id=channel)["bans"] == []
    scene.do("ann", "channel.invite", channel_id=channel, user_ids=[scene.name("bob")])
    row(bob, channel).wait()
    heard(ann, scene, "carol", "invited")
    menu(ann, actions(ann, "Carol"), "Cancel the invitation")
    member(ann, scene, "carol").gone()
    toast(ann, "Carol is no longer invited.")


def test_someone_who_is_not_a_member_is_banned_by_id(scene):  # noqa: F811
    """MO2"""
    scene.people("ann", "bob")
    channel = scene.channel("ann", "Square", is_public=True)
    ann = members(scene, "ann", channel)
    channel_menu(ann, "Banned people…")
    banned = ann.role("dialog", "Banned people")
    banned.find(text="Nobody is banned").wait()
    field = banned.role("textbox", "Ban by user id")
    for text, problem in (("", "Enter an id first."), (scene.name("ann"), "That is you."),
                          (scene.name("nobody"), f"Nobody here has the id {scene.name('nobody')}.")):
        field.fill(text)
        field.type("\n")
        banned.role("alert", text=problem).wait()
    field.fill(scene.name("bob"))
    banned.role("button", "Ban…").click()
    dialog = ann.role("dialog", "Ban Bob?")
    dialog.role("textbox", "Reason (optional)").type("spam elsewhere\n")
    dialog.gone()
    banned.role("listitem", text="until it is lifted · spam elsewhere").wait()
    ann.screenshot("banned-by-id")
    status, answer = scene.server.post("channel.join", {"channel_id": channel}, user=scene.name("bob"))
    assert answer["error"]["code"] == 1003, (status, answer)
    banned.role("button", "Lift the ban of Bob").click()
    banned.find(text="Nobody is banned").wait()
    scene.do("bob", "channel.join", channel_id=channel)


def test_operators_read_in_plain_sentences_who_moderated_whom(scene):  # noqa: F811
    """MO6"""
    scene.people("ann", "bob")
    scene.person("carol", PROGRAM)
    channel = scene.channel("ann", "General", "bob", "carol")
    bob, carol = scene.name("bob"), scene.name("carol")
    said = scene.say("bob", channel, "rude")
    scene.do("ann", "member.mute", channel_id=channel, user_id=bob, seconds=400 * DAY, description="loud")
    scene.do("ann", "member.unmute", channel_id=channel, user_id=bob)
    scene.do("ann", "message.delete", channel_id=channel, message_id=said["id"])
    scene.do("ann", "channel.freeze", channel_id=channel)
    scene.do("ann", "channel.unfreeze", channel_id=channel)
    scene.do("ann", "operator.add", channel_id=channel, user_ids=[carol])
    scene.do("carol", "member.remove", channel_id=channel, user_id=bob)
    scene.do("carol", "member.ban", channel_id=channel, user_id=bob)
    scene.do("ann", "member.unban", channel_id=channel, user_id=bob)
    scene.server.app("member.mute", channel_id=channel, user_id=scene.name("ann"), description="pause")
    ann = members(scene, "ann", channel)
    channel_menu(ann, "Moderation log…")
    log = ann.role("dialog", "Moderation log")
    log.css(".log-entry", text=f"{PROGRAM} removed Bob").wait()
    ann.screenshot("moderation-log")
    sentences = log.css(".log-text").texts
    muted = sentences.pop(9)
    assert muted.startswith("You muted Bob until ") and muted.endswith(": loud"), muted
    assert sentences == [
        "The app muted you until it is lifted: pause", "You lifted the ban of Bob",
        f"{PROGRAM} banned Bob until it is lifted", f"{PROGRAM} removed Bob", f"You made {PROGRAM} an operator",
        "You unfroze the channel", "You froze the channel", "You deleted a message from Bob", "You unmuted Bob"]

    scene.server.app("member.unmute", channel_id=channel, user_id=scene.name("ann"))
    for _ in range(25):
        scene.do("ann", "channel.freeze", channel_id=channel)
        scene.do("ann", "channel.unfreeze", channel_id=channel)
    ann.keys("Escape")
    closes_dialog(ann)
    channel_menu(ann, "Moderation log…")
    log.css(".log-entry").counts(50)
    log.role("button", "Show more").click()
    log.css(".log-entry").counts(61)
    log.role("button", "Show more").gone()


def test_a_mute_in_the_whole_app_is_shown_in_every_channel_until_it_ends(scene):  # noqa: F811
    """MO2"""
    scene.people("ann", "bob")
    first, second = (scene.channel("ann", title, "bob") for title in ("First", "Second"))
    bob = scene.window("bob", f"#/c/{first}")
    bob.role("textbox", "Message").wait()
    scene.server.app("app.mute", user_id=scene.name("bob"), seconds=3_600)
    for channel in (first, second):
        bob.go(f"#/c/{channel}")
        bob.css(f'[data-channel="{channel}"] [data-barrier^=muted]', "You are muted in this channel until").wait()
        bob.role("textbox", "Message").gone()
    scene.server.app("app.unmute", user_id=scene.name("bob"))
    bob.role("textbox", "Message").wait()
    bob.go(f"#/c/{first}")
    bob.role("textbox", "Message").type("back\n")
    bob.css("[data-state=sent]", text="back").wait()
    # A mute also ends by itself.
    scene.do("ann", "member.mute", channel_id=first, user_id=scene.name("bob"), seconds=2)
    bob.css("[data-barrier^=muted]").wait()
    bob.role("textbox", "Message").wait()


def test_a_ban_from_the_app_ends_on_the_form_that_says_so_and_until_when(scene):  # noqa: F811
    """MO2"""
    scene.people("ann", "bob")
    channel = scene.channel("ann", "General", "bob")
    bob = scene.window("bob", f"#/c/{channel}")
    bob.role("textbox", "Message").wait()
    scene.server.app("app.ban", user_id=scene.name("bob"), seconds=3_600, description="spam")
    bob.role("heading", "Sign in to Belfry").wait()
    bob.role("alert", text="You are banned from this app until").wait()
    assert bob.role("alert").text.endswith(": spam")
    bob.screenshot("banned-from-the-app")
    # The next connection is refused.
    bob.role("textbox", "Token").type(scene.token("bob"))
    bob.role("button", "Sign in").click()
    bob.role("alert", text="You are banned from this app until").until("element.textContent.endsWith('.')")
    scene.server.app("app.unban", user_id=scene.name("bob"))
    bob.role("textbox", "Token").type(scene.token("bob"))
    bob.role("button", "Sign in").click()
    row(bob, channel).wait()
