"""Changed and deleted messages as received by the unmodified SDK."""

import pytest
from clients import Person

# Each test runs once in each form of the client protocol.
pytestmark = pytest.mark.usefixtures("form")


async def test_a_message_is_edited_and_deleted_for_everyone(server, name):
    """MS7 MS8 MS3"""
    general = name("general")
    async with Person(server, name("ann")) as ann, Person(server, name("bob")) as bob:
        await ann.rpc("channel.create", id=general, user_ids=[bob.user])
        sent = await ann.say(general, "helo", client_id="c1")
        changed = (await ann.rpc("message.update", channel_id=general, message_id=sent["id"], text="hello"))["message"]
        assert changed["updated_at"] >= changed["created_at"] == sent["created_at"]
        for person in (ann, bob):
            heard = await person.hears(general, "message.updated", "hello")
            assert heard.data["message"]["id"] == sent["id"] and heard.offset > sent["offset"]
        assert await bob.refused("message.update", channel_id=general, message_id=sent["id"], text="no") == 1007
        assert await ann.say(general, "helo", client_id="c1") == changed

        reply = await bob.say(general, "hi", parent_message_id=sent["id"])
        assert await ann.refused("message.delete", channel_id=general, message_id=sent["id"]) == 1021
        await bob.rpc("message.delete", channel_id=general, message_id=reply["id"])
        gone = await ann.hears(general, "message.deleted")
        assert gone.data["message_id"] == reply["id"] and gone.data["parent_message_id"] == sent["id"]
        assert gone.data["thread"]["reply_count"] == 0 and "message" not in gone.data
        tombstone = (await ann.rpc("message.delete", channel_id=general, message_id=sent["id"]))["message"]
        assert tombstone["deleted_at"] >= sent["created_at"] and "text" not in tombstone
        await bob.until(lambda: len(bob.heard(general, "message.deleted")) == 2, "bob hears both")
        assert await bob.refused("message.get", channel_id=general, message_id=sent["id"]) == 1023
        assert await ann.refused("message.send", channel_id=general, text="helo", client_id="c1") == 1023
        assert (await bob.rpc("message.list", channel_id=general, replies="all"))["messages"] == []
        kept = await bob.rpc("message.list", channel_id=general, replies="all", include_deleted=True)
        assert [message["id"] for message in kept["messages"]] == [sent["id"], reply["id"]]
        assert all("text" not in message for message in kept["messages"])
