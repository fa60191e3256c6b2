"""The page's conversation: two users in two windows."""

import pytest
from belfry import Server
from chatting import PNG, LastingServer, Room, box_of, choose, menu_of, row, write


def test_a_sent_message_appears_immediately_and_reaches_the_other_user(server, browse, name):
    room = Room(server, name, browse)
    ann, bob = room.window("ann"), room.window("bob")
    write(ann, "the ferry leaves at nine")
    row(ann, "the ferry leaves at nine").wait()
    row(bob, "the ferry leaves at nine").css(".author", "Ann").wait()
    # Bob reads it: his window has the focus and shows the message at its end.
    row(ann, "the ferry leaves at nine").css("[data-status=read]", "Read by 1").wait()
    assert row(ann, "the ferry").attribute("data-state") == "sent"
    write(bob, "I am on my way")
    row(ann, "I am on my way").css(".author", "Bob").wait()
    ann.css("[data-announcer]").unseen.reads("Bob: I am on my way")


def test_nothing_is_lost_or_duplicated_when_the_server_is_killed_mid_conversation(tmp_path, browse, name):
    server = LastingServer(tmp_path)
    room = Room(server, name, browse)
    ann, bob = room.window("ann"), room.window("bob")
    ann.script("window.sameDocument = true")
    write(ann, "before")
    row(bob, "before").wait()
    server.kill()
    ann.css("[data-banner]").wait()
    write(ann, "while it was away")
    assert row(ann, "while it was away").wait().attribute("data-state") == "sending"
    row(ann, "while it was away").css("[data-status=sending]", "Sending").wait()
    server.start_again()
    row(bob, "while it was away").wait()
    row(ann, "while it was away").css("[data-status=read]").wait()
    ann.css("[data-banner]").gone()
    write(bob, "after")
    row(ann, "after").wait()
    for window in (ann, bob):
        texts = window.css(".conversation .bubble .text").texts
        assert texts == ["before", "while it was away", "after"]
    assert ann.script("return window.sameDocument")
    assert server.terminate() == 0


def test_a_failed_message_shows_the_reason_and_can_be_retried_or_discarded(server, browse, name):
    room = Room(server, name, browse)
    ann = room.window("ann")
    field = ann.role("textbox", "Message")
    # As many characters as the field allows, which are twice the bytes that the server accepts.
    ann.script("""
        const field = document.querySelector(".composer-field");
        field.value = "ä".repeat(16000);
        field.dispatchEvent(new InputEvent("input", {bubbles: true}));""")
    field.focus()
    ann.keys("Enter")
    failed = ann.css("[data-state=failed]")
    failed.css("[data-status=failed]", "Not sent.").wait()
    failed.css("[data-status=failed]", "text").wait()
    failed.role("button", "Retry").click()
    failed.css("[data-status=failed]").wait()
    failed.role("button", "Discard").click()
    failed.gone()
    # The message is refused because the channel is frozen, and resent manually once it no longer is.
    field.type("hold the boat")
    ann.script("window.form = document.querySelector('.composer')")
    server.app("channel.freeze", channel_id=room.id)
    ann.css("[data-barrier^=frozen]").wait()
    ann.script("form.dispatchEvent(new Event('submit', {cancelable: true}))")
    row(ann, "hold the boat").css("[data-status=failed]", "Not sent. The channel is frozen").wait()
    ann.screenshot("failed")
    server.app("channel.unfreeze", channel_id=room.id)
    ann.role("textbox", "Message").wait()
    row(ann, "hold the boat").role("button", "Retry").click()
    row(ann, "hold the boat").css("[data-status=sent]", "Sent").wait()
    assert [message["text"] for message in room.does("ann", "message.list", limit=10)["messages"]] == ["hold the boat"]


def test_a_message_is_edited_and_deleted_for_everyone(server, browse, name):
    room = Room(server, name, browse)
    ann, bob = room.window("ann"), room.window("bob")
    write(ann, "see you at ten")
    row(bob, "see you at ten").wait()
    row(ann, "see you at ten").css("[data-status=read]").wait()
    choose(ann, row(ann, "see you at ten"), "Edit")
    ann.css(".composer-context", "Edit message").wait()
    ann.role("textbox", "Message").fill("see you at eleven\n")
    row(bob, "see you at eleven").css(".stamp", "edited").wait()
    row(bob, "see you at ten").gone()
    ann.css(".composer-context").gone()
    # The up arrow in the empty field edits the user's last message, and Escape cancels.
    ann.role("textbox", "Message").focus()
    ann.keys("ArrowUp")
    ann.role("textbox", "Message").reads("see you at eleven")
    ann.keys("Escape")
    assert ann.role("textbox", "Message").value("element.value") == ""
    # Bob can do neither with another user's message.
    menu = menu_of(bob, row(bob, "see you at eleven"))
    assert menu.css("[role=menuitem]", "Edit").count == menu.css("[role=menuitem]", "Delete").count == 0
    bob.keys("Escape")
    choose(ann, row(ann, "see you at eleven"), "Delete")
    ann.role("dialog", "Delete message?").role("button", "Delete").click()
    row(bob, "see you at eleven").gone()
    row(ann, "see you at eleven").gone()


def test_a_quoted_reply_names_both_authors_and_links_to_the_message(server, browse, name):
    room = Room(server, name, browse, people=("ann", "bob", "cleo"))
    room.says("ann", "who has the keys?")
    room.fill(40)
    ann, bob, cleo = room.window("ann"), room.window("bob"), room.window("cleo")
    bob.css(".unread-jump").click()
    choose(bob, row(bob, "who has the keys?"), "Reply")
    bob.css(".composer-context", "Reply to Ann").wait()
    write(bob, "I have them")
    for window, line in ((ann, "Bob replied to You"), (bob, "You replied to Ann"), (cleo, "Bob replied to Ann")):
        reply = row(window, "I have them")
        reply.css(".replied-to", line).wait()
        reply.css(".quote[data-quote=ok]", "who has the keys?").wait()
    row(ann, "I have them").css(".quote").click()
    ann.css(".message.highlighted", "who has the keys?").wait()
    # A quote follows changes of its original.
    original = room.does("ann", "message.list", previous=100, next=0, at=2 ** 52)["messages"]
    (first,) = [message["id"] for message in original if message.get("text") == "who has the keys?"]
    room.does("ann", "message.update", message_id=first, text="who has the boat's keys?")
    row(bob, "I have them").css(".quote", "who has the boat's keys?").wait()


def test_a_quote_of_a_message_from_before_joining_is_unavailable(tmp_path, browse, name):
    server = Server(tmp_path, {"BELFRY_CHAT_HISTORY_VISIBLE_TO_NEWCOMERS": "false"})
    room = Room(server, name, browse)
    secret = room.says("ann", "nobody else hears this")
    server.app("user.upsert", id=name("cleo"), nickname="Cleo")
    room.ids["cleo"] = name("cleo")
    room.does("ann", "channel.invite", user_ids=[name("cleo")])
    room.says("bob", "quite so", parent_message_id=secret["id"])
    cleo = room.window("cleo")
    row(cleo, "quite so").css("[data-quote=unavailable]", "Message unavailable").wait()
    assert row(cleo, "quite so").css("button.quote").count == 0
    assert "nobody else" not in cleo.script("return document.documentElement.textContent")
    # The reply's thread cannot be opened either.
    cleo.go(f"#/c/{room.id}/t/{secret['id']}")
    cleo.css(".thread-view .notice", "Message unavailable").wait()
    assert server.terminate() == 0


def test_a_quote_whose_message_is_missing_says_so(server, browse, name):
    room = Room(server, name, browse)
    parent = room.says("ann", "to be withdrawn")
    reply = room.says("bob", "a reply", parent_message_id=parent["id"])
    ann = room.window("ann")
    # A correct server never returns this state, because a parent with replies cannot be deleted. The page handles it
    # anyway.
    shown = ann.script("""
        const {quoteView} = await import("/page/conversation/quote.js");
        return quoteView(null, {parent_message_id: "x", parent: {id: "x", state: "not_found"}}).textContent;""")
    assert shown == "Couldn't find the original message for this reply."
    room.does("bob", "message.delete", message_id=reply["id"])
    row(ann, "a reply").gone()


def test_text_can_be_copied_and_its_links_open_without_being_prefetched(server, browse, name):
    room = Room(server, name, browse)
    text = "the plan is at https://example.com/plan(1)?a=b&c=d. Not a link: javascript:alert(1)"
    room.says("bob", text)
    ann = room.window("ann")
    link = row(ann, "the plan").css("a")
    assert link.attribute("href") == "https://example.com/plan(1)?a=b&c=d"
    assert (link.attribute("target"), link.attribute("rel")) == ("_blank", "noopener noreferrer")
    assert row(ann, "the plan").css("a").count == 1
    ann.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    choose(ann, row(ann, "the plan"), "Copy text")
    ann.css("[data-toast]", "Copied").wait()
    assert ann.clipboard() == text
    fetched = ann.script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert not [url for url in fetched if "example.com" in url]


def test_older_history_loads_without_a_scroll_jump(server, browse, name):
    room = Room(server, name, browse)
    room.fill(230, text="message {} " + "with more to say " * 6)
    ann = room.window("ann")
    row(ann, "message 229 ").wait()
    # Records the position of the row in the middle of the view, and the scroll offset, in every frame.
    ann.script("""
        const list = document.querySelector(".conversation .timeline");
        window.jumps = []; window.watched = null;
        const look = () => {
            const frame = list.getBoundingClientRect();
            if (watched?.row.isConnected) {
                const moved = watched.row.getBoundingClientRect().top - watched.top;
                if (Math.abs(moved - watched.by) > 2) jumps.push([watched.row.textContent.slice(0, 20), moved]);
            }
            const row = document.elementFromPoint(frame.left + 60, frame.top + frame.height / 2)?.closest(".row")
                ?? [...list.querySelectorAll(".row")].find(row => row.getBoundingClientRect().top > frame.top);
            watched = {row, top: row.getBoundingClientRect().top, by: 0};
            if (window.scrolling && list.scrollTop > 40) { list.scrollTop -= 40; watched.by = 40; }
            requestAnimationFrame(look);
        };
        window.scrolling = true;
        requestAnimationFrame(look);""")
    ann.css(".history-start [data-start]", "beginning of the channel").wait()
    ann.wait_until("document.querySelector('.conversation .timeline').scrollTop <= 80", deadline=40)
    row(ann, "message 0 ").wait()
    assert ann.script("return jumps") == []
    assert ann.css(".conversation .row").count < 60


def test_files_are_sent_with_a_preview_and_progress(server, browse, name, tmp_path):
    room = Room(server, name, browse)
    ann, bob = room.window("ann"), room.window("bob")
    (tmp_path / "pier.png").write_bytes(PNG)
    (tmp_path / "list.txt").write_text("ropes\n" * 60_000)
    ann.css("input[type=file]").upload(tmp_path / "pier.png")
    ann.css(".attachment", "pier.png").css("img").wait()
    ann.role("button", "Send").click()
    shown = bob.css(".row .picture:not(.waiting) img")
    shown.until("element.complete && element.naturalWidth === 2")
    assert shown.attribute("src").startswith("blob:") and shown.attribute("alt") == "pier.png"
    bob.css(".row").role("button", "Open picture pier.png").click()
    bob.role("dialog", "pier.png").css("img").until("element.naturalWidth === 2")
    bob.keys("Escape")
    # A slow connection shows the progress of the upload.
    ann.cdp("Network.enable")
    ann.cdp("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1,
            uploadThroughput=150_000)
    ann.css("input[type=file]").upload(tmp_path / "list.txt")
    ann.css(".attachment", "list.txt").wait()
    ann.role("button", "Send").click()
    bar = ann.role("progressbar", "Uploading list.txt")
    bar.until("element.ariaValueNow > 0 && element.ariaValueNow < 100")
    bar.gone()
    card = bob.css(".row").role("button", "Download list.txt")
    card.css("small", "TXT · 360 kB").wait()
    card.click()


def test_typing_is_shown_until_it_ends(server, browse, name):
    room = Room(server, name, browse, people=("ann", "bob", "cleo"))
    ann, bob = room.window("ann"), room.window("bob")
    bob.role("textbox", "Message").type("I think")
    ann.css(".typing-line", "Bob is typing…").wait()
    room.does("cleo", "typing.start")
    ann.css(".typing-line", "Bob and Cleo are typing…").wait()
    assert bob.css(".typing-line", "Bob").count == 0
    bob.keys("Enter")
    ann.css(".typing-line", "Cleo is typing…").wait()
    room.does("cleo", "typing.stop")
    ann.wait_until("document.querySelector('.typing-line').textContent === ''")


def test_messages_have_day_separators(server, browse, name):
    room = Room(server, name, browse)
    room.says("bob", "good night")
    ann = room.window("ann")
    row(ann, "good night").css(".day", "Today").wait()
    ann.cdp("Page.addScriptToEvaluateOnNewDocument",
            source="{const now = Date.now; Date.now = () => now.call(Date) + 24 * 3600 * 1000;}")
    ann.reload()
    row(ann, "good night").css(".day", "Yesterday").wait()


def test_users_who_are_muted_or_in_a_frozen_channel_see_why_they_cannot_write(server, browse, name):
    room = Room(server, name, browse, operated=True)
    ann, bob = room.window("ann"), room.window("bob")
    room.does("ann", "channel.freeze")
    bob.css("[data-barrier^=frozen]", "The channel is frozen").wait()
    bob.role("textbox", "Message").gone()
    bob.css("[data-tag=frozen]").wait()
    # Operators continue to write, and are notified.
    ann.css("[data-barrier^=frozen]").wait()
    write(ann, "a word to all")
    row(bob, "a word to all").wait()
    room.does("ann", "channel.unfreeze")
    bob.role("textbox", "Message").wait()
    write(bob, "mine")
    row(ann, "mine").wait()
    room.does("ann", "member.mute", user_id=room.ids["bob"], seconds=3600)
    bob.css("[data-barrier^=muted]", "You are muted in this channel until").wait()
    bob.role("textbox", "Message").gone()
    # No other visible action is offered either, but users can still delete their own messages.
    row(bob, "a word to all").css("[data-part=react]").gone()
    menu = menu_of(bob, row(bob, "mine"))
    menu.css("[role=menuitem]", "Delete").wait()
    assert menu.css("[role=menuitem]", "Edit").count == 0
    bob.keys("Escape")
    room.does("ann", "member.unmute", user_id=room.ids["bob"])
    bob.role("textbox", "Message").wait()


def test_admin_messages_are_shown_differently(server, browse, name):
    room = Room(server, name, browse)
    ann = room.window("ann")
    room.says(None, "The harbour closes at six.")
    notice = ann.css("[data-kind=admin]", "The harbour closes at six.")
    notice.css(".admin-message").wait()
    assert notice.css(".face, .author, .tools").count == 0
    assert notice.attribute("aria-label").startswith("Announcement")


@pytest.mark.parametrize("way", ["menu key", "secondary button"])
def test_the_conversation_works_by_keyboard_and_with_both_mouse_buttons(server, browse, name, way):
    room = Room(server, name, browse)
    room.fill(30)
    ann = room.window("ann")
    row(ann, "message 29").wait()
    ann.css("main .timeline").until("element.querySelectorAll('.row[tabindex=\"0\"]').length === 1")
    if way == "secondary button":
        row(ann, "message 28").css(".bubble").context()
        ann.css("[role=menu]").wait()
        ann.keys("Escape")
        ann.css("[role=menu]").gone()
        return
    ann.role("textbox", "Message").focus()
    ann.script("document.querySelector('.conversation .row[tabindex=\"0\"]').focus()")
    assert "message 29" in ann.focused.attribute("aria-label")
    ann.keys("ArrowUp", "ArrowUp")
    assert "message 27" in ann.focused.attribute("aria-label")
    ann.keys("Enter")
    ann.css("[role=menu]").wait()
    ann.keys("Escape")
    assert "message 27" in ann.focused.attribute("aria-label")
    ann.keys("Home")
    assert "message 0" in ann.focused.attribute("aria-label")
    box = box_of(ann.focused)
    assert box["top"] >= 0 and box["bottom"] <= 800
    ann.keys("End")
    assert "message 29" in ann.focused.attribute("aria-label")
    # A message's controls can be reached from it.
    ann.keys("Tab")
    assert ann.focused.attribute("data-part") is not None


def test_an_invited_user_sees_the_messages_immediately_after_accepting(server, browse, name):
    room = Room(server, name, browse)
    room.says("ann", "the plan for Monday")
    server.app("user.upsert", id=name("cleo"), nickname="Cleo")
    room.ids["cleo"] = name("cleo")
    server.app("user.preferences", as_user_id=name("cleo"), auto_accept_invitations=False)
    room.does("ann", "channel.invite", user_ids=[name("cleo")])
    cleo = room.window("cleo")
    cleo.css("[data-barrier=invited]", "You are invited.").wait()
    cleo.css(".timeline-state", "once you are a member").wait()
    cleo.role("textbox", "Message").gone()
    cleo.css("[data-barrier=invited]").role("button", "Accept").click()
    row(cleo, "the plan for Monday").wait()
    write(cleo, "I am in")
    row(cleo, "I am in").css("[data-status=sent]").wait()


def test_a_message_can_be_linked_to(server, browse, name):
    room = Room(server, name, browse)
    ids = room.fill(150)
    ann = room.window("ann", f"/c/{room.id}/m/{ids[20]}")
    ann.css(".message.highlighted", "message 20").wait()
    # From there the user goes to the newest message, which is not loaded yet.
    ann.role("button", "To the newest messages").click()
    row(ann, "message 149").wait()
    ann.go(f"#/c/{room.id}/m/{ids[60]}")
    ann.css(".message.highlighted", "message 60").wait()
    ann.go(f"#/c/{room.id}/m/not-there")
    ann.css("[data-toast]", "no longer exists").wait()
    row(ann, "message 149").wait()
    write(ann, "still here")
    row(ann, "still here").css("[data-status=sent]").wait()


def test_messages_in_an_ephemeral_channel_arrive_and_are_not_kept(server, browse, name):
    room = Room(server, name, browse, is_ephemeral=True)
    ann, bob = room.window("ann"), room.window("bob")
    ann.css(".timeline-state", "Messages here are not stored.").wait()
    write(ann, "psst")
    row(bob, "psst").wait()
    # The message can only be copied, and its author blocked.
    menu = menu_of(bob, row(bob, "psst"))
    assert menu.css("[role=menuitem]").texts == ["Copy text", "Block Ann…"]
    bob.reload()
    bob.css(".timeline-state", "Messages here are not stored.").wait()
    assert row(bob, "psst").count == 0


def test_messages_that_end_are_marked_and_disappear(server, browse, name):
    """MT9"""
    room = Room(server, name, browse)
    ann = room.window("ann")
    write(ann, "stays")
    row(ann, "stays").css("[data-status=sent]").wait()
    server.app("channel.update", channel_id=room.id, message_seconds=7_200)
    ann.css(".conversation header [data-tag=message-seconds]", "2 hours").wait()
    write(ann, "ends later")
    assert row(ann, "ends later").css(".ends").wait().attribute("aria-label").startswith("Disappears ")
    assert row(ann, "stays").css(".ends").count == 0
    room.says("bob", "ends soon", expires_in_seconds=2)
    row(ann, "ends soon").wait()
    row(ann, "ends soon").gone()
    ann.go(f"#/c/{room.id}/members")
    ann.css("aside .tag", "Messages disappear after 2 hours").wait()


def test_other_users_messages_can_be_reported_and_the_users_own_show_read_receipts(server, browse, name):
    room = Room(server, name, browse, people=("ann", "bob", "cleo"))
    message = room.says("bob", "buy cheap anchors")
    ann = room.window("ann")
    choose(ann, row(ann, "buy cheap anchors"), "Report…")
    dialog = ann.css("dialog", "Bob's message").wait()
    dialog.role("button", "Report").click()
    # The notice covers the newest message until it is dismissed.
    ann.css("[data-toast]", "Reported").role("button", "Dismiss").click()
    assert server.app("report.list")["reports"][0]["message_id"] == message["id"]
    write(ann, "no thanks")
    room.does("bob", "read.mark")
    row(ann, "no thanks").css("[data-status=read]", "Read by 1").wait()
    choose(ann, row(ann, "no thanks"), "Read by…")
    readers = ann.role("dialog", "Read by")
    readers.css(".readers-count", "1 person has read it, 1 has not.").wait()
    readers.css(".readers li", "Bob").wait()
    readers.role("button", "Close").click()
    assert menu_of(ann, row(ann, "no thanks")).css("[role=menuitem]", "Report…").count == 0
