"""Two users with the unmodified SDK: invitations, conversation, threads, a lost connection, and leaving."""

import pytest
from clients import Link, Person, Wire

# Each test runs once in each form of the client protocol.
pytestmark = pytest.mark.usefixtures("form")


async def test_an_invited_user_joins_automatically_and_both_talk(server, name):
    """US3 CH2 CH7 CH8 MS3"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        made = await ann.rpc("channel.create", id=general, name="General")
        assert made["created"] and made["channel"]["my"]["state"] == "joined" and not made["channel"]["is_public"]
        await ann.hears_room("in", general)

        invited = await ann.rpc("channel.invite", channel_id=general, user_ids=[bob.user])
        assert (invited["joined"], invited["invited"], invited["refused"]) == ([bob.user], [], [])
        await bob.hears_room("in", general)
        joined = await ann.hears(general, "member.joined")
        assert joined.data["member"]["user"]["id"] == bob.user

        hello = await ann.say(general, "hello bob")
        heard = await bob.hears(general, "message.new", "hello bob")
        assert heard.data["message"]["id"] == hello["id"] and heard.offset == hello["offset"]
        assert heard.data["by"] == ann.user and heard.data["message"]["user"]["id"] == ann.user
        hi = await bob.say(general, "hi ann")
        await ann.hears(general, "message.new", "hi ann")
        # The sender's own devices receive it too.
        await bob.hears(general, "message.new", "hi ann")

        listed = await bob.rpc("message.list", channel_id=general)
        assert [message["id"] for message in listed["messages"]] in ([hello["id"], hi["id"]], [hi["id"], hello["id"]])


async def test_a_user_without_auto_accept_is_invited_and_accepts_manually(server, name):
    """US3 CH8"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        kept = await bob.rpc("user.preferences", auto_accept_invitations=False)
        assert kept == {"auto_accept_invitations": False, "push": "all"}
        await ann.rpc("channel.create", id=general)
        await ann.say(general, "before")
        invited = await ann.rpc("channel.invite", channel_id=general, user_ids=[bob.user])
        assert (invited["joined"], invited["invited"]) == ([], [bob.user])
        received = await bob.hears("#" + bob.user, "invitation.received")
        assert received.data["invitation"]["inviter"]["id"] == ann.user
        assert received.data["invitation"]["invitee"]["id"] == bob.user
        assert received.data["invitation"]["channel"]["id"] == general
        assert (await bob.rpc("channel.get", channel_id=general))["channel"]["my"]["state"] == "invited"
        assert await bob.refused("message.send", channel_id=general, text="too early") == 1002
        assert await bob.refused("message.list", channel_id=general) == 1002
        # An invited user receives nothing from the channel yet.
        assert ("in", general) not in bob.rooms and not bob.heard(general)

        accepted = await bob.rpc("channel.accept", channel_id=general)
        assert accepted["channel"]["my"]["state"] == "joined"
        await bob.hears_room("in", general)
        told = await ann.hears(general, "invitation.accepted")
        assert told.data["invitation"]["invitee"]["id"] == bob.user
        assert told.data["invitation"]["inviter"]["id"] == ann.user
        await ann.say(general, "welcome")
        await bob.hears(general, "message.new", "welcome")


async def test_a_declined_invitation_disappears(server, name):
    """CH8"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await bob.rpc("user.preferences", auto_accept_invitations=False)
        await ann.rpc("channel.create", id=general, user_ids=[bob.user])
        await bob.hears("#" + bob.user, "invitation.received")
        await bob.rpc("channel.decline", channel_id=general)
        told = await ann.hears(general, "invitation.declined")
        assert told.data["invitation"]["invitee"]["id"] == bob.user
        assert await bob.refused("channel.accept", channel_id=general) == 1000
        assert await bob.refused("channel.get", channel_id=general) == 1000


async def test_a_reply_arrives_once_with_its_thread(server, name):
    """T1 T3 T4 T5"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user])
        parent = await ann.say(general, "lunch?")
        reply = await bob.say(general, "at noon", parent_message_id=parent["id"])
        assert reply["parent"]["state"] == "ok" and reply["parent"]["text"] == "lunch?"
        heard = await ann.hears(general, "thread.reply", "at noon")
        assert heard.data["message"]["id"] == reply["id"]
        assert heard.data["thread"]["parent_message_id"] == parent["id"]
        assert heard.data["thread"]["reply_count"] == 1
        assert [user["id"] for user in heard.data["thread"]["most_replied_users"]] == [bob.user]
        assert await ann.refused("message.send", channel_id=general, text="no", parent_message_id=reply["id"]) == 1020

        silent = await ann.say(general, "quietly", parent_message_id=parent["id"], reply_to_channel=False)
        await bob.hears(general, "thread.reply", "quietly")
        replies = await bob.rpc("thread.replies", channel_id=general, parent_message_id=parent["id"])
        assert [message["id"] for message in replies["replies"]] == [reply["id"], silent["id"]]
        assert replies["parent"]["thread"]["reply_count"] == 2
        # There must be no message.new in addition.
        assert [event.data["message"]["text"] for event in bob.heard(general, "message.new")] == ["lunch?"]


async def test_a_lost_connection_recovers_exactly_the_missed_events(server, name):
    """CH17 MS3"""
    general, other = name("general"), name("other")
    async with Link(server) as link, Person(server, name("ann"), link.address, max_reconnect_delay=0.2) as ann:
        async with Person(server, name("bob")) as bob:
            await ann.rpc("channel.create", id=general, user_ids=[bob.user])
            await bob.say(general, "before")
            await ann.hears(general, "message.new", "before")

            link.tear()
            await ann.until(lambda: ann.interruptions, "ann notices the cut")
            parent = await bob.say(general, "missed 1")
            await bob.say(general, "missed 2", parent_message_id=parent["id"])
            await bob.say(general, "missed 3")
            # A room gained during the absence arrives as a new subscription.
            await bob.rpc("channel.create", id=other, user_ids=[ann.user])
            link.mend()
            await ann.until(lambda: ann.connected == 2, "ann is back")
            await bob.say(general, "after")
            await ann.hears(general, "message.new", "after")
            await ann.hears_room("in", other)

            again = [context for context in ann.subscribed if context.channel == general][-1]
            assert again.was_recovering and again.recovered
            # Transient events have no offset. Those of other nodes come a moment later.
            events = [event for event in ann.heard(general) if event.offset]
            assert [event.offset for event in events] == list(range(events[0].offset, events[-1].offset + 1))
            assert [event.data["message"]["text"] for event in events if "message" in event.data] == [
                "before", "missed 1", "missed 2", "missed 3", "after",
            ]


async def test_a_message_resent_after_a_lost_connection_is_stored_once(server, name):
    """MS3"""
    general = name("general")
    async with Link(server) as link, Person(server, name("ann"), link.address, max_reconnect_delay=0.2) as ann:
        await ann.rpc("channel.create", id=general)
        first = await ann.say(general, "once", client_id="c1")
        link.tear()
        await ann.until(lambda: ann.interruptions, "ann notices the cut")
        link.mend()
        await ann.until(lambda: ann.connected == 2, "ann is back")
        again = await ann.say(general, "once", client_id="c1")
        assert again == first
        assert await ann.refused("message.send", channel_id=general, text="other", client_id="c1") == 1033
        assert len((await ann.rpc("message.list", channel_id=general))["messages"]) == 1


async def test_nothing_arrives_after_leaving(server, name):
    """CH9"""
    general, other = name("general"), name("other")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob, Wire(server) as wire:
        # The SDK drops unknown rooms; a bare connection sees everything.
        await wire.connect(ann.user)
        for channel in (general, other):
            await bob.rpc("channel.create", id=channel, user_ids=[ann.user])
        await bob.say(general, "hello")
        await ann.hears(general, "message.new", "hello")
        await wire.hears(general, "hello")

        await ann.rpc("channel.leave", channel_id=general)
        left = await bob.hears(general, "member.left")
        assert left.data["member"]["user"]["id"] == ann.user
        await bob.say(general, "secret")
        await bob.say(other, "marker")
        await ann.hears(other, "message.new", "marker")
        await wire.hears(other, "marker")
        await ann.hears_room("out", general)

        assert "secret" not in str(ann.events) and "secret" not in str(wire.pushes)
        rooms = [push for push in wire.pushes if push["channel"] == general]
        assert "unsubscribe" in rooms[-1] and rooms[-1]["unsubscribe"]["code"] == 2000
        assert await ann.refused("message.list", channel_id=general) == 1000
        assert await ann.refused("message.send", channel_id=general, text="still here?") == 1000


async def test_a_public_channel_can_be_joined_without_an_invitation(server, name):
    """CH2 CH9"""
    lobby = name("lobby")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=lobby, is_public=True)
        assert await bob.refused("message.send", channel_id=lobby, text="hi") == 1001
        assert (await bob.rpc("channel.join", channel_id=lobby))["channel"]["my"]["state"] == "joined"
        assert await bob.refused("channel.join", channel_id=lobby) == 1010
        await bob.say(lobby, "hi")
        await ann.hears(lobby, "message.new", "hi")


async def test_a_distinct_channel_is_found_again_until_somebody_new_joins(server, name):
    """CH3 CH4"""
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        first = await ann.rpc("channel.create", user_ids=[bob.user], is_distinct=True)
        again = await bob.rpc("channel.create", user_ids=[ann.user], is_distinct=True)
        assert first["created"] and not again["created"]
        assert again["channel"]["id"] == first["channel"]["id"]
        server.app("user.upsert", id=name("cleo"))
        await ann.rpc("channel.invite", channel_id=first["channel"]["id"], user_ids=[name("cleo")])
        fresh = await ann.rpc("channel.create", user_ids=[bob.user], is_distinct=True)
        assert fresh["created"] and fresh["channel"]["id"] != first["channel"]["id"]
        assert await ann.refused("channel.create", is_distinct=True, is_super=True) == 1016
