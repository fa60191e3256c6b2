"""Moderation by operators and the app with the unmodified SDK, and the articles' rules and roles."""

import json

import pytest
from articles import block
from clients import Person

# Each test runs once in each form of the client protocol.
pytestmark = pytest.mark.usefixtures("form")


async def test_a_banned_user_loses_the_room_and_returns_when_unbanned(server, name):
    """ME2 ME3 ME4 CH10"""
    general, other = name("general"), name("other")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc(
            "channel.create", id=general, is_public=True, user_ids=[bob.user], operator_user_ids=[ann.user])
        await ann.rpc("channel.create", id=other, user_ids=[bob.user])
        await bob.hears_room("in", general)
        await ann.rpc("channel.freeze", channel_id=general)
        await bob.hears(general, "channel.frozen")
        assert await bob.refused("message.send", channel_id=general, text="x") == 1005
        assert await bob.refused("channel.unfreeze", channel_id=general) == 1006
        await ann.rpc("channel.unfreeze", channel_id=general)

        await ann.rpc("member.mute", channel_id=general, user_id=bob.user)
        muted = await bob.hears("#" + bob.user, "member.muted")
        assert muted.data["member"]["muted_until"] == 253402300799000 and muted.data["channel_id"] == general
        assert await bob.refused("message.send", channel_id=general, text="x") == 1004
        await ann.rpc("member.unmute", channel_id=general, user_id=bob.user)
        await bob.say(general, "heard again")

        await ann.rpc("member.ban", channel_id=general, user_id=bob.user, seconds=600, description="spam")
        await bob.hears_room("out", general)
        await bob.hears("#" + bob.user, "member.banned")
        await ann.say(general, "secret")
        await ann.say(other, "marker")
        await bob.hears(other, "message.new", "marker")
        assert "secret" not in str(bob.events)
        assert await bob.refused("channel.join", channel_id=general) == 1003
        assert await bob.refused("message.send", channel_id=general, text="x") == 1003
        assert await bob.refused("message.list", channel_id=general) == 1001
        listed = await ann.rpc("member.list_banned", channel_id=general)
        assert [ban["user"]["id"] for ban in listed["bans"]] == [bob.user]
        await ann.rpc("member.unban", channel_id=general, user_id=bob.user)
        await bob.rpc("channel.join", channel_id=general)
        await bob.say(general, "back")


async def test_a_user_banned_from_the_app_is_disconnected_for_good_and_returns_when_unbanned(server, name):
    """MO2"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user])
        answer = server.app("app.ban", user_id=bob.user, seconds=3_600, description="spam")
        assert answer["sanction"]["description"] == "spam" and answer["sanction"]["user"]["id"] == bob.user
        await bob.until(lambda: bob.ended, "bob is disconnected")
        assert bob.ended[0] == 3503
        assert [event.data["type"] for event in bob.events][-1] == "user.banned"
        again = Person(server, bob.user)
        with pytest.raises(Exception):
            async with again:
                pass
        refusal = server.post("message.send", {"channel_id": general, "text": "x"}, user=bob.user)[1]["error"]
        assert refusal["code"] == 1055 and 0 < refusal["retry_after_ms"] <= 3_600_000
        assert [ban["user"]["id"] for ban in server.app("app.list_banned")["bans"]] == [bob.user]
        server.app("app.unban", user_id=bob.user)
        async with Person(server, bob.user) as back:
            await back.say(general, "back")


async def test_a_user_muted_in_the_app_hears_it_and_can_send_nowhere(server, name):
    """MO2"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user])
        server.app("app.mute", user_id=bob.user, seconds=3_600)
        muted = await bob.hears("#" + bob.user, "user.muted")
        assert muted.data["sanction"]["until"] > muted.data["at"]
        assert await bob.refused("message.send", channel_id=general, text="x") == 1004
        assert await bob.refused("channel.create", name="x", user_ids=[ann.user]) == 1004
        server.app("app.unmute", user_id=bob.user)
        await bob.hears("#" + bob.user, "user.unmuted")
        await bob.say(general, "heard again")


async def test_a_blocked_user_reaches_the_blocker_neither_by_name_nor_alone(server, name):
    """MO1"""
    general, pair = name("general"), name("pair")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user])
        await ann.rpc("channel.create", id=pair, user_ids=[bob.user], is_distinct=True)
        await bob.rpc("user.block", user_id=ann.user)
        told = await bob.hears("#" + bob.user, "block.changed")
        assert told.data["block"]["user"]["id"] == ann.user and told.data["block"]["is_blocked"]
        assert await ann.refused("message.send", channel_id=pair, text="x") == 1052
        assert await ann.refused("typing.start", channel_id=pair) == 1052
        sent = await ann.say(general, "hello", mentioned_user_ids=[bob.user])
        assert "mentioned_user_ids" not in sent
        heard = await bob.hears(general, "message.new", "hello")
        assert "from_blocked" not in heard.data["message"]
        listed = await bob.rpc("message.list", channel_id=general)
        assert [message["from_blocked"] for message in listed["messages"]] == [True]
        # Typing is seen by everyone but the blocked.
        await bob.rpc("typing.start", channel_id=general)
        await bob.say(general, "marker")
        await ann.hears(general, "message.new", "marker")
        assert not ann.heard(general, "typing.started") and bob.heard(general, "typing.started")
        assert (await ann.rpc("user.get", user_id=bob.user))["user"]["online"] is False
        await bob.rpc("user.unblock", user_id=ann.user)
        await ann.say(pair, "again")


async def test_slow_mode_tells_how_long_to_wait(server, name):
    """MO5"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user], operator_user_ids=[ann.user])
        await ann.rpc("channel.update", channel_id=general, slow_mode_seconds=3_600)
        updated = await bob.hears(general, "channel.updated")
        assert updated.data["channel"]["slow_mode_seconds"] == 3_600
        await bob.say(general, "once")
        refusal = server.post("message.send", {"channel_id": general, "text": "twice"}, user=bob.user)[1]["error"]
        assert refusal["code"] == 1051 and 3_500_000 < refusal["retry_after_ms"] <= 3_600_000
        await ann.say(general, "operators do not wait")
        await ann.say(general, "at all")
        await ann.rpc("channel.update", channel_id=general, slow_mode_seconds=0)
        await bob.say(general, "twice")


async def test_a_report_is_worked_on_and_stands_in_the_log(server, name):
    """ME5 MO6"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user], operator_user_ids=[ann.user])
        bad = await bob.say(general, "bad")
        report = (await ann.rpc(
            "report.create", category="harassing", channel_id=general, message_id=bad["id"]))["report"]
        assert report["state"] == "open"
        await ann.rpc("message.delete", channel_id=general, message_id=bad["id"])
        await ann.rpc("member.mute", channel_id=general, user_id=bob.user, description="harassing")
        settled = server.app("report.resolve", report_id=report["id"], note="muted")["report"]
        assert settled["state"] == "resolved" and settled["note"] == "muted"
        log = (await ann.rpc("member.moderation_log", channel_id=general))["entries"]
        assert [(entry["action"], entry["by"], entry["user_id"]) for entry in log] == [
            ("member.mute", ann.user, bob.user), ("message.delete", ann.user, bob.user)]
        assert log[1]["message_id"] == bad["id"] and log[0]["description"] == "harassing"
        assert await bob.refused("member.moderation_log", channel_id=general) == 1006
        entries = server.app("app.moderation_log")["entries"]
        assert any(entry.get("report_id") == report["id"] and entry["description"] == "muted" for entry in entries)
        shown = json.loads(block("Moderation.md", '{"entries"'))["entries"][0]
        assert log[0].keys() | {"until"} == shown.keys()


async def test_the_articles_rules_refuse_mask_and_report(server, name):
    """MO3"""
    general, support = name("general"), name("support")
    rules = json.loads(block("Moderation.md", '{"rules"'))["rules"]
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user])
        await ann.rpc("channel.create", id=support, user_ids=[bob.user], custom_type="support")
        server.app("text_rule.set", rules=rules)
        try:
            listed = server.app("text_rule.list")["rules"]
            assert {rule["id"] for rule in rules} <= {rule["id"] for rule in listed}
            for text in ["you idiot", "mor\u200bonic", "i d i o t", "IDI\u00d6T"]:
                assert await bob.refused("message.send", channel_id=general, text=text) == 1050
            said = await bob.say(general, "fine")
            assert await bob.refused(
                "message.update", channel_id=general, message_id=said["id"], text="moron") == 1050
            assert await bob.refused("channel.create", id=name("other"), name="moron") == 1050
            assert (await bob.say(general, "damn it"))["text"] == "**** it"
            assert (await ann.hears(general, "message.new", "**** it")).data["message"]["text"] == "**** it"
            assert await bob.refused("message.send", channel_id=support, text="see http://evil.example") == 1050
            await bob.say(general, "see http://evil.example")
            asked = await bob.say(general, "send me 100")
            (report,) = [
                one for one in server.app("report.list", state="open")["reports"]
                if one.get("message_id") == asked["id"]]
            assert report["rule_id"] == "money" and report["user_id"] == bob.user
            tried = server.app("text_rule.test", text="damn idiot")
            assert [one["rule_id"] for one in tried["matches"]] == ["insults", "swearing"]
        finally:
            server.app("text_rule.delete", ids=[rule["id"] for rule in rules])
        await bob.say(general, "idiot")


async def test_the_articles_role_lets_members_of_a_channel_only_write_and_react(server, name):
    """RO1"""
    hall, general = name("hall"), name("general")
    role = json.loads(block("Roles.md", '{"role"'))
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user], operator_user_ids=[ann.user])
        await ann.rpc(
            "channel.create", id=hall, user_ids=[bob.user], operator_user_ids=[ann.user],
            custom_type=role["custom_type"])
        server.app("role.set", **role)
        try:
            said = await bob.say(hall, "hello")
            await bob.rpc("reaction.add", channel_id=hall, message_id=said["id"], key="sob")
            assert await bob.refused("message.delete", channel_id=hall, message_id=said["id"]) == 1054
            assert await bob.refused("message.update", channel_id=hall, message_id=said["id"], text="x") == 1054
            await ann.rpc("message.delete", channel_id=hall, message_id=said["id"])
            mine = (await bob.rpc("channel.get", channel_id=hall))["channel"]["my"]["permissions"]
            assert sorted(mine) == sorted(role["permissions"])
            elsewhere = await bob.say(general, "hello")
            await bob.rpc("message.delete", channel_id=general, message_id=elsewhere["id"])
        finally:
            server.app("role.set", role=role["role"], custom_type=role["custom_type"])
        said = await bob.say(hall, "again")
        await bob.rpc("message.delete", channel_id=hall, message_id=said["id"])
