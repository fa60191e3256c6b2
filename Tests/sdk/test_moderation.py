"""Moderation by operators with the unmodified SDK: freezing, muting and banning."""

import pytest
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
