"""The console at the admin listener, in a real browser: what it shows, what it does, and whom it refuses."""

import http.server
import json
import signal
import threading
import time

import pytest
from belfry import API_KEY
from browser import wait_until
from console import KEYS, Console, NginxForConsole, Proxy, browser_that_knows, key_of, sign_in, write_keys
from page_scene import closes_dialog, toast
from test_page_accessible import good, tab_to
from test_page_pictures import CUT_OFF
from tls import Certificate
from webdriver import ELEMENT

PHONE = (375, 812)
SECTIONS = ["Overview", "Reports", "Users", "Channels", "Bans and mutes", "Moderation log", "Live events", "Text rules",
            "Roles", "Keys", "Settings"]


@pytest.fixture
def console(tmp_path, browse):
    consoles = []

    def start(settings: dict | None = None) -> Console:
        consoles.append(Console(tmp_path, browse, settings))
        return consoles[-1]

    yield start
    for console in consoles:
        if console.server.process.poll() is None:
            assert console.terminate() == 0
        log = console.server.log.read_text()
        assert not any(key_of(name) in log for name in KEYS)


def a_report(console: Console, text="buy my pills", description="He does this all day", category="spam") -> dict:
    """Bob writes among others in general, and ann reports one of his messages."""
    for user in ("ann", "bob"):
        console.person(user)
    console.app("channel.create", id="general", name="General", user_ids=["ann", "bob"])
    for number in range(3):
        console.do("ann", "message.send", channel_id="general", text=f"before {number}")
    bad = console.do("bob", "message.send", channel_id="general", text=text)["message"]
    console.do("ann", "message.send", channel_id="general", text="after")
    return console.do("ann", "report.create", category=category, channel_id="general", message_id=bad["id"],
                      description=description)["report"]


def log_of(console: Console) -> list[dict]:
    return console.app("app.moderation_log")["entries"]


def sections(window) -> list[str]:
    return window.css(".place").texts


def opens(window, section: str):
    """Opens a section of the menu, and waits for its heading."""
    window.css(".place", section).click()
    window.role("heading", section).wait()


# A moderator's day

def test_a_moderator_looks_at_a_report_deletes_the_message_mutes_the_author_and_resolves_it(console):
    """AD1"""
    console = console()
    report = a_report(console)
    window = console.window("moderator")
    opens(window, "Reports")
    window.css(f"[data-report='{report['id']}']").role("link", "spam: message").click()
    # The reported message is shown among those around it, and pointed out.
    window.css(".message.marked", "buy my pills").wait()
    assert [text.split("\n")[-1] for text in window.css(".message .text").texts] == [
        "before 0", "before 1", "before 2", "buy my pills", "after"]
    window.css(".facts", "He does this all day").wait()
    window.screenshot("console-report")
    window.role("button", "Delete message").click()
    window.role("dialog", "Delete the message?").role("button", "Delete").click()
    toast(window, "The message is deleted.")
    window.css(".message.marked", "Deleted").wait()
    window.role("button", "Mute in channel").click()
    dialog = window.role("dialog", "Mute Bob in this channel?").wait()
    dialog.role("combobox", "For how long").type("1 day")
    dialog.role("textbox", "Reason (optional)").type("pills")
    dialog.role("button", "Mute").click()
    toast(window, "Bob is muted in the channel.")
    closes_dialog(window)
    window.role("button", "Resolve").click()
    dialog = window.role("dialog", "Resolve the report?").wait()
    dialog.css("textarea").type("deleted and muted")
    dialog.role("button", "Resolve").click()
    toast(window, "The report is resolved.")
    window.css("[data-state=resolved]").wait()
    window.css(".facts", "deleted and muted").wait()
    window.role("button", "Resolve").gone()
    opens(window, "Reports")
    window.css(".notice", "No open reports.").wait()
    window.css(".tab", "Resolved").click()
    window.css(f"[data-report='{report['id']}']", "deleted and muted").wait()
    # All of it is in the log, on the page and by the command.
    opens(window, "Moderation log")
    window.css("[data-action]").counts(3)
    assert window.css("[data-action]").each("element.dataset.action") == [
        "report.resolve", "member.mute", "message.delete"]
    window.screenshot("console-log")
    entries = log_of(console)
    assert [entry["action"] for entry in entries] == ["report.resolve", "member.mute", "message.delete"]
    assert entries[0]["description"] == "deleted and muted" and entries[1]["description"] == "pills"
    assert all("by" not in entry for entry in entries) and entries[2]["message_id"] == report["message_id"]
    status, refusal = console.post("message.send", {"channel_id": "general", "text": "x"}, user="bob")
    assert refusal["error"]["code"] == 1004
    assert not [one for one in console.do("ann", "message.list", channel_id="general")["messages"]
                if one.get("text") == "buy my pills"]


def test_a_report_about_a_user_leads_to_a_ban_that_is_lifted_again(console):
    """AD1"""
    console = console()
    for user in ("ann", "bob"):
        console.person(user)
    console.do("ann", "report.create", category="harassing", user_id="bob", description="threats")
    window = console.window("moderator", "#/reports")
    window.role("link", "harassing: user").click()
    window.role("button", "Ban from app").wait()
    # A report about a user has no channel.
    assert window.css(".block .button").texts == ["Mute in app", "Ban from app", "Resolve", "Dismiss"]
    window.role("button", "Ban from app").click()
    window.role("dialog", "Ban Bob in the whole app?").role("button", "Ban").click()
    toast(window, "Bob is banned in the app.")
    closes_dialog(window)
    window.role("button", "Dismiss").click()
    window.role("dialog", "Dismiss the report?").role("button", "Dismiss").click()
    window.css("[data-state=dismissed]").wait()
    opens(window, "Bans and mutes")
    window.css("[data-user=bob]", "until it is lifted").wait()
    window.css("[data-user=bob]").role("link", "Bob").click()
    window.css(".facts", "Banned").wait()
    # A moderator's key may neither deactivate nor disconnect.
    assert window.css(".block .button").texts == ["Mute in app", "Lift the ban"]
    window.role("button", "Lift the ban").click()
    toast(window, "The ban is lifted.")
    window.role("button", "Ban from app").wait()
    assert [entry["action"] for entry in log_of(console)] == ["app.unban", "report.dismiss", "app.ban"]


def test_a_channel_is_frozen_slowed_and_its_members_are_moderated(console):
    """AD1"""
    console = console()
    a_report(console)
    window = console.window("moderator")
    opens(window, "Channels")
    window.role("textbox", "Channel id").type("general\n")
    window.role("heading", "General").wait()
    window.role("button", "Freeze").click()
    window.css(".facts .tag", "frozen").wait()
    window.role("button", "Unfreeze").click()
    window.css(".facts .tag", "frozen").gone()
    window.role("button", "Slow mode").click()
    window.role("dialog", "Slow mode").css("input").fill("30")
    window.role("dialog", "Slow mode").role("button", "Set").click()
    window.css(".facts", "one message per 30 seconds").wait()
    closes_dialog(window)
    # An empty field is not sent as 0, which would turn the slow mode off.
    window.role("button", "Slow mode").click()
    window.role("dialog", "Slow mode").css("input").fill("")
    window.role("dialog", "Slow mode").role("button", "Set").click()
    window.css("dialog .problem", "Enter a number first.").wait()
    assert console.app("channel.get", channel_id="general")["channel"]["slow_mode_seconds"] == 30
    window.keys("Escape")
    closes_dialog(window)
    assert window.css(".message .text").texts[:2] == ["after", "buy my pills"]
    window.css(".message", "buy my pills").role("button", "Delete").click()
    window.role("dialog").role("button", "Delete").click()
    window.css(".message", "buy my pills").gone()
    window.css(".tab", "Members").click()
    window.css("[data-user=bob]").role("button", "Ban").click()
    window.role("dialog", "Ban Bob in this channel?").role("button", "Ban").click()
    window.css("[data-user=bob]").gone()
    window.css(".tab", "Banned").click()
    window.css("[data-user=bob]").role("button", "Lift the ban").click()
    window.css(".notice", "Nobody is banned").wait()
    window.css(".tab", "Log").click()
    window.css("[data-action]").counts(6)
    assert window.css("[data-action]").each("element.dataset.action") == [
        "member.unban", "member.ban", "message.delete", "channel.update", "channel.unfreeze", "channel.freeze"]
    window.css("[data-action='channel.update']", "The app set slow mode to 30 s").wait()


def test_a_user_is_found_deactivated_and_activated(console):
    """AD1"""
    console = console()
    for user in ("ann", "bob", "Berta", "cleo"):
        console.person(user)
    window = console.window("keeper")
    opens(window, "Users")
    window.css("[data-user]").counts(4)
    window.role("searchbox", "Nickname begins with").type("be")
    window.css("[data-user]").counts(1)
    window.css("[data-user=Berta]").role("link", "Berta").click()
    window.role("button", "Deactivate").click()
    window.role("dialog", "Deactivate Berta?").role("button", "Deactivate").click()
    window.css(".facts .tag", "deactivated").wait()
    assert console.post("channel.list", {}, user="Berta")[1]["error"]["code"] == 1008
    window.role("button", "Activate").click()
    window.css(".facts .tag", "active").wait()
    assert console.post("channel.list", {}, user="Berta")[0] == 200
    assert [entry["action"] for entry in log_of(console)] == ["user.activate", "user.deactivate"]


# What is shown to whom

def test_the_scopes_of_the_key_decide_what_is_shown(console):
    """AD1"""
    console = console()
    report = a_report(console)
    window = console.window("viewer")
    assert sections(window) == SECTIONS[:7]
    window.go(f"#/reports/one/{report['id']}")
    window.css(".message.marked", "buy my pills").wait()
    assert window.css(".section .button").count == 0
    window.go("#/users/bob")
    window.css(".facts", "bob").wait()
    assert window.css(".section .button").count == 0
    # A section that the key may not see leads to the overview, whoever sends the link.
    for place in ("#/settings", "#/rules", "#/roles"):
        window.go("#/users")
        window.role("heading", "Users").wait()
        window.go(place)
        window.role("heading", "Overview").wait()
    assert sections(console.window("keeper")) == SECTIONS
    assert sections(console.window("writer")) == ["Overview"]
    # The server decides, not the page.
    for path, scopes in (("/events", "read"), ("/connections", "read"), ("/rooms", "read"), ("/queues", "read"),
                         ("/cluster", "read"), ("/keys", "admin"), ("/settings", "admin")):
        status, _, text = console.ask(path, X_API_Key=key_of("writer"))
        assert (status, json.loads(text)["error"]["code"]) == (403, 1019), path
        assert scopes in json.loads(text)["error"]["message"]
    for key, command, status in (("viewer", "report.list", 200), ("viewer", "app.ban", 403), ("writer", "report.list", 403),
                                 ("moderator", "user.deactivate", 403), ("moderator", "settings.get", 403),
                                 ("moderator", "text_rule.list", 403), ("moderator", "role.list", 403),
                                 ("keeper", "text_rule.list", 200), ("keeper", "role.list", 200)):
        answer, _, text = console.ask(f"/v1/{command}", "POST", '{"user_id": "bob"}' if status == 403 else "{}",
                                      X_API_Key=key_of(key))
        assert answer == status, (key, command, text)


def test_a_refusal_is_shown_plainly(console, tmp_path):
    """AD1: the key loses a scope, and then is removed, while the page is open."""
    console = console()
    a_report(console)
    window = console.window("moderator", "#/users/bob")
    window.role("button", "Mute in app").click()
    write_keys(tmp_path, {"moderator": ["read"]})
    console.server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: console.ask("/session", X_API_Key=key_of("keeper"))[0] == 401, "the keys are read")
    window.role("dialog").role("button", "Mute").click()
    window.css(".problem", "Refused: the key lacks the scope write.").wait()
    window.keys("Escape")
    write_keys(tmp_path, {"keeper": ["read"]})
    console.server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: console.ask("/session", X_API_Key=key_of("moderator"))[0] == 401, "the keys are read")
    window.go("#/reports")
    window.css("#key-problem", "The key has expired or was removed.").wait()
    assert window.script("return sessionStorage.length") == 0
    window.css("#key").type(key_of("moderator") + "\n")
    window.css("#key-problem", "The server does not know this key, or it has expired.").wait()


def test_without_a_key_there_are_only_health_and_metrics(console):
    """AD1"""
    console = console()
    a_report(console, text="a secret text")
    window = console.window()
    assert sections(window) == ["Overview"]
    window.css("[data-health=true]").wait()
    window.css(".plot").counts(7)
    window.css("[data-plot=Connections] .plot-legend", "connections").wait()
    window.wait_until("document.querySelector('[data-plot=Memory] .plot-legend strong').textContent.includes('MiB')")
    for place in ("#/reports", "#/users", "#/events", "#/settings", "#/channels/general"):
        window.go(place)
        window.role("heading", "Overview").wait()
    for path, status in (("/metrics", 200), ("/livez", 200), ("/readyz", 200), ("/", 200), ("/session", 401),
                         ("/connections", 401), ("/rooms", 401), ("/queues", 401), ("/cluster", 401), ("/events", 401),
                         ("/keys", 401), ("/settings", 401)):
        answer, _, text = console.ask(path)
        assert answer == status and "secret" not in text, path
    for headers in ({}, {"X_API_Key": "a key that nobody has"}, {"Authorization": "Bearer x"},
                    {"X_API_Key": API_KEY, "Authorization": "Bearer x"}):
        assert console.ask("/v1/report.list", "POST", "{}", **headers)[0] == 401, headers
        assert console.ask("/events", **headers)[0] == 401, headers


def test_the_key_stays_in_the_tab_and_out_of_addresses(console):
    """AD1"""
    console = console()
    window = console.window("keeper", "#/keys")
    window.css(".table", "this one").wait()
    key = key_of("keeper")
    assert key not in window.script("return document.documentElement.outerHTML + location.href")
    assert window.script("return [document.cookie, localStorage.length, Object.values(sessionStorage).length]") == ["", 0, 1]
    resources = window.script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert resources and not any(key in url for url in resources)
    window.reload()
    window.css(".table", "this one").wait()
    other = window.another()
    other.open(console.url)
    other.css(".console .session", "No key").wait()
    window.role("button", "Sign out").click()
    window.role("heading", "Sign in to the console").wait()
    assert window.script("return sessionStorage.length") == 0


def test_keys_are_listed_without_their_secrets(console):
    """AD1"""
    console = console()
    before = int(time.time() * 1_000)
    window = console.window("keeper", "#/keys")
    window.css(".table tbody tr").counts(5)
    keys = {key["id"]: key for key in json.loads(console.ask("/keys", X_API_Key=key_of("keeper"))[2])["keys"]}
    assert list(keys) == ["BELFRY_API_KEY", *KEYS]
    assert keys["moderator"]["scopes"] == ["read", "write"] and "last_used_at" not in keys["moderator"]
    assert before - 1_000 <= keys["keeper"]["last_used_at"] <= time.time() * 1_000 + 1_000
    text = window.css(".table").text
    assert "not used" in text and not any(key_of(name) in text for name in KEYS) and API_KEY not in text


def test_settings_are_shown_with_their_origin_and_changed_at_run_time(console, tmp_path):
    """AD1"""
    console = console({"BELFRY_CHAT_MOST_REPLIED_USERS": "7", "BELFRY_ADMIN_ALLOWED_HOSTS": "a.example,b.example"})
    window = console.window("keeper", "#/settings")

    def origin(key):
        row = window.script("return document.querySelector(`[data-setting='${arguments[0]}']`)?.closest('tr').innerText", key)
        return (row or "").split("\t")

    window.css("[data-setting='chat.most_replied_users']").wait()
    assert origin("chat.most_replied_users")[1:3] == ["7", "environment: BELFRY_CHAT_MOST_REPLIED_USERS"]
    assert origin("chat.reactions")[1:3] == ["true", "default"]
    assert origin("chat.reply_type")[1:3] == ["quote_reply", "default"]
    assert origin("admin.allowed_hosts")[1:3] == ["a.example,b.example", "environment: BELFRY_ADMIN_ALLOWED_HOSTS"]
    assert origin("admin.port")[1:3] == ["0", "option: --admin-port"]
    window.role("button", "Change chat.reactions").click()
    window.role("dialog", "Change a setting").css("select").type("false")
    window.role("dialog", "Change a setting").role("button", "Change").click()
    window.css("[data-origin=runtime]").wait()
    assert origin("chat.reactions")[1:3] == ["false", "changed at run time"]
    assert console.app("settings.get")["settings"]["reactions"] is False
    assert [(entry["action"], entry["description"]) for entry in log_of(console)] == [("settings.update", "reactions")]
    closes_dialog(window)
    window.role("button", "Change chat.most_replied_users").click()
    window.role("dialog").css("input").fill("")
    window.role("dialog").role("button", "Change").click()
    window.css(".problem", "Enter a number first.").wait()
    window.role("dialog").css("input").fill("100")
    window.role("dialog").role("button", "Change").click()
    window.css(".problem", "most_replied_users: must be 1 to 20").wait()
    window.screenshot("console-settings")


def code(console: Console, user: str, command: str, **data) -> int | None:
    """Returns the code with which a command of a user is refused; None if it is not."""
    return console.post(command, data, user=user)[1].get("error", {}).get("code")


def test_a_text_rule_is_tried_saved_applied_and_deleted(console):
    """AD1"""
    console = console()
    console.person("ann")
    console.app("channel.create", id="general", user_ids=["ann"])

    def says(text: str) -> int | None:
        return code(console, "ann", "message.send", channel_id="general", text=text)

    window = console.window("keeper")
    opens(window, "Text rules")
    window.css(".notice", "No text rules.").wait()
    window.role("button", "Add a rule").click()
    dialog = window.role("dialog", "Add a rule").wait()
    dialog.role("textbox", "Id").type("insults")
    dialog.role("textbox", "Words, domains or pattern").type("idiot\nmoron*")
    # It can be tried before it is saved.
    dialog.role("textbox", "Text to try").replace("🦊 what a Moronic idiot")
    dialog.role("button", "Try").click()
    dialog.css("[data-verdict=refused]", "Refused by rule insults").wait()
    assert dialog.css("mark").texts == ["Moronic", "idiot"]
    window.screenshot("console-rule")
    assert console.app("text_rule.list")["rules"] == [] and says("you moron") is None
    dialog.role("button", "Save").click()
    toast(window, "The rule is saved.")
    window.css("[data-rule=insults]", "Words: idiot, moron*").wait()
    assert says("you moron") == 1050
    # The dry run of the section tries the rules in effect.
    window.role("textbox", "Text to try").type("you moron")
    window.role("button", "Try").click()
    window.css("[data-verdict=refused]", "Refused by rule insults").wait()
    window.role("button", "Change insults").click()
    dialog = window.role("dialog", "Change a rule").wait()
    assert dialog.role("textbox", "Id").attribute("readonly") is not None
    dialog.role("combobox", "Action").type("Mask")
    dialog.role("textbox", "Custom types (optional)").type("support")
    dialog.role("button", "Save").click()
    closes_dialog(window)
    window.css("[data-rule=insults]", "only in channels of the types support").wait()
    window.role("button", "Try").click()
    window.css("[data-verdict=stored]", "No rule matches.").wait()
    window.role("textbox", "Custom type of the channel (optional)").type("support")
    window.role("button", "Try").click()
    window.css("[data-verdict=stored]", "Stored as: you *****").wait()
    assert window.css("[data-verdict] mark").texts == ["moron"]
    assert says("you moron") is None
    assert console.app("text_rule.list")["rules"] == [
        {"id": "insults", "words": ["idiot", "moron*"], "action": "mask", "custom_types": ["support"]}]
    # A rule that cannot be used is refused in the dialog, and changes nothing.
    window.role("button", "Change insults").click()
    dialog = window.role("dialog", "Change a rule").wait()
    dialog.role("combobox", "Matches").type("Pattern")
    dialog.role("textbox", "Words, domains or pattern").fill("(")
    dialog.role("button", "Save").click()
    dialog.css(".problem", "Not accepted: ").wait()
    window.keys("Escape")
    closes_dialog(window)
    assert console.app("text_rule.list")["rules"][0]["action"] == "mask"
    window.role("button", "Delete insults").click()
    window.role("dialog", "Delete the rule insults?").role("button", "Delete").click()
    toast(window, "The rule is deleted.")
    window.css(".notice", "No text rules.").wait()
    assert console.app("text_rule.list")["rules"] == []


def test_a_role_loses_a_permission_and_gets_its_default_back(console):
    """AD1"""
    console = console()
    console.person("bob")
    console.app("channel.create", id="general", user_ids=["bob"])

    def writes() -> int | None:
        return code(console, "bob", "message.send", channel_id="general", text="hello")

    def changes(role: str):
        window.role("button", f"Change {role} in general").click()
        return window.role("dialog", f"Permissions of {role}: In general").wait()

    window = console.window("keeper")
    opens(window, "Roles")
    window.css("[data-table]").counts(1)
    # The page knows every permission and every default of the server.
    everything = [one["permissions"] for one in console.app("role.list")["roles"] if one["role"] == "app_admin"]
    assert [window.css(".table code").texts] == everything and window.css(".table .tag").count == 0
    dialog = changes("member")
    assert dialog.css("input[value=send]").value("element.checked && element.disabled")
    dialog.css("label", "Use the default").click()
    dialog.css("input[value=send]").click()
    dialog.role("button", "Save").click()
    toast(window, "The role is changed.")
    window.css(".table .tag", "no, set").counts(1)
    window.screenshot("console-roles")
    assert writes() == 1054
    dialog = changes("member")
    assert not dialog.css("label input").value("element.checked")
    dialog.css("label", "Use the default").click()
    assert dialog.css("input[value=send]").value("element.checked")
    dialog.role("button", "Save").click()
    window.css(".table .tag").gone()
    assert writes() is None
    # Taking away everything needs a second confirmation.
    dialog = changes("member")
    dialog.css("label", "Use the default").click()
    dialog.css("input[value]:checked").each("(element.click(), true)")
    assert dialog.css("input:checked").count == 0
    dialog.role("button", "Save").click()
    window.role("dialog", "Take away every permission?").role("button", "Cancel").click()
    dialog.css(".problem", "Nothing has been changed.").wait()
    assert writes() is None
    dialog.role("button", "Save").click()
    window.role("dialog", "Take away every permission?").role("button", "Take away").click()
    window.css(".table .tag", "no, set").counts(10)
    assert writes() == 1054
    window.role("combobox", "Preset in general").type("preset messaging")
    window.role("button", "Apply").click()
    window.role("dialog", "Apply the preset messaging?").role("button", "Apply").click()
    window.css(".table .tag").gone()
    assert writes() is None


def test_a_custom_type_gets_a_table_from_a_preset_and_loses_it(console):
    """AD1"""
    console = console()
    window = console.window("keeper", "#/roles")
    window.role("textbox", "Custom type").type("town_hall")
    window.role("combobox", "Preset for the new table").type("preset livestream")
    window.role("button", "Add").click()
    window.role("dialog", "Apply the preset livestream?").role("button", "Cancel").click()
    closes_dialog(window)
    assert {one.get("custom_type") for one in console.app("role.list")["roles"]} == {None}
    window.role("button", "Add").click()
    window.role("dialog", "Apply the preset livestream?").role("button", "Apply").click()
    # Of a guest's six permissions, one is left; of a member's ten, five.
    window.css("[data-table=town_hall] .tag", "no, set").counts(10)
    assert window.css("[data-table=''] .tag").count == 0
    window.role("combobox", "Preset in channels of type town_hall").type("no table")
    window.css("[data-table=town_hall]").role("button", "Apply").click()
    window.role("dialog", "Remove the table?").role("button", "Remove").click()
    window.css("[data-table=town_hall]").gone()
    assert {one.get("custom_type") for one in console.app("role.list")["roles"]} == {None}


LISTS_ONLY = """
const send = fetch;
window.fetch = async (path, options) => {
    const answer = await send(path, options);
    if (path !== "/session") return answer;
    const session = await answer.json();
    session.commands = session.commands.filter(name => !/^(text_rule\\.(set|delete|test)|role\\.set)$/.test(name));
    return Response.json(session);
};
"""


def test_a_key_that_may_only_list_rules_and_roles_gets_no_controls(console):
    """AD1: today, the scope admin includes both; the page asks for each command."""
    console = console()
    console.app("text_rule.set", rules=[{"id": "insults", "words": ["idiot"], "action": "refuse"}])
    window = console.window("keeper", "#/rules")
    window.css("[data-rule=insults] .button").counts(2)
    window.cdp("Page.addScriptToEvaluateOnNewDocument", source=LISTS_ONLY)
    window.reload()
    window.css("[data-rule=insults]").wait()
    assert window.css("main button, main input, main textarea, main select").count == 0
    window.go("#/roles")
    window.css("[data-table]").wait()
    assert window.css("main button, main input, main textarea, main select").count == 0


def test_live_events_appear_as_they_happen(console):
    """AD1"""
    console = console()
    a_report(console)
    window = console.window("viewer")
    opens(window, "Live events")
    window.role("status", "Listening…").wait()
    console.do("ann", "message.send", channel_id="general", text="live now")
    window.css("[data-event='message.new']", "live now").wait()
    window.role("textbox", "Only this type").type("channel.frozen\n")
    # The page says so only after the server has accepted the request with the filter.
    window.role("status", "Listening…").wait()
    wait_until(lambda: console.metric("belfry_event_tails") == 1, "the request without the filter has ended")
    console.do("ann", "message.send", channel_id="general", text="filtered out")
    console.app("channel.freeze", channel_id="general")
    window.css("[data-event='channel.frozen']").wait()
    assert window.css("[data-event]", "filtered out").count == 0
    window.role("button", "Pause").click()
    wait_until(lambda: console.metric("belfry_event_tails") == 0, "the page no longer listens")


# Attacks

HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "\"><svg onload=alert(3)>", "javascript:alert(4)",
    "{{constructor.constructor('alert(5)')()}}", "</title></textarea><iframe srcdoc='<script>alert(6)</script>'>",
    "\u202etxt.exe\u2066<b>bold</b>",
]


def test_hostile_texts_are_shown_as_text_in_every_field(console, tmp_path):
    """AD1"""
    console = console()
    for number, text in enumerate(HOSTILE):
        # Names may not turn the direction of the text around them.
        name = text.replace("\u202e", "").replace("\u2066", "")[:70]
        user, channel = f"u{number}{name[:40]}", f"c{number}"
        console.app("user.upsert", id=user, nickname=name, profile_url="/" + name, metadata={name[:60]: text})
        console.person("reporter", name)
        console.app("channel.create", id=channel, name=name, user_ids=[user, "reporter"], custom_type=name, is_public=True)
        sent = console.do(user, "message.send", channel_id=channel, text=text, data=text)["message"]
        report = console.do("reporter", "report.create", category="spam", channel_id=channel, message_id=sent["id"],
                            description=text)["report"]
        console.app("member.mute", channel_id=channel, user_id=user, description=text)
        console.app("app.mute", user_id=user, description=text)
        if number == 0:
            first = (user, channel, report)
        else:
            console.app("report.resolve", report_id=report["id"], note=text)
    window = console.window("keeper")
    user, channel, report = first
    shown = HOSTILE[0]

    def shows(place: str, css: str):
        window.go(place)
        window.css(css, shown).wait()
        assert window.script("return document.querySelectorAll('#app script, #app iframe, #app b, #app img').length") == 0

    from urllib.parse import quote
    shows("#/reports/all", ".card")
    shows(f"#/reports/one/{quote(report['id'])}", ".message")
    window.css(".facts", shown).wait()
    shows("#/users", ".card")
    shows(f"#/users/{quote(user, safe='')}", ".facts")
    shows("#/channels", ".card")
    shows(f"#/channels/{channel}", ".message")
    shows(f"#/channels/{channel}/members", ".card")
    shows(f"#/channels/{channel}/log", ".card")
    shows("#/sanctions/mutes", ".card")
    shows("#/log", ".card")
    window.go("#/events")
    window.role("status", "Listening…").wait()
    console.do(user, "report.create", category="spam", channel_id=channel, description=shown)
    console.app("app.unmute", user_id=user)
    console.app("member.unmute", channel_id=channel, user_id=user)
    console.do(user, "message.send", channel_id=channel, text=shown)
    window.css("[data-event='message.new']", shown).wait()
    # Hostile addresses lead nowhere.
    for place in ("#/users/" + quote(shown, safe=""), "#/channels/" + quote(HOSTILE[1], safe=""), "#/%", "#/reports/one/<b>"):
        window.go(place)
        window.css("main h2").wait()
    # A confirmation with the name of the user.
    window.go(f"#/users/{quote(user, safe='')}")
    window.role("button", "Ban from app").click()
    window.css("dialog h2", shown).wait()
    assert window.problems() == []


def test_hostile_rules_and_custom_types_are_shown_as_text(console):
    """AD1"""
    console = console()
    for text in HOSTILE:
        console.app("text_rule.set", rules=[{"id": text, "words": [f"x{text}x"], "action": "mask", "custom_types": [text]}])
        console.app("role.set", custom_type=text, preset="team")
    window = console.window("keeper", "#/rules")

    def shows(css: str):
        for text in HOSTILE:
            window.css(css, text).wait()
        assert window.script("return document.querySelectorAll('script:not([src]), iframe, img, main b, dialog b').length") == 0

    shows("[data-rule]")
    window.role("textbox", "Custom type of the channel (optional)").type(HOSTILE[0])
    window.role("textbox", "Text to try").type(f"x{HOSTILE[0]}x")
    window.role("button", "Try").click()
    window.css("[data-verdict] mark", f"x{HOSTILE[0]}x").wait()
    window.role("button", f"Change {HOSTILE[0]}").click()
    dialog = window.role("dialog", "Change a rule").wait()
    assert dialog.css("textarea").each("element.value")[:2] == [f"x{HOSTILE[0]}x", HOSTILE[0]]
    window.keys("Escape")
    closes_dialog(window)
    window.role("button", f"Delete {HOSTILE[0]}").click()
    window.role("dialog", f"Delete the rule {HOSTILE[0]}?").wait()
    window.keys("Escape")
    closes_dialog(window)
    window.go("#/roles")
    shows("[data-table] h3")
    window.role("button", f"Change member in channels of type {HOSTILE[0]}").click()
    window.css("dialog h2", HOSTILE[0]).wait()
    shows("[data-table] h3")
    assert window.problems() == []


def test_a_key_whose_name_is_hostile_never_gets_to_the_page(console, tmp_path):
    """AD1: the names of keys are restricted, and shown as text all the same."""
    console = console()
    write_keys(tmp_path, {**KEYS, "<img src=x onerror=alert(1)>": ["read"]})
    console.server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: console.metric("belfry_api_keys_reload_failures_total") == 1, "the file is refused")
    window = console.window("keeper", "#/keys")
    window.css(".table tbody tr").counts(5)


def test_other_sites_get_nothing_from_the_listener(console):
    """AD1"""
    console = console()
    host, port = console.address
    own, key = f"http://{host}:{port}", key_of("keeper")
    refused = [{"Origin": "https://evil.example.com"}, {"Origin": "null"}, {"Origin": f"http://{host}:{port + 1}"},
               {"Origin": f"http://localhost:{port}"}, {"Host": "evil.example.com"},
               {"Host": f"evil.example.com:{port}", "Origin": f"http://evil.example.com:{port}"},
               {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site", "Origin": own}]
    for headers in refused:
        for path in ("/", "/console/main.js", "/metrics", "/readyz", "/session", "/events", "/keys", "/no-such-path"):
            status, answer, text = console.ask(path, X_API_Key=key, **headers)
            assert status == 403 and answer["Cross-Origin-Resource-Policy"] == "same-origin", (path, headers)
            assert not any(name.lower().startswith("access-control") for name in answer), (path, headers)
        status, answer, _ = console.ask("/v1/channel.create", "POST", '{"id": "made"}', X_API_Key=key, **headers)
        assert status == 403, headers
    assert console.post("channel.get", {"channel_id": "made"}, key=API_KEY)[1]["error"]["code"] == 1000
    preflight = console.ask("/v1/channel.create", "OPTIONS", Origin="https://evil.example.com",
                            Access_Control_Request_Method="POST", Access_Control_Request_Headers="x-api-key")
    assert preflight[0] == 403
    # The console's own origin is admitted.
    for headers in ({"Origin": own, "Sec_Fetch_Site": "same-origin"}, {"Sec_Fetch_Site": "same-origin"}, {}):
        assert console.ask("/v1/report.list", "POST", "{}", X_API_Key=key, **headers)[0] == 200, headers
        assert console.ask("/session", X_API_Key=key, **headers)[0] == 200, headers


EVIL = """<!doctype html><title>evil</title>
<form id=form method=post action="ADMIN/v1/channel.create" enctype="text/plain" target=frame>
<input name='{"id":"made","name":"' value='"}'></form><iframe name=frame id=frame></iframe>
<iframe id=console src="ADMIN/"></iframe><iframe id=other src="OTHER/"></iframe>
<script src="ADMIN/console/main.js" type=module></script>
<script>
window.got = [];
for (const frame of document.querySelectorAll("iframe")) frame.onload = () => got.push("a frame");
form.submit();
for (const [path, options] of [["/metrics", {}], ["/session", {headers: {"X-API-Key": "KEY"}}],
    ["/v1/channel.create", {method: "POST", body: '{"id": "made"}', headers: {"X-API-Key": "KEY"}}],
    ["/v1/channel.create", {method: "POST", body: '{"id": "made"}', mode: "no-cors"}]])
    fetch("ADMIN" + path, options).then(answer => got.push(path + answer.type + answer.status), () => got.push("failed"));
</script>"""
OTHER = "<!doctype html><title>other</title><p>a page that lets others frame it"


class Site(http.server.ThreadingHTTPServer):
    """Serves one page at every path, at an origin of its own."""

    def __init__(self, page: str):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(page.encode())

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def server_close(self):
        self.shutdown()
        super().server_close()


def framed(window, frame: str) -> tuple[str, str]:
    """Returns the title and the text of a frame, whatever its origin: WebDriver can read what scripts cannot."""
    element = window.css(f"#{frame}").all()[0]
    window("POST", "/frame", id={ELEMENT: element})
    try:
        return tuple(window.script("return [document.title, document.body.innerText]"))
    finally:
        window("POST", "/frame", id=None)


def test_a_page_of_another_origin_can_neither_read_nor_write_nor_frame_the_console(console, browse):
    """AD1"""
    console = console()
    admin = console.url.rstrip("/")
    with Site(OTHER) as other, Site(EVIL.replace("ADMIN", admin).replace("OTHER", other.origin)
                                    .replace("KEY", key_of("keeper"))) as evil:
        window = browse(evil.origin + "/")
        window.wait_until("window.got.length === 7")
        # Not even an opaque response reaches the page, because of Cross-Origin-Resource-Policy.
        assert sorted(window.script("return got")) == ["a frame"] * 3 + ["failed"] * 4
        assert console.post("channel.get", {"channel_id": "made"}, key=API_KEY)[1]["error"]["code"] == 1000
        assert framed(window, "other") == ("other", "a page that lets others frame it")
        title, text = framed(window, "console")
        assert (title, text.split(",")[0]) == ("", "only for the console and programs")
        window.log()


def test_the_console_forbids_inline_scripts_frames_and_other_servers(console):
    """AD1"""
    console = console()
    status, headers, text = console.ask("/")
    assert status == 200 and "<script>" not in text and "style=" not in text
    policy = headers["Content-Security-Policy"]
    for part in ("default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'",
                 "base-uri 'none'", "require-trusted-types-for 'script'"):
        assert part in policy
    assert "unsafe" not in policy and "Set-Cookie" not in headers
    assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Content-Type-Options"] == "nosniff"
    # The web client's own page, the socket and uploads are not here.
    for path in ("/openapi.json", "/asyncapi.json", "/connection/websocket", "/../", "/console/", "/console/../index.html"):
        assert console.ask(path)[0] == 404, path
    assert console.ask("/v1/files", "POST", "x", X_API_Key=key_of("keeper"))[0] == 404
    assert console.server.get("/console/main.js")[0] == 404


def test_an_allowed_host_lets_a_proxy_stand_in_front(console):
    """AD1"""
    console = console({"BELFRY_ADMIN_ALLOWED_HOSTS": "console.example.com"})
    key = key_of("moderator")
    for host in ("console.example.com", "Console.Example.com:8443"):
        for origin in ("https://" + host.lower(), "http://" + host.lower()):
            headers = {"Host": host, "Origin": origin, "Sec_Fetch_Site": "same-origin", "X_API_Key": key}
            assert console.ask("/session", **headers)[0] == 200
            assert console.ask("/v1/report.list", "POST", "{}", **headers)[0] == 200
        assert console.ask("/", Host=host)[0] == 200
        for origin in ("https://evil.example.com", "https://example.com", "null"):
            assert console.ask("/v1/report.list", "POST", "{}", Host=host, Origin=origin, X_API_Key=key)[0] == 403
    for host in ("example.com", "evil.console.example.com", "console.example.com.evil.example"):
        assert console.ask("/", Host=host)[0] == 403, host


def test_the_console_works_through_a_proxy(console):
    """AD1"""
    console = console()
    a_report(console)
    proxy = Proxy(console.address)
    try:
        window = console.window("moderator", "#/reports", url=f"http://127.0.0.1:{proxy.port}/")
        window.css("[data-report]").wait()
        window.go("#/users/bob")
        window.role("button", "Mute in app").click()
        window.role("dialog").role("button", "Mute").click()
        toast(window, "Bob is muted in the app.")
    finally:
        proxy.close()


@pytest.mark.needs("nginx")
def test_a_moderator_works_through_nginx_with_tls_at_an_allowed_host(console, driver, tmp_path):
    """AD1"""
    console = console({"BELFRY_ADMIN_ALLOWED_HOSTS": "console.example.com"})
    report = a_report(console)
    with (NginxForConsole(tmp_path / "nginx", console, Certificate(tmp_path / "tls")) as front,
          browser_that_knows(driver, "console.example.com") as window):
        window.open(f"https://console.example.com:{front.port}/")
        window.css(".console").wait()
        sign_in(window, key_of("moderator"))
        opens(window, "Reports")
        window.role("link", "spam: message").click()
        window.role("button", "Dismiss").click()
        window.role("dialog").role("button", "Dismiss").click()
        window.css("[data-state=dismissed]").wait()
        opens(window, "Live events")
        window.role("status", "Listening…").wait()
        console.do("ann", "message.send", channel_id="general", text="live through nginx")
        window.css("[data-event='message.new']", "live through nginx").wait()
    assert log_of(console)[0]["report_id"] == report["id"]


# Keyboard and phone

def test_moderation_works_by_keyboard_alone(console):
    """AD1"""
    console = console()
    report = a_report(console)
    window = console.window()
    tab_to(window, "Sign in")
    window.keys("Enter")
    window.css("#key").wait()
    window.wait_until("document.activeElement.id === 'key'")
    window.insert(key_of("moderator"))
    window.keys("Enter")
    window.css(".console .session .name").wait()
    tab_to(window, "Reports")
    window.keys("Enter")
    # The heading has the focus, so that it is read aloud.
    window.wait_until("document.activeElement.textContent === 'Reports'")
    window.css("[data-report]").wait()
    tab_to(window, "spam: message")
    window.keys("Enter")
    window.css(".message.marked").wait()
    tab_to(window, "Delete message", 60)
    window.keys("Enter")
    window.role("dialog", "Delete the message?").wait()
    tab_to(window, "Delete")
    window.keys("Enter")
    toast(window, "The message is deleted.")
    window.css(".message.marked", "Deleted").wait()
    tab_to(window, "Mute in channel", 60)
    window.keys("Enter")
    window.role("dialog", "Mute Bob in this channel?").wait()
    tab_to(window, "Mute")
    window.keys("Enter")
    toast(window, "Bob is muted in the channel.")
    closes_dialog(window)
    # The focus returns to the button that opened the dialog.
    assert window.focused.text == "Mute in channel"
    tab_to(window, "Resolve")
    window.keys("Enter")
    window.role("dialog", "Resolve the report?").wait()
    window.typed("by hand")
    tab_to(window, "Resolve")
    window.keys("Enter")
    window.css("[data-state=resolved]").wait()
    assert [entry["action"] for entry in log_of(console)] == ["report.resolve", "member.mute", "message.delete"]
    assert console.app("report.list")["reports"][0]["id"] == report["id"]


PLACES = ["overview", "reports/all", "users", "users/bob", "channels", "channels/general", "channels/general/members",
          "sanctions", "log", "events", "rules", "roles", "keys", "settings"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), PHONE], ids=["wide", "phone"])
def test_every_section_is_accessible_and_fits_the_window(console, size, scheme):
    """AD1"""
    console = console()
    report = a_report(console, text="a long word: " + "x" * 300, description="w" * 400)
    console.app("app.mute", user_id="bob", seconds=3_600, description="y" * 300)
    rule = {"id": "i" * 128, "words": ["w" * 256, "idiot"], "action": "mask", "custom_types": ["t" * 128]}
    console.app("text_rule.set", rules=[rule])
    console.app("role.set", custom_type="c" * 128, preset="livestream")
    window = console.window("keeper")
    window.size(*size)
    window.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
    for place in [*PLACES, f"reports/one/{report['id']}"]:
        window.go("#/" + place)
        window.css("main h2").wait()
        window.css(".notice .spinner").gone()
        # The colour of a control under the pointer is a mixture, which the check cannot read.
        window.css("main h2").hover()
        good(window)
        assert window.script(CUT_OFF) == [], place
        window.screenshot(f"console-{place.split('/')[0]}-{len(place.split('/'))}-{size[0]}-{scheme}")
    window.go("#/rules")
    window.role("textbox", "Text to try").type("idiot")
    window.role("button", "Try").click()
    window.css("[data-verdict]").wait()
    window.css("main h2").hover()
    good(window)
    for place, opener in (("rules", "Add a rule"), ("roles", "Change member in general"),
                          (f"reports/one/{report['id']}", "Resolve")):
        window.go("#/" + place)
        window.role("button", opener).click()
        window.css("dialog h2").hover()
        good(window)
        assert window.script(CUT_OFF) == [], opener
        window.keys("Escape")
        closes_dialog(window)
    window.role("button", "Sign out" if size != PHONE else "Back").click()
    if size == PHONE:
        window.go("#/")
        window.css(".places").wait()
        good(window)
        window.role("button", "Sign out").click()
    window.css("#key").wait()
    good(window)


def test_a_phone_has_the_menu_as_a_place_of_its_own(console):
    """AD1"""
    console = console()
    window = console.window("moderator")
    window.size(*PHONE)
    window.css(".places").wait()
    assert window.css("main").count == 0
    window.css(".place", "Users").click()
    window.role("heading", "Users").wait()
    assert window.css("nav.list").count == 0
    window.role("button", "Back").click()
    window.css(".places").wait()


def test_plots_show_rates_lags_connections_and_memory(console):
    """AD1"""
    console = console()
    a_report(console)
    window = console.window("viewer")

    def value(plot):
        text = window.css(f"[data-plot={plot}] .plot-legend strong").texts
        return text and text[0]

    for _ in range(8):
        console.do("ann", "message.send", channel_id="general", text="x")
    wait_until(lambda: (value("Messages") or "–") not in ("–", "0 /s"), "messages per second")
    wait_until(lambda: any(text not in ("–",) for text in window.css("[data-plot=Lag] .plot-legend strong").texts), "lags")
    assert value("Connections") not in ("–", "0") and value("Memory").endswith("MiB")
    label = window.css("[data-plot=Messages] svg").attribute("aria-label")
    assert label.startswith("Messages in the last ten minutes: messages ") and "at most" in label
    window.css(".table", "journal").wait()
    # Another section keeps what was read.
    before = window.css("[data-plot=Memory] .line-0").attribute("d")
    opens(window, "Users")
    opens(window, "Overview")
    assert len(window.css("[data-plot=Memory] .line-0").attribute("d")) >= len(before) > 0


def test_many_rows_load_page_by_page(console):
    """AD1"""
    console = console()
    console.app("user.upsert_many", users=[{"id": f"user-{number:03}", "nickname": f"User {number:03}"} for number in range(75)])
    window = console.window("viewer", "#/users")
    window.css("[data-user]").counts(50)
    window.role("button", "Show more").click()
    window.css("[data-user]").counts(75)
    window.role("button", "Show more").gone()
    assert window.focused.text == "User 050"


def test_a_reload_that_fails_keeps_the_key(console):
    """AD1"""
    console = console()
    window = console.window("viewer", "#/users")
    window.cdp("Network.enable")
    window.cdp("Network.setBlockedURLs", urls=[console.url + "session"])
    window.reload()
    window.css(".notice", "The console could not be opened").wait()
    window.css(".notice", "The server is not responding.").wait()
    assert window.script("return Object.values(sessionStorage)") == [key_of("viewer")]
    window.cdp("Network.setBlockedURLs", urls=[])
    window.role("button", "Try again").click()
    window.css(".console .session .name", "viewer").wait()
    window.role("heading", "Users").wait()


def test_the_page_says_so_when_the_server_does_not_answer(console):
    """AD1"""
    console = console()
    window = console.window("viewer")
    window.css("[data-health=true]").wait()
    window.offline(True)
    window.css("[data-health=unknown]", "The server is not responding.").wait()
    window.go("#/reports")
    window.css(".notice", "The server is not responding.").wait()
    window.offline(False)
    window.role("button", "Try again").click()
    window.css(".notice", "No open reports.").wait()
    sign_out = window.role("button", "Sign out")
    sign_out.click()
    sign_in(window.open(console.url), key_of("viewer"))
