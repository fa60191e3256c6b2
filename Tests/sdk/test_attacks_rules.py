"""Actions forbidden by a channel's rules, attempted in other ways, with the unmodified SDK and over HTTP.

Tests/Server/APITests/AuthorizationTable.swift has the rights for each command; these are the most harmful attacks.
"""

import pytest
from belfry import Server
from clients import Person

MUTED, FROZEN, NOT_AN_OPERATOR, TAKEN, INVALID = 1004, 1005, 1006, 1015, 1032
NOT_PERMITTED = 1054


async def silenced(operator: Person, member: Person, channel: str, how: str):
    if how == "frozen":
        await operator.rpc("channel.freeze", channel_id=channel)
        await member.hears(channel, "channel.frozen")
    else:
        await operator.rpc("member.mute", channel_id=channel, user_id=member.user)
        await member.hears("#" + member.user, "member.muted")


@pytest.mark.parametrize(("how", "code"), [("muted", MUTED), ("frozen", FROZEN)])
async def test_a_silenced_user_reaches_nobody_by_edits_reactions_titles_or_invitations(server, name, how, code):
    """MS9: regression: only `message.send` was refused, and an edit with `mention_type: channel` still notified
    everyone."""
    general = name("general")
    async with (
        Person(server, name("ann")) as ann,
        Person(server, name("mallory")) as mallory,
        Person(server, name("bob")) as bob,
    ):
        await ann.rpc(
            "channel.create", id=general, user_ids=[mallory.user], operator_user_ids=[ann.user])
        await mallory.hears_room("in", general)
        message = await mallory.say(general, "before")
        await ann.say(general, "a reply", parent_message_id=message["id"])
        await mallory.rpc("reaction.add", channel_id=general, message_id=message["id"], key="sob")
        await silenced(ann, mallory, general, how)
        before = len(ann.heard(general))

        one = {"channel_id": general, "message_id": message["id"]}
        for method, data in [
            ("message.send", {"channel_id": general, "text": "x"}),
            ("message.send", {"channel_id": general, "text": "x", "parent_message_id": message["id"]}),
            ("message.update", {**one, "text": "all I wanted to say", "mention_type": "channel"}),
            ("message.update", {**one, "mention_type": "channel"}),
            ("thread.update", {"channel_id": general, "parent_message_id": message["id"], "title": "x"}),
            ("reaction.add", {**one, "key": "rage"}),
            ("reaction.remove", {**one, "key": "sob"}),
            ("channel.invite", {"channel_id": general, "user_ids": [bob.user]}),
            ("typing.start", {"channel_id": general}),
        ]:
            assert await mallory.refused(method, **data) == code, method
            status, answer = server.post(method, data, user=mallory.user)
            assert (status, answer["error"]["code"]) == (403, code), method
        # Private actions, and leaving.
        await mallory.rpc("read.mark", channel_id=general)
        await mallory.rpc("message.list", channel_id=general)
        await mallory.rpc("channel.hide", channel_id=general)

        marker = await ann.say(general, "marker")
        await ann.hears(general, "message.new", "marker")
        heard = [event.data["type"] for event in ann.heard(general)[before:] if event.offset]
        assert heard == ["message.new"], heard
        assert marker["offset"] == ann.heard(general)[-1].offset
        unread = (await ann.rpc("channel.get", channel_id=general))["channel"]["my"]
        assert unread["unread_mention_count"] == 0
        await mallory.rpc("channel.leave", channel_id=general)
        assert ("in", general) not in bob.rooms


async def test_a_muted_operator_cannot_lift_the_mute_or_remove_its_author(server, name):
    """ME4: an operator is muted like anyone else."""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("mallory")) as mallory:
        await ann.rpc(
            "channel.create", id=general, operator_user_ids=[ann.user, mallory.user])
        await mallory.hears_room("in", general)
        assert await ann.refused("member.mute", channel_id=general, user_id=mallory.user) == NOT_PERMITTED
        server.app("member.mute", channel_id=general, user_id=mallory.user)
        await mallory.hears("#" + mallory.user, "member.muted")
        for method, data in [
            ("member.unmute", {"user_id": mallory.user}), ("member.ban", {"user_id": ann.user}),
            ("operator.remove", {"user_ids": [ann.user]}), ("channel.update", {"name": "mallory's"}),
            ("channel.freeze", {}), ("channel.delete", {}),
        ]:
            assert await mallory.refused(method, channel_id=general, **data) == MUTED, method
        server.app("member.unmute", channel_id=general, user_id=mallory.user)
        await mallory.say(general, "heard again")


async def test_a_squatted_channel_gets_none_of_the_apps_users(server, name):
    """CH6: regression: the first user to create the channel became its operator, and the app added members to it."""
    support = name("support")
    async with Person(server, name("mallory")) as mallory, Person(server, name("bob")) as bob:
        await mallory.rpc("channel.create", id=support, operator_user_ids=[mallory.user])
        item = {"id": support, "user_ids": [bob.user]}
        answer = server.app("channel.upsert_many", channels=[item, {"id": name("sales")}])
        assert [(refusal["channel_id"], refusal["code"]) for refusal in answer["refused"]] == [(support, TAKEN)]
        assert answer["created"] == [name("sales")] and ("in", support) not in bob.rooms

        answer = server.app("channel.upsert_many", channels=[{**item, "take_over": True}])
        assert answer["refused"] == [] and "created_by" not in answer["channels"][0]
        await bob.hears_room("in", support)
        await mallory.hears("#" + mallory.user, "operator.removed")
        assert await mallory.refused("member.ban", channel_id=support, user_id=bob.user) == NOT_AN_OPERATOR
        # From now on the channel belongs to the server.
        assert server.app("channel.upsert_many", channels=[item])["refused"] == []


async def test_channel_ownership_survives_a_restart(tmp_path):
    server = Server(tmp_path)
    for command, data in [("user.upsert", {"id": "mallory"}), ("user.upsert", {"id": "bob"})]:
        server.app(command, **data)
    for id in ("support", "sales"):
        status, _ = server.post("channel.create", {"id": id, "operator_user_ids": ["mallory"]}, user="mallory")
        assert status == 200
    server.app("channel.upsert_many", channels=[{"id": "support", "take_over": True}])
    server.process.kill()
    server.process.wait()
    again = Server(tmp_path)
    try:
        items = [{"id": id, "user_ids": ["bob"]} for id in ("support", "sales")]
        answer = again.app("channel.upsert_many", channels=items)
        assert [channel["id"] for channel in answer["channels"]] == ["support"]
        assert [refusal["code"] for refusal in answer["refused"]] == [TAKEN]
        _, refusal = again.post("channel.freeze", {"channel_id": "support"}, user="mallory")
        assert refusal["error"]["code"] == NOT_AN_OPERATOR
    finally:
        assert again.terminate() == 0


async def test_a_user_cannot_tell_taken_channel_ids_from_reserved_ones(tmp_path):
    server = Server(tmp_path, {"BELFRY_CHAT_USER_CHANNEL_IDS": "prefix"})
    try:
        server.app("channel.create", id="vault")
        taken, free = (server.post("channel.create", {"id": id}, user="mallory") for id in ("vault", "attic"))
        assert taken == free and taken[0] == 409 and taken[1]["error"]["code"] == TAKEN
        assert server.post("channel.create", {"id": "~mine"}, user="mallory")[0] == 200
        assert server.post("channel.create", {}, user="mallory")[0] == 200
        server.app("settings.update", user_channel_ids="off")
        status, answer = server.post("channel.create", {"id": "~more"}, user="mallory")
        assert (status, answer["error"]["code"]) == (400, INVALID) and "id: " in answer["error"]["message"]
        assert server.post("channel.create", {}, user="mallory")[0] == 200
    finally:
        assert server.terminate() == 0
