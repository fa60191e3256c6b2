"""The page's thread view and its list of threads."""

from chatting import PNG, LastingServer, Room, box_of, choose, menu_of, row, write

SIDE = ".thread-view"


def reply(window, text):
    return window.css(f"{SIDE} .timeline [data-message]", text)


def test_a_thread_opens_from_the_menu_and_its_replies_appear_in_the_channel_too(server, browse, name):
    room = Room(server, name, browse)
    room.says("bob", "who paints the boat?")
    ann, bob = room.window("ann"), room.window("bob")
    choose(ann, row(ann, "who paints"), "Reply in thread")
    ann.css(f"{SIDE} .parent", "who paints the boat?").wait()
    field = ann.role("textbox", "Reply")
    field.until("element.placeholder === 'Reply in thread'")
    ann.css(f"{SIDE} .reply-count", "No replies yet").wait()
    field.type("I do\n")
    # The user's own messages are on the right in the thread, and quote the parent in the channel.
    mine = reply(ann, "I do").css(".bubble")
    assert box_of(mine)["right"] > box_of(ann.css(f"{SIDE} .timeline"))["right"] - 60
    field.until("element.placeholder === 'Reply to thread'")
    ann.css(f"{SIDE} .reply-count", "1 reply").wait()
    row(bob, "I do").css(".replied-to", "Ann replied to You").wait()
    info = row(bob, "who paints").css(".thread-info", "1 reply")
    info.css(".faces .avatar").counts(1)
    info.click()
    theirs = reply(bob, "I do").css(".bubble")
    assert box_of(theirs)["left"] < box_of(bob.css(f"{SIDE} .timeline"))["left"] + 90
    # A reply is shown only in the thread, if requested.
    bob.css(f"{SIDE} .to-channel input").click()
    write(bob, "between us", "Reply")
    reply(ann, "between us").wait()
    row(ann, "who paints").css(".thread-info", "2 replies").wait()
    assert row(ann, "between us").count == 0
    # Replies are listed oldest first.
    assert ann.css(f"{SIDE} .timeline .bubble").texts == ["I do", "between us"]


def test_reply_in_thread_is_disabled_on_replies_and_delete_on_parents_with_replies(server, browse, name):
    room = Room(server, name, browse)
    parent = room.says("ann", "who paints the boat?")
    answer = room.says("ann", "I do", parent_message_id=parent["id"])
    ann = room.window("ann")

    def disabled(where, action):
        item = menu_of(ann, where).css("[role=menuitem]", action)
        state = item.attribute("aria-disabled")
        item.click()
        ann.css("[role=menu]").wait()
        ann.keys("Escape")
        ann.css("[role=menu]").gone()
        return state == "true"

    in_channel = ann.css(f".conversation [data-message='{answer['id']}']")
    assert disabled(in_channel, "Reply in thread")
    assert disabled(ann.css(f"[data-message='{parent['id']}']"), "Delete")
    ann.go(f"#/c/{room.id}/t/{parent['id']}")
    reply(ann, "I do").wait()
    assert disabled(reply(ann, "I do"), "Reply in thread")
    assert disabled(ann.css(f"{SIDE} .parent"), "Delete")
    # A parent can be deleted once its replies are gone.
    choose(ann, reply(ann, "I do"), "Delete")
    ann.role("dialog", "Delete message?").role("button", "Delete").click()
    ann.css(f"{SIDE} .reply-count", "No replies yet").wait()
    choose(ann, ann.css(f"{SIDE} .parent"), "Delete")
    ann.role("dialog", "Delete message?").role("button", "Delete").click()
    ann.css(f"{SIDE} .notice", "Message unavailable").wait()


def test_the_parent_has_reactions_and_a_link_back_to_the_channel(server, browse, name):
    room = Room(server, name, browse)
    parent = room.says("bob", "who paints the boat?")
    room.fill(80)
    for person in room.ids:
        room.does(person, "reaction.add", message_id=parent["id"], key="thumbs_up")
    room.says("bob", "anyone?", parent_message_id=parent["id"])
    ann = room.window("ann", f"/c/{room.id}/t/{parent['id']}")
    ann.role("heading", "Thread").wait()
    chip = ann.css(f"{SIDE} .parent .reaction-chip[data-emoji=thumbs_up]")
    chip.css(".count", "2").wait()
    chip.click()
    chip.css(".count", "1").wait()
    ann.css(f"{SIDE} .parent time").wait()
    assert ann.css(f".conversation [data-message='{parent['id']}']").count == 0
    ann.css(f"{SIDE} .view-header").role("link", "Show in Harbour").click()
    ann.css(".conversation .message.highlighted", "who paints the boat?").wait()
    assert "who paints" in ann.focused.attribute("aria-label")


def test_a_parent_shows_up_to_four_avatars_and_counts_up_to_99_replies(server, browse, name):
    people = ("ann", "bob", "cleo", "dora", "emil", "fritz")
    room = Room(server, name, browse, people=people)
    parent = room.says("ann", "count with me")
    for number in range(99):
        room.says(people[1 + number % 5], str(number), parent_message_id=parent["id"], reply_to_channel=False)
    ann = room.window("ann")
    info = row(ann, "count with me").css(".thread-info")
    info.css(".count", "99 replies").wait()
    info.css(".faces .avatar").counts(4)
    room.says("bob", "99", parent_message_id=parent["id"], reply_to_channel=False)
    info.css(".count", "99+ replies").wait()
    info.click()
    # The newest replies are shown first, older ones after scrolling up.
    reply(ann, "99").wait()

    def is_at_the_first():
        ann.script("document.querySelector('.thread-view .timeline').scrollTop = 0")
        return ann.script("return document.querySelector('.thread-view .row .text')?.textContent") == "0"

    ann.wait_until(is_at_the_first)
    ann.css(f"{SIDE} .reply-count", "99+ replies").wait()


def test_files_can_be_replies_and_parents(server, browse, name, tmp_path):
    room = Room(server, name, browse)
    (tmp_path / "boat.png").write_bytes(PNG)
    ann, bob = room.window("ann"), room.window("bob")
    ann.css("input[type=file]").upload(tmp_path / "boat.png")
    ann.css(".attachment").wait()
    ann.role("button", "Send").click()
    bob.css(".row .picture:not(.waiting)").wait()
    choose(bob, bob.css(".row[data-kind=file]"), "Reply in thread")
    bob.css(f"{SIDE} .parent .picture:not(.waiting) img").wait()
    bob.css(f"{SIDE} input[type=file]").upload(tmp_path / "boat.png")
    bob.css(f"{SIDE} .attachment").wait()
    bob.css(SIDE).role("button", "Send").click()
    bob.css(f"{SIDE} .timeline .row .picture").wait()
    row(ann, "Bob replied to You").css(".quote", "boat.png").wait()


def test_clicking_a_quote_opens_the_thread_if_replies_are_threads(own_server, browse, name):
    own_server.app("settings.update", reply_type="thread")
    room = Room(own_server, name, browse)
    parent = room.says("bob", "who paints the boat?")
    room.says("ann", "I do", parent_message_id=parent["id"])
    ann = room.window("ann")
    # Every reply is now written in the thread.
    menu = menu_of(ann, ann.css(f"[data-message='{parent['id']}']"))
    labels = [text for text in menu.css("[role=menuitem]").texts if text.startswith("Reply")]
    assert labels == ["Reply in thread"]
    ann.keys("Escape")
    row(ann, "I do").css(".quote").click()
    ann.css(f"{SIDE} .parent", "who paints").wait()


def test_the_list_of_threads_shows_channel_parent_last_author_and_unread_replies(server, browse, name):
    room = Room(server, name, browse)
    parent = room.says("ann", "who paints the boat?")
    room.says("bob", "not me", parent_message_id=parent["id"])
    room.says("bob", "ask Cleo", parent_message_id=parent["id"])
    ann = room.window("ann", "/threads")
    item = ann.css(f".thread-item[data-thread='{parent['id']}']")
    item.css(".thread-where", "Harbour").wait()
    item.css(".thread-about", "who paints the boat?").wait()
    item.css(".thread-last", "Bob ask Cleo").css(".avatar").wait()
    item.css(".thread-last time").wait()
    item.css(".badge", "2").wait()
    room.does("ann", "thread.update", parent_message_id=parent["id"], title="Painting")
    item.css(".thread-about", "Painting").wait()
    ann.screenshot("thread-list")
    item.focus()
    ann.keys("Enter")
    ann.css(f"{SIDE} .parent", "who paints").wait()
    # The thread is read once its end was visible.
    ann.go("#/threads")
    item.css(".badge").gone()
    assert room.does("ann", "thread.get", parent_message_id=parent["id"])["thread"]["unread_count"] == 0


def test_participants_can_give_a_thread_a_title(server, browse, name):
    room = Room(server, name, browse, ("ann", "bob", "carol"))
    parent = room.says("ann", "who paints the boat?")["id"]
    ann, bob = (room.window(who, f"/c/{room.id}/t/{parent}") for who in ("ann", "bob"))
    ann.css(f"{SIDE} .reply-count", "No replies yet").wait()
    # There is no thread yet that could have a title.
    assert ann.role("button", "Give it a title").count == 0
    write(bob, "I do", "Reply")
    reply(ann, "I do").wait()
    ann.role("button", "Give it a title").click()
    ann.screenshot("thread-title")
    ann.role("textbox", "Title").type("Painting\n")
    ann.css("dialog").gone()
    for window in (ann, bob):
        window.css(f"{SIDE} .thread-title", "Painting").wait()
    # The focus returns to the button that was pressed.
    ann.wait_until("document.activeElement.ariaLabel === 'Change the title'")
    # Users who have replied are also participants.
    bob.role("button", "Change the title").click()
    bob.role("textbox", "Title").reads("Painting")
    bob.role("textbox", "Title").replace("Painting and varnish")
    bob.css("dialog").role("button", "Save").click()
    ann.css(f"{SIDE} .thread-title", "Painting and varnish").wait()
    bob.role("button", "Change the title").click()
    bob.role("textbox", "Title").replace("")
    bob.keys("Backspace", "Enter")
    for window in (ann, bob):
        window.css(f"{SIDE} .thread-title").gone()
        window.role("button", "Give it a title").wait()
    assert "title" not in room.does("ann", "thread.get", parent_message_id=parent)["thread"]
    # Users who do not participate are not offered an action that would be refused.
    carol = room.window("carol", f"/c/{room.id}/t/{parent}")
    reply(carol, "I do").wait()
    assert carol.role("button", "Give it a title").count == 0


def test_new_threads_are_announced_and_shown_on_request(server, browse, name):
    room = Room(server, name, browse)
    first, second = (room.says("ann", text) for text in ("one", "two"))
    ann = room.window("ann", "/threads")
    ann.css(".notice", "No threads yet").wait()
    room.says("bob", "to one", parent_message_id=first["id"])
    banner = ann.css(".new-threads")
    ann.css(".new-threads", "1 new thread").wait()
    room.says("bob", "to two", parent_message_id=second["id"])
    ann.css(".new-threads", "2 new threads").wait()
    assert ann.css(".thread-item").count == 0
    banner.click()
    ann.css(".thread-item").counts(2)
    banner.gone()
    assert ann.css(".thread-item .thread-about").texts == ["two", "one"]


def test_the_list_of_threads_shows_that_it_is_loading_empty_or_failed(server, browse, name):
    room = Room(server, name, browse)
    ann = room.window("ann")
    # Shows the view while the connection is open but replies late or not at all.
    shown = ann.script("""
        const {threadListView} = await import("/page/threads/thread-list.js");
        const threads = {items: [], newCount: 0, state: "loading", hasMore: false,
                         on: (_, fn) => (threads.tell = fn, () => {}),
                         load: async () => {}, reload: async () => { threads.again = true; }};
        const app = {chat: {threads, blocked: {on: () => () => {}}, on: () => () => {}, user: () => {}}, names: {on: () => () => {}},
                     navigate: () => {}, attempt: () => {}};
        const view = threadListView(app);
        const seen = [view.element.querySelector("[aria-label='Loading threads']") !== null];
        threads.state = "failed"; threads.error = {code: 100}; threads.tell();
        seen.push(view.element.querySelector("[role=alert]").textContent);
        view.element.querySelector("[role=alert] button").click();
        seen.push(threads.again);
        threads.state = "ready"; threads.tell();
        seen.push(view.element.querySelector(".notice").textContent);
        view.close();
        return seen;""")
    assert shown[0] is True
    assert shown[1].startswith("The threads could not be loaded") and shown[1].endswith("Try again")
    assert shown[2] is True
    assert shown[3].startswith("No threads yet")


def test_threads_catch_up_after_the_server_is_killed(tmp_path, browse, name):
    server = LastingServer(tmp_path)
    room = Room(server, name, browse)
    parent = room.says("ann", "who paints the boat?")
    room.says("bob", "me", parent_message_id=parent["id"])
    ann, bob = room.window("ann", f"/c/{room.id}/t/{parent['id']}"), room.window("bob", "/threads")
    bob.css(".thread-item").wait()
    reply(ann, "me").wait()
    server.kill()
    ann.css("[data-banner]").wait()
    write(ann, "and I", "Reply")
    ann.css(f"{SIDE} [data-state=sending]").wait()
    server.start_again()
    # More than the server keeps for reconnecting clients, so they fetch the list again.
    room.fill(80, text="meanwhile {}")
    ann.css(f"{SIDE} [data-state=sent]", "and I").wait()
    bob.css(".thread-item .thread-reply", "and I").wait()
    row(ann, "meanwhile 79").wait()
    assert ann.css(f"{SIDE} .timeline .bubble").texts == ["me", "and I"]
    assert server.terminate() == 0
