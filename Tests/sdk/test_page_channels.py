"""The list of channels: its content, order and actions."""

from page_scene import NARROW, closes_dialog, label, menu, order, row, scene, toast  # noqa: F401: a fixture


def test_a_channel_shows_its_name_last_message_unread_badge_and_mention_mark(scene):  # noqa: F811
    scene.people("ann", "bob")
    general = scene.channel("bob", "General", "ann")
    other = scene.channel("bob", "Other", "ann")
    ann = scene.window("ann")
    # Channels without a message are also listed, as the user has just joined them.
    row(ann, general).wait()
    row(ann, other).wait()
    label(ann, general, "No messages yet")

    scene.say("bob", general, "are you\nthere?")
    label(ann, general, "1 unread")
    label(ann, general, "Bob: are you there?")
    assert order(ann)[0] == general
    row(ann, general).css(".badge", text="1").wait()
    assert row(ann, general).css(".mention").count == 0
    ann.wait_until("document.title.startsWith('(1)')")

    scene.say("bob", other, "hello @Ann", mention_type="users", mentioned_user_ids=[scene.name("ann")])
    label(ann, other, "1 mention of you")
    row(ann, other).css(".mention").wait()
    assert order(ann)[0] == other

    # Counts are exact on the wire and capped at 99 here.
    for number in range(99):
        scene.say("bob", general, f"number {number}")
    row(ann, general).css(".badge", text="99+").wait()
    label(ann, general, "99+ unread")
    assert order(ann)[0] == general
    ann.screenshot("channels-unread")

    scene.do("ann", "read.mark", channel_id=general)
    row(ann, general).css(".badge").gone()
    ann.wait_until("document.title.startsWith('(1)')")


def test_an_unnamed_channel_is_named_after_its_members(scene):  # noqa: F811
    scene.people("ann", "bob", "carol")
    pair = scene.channel("bob", "", "ann")
    three = scene.channel("bob", "", "ann", "carol")
    ann = scene.window("ann")
    label(ann, pair, "Bob")
    label(ann, three, "Bob, Carol")
    # The name is the same everywhere.
    row(ann, pair).click()
    ann.role("main").role("heading", "Bob").wait()
    ann.wait_until("document.title === 'Bob – Belfry'")


def test_an_invited_user_can_accept_or_decline(scene):  # noqa: F811
    scene.people("ann", "bob")
    scene.asks_first("ann")
    ann = scene.window("ann")
    offsite = scene.channel("bob", "Offsite", "ann")
    spam = scene.channel("bob", "Buy now", "ann")
    scene.say("bob", offsite, "where to?")
    group = ann.role("group", text="Offsite").wait()
    group.find(text="Bob invited you").wait()
    ann.role("heading", "Invitations (2)").wait()
    ann.css("[data-announcer]", text="You are invited to").unseen.wait()
    # No part of the channel is shown before the invitation is accepted.
    assert row(ann, offsite).count == 0
    ann.screenshot("invitation")

    ann.role("button", "Decline the invitation to Buy now").click()
    ann.role("group", text="Buy now").gone()
    assert row(ann, spam).count == 0

    ann.role("button", "Accept the invitation to Offsite").click()
    row(ann, offsite).wait()
    ann.role("heading", text="Invitations").gone()
    ann.wait_until(f"location.hash === '#/c/{offsite}'")
    assert row(ann, offsite).attribute("aria-current") == "page"
    members = scene.do("bob", "member.list", channel_id=offsite)["members"]
    assert {member["state"] for member in members} == {"joined"}
    assert len(scene.do("bob", "member.list", channel_id=spam)["members"]) == 1


def test_a_withdrawn_invitation_disappears(scene):  # noqa: F811
    scene.people("ann", "bob")
    scene.asks_first("ann")
    channel = scene.channel("bob", "Offsite", "ann")
    ann = scene.window("ann")
    # An invitation received while disconnected names the channel's creator instead of the inviter.
    ann.role("group", text="Offsite").find(text="You are invited to Bob’s channel").wait()
    ann.go(f"#/c/{channel}")
    ann.role("main").find(text="You are invited to Bob’s channel.").wait()
    scene.do("bob", "channel.delete", channel_id=channel)
    ann.role("group", text="Offsite").gone()


def test_an_archived_channel_returns_on_a_new_message_or_manually(scene):  # noqa: F811
    scene.people("ann", "bob")
    soft, hard, rest = [scene.channel("bob", title, "ann") for title in ("Soft", "Hard", "Rest")]
    ann = scene.window("ann")
    row(ann, rest).wait()
    menu(ann, actions(ann, soft, "Soft"), "Until someone writes")
    row(ann, soft).gone()
    toast(ann, "archived until someone writes")
    menu(ann, actions(ann, hard, "Hard"), "Until you bring it back")
    row(ann, hard).gone()

    ann.role("tab", "Archived").click()
    row(ann, soft).wait()
    row(ann, hard).wait()
    row(ann, rest).gone()
    ann.screenshot("archived")
    scene.say("bob", soft, "still here?")
    scene.say("bob", hard, "still here?")
    row(ann, soft).gone()
    label(ann, hard, "still here?")
    menu(ann, actions(ann, hard, "Hard"), "Bring back")
    row(ann, hard).gone()
    ann.find(text="Nothing archived").wait()

    ann.role("tab", "Active").click()
    for channel in (soft, hard, rest):
        row(ann, channel).wait()
    # A channel archived by mistake comes back immediately.
    menu(ann, actions(ann, hard, "Hard"), "Until you bring it back")
    row(ann, hard).gone()
    ann.css("[data-toast]", text="Hard is archived").role("button", "Undo").click()
    row(ann, hard).wait()


def test_a_user_clears_a_history_and_marks_everything_read(scene):  # noqa: F811
    scene.people("ann", "bob")
    one, two = [scene.channel("bob", title, "ann") for title in ("One", "Two")]
    for channel in (one, two, two):
        scene.say("bob", channel, "old news")
    ann = scene.window("ann")
    label(ann, two, "2 unread")
    menu(ann, ann.role("button", "Your menu"), "3 messages in 2 channels")
    toast(ann, "All channels are read.")
    ann.wait_until("!document.querySelector('.channels .badge')")

    menu(ann, actions(ann, one, "One"), "Clear history for me")
    ann.role("dialog").role("button", "Clear history").click()
    label(ann, one, "No messages yet")
    label(ann, two, "old news")


def test_search_finds_the_users_channels_including_archived_ones(scene):  # noqa: F811
    scene.people("ann", "bob")
    garden, kitchen = [scene.channel("bob", title, "ann") for title in ("Garden party", "Kitchen")]
    hidden = scene.channel("bob", "Winter garden", "ann")
    scene.do("ann", "channel.hide", channel_id=hidden)
    ann = scene.window("ann")
    row(ann, kitchen).wait()
    field = ann.role("searchbox", "Search channels")
    field.type("garden")
    row(ann, kitchen).gone()
    row(ann, garden).wait()
    row(ann, hidden).wait()
    field.fill("castle")
    ann.find(text="None of your channels").wait()
    field.focus()
    ann.keys("Escape")
    row(ann, kitchen).wait()
    row(ann, hidden).gone()


def test_public_channels_are_found_and_joined(scene):  # noqa: F811
    scene.people("ann", "bob")
    title = scene.name("Cycling")
    cycling = scene.channel("bob", title, is_public=True)
    scene.say("bob", cycling, "welcome")
    scene.channel("bob", scene.name("Secret"))
    ann = scene.window("ann")
    ann.role("link", "Public channels").click()
    ann.role("searchbox", "Search public channels").type(title)
    ann.role("button", f"Join {title}").click()
    row(ann, cycling).wait()
    ann.wait_until(f"location.hash === '#/c/{cycling}'")
    ann.go("#/public")
    ann.role("searchbox", "Search public channels").type(title)
    ann.role("button", f"Open {title}").wait()
    ann.screenshot("public-channels")
    ann.role("searchbox", "Search public channels").fill(scene.name("Secret"))
    ann.find(text="Nothing found").wait()


def test_a_channel_of_every_kind_can_be_created(scene):  # noqa: F811
    ann_id, bob_id, carol_id = scene.people("ann", "bob", "carol")
    scene.channel("bob", "Known", "ann")
    ann = scene.window("ann")
    bob = scene.window("bob")

    def make(title, kinds=(), members=(), then="Create channel"):
        ann.role("button", "New channel").click()
        dialog = ann.role("dialog", "New channel")
        dialog.role("textbox", "Name").type(title)
        for member in members:
            dialog.role("combobox", "Members").type(member + "\n")
            dialog.css(".chip").counts(members.index(member) + 1)
        for kind in kinds:
            dialog.css(".check", text=kind).css("input").click()
        ann.screenshot("create-channel")
        dialog.role("button", then).click()

    def made(title):
        ann.wait_until("!document.querySelector('dialog') && location.hash.startsWith('#/c/')")
        channel = ann.script("return decodeURIComponent(location.hash.slice(4))")
        value = scene.do("ann", "channel.get", channel_id=channel)["channel"]
        assert value["name"] == title
        return value

    make("Both", members=[bob_id, carol_id])
    both = made("Both")
    assert both["my"]["role"] == "operator" and both["member_count"] == 3 and not both["is_public"]
    row(bob, both["id"]).wait()
    make("Square", ["Public"])
    assert made("Square")["is_public"]
    make("Crowd", ["Supergroup"])
    assert made("Crowd")["is_super"]
    make("Now", ["Ephemeral"])
    assert made("Now")["is_ephemeral"]
    make("Us", ["Distinct"], members=[bob_id])
    us = made("Us")
    assert us["is_distinct"]
    # The same users again yield the same channel.
    make("Again", ["Distinct"], members=[bob_id])
    toast(ann, "This channel already exists")
    assert made("Us")["id"] == us["id"]

    # Impossible actions are not offered, and a name that nobody has is reported.
    ann.role("button", "New channel").click()
    dialog = ann.role("dialog", "New channel")
    dialog.css(".check", text="Supergroup").css("input").click()
    assert dialog.css(".check", text="Distinct").css("input").value("element.disabled")
    dialog.role("combobox", "Members").type("nobody-at-all")
    dialog.role("button", "Create channel").click()
    dialog.role("alert", text="Nobody here has the id nobody-at-all").wait()
    ann.keys("Escape")
    closes_dialog(ann)


def test_known_users_are_suggested_by_name(scene):  # noqa: F811
    scene.people("ann", "bob", "carol")
    scene.channel("bob", "Known", "ann", "carol")
    ann = scene.window("ann")
    row(ann, ann.css(".channels > [data-channel]").attribute("data-channel")).wait()
    ann.role("button", "New channel").click()
    field = ann.role("combobox", "Members")
    field.type("caro")
    ann.role("option", text="Carol").wait()
    assert field.attribute("aria-expanded") == "true"
    ann.keys("ArrowDown", "Enter")
    ann.css(".chip", text="Carol").wait()
    ann.keys("Backspace")
    ann.css(".chip").gone()


def test_the_channel_list_works_by_keyboard_alone(scene):  # noqa: F811
    scene.people("ann", "bob")
    first, second, third = [scene.channel("bob", title, "ann") for title in ("First", "Second", "Third")]
    for channel in (third, second, first):
        scene.say("bob", channel, "hello")
    ann = scene.window("ann")
    label(ann, first, "hello")
    assert order(ann) == [first, second, third]
    # The whole list is one tab stop.
    assert ann.css(".channels [tabindex='0']").count == 1
    row(ann, first).focus()
    ann.keys("ArrowDown", "ArrowDown")
    assert ann.focused.attribute("aria-label").startswith("Third")
    ann.keys("Home", "ArrowDown", "Enter")
    ann.wait_until(f"location.hash === '#/c/{second}'")
    # The focus follows the navigation.
    ann.wait_until("document.activeElement.matches('textarea')")
    row(ann, second).focus()
    ann.keys("ArrowRight", "Enter")
    ann.role("menu", "Actions for Second").wait()
    assert ann.focused.text.startswith("Mark as read")
    ann.keys("End")
    assert ann.focused.text.startswith("Leave channel")
    ann.keys("Escape")
    ann.role("menu").gone()
    assert ann.focused.attribute("aria-label") == "Actions for Second"
    ann.keys("Enter", "l", "Enter")
    ann.role("dialog", "Leave Second?").wait()
    ann.keys("Tab", "Enter")
    row(ann, second).gone()
    toast(ann, "You left Second.")


def test_focus_moved_before_a_channel_is_drawn_is_not_taken_back(scene):
    scene.people("ann", "bob")
    first, second = [scene.channel("bob", title, "ann") for title in ("First", "Second")]
    ann = scene.window("ann")
    row(ann, first).click()
    ann.wait_until("document.activeElement.matches('textarea')")
    # A key moves the focus right after the page's own listener, before the frame in which the view is drawn.
    found = ann.script("""
        const [channel] = arguments;
        const search = document.querySelector("input[type=search]");
        const gone = new Promise(resolve => addEventListener("hashchange", () => {
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Tab", bubbles: true}));
            search.focus();
            requestAnimationFrame(() => requestAnimationFrame(resolve));
        }, {once: true}));
        location.hash = `#/c/${channel}`;
        return gone.then(() => document.activeElement === search);
    """, second)
    assert found
    ann.css("textarea").wait()


def test_hundreds_of_channels_load_page_by_page(scene):  # noqa: F811
    # The user rate would not allow so many creations.
    scene.people("ann", "bob")
    channels = [scene.channel(("ann", "bob")[number % 2], f"Number {number:03}", *("ann",) * (number % 2))
                for number in range(130)]
    scene.say("ann", channels[0], "newest of all")
    ann = scene.window("ann")
    label(ann, channels[0], "newest of all")
    for _ in range(5):
        ann.script("document.querySelector('.channel-list .list-end').scrollIntoView({block: 'end'})")
    row(ann, channels[1]).wait()
    ann.css(".channels > .channel-row").unseen.counts(130)
    assert order(ann)[0] == channels[0]


def test_a_narrow_window_has_one_column_and_a_back_button(scene):  # noqa: F811
    scene.people("ann", "bob")
    general = scene.channel("bob", "General", "ann")
    scene.say("bob", general, "hello")
    ann = scene.window("ann")
    ann.size(*NARROW)
    row(ann, general).wait()
    assert ann.css(".column").count == 1
    assert ann.script("return document.documentElement.scrollWidth <= innerWidth")
    ann.screenshot("channels-narrow")
    row(ann, general).click()
    row(ann, general).gone()
    ann.role("button", "Back").click()
    row(ann, general).wait()
    ann.media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")
    ann.screenshot("channels-narrow-dark")


def actions(window, channel, title):
    window.css(f'[data-channel="{channel}"]').hover()
    return window.role("button", f"Actions for {title}")
