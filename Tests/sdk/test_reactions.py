"""Reactions and emojis, as seen by the unmodified SDK and the app's backend."""

import pytest
from clients import Person, Wire

# Each test runs once in each form of the client protocol.
pytestmark = pytest.mark.usefixtures("form")


async def test_a_reaction_reaches_everyone_and_can_be_toggled(server, name):
    """R1 R2 R3"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user])
        sent = await ann.say(general, "hello")
        target = {"channel_id": general, "message_id": sent["id"]}
        given = (await bob.rpc("reaction.add", **target, key="thumbs_up"))["reaction"]
        assert (given["operation"], given["count"], given["user_id"]) == ("add", 1, bob.user)
        for person in (ann, bob):
            assert (await person.hears(general, "reaction.updated")).data["reaction"] == given
        assert (await bob.rpc("reaction.add", **target, key="thumbs_up"))["reaction"] == given
        seen = (await ann.rpc("message.list", channel_id=general, include_reactions=True))["messages"][0]["reactions"]
        assert seen == [
            {"key": "thumbs_up", "count": 1, "user_ids": [bob.user], "mine": False, "updated_at": given["updated_at"]}
        ]
        users = await ann.rpc("reaction.list_users", **target, key="thumbs_up")
        assert [user["id"] for user in users["users"]] == [bob.user]
        taken = (await bob.rpc("reaction.remove", **target, key="thumbs_up"))["reaction"]
        assert (taken["operation"], taken["count"]) == ("remove", 0) and taken["updated_at"] > given["updated_at"]
        await ann.until(lambda: len(ann.heard(general, "reaction.updated")) == 2, "ann hears both, and only both")
        assert "reactions" not in (await ann.rpc("message.get", **target))["message"]
        assert await ann.refused("reaction.add", **target, key="unheard_of") == 1034


async def test_the_emoji_hash_is_sent_on_connect(server, name):
    """R1"""
    async def connect():
        async with Wire(server) as wire:
            return (await wire.connect(name("ann")))["data"]["emoji_hash"]

    status, listed = server.post("emoji.list", {}, user=name("ann"))
    assert status == 200 and len(listed["emojis"]) >= 7 and await connect() == listed["hash"]
    key = name("party")
    assert server.post("emoji.create", {"key": key, "character": "🎉"}, user=name("ann"))[1]["error"]["code"] == 1009
    made = server.app("emoji.create", key=key, character="🎉")
    assert made["hash"] != listed["hash"] and await connect() == made["hash"]
    assert server.app("emoji.delete", key=key)["hash"] == listed["hash"] == await connect()
