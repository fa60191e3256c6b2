"""Fifty texts that are programs if interpreted as markup, in every field that the page shows and in its input fields.
None is executed, the Content-Security-Policy reports nothing, and all are shown as plain text."""

import json
import re

import pytest
from belfry import Server, token
from browser import Window, page_url
from injections import ELSEWHERE, PAYLOADS, Chat

# Finds anything in the document that does not come from the page's files, or that was inserted as more than text.
STRANGE = r"""
const found = [];
const own = new URL("/", location).href;
const never = "iframe,frame,object,embed,applet,base,meta[http-equiv],template,marquee,math,portal,foreignObject";
for (const element of document.querySelectorAll("*")) {
    const say = what => found.push(what + ": " + element.outerHTML.slice(0, 200));
    if (element.matches(never) || element.localName.includes("-")) say("element");
    if (element.matches("script,link") && !(element.src ?? element.href).startsWith(own)) say("not ours");
    if (element.matches("script:not([src]),style")) say("inline");
    for (const {name, value} of element.attributes) {
        if (name.startsWith("on") || name === "srcdoc" || name === "formaction") say(name);
        if (!["href", "src", "action", "xlink:href", "data", "poster"].includes(name)) continue;
        const address = new URL(value, location);
        if (element.matches("a") ? !["http:", "https:", "blob:"].includes(address.protocol)
            : !address.href.startsWith(own) && !["blob:", "data:"].includes(address.protocol)) say(name);
        const away = element.matches("a") && address.origin !== location.origin;
        if (away && !element.relList.contains("noopener")) say("rel");
    }
}
if (document.documentElement.dataset.owned || window.owned) found.push("owned");
if (({}).polluted !== undefined || [].polluted !== undefined) found.push("polluted");
return found;
"""


@pytest.fixture(scope="module")
def chat(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("belfry"))
    chat = Chat(server)
    yield chat
    assert server.terminate() == 0


@pytest.fixture
def ann(chat, browse) -> Window:
    window = browse(page_url(chat.server, "ann"))
    window.css('[data-connection="live"]').wait()
    yield window
    inert(window)


def inert(window: Window):
    """Checks that nothing was executed, and that the document contains nothing executable."""
    assert window.problems() == []
    assert window.script(STRANGE) == []


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


TEXTS = [squeezed(text) for text in PAYLOADS]


# Reads the visible part, and scrolls back and forth through a list that is only partly in the document.
LOOK = """
const [selectors, scroll] = arguments;
const list = scroll && document.querySelector(scroll);
if (list) {
    const end = list.scrollHeight - list.clientHeight;
    let way = Number(list.dataset.testWay ?? (list.scrollTop > 0 ? -1 : 1));
    if (way < 0 && list.scrollTop <= 0) way = 1;
    else if (way > 0 && list.scrollTop >= end - 1) way = -1;
    list.dataset.testWay = way;
    list.scrollTop += way * list.clientHeight * 0.7;
}
return selectors.map(css => [...document.querySelectorAll(css)].map(
    element => css.endsWith("[aria-label]") ? element.ariaLabel : element.textContent));
"""


def shows(window: Window, *selectors: str, texts=None, scroll: str | None = None, looks=True):
    """Waits until all of `texts` have been shown in elements of each selector, or in their labels if the selector says
    so. `scroll` is the list to scroll through. `looks` also checks for anything that is not text."""
    missing = {css: set(TEXTS if texts is None else map(squeezed, texts)) for css in selectors}

    def look():
        for css, seen in zip(selectors, window.script(LOOK, list(selectors), scroll)):
            seen = [squeezed(text) for text in seen]
            missing[css] -= {text for text in missing[css] if any(text in line for line in seen)}
        return not any(missing.values())

    try:
        window.wait_until(look, "all texts", 30)
    except AssertionError as error:
        raise AssertionError(f"{error}: {missing}") from error
    if looks:
        inert(window)


# Fifty repetitions through WebDriver take minutes, so these run inside the page.
WITHIN = """
const shown = find => new Promise((resolve, reject) => {
    const end = performance.now() + 20_000;
    (function look() {
        const found = find();
        if (found) resolve(found);
        else if (performance.now() > end) reject(new Error("never: " + find));
        else setTimeout(look, 5);
    })();
});
const named = (selector, text) =>
    () => [...document.querySelectorAll(selector)].find(one => one.innerText.includes(text));
// As an input method does.
const insert = (field, text) => (field.focus(), field.select(), document.execCommand("insertText", false, text));
"""


def in_parts(items: list):
    """Runs five at a time, because the browser limits a script to half a minute."""
    return (items[begin:begin + 5] for begin in range(0, len(items), 5))


def test_there_are_fifty_distinct_payloads():
    assert len(set(PAYLOADS)) == len(PAYLOADS) == 50


# Written by others


def test_the_channel_list_shows_names_and_last_messages_as_plain_text(ann):
    shows(ann, "[data-channel] .name", "[data-channel] .last", "[data-channel] .channel-link[aria-label]",
          scroll=".channel-list .scroll")


def test_names_of_invitations_and_public_and_archived_channels_are_shown_as_plain_text(ann):
    shows(ann, "[data-invitation]", scroll=".channel-list .scroll")
    ann.role("tab", "Archived").click()
    shows(ann, "[data-channel] .name", scroll=".channel-list .scroll")
    ann.go("#/public")
    shows(ann, "main", scroll="main .scroll")


def test_everything_in_a_conversation_is_shown_as_plain_text(ann):
    ann.go("#/c/hall")
    ann.css(".conversation [data-message]").wait()
    shows(ann, ".conversation .row:not(.admin) .text", ".conversation .quote-text", ".conversation .replied-to",
          ".conversation .author", ".conversation .file-name", ".conversation .admin .text",
          ".conversation [data-message][aria-label]", ".conversation .quote[aria-label]",
          scroll=".conversation .timeline")
    # Nothing is fetched from other servers, and addresses are shown as links that reveal nothing to them.
    assert ELSEWHERE not in ann.script("return performance.getEntriesByType('resource').map(one => one.name).join()")


# Files with executable content; the last is valid in two languages.
PROGRAMS = {
    "a.html": b"<!doctype html><script>parent.alert(1);opener?.alert(1)</script>",
    "b.svg": b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(2)'><script>alert(2)</script></svg>",
    "c.png": b"<html><body onload=alert(3)></body></html>",
    "d.gif": b"GIF89a/*\x01\x00\x01\x00*/=0;alert(4)//;",
}


def test_executable_files_are_downloaded_and_not_run(ann, chat):
    chat.channel("depot", "Depot", ["ann", "mallory-0"])
    chat.server.app("channel.accept", channel_id="depot", as_user_id="ann")
    for name, content in PROGRAMS.items():
        connection = chat.server.connect_http()
        connection.request("POST", f"/v1/files?channel_id=depot&name={name}", content,
                           {"Authorization": "Bearer " + token("mallory-0")})
        file = json.loads(connection.getresponse().read())["file"]
        chat.say("depot", "mallory-0", kind="file", files=[{"id": file["id"]}])
    ann.go("#/c/depot")
    files = ann.css(".conversation [data-part=file-0]")
    files.counts(len(PROGRAMS))
    place = ann.url
    # An invalid image has another size, and moves the element about to be clicked.
    ann.wait_until("[...document.querySelectorAll('.conversation img')].every((image) => image.complete)")
    files.nth(0).click()
    ann.wait_until(lambda: (ann.session.downloads / "a.html").exists(), "the file")
    for i in range(1, len(PROGRAMS)):
        files.nth(i).click()
        ann.keys("Escape")
    assert (ann.session.downloads / "a.html").read_bytes() == PROGRAMS["a.html"]
    # The browser has downloaded it: no window shows it, not even this one.
    assert ann("GET", "/window/handles") == [ann.handle] and ann.url == place


def test_titles_and_replies_of_threads_are_shown_as_plain_text(ann, chat):
    ann.go("#/threads")
    shows(ann, ".thread-item", ".thread-item[aria-label]", scroll=".threads-view .scroll")
    ann.go(f"#/c/hall/t/{chat.parent}")
    ann.css(".thread-view [data-message]").wait()
    shows(ann, ".thread-view .row .text", ".thread-view .author", scroll=".thread-view .timeline")


TITLES = WITHIN + """
const [titles] = arguments;
return (async () => {
    const seen = [];
    for (const title of titles) {
        document.querySelector(".thread-view header [aria-label$=title]").click();
        insert(await shown(() => document.getElementById("thread-title-field")), title);
        named("dialog footer button", "Save")().click();
        await shown(() => !document.querySelector("dialog"));
        seen.push((await shown(() => document.querySelector(".thread-title"))).textContent);
    }
    return seen;
})();
"""


def test_a_thread_title_being_entered_is_shown_as_plain_text(ann, chat):
    chat.channel("loft", "Loft", ["ann", "mallory-0"])
    chat.server.app("channel.accept", channel_id="loft", as_user_id="ann")
    parent = chat.say("loft", "ann", "parent")
    chat.say("loft", "mallory-0", "reply", parent_message_id=parent)
    ann.go(f"#/c/loft/t/{parent}")
    ann.role("button", "Give it a title").wait()
    for some in in_parts(PAYLOADS):
        titles = ann.script(TITLES, some)
        assert list(map(squeezed, titles)) == list(map(squeezed, some))
        inert(ann)


def test_emojis_and_reacting_users_are_shown_as_plain_text(ann, chat):
    ann.go(f"#/c/hall/t/{chat.parent}")
    short = [text[:16] for text in PAYLOADS]
    shows(ann, ".parent .reaction-box", texts=short)
    # The bar with the first emojis, and the list of all.
    ann.css(".parent").role("button", "More actions").click()
    ann.css("[role=menu]").wait()
    inert(ann)
    ann.keys("Escape")
    ann.css(".parent [data-part=add-reaction]").click()
    shows(ann, "dialog", texts=short)
    ann.keys("Escape")
    ann.css("dialog").gone()
    ann.css(".parent .reaction-chip").hover()
    shows(ann, ".reacted-tabs", texts=short)
    ann.css(".reacted-users li").wait()
    while ann.css(".reacted button", "Show more").count:
        known = ann.css(".reacted-users li").unseen.count
        ann.css(".reacted button", "Show more").click()
        ann.css(".reacted-users li").nth(known).unseen.wait()
    shows(ann, ".reacted-users", scroll=".reacted-panel")


def test_members_and_their_sanctions_are_shown_as_plain_text(ann):
    ann.go("#/c/hall/members")
    ann.css(".member").wait()
    shows(ann, ".member .name", ".member[aria-label]", ".member .more[aria-label]", scroll="aside .scroll")


def test_ban_reasons_are_shown_as_plain_text(ann):
    ann.go("#/c/court/members")
    ann.css(".member").wait()
    ann.css("aside").role("button", "Channel actions").click()
    ann.role("menuitem", text="Banned people…").click()
    shows(ann, "dialog .name", "dialog .last", "dialog button[aria-label]")


def test_names_of_typing_users_are_shown_as_plain_text(ann, chat):
    ann.go("#/c/unnamed")
    ann.css(".composer-field").wait()
    for mallory, text in list(zip(chat.mallories, PAYLOADS))[:20]:
        chat.server.app("typing.start", channel_id="unnamed", as_user_id=mallory)
        shows(ann, ".typing-line", texts=[text])
        chat.server.app("typing.stop", channel_id="unnamed", as_user_id=mallory)


# Written by the user


def test_sent_and_edited_messages_and_replies_are_shown_as_plain_text(ann, chat):
    chat.channel("desk", "Desk", ["ann"])
    chat.server.app("channel.accept", channel_id="desk", as_user_id="ann")
    ann.go("#/c/desk")
    field = ann.css(".conversation .composer-field").wait()
    for text in PAYLOADS:
        field.replace(text)
        ann.keys("Enter")
    shows(ann, ".conversation .row .text", scroll=".conversation .timeline")
    ann.role("button", "To the newest messages").click()
    for text in PAYLOADS:
        field.focus()
        ann.keys("ArrowUp")
        ann.css(".composer-context", "Edit message").wait()
        field.replace(text + " again")
        ann.keys("Enter")
        ann.css(".composer-context").gone()
        shows(ann, ".conversation .row .text", texts=[text + " again"], looks=False)
    inert(ann)
    parent = chat.say("desk", "ann", "parent")
    ann.go(f"#/c/desk/t/{parent}")
    field = ann.css(".thread-view .composer-field").wait()
    for text in PAYLOADS:
        field.replace(text)
        ann.keys("Enter")
    shows(ann, ".thread-view .row .text", scroll=".thread-view .timeline")


# Types the beginning of each name after an at sign and picks the intended one.
MENTIONS = WITHIN + """
const [names] = arguments;
const field = document.querySelector(".conversation .composer-field");
return (async () => {
    for (const name of names) {
        insert(field, "@" + name.split("@")[0].slice(0, 30));
        const isIt = one => one.textContent === name;
        const one = await shown(() => [...document.querySelectorAll(".mentions .name")].find(isIt));
        one.dispatchEvent(new MouseEvent("mousedown", {bubbles: true, cancelable: true}));
        field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}));
    }
})();
"""


def test_mentioned_users_are_shown_as_plain_text(ann, chat):
    chat.channel("mess", "Mess", ["ann", *chat.mallories])
    chat.server.app("channel.accept", channel_id="mess", as_user_id="ann")
    ann.go("#/c/mess")
    ann.css(".conversation .composer-field").wait()
    for some in in_parts(PAYLOADS):
        ann.script(MENTIONS, some)
    shows(ann, ".conversation .row .mentioned", texts=["@" + text for text in PAYLOADS],
          scroll=".conversation .timeline")


# No file system accepts all of these names, but a browser does.
ATTACH = """
const files = new DataTransfer();
for (const name of arguments[0]) files.items.add(new File(["x"], name));
const input = document.querySelector(".conversation input[type=file]");
input.files = files.files;
input.dispatchEvent(new Event("change"));
"""


def test_names_of_attached_files_are_shown_as_plain_text(ann, chat):
    names = [text + ".txt" for text in PAYLOADS]
    chat.channel("files", "Files", ["ann"])
    chat.server.app("channel.accept", channel_id="files", as_user_id="ann")
    ann.go("#/c/files")
    field = ann.css(".conversation .composer-field").wait()
    for begin in range(0, len(names), 20):
        some = names[begin:begin + 20]
        ann.script(ATTACH, some)
        shows(ann, ".attachments", ".attachments button[aria-label]", texts=some)
        field.focus()
        ann.keys("Enter")
        ann.css(".attachments").gone()
    # Wait until they have arrived; the server keeps the part after the last slash.
    ann.css(".conversation [data-state=sending]").gone(60)
    kept = [re.split(r"[/\\]", name)[-1] for name in names]
    shows(ann, ".conversation .file-name", texts=kept, scroll=".conversation .timeline")


def test_channel_search_input_is_shown_as_plain_text(ann):
    for text in PAYLOADS:
        ann.role("searchbox", "Search channels").replace(text)
        shows(ann, "#channel-body [aria-label], #channel-body", texts=[text], looks=False)
    inert(ann)
    ann.role("searchbox", "Search channels").replace("")
    ann.keys("Backspace")
    ann.go("#/c/hall/members")
    for text in PAYLOADS:
        ann.role("searchbox", "Find a member").replace(text)
        shows(ann, ".member .name", texts=[text], looks=False)


def test_the_members_and_name_of_a_new_channel_are_shown_as_plain_text(ann):
    for text in PAYLOADS:
        ann.role("button", "New channel").click()
        dialog = ann.css("dialog").wait()
        dialog.role("combobox", "Members").replace(text)
        ann.keys("Enter")
        shows(ann, "dialog .problem, dialog .chips", texts=[re.split(r"[\s,;]+", text)[0]], looks=False)
        dialog.role("combobox", "Members").replace("")
        ann.keys("Backspace")
        dialog.role("textbox", "Name").replace(text)
        ann.keys("Enter")
        ann.css("dialog").gone()
        shows(ann, ".conversation header", texts=[text])


# Opens the dialog of each user, enters the reason, reads the title and the field, and confirms.
DIALOGS = WITHIN + """
const [item, field, act, people] = arguments;
return (async () => {
    const seen = [];
    for (const [user, text] of people) {
        (await shown(() => document.querySelector(`[data-user="${user}"] .more`))).click();
        (await shown(named("[role=menuitem]", item))).click();
        insert(await shown(() => document.getElementById(field)), text);
        seen.push([document.querySelector("dialog h2").textContent, document.getElementById(field).value]);
        named("dialog footer button", act)().click();
        // It stays open, with the reason, if the server refuses.
        await shown(() => !document.querySelector("dialog"));
    }
    return seen;
})();
"""


@pytest.mark.parametrize("item, field, act", [
    ("Mute…", "sanction-reason", "Mute"), ("Report person…", "report-description", "Report"),
    ("Ban…", "sanction-reason", "Ban"),
])
def test_users_and_reasons_in_dialogs_are_shown_as_plain_text(ann, chat, item, field, act):
    channel = f"dock-{act.lower()}"
    chat.channel(channel, "Dock", ["ann", *chat.mallories], operator_user_ids=["ann"])
    chat.server.app("channel.accept", channel_id=channel, as_user_id="ann")
    ann.go(f"#/c/{channel}/members")
    ann.css(".member").counts(len(PAYLOADS) + 1)
    people = list(zip(chat.mallories, PAYLOADS))
    for some in in_parts(people):
        for (_, text), (title, typed) in zip(some, ann.script(DIALOGS, item, field, act, some), strict=True):
            assert squeezed(text) in squeezed(title) and squeezed(typed) == squeezed(text)
        inert(ann)
    if act == "Ban":
        ann.css("aside").role("button", "Channel actions").click()
        ann.role("menuitem", text="Banned people…").click()
        shows(ann, "dialog .last")


def test_public_channel_searches_invited_users_and_new_channel_ids_are_shown_as_plain_text(ann):
    ann.go("#/public")
    search = ann.role("searchbox", "Search public channels").wait()
    for text in PAYLOADS:
        search.replace(text)
    ann.css(".public-row").counts(1)
    shows(ann, ".public-row .name", texts=PAYLOADS[-1:])
    ann.go("#/c/hall/members")
    ann.role("button", "Invite people").click()
    people = ann.css("dialog").role("combobox", "People").wait()
    for text in PAYLOADS:
        people.replace(text)
        ann.keys("Enter")
        shows(ann, "dialog .problem, dialog .chips", texts=[re.split(r"[\s,;]+", text)[0]], looks=False)
    inert(ann)
    ann.keys("Escape", "Escape")
    ann.css("dialog").gone()
    ann.role("button", "New channel").click()
    ann.css("dialog summary").click()
    for text in PAYLOADS:
        ann.css("dialog details input").replace(text)
        # Two of them are ids.
        if not re.fullmatch(r"[A-Za-z0-9_.~\-]+", text):
            ann.keys("Enter")
            ann.css("dialog [role=alert]", "An id has letters").wait()
    inert(ann)


def test_found_messages_and_words_to_search_for_are_shown_as_plain_text(ann, chat):
    chat.channel("cellar", "Cellar", ["ann", *chat.mallories])
    chat.server.app("channel.accept", channel_id="cellar", as_user_id="ann")
    for mallory, text in zip(chat.mallories, PAYLOADS):
        chat.say("cellar", mallory, "needle " + text)
    found = lambda: chat.server.app("message.search", query="needle", channel_id="cellar", limit=100)  # noqa: E731
    ann.wait_until(lambda: len(found()["messages"]) == len(PAYLOADS), "the index")
    ann.size(1280, 12_000)
    ann.go("#/search/needle/cellar")
    ann.css(".found").counts(len(PAYLOADS))
    shows(ann, ".found .found-text", ".found .found-author", ".found[aria-label]")
    ann.css(".found mark", "needle").counts(len(PAYLOADS))
    # In channels whose names are programs.
    ann.go("#/search/alert")
    shows(ann, ".found .found-where", texts=PAYLOADS[:1], scroll=".search-view .scroll")
    # As words to search for, in the field and in the address, and as a channel.
    search = ann.role("searchbox", "Search messages")
    for text in PAYLOADS:
        search.replace(text)
    search.until(f"element.value === {json.dumps(PAYLOADS[-1])}")
    for text in PAYLOADS[::5]:
        ann.go("#/search/" + text)
        ann.go("#/search/needle/" + text)
    inert(ann)


def test_quoted_messages_and_reaction_search_input_are_shown_as_plain_text(ann, chat):
    chat.channel("quay", "Quay", ["ann", *chat.mallories])
    chat.server.app("channel.accept", channel_id="quay", as_user_id="ann")
    for mallory, text in zip(chat.mallories, PAYLOADS):
        chat.say("quay", mallory, text)
    # The window is tall enough for all messages to be in the document.
    ann.size(1280, 12_000)
    ann.go("#/c/quay")
    ann.css(".conversation [data-message]").counts(len(PAYLOADS))
    quoted = ann.script("""return [...document.querySelectorAll(".conversation [data-part=reply]")].map(button => (
        button.click(), document.querySelector(".composer-context").textContent))""")
    for text, line in zip(PAYLOADS, quoted, strict=True):
        # The author of the message, and its text.
        assert squeezed(line).count(squeezed(text)) == 2
    inert(ann)
    # The channel is opened again, because a shrinking window moves its messages, and a menu closes when its element
    # moves.
    ann.go("#/")
    ann.css(".conversation").gone()
    ann.size(1280, 800)
    ann.go("#/c/quay")
    ann.css(".conversation [data-message]").nth(-1).focus()
    ann.css(".conversation [data-message]:focus [data-part=react]").click()
    ann.role("button", "All reactions").click()
    for text in PAYLOADS:
        ann.css("dialog").role("searchbox", "Search reactions").replace(text)
        ann.css("dialog").find(text="No reaction with that name.").wait()
    inert(ann)


def test_invalid_addresses_and_tokens_are_shown_as_plain_text(ann, chat, browse):
    places = ("#/c/{}", "#/c/pair-0/t/{}", "#/c/pair-0/m/{}", "#{}")
    for i, text in enumerate(PAYLOADS):
        ann.go(places[i % 4].format(text))
        ann.go(places[(i + 1) % 4].format(text))
    inert(ann)
    nobody = browse(page_url(chat.server))
    for text in PAYLOADS:
        nobody.css("#token").replace(text)
        nobody.role("button", "Sign in").click()
        nobody.css("#token-problem").wait()
    inert(nobody)
    for text in PAYLOADS[::5]:
        nobody.open(page_url(chat.server) + "#token=" + text)
        nobody.css("#token").wait()
        inert(nobody)
