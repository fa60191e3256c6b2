"""Recovery from every kind of position: exactly the missed events, in order, or `recovered: false`."""

import pytest
from belfry import API_KEY, RING_EVENTS, Server
from clients import Wire

# Each test runs once in each form of the client protocol.
pytestmark = pytest.mark.usefixtures("form")

FULL = RING_EVENTS + 10


def fill(server, channel, owner, count):
    """Creates a channel, sends `count` messages, and returns the channel's top."""
    server.app("user.upsert", id=owner)
    status, result = server.post("channel.create", {"id": channel, "as_user_id": owner}, key=API_KEY)
    assert status == 200, result
    top = 0
    for number in range(1, count + 1):
        status, result = server.post("message.send", {"channel_id": channel, "text": str(number)}, user=owner)
        assert status == 200, result
        top = result["message"]["offset"]
    return top


async def position(server, user, channel):
    async with Wire(server) as wire:
        sub = (await wire.connect(user))["subs"][channel]
        return sub["offset"], sub["epoch"]


# Distances back from the top, with the number of recovered events; None if unrecoverable.
POSITIONS = {
    "newest": (0, 0),
    "one before the newest": (-1, 1),
    "oldest": (1 - RING_EVENTS, RING_EVENTS - 1),
    "one before the oldest": (-RING_EVENTS, RING_EVENTS),
    "two before the oldest": (-RING_EVENTS - 1, None),
    "one after the newest": (1, None),
}


@pytest.mark.parametrize("way", ["subscribe", "connect"])
async def test_recovery_from_a_position_is_exact_or_reported_as_impossible(server, name, way):
    """CH17"""
    ann, general = name("ann"), name("general")
    top = fill(server, general, ann, FULL)
    newest, epoch = await position(server, ann, general)
    assert newest == top

    async def recover(**wanted):
        async with Wire(server) as wire:
            if way == "connect":
                sub = (await wire.connect(ann, subs={general: {"recover": True, **wanted}}))["subs"][general]
            else:
                await wire.connect(ann, data={"subscribe": "none"})
                sub = (await wire.subscribe(general, recover=True, **wanted))["subscribe"]
            assert sub["was_recovering"] and sub["recoverable"] and sub["positioned"]
            assert (sub["offset"], sub["epoch"]) == (top, epoch)
            offsets = [publication["offset"] for publication in sub.get("publications", [])]
            return offsets if sub.get("recovered", False) else None

    for what, (distance, count) in POSITIONS.items():
        expected = None if count is None else list(range(top - count + 1, top + 1))
        assert await recover(offset=top + distance, epoch=epoch) == expected, what
    for offset in (0, 2**63 - 1, 2**63, 2**64 - 1):
        assert await recover(offset=offset, epoch=epoch) is None, offset
    for other in (epoch + "x", "", epoch.swapcase() if epoch.swapcase() != epoch else "other"):
        assert await recover(offset=top, epoch=other) is None, other


async def test_a_client_can_request_an_error_when_recovery_is_impossible(server, name):
    ann, general = name("ann"), name("general")
    top = fill(server, general, ann, 3)
    _, epoch = await position(server, ann, general)
    async with Wire(server) as wire:
        await wire.connect(ann, data={"subscribe": "none"})
        refused = await wire.subscribe(general, recover=True, offset=top + 1, epoch=epoch, flag=2)
        assert refused["error"]["code"] == 112
        taken = await wire.subscribe(general, recover=True, offset=top, epoch=epoch, flag=2)
        assert taken["subscribe"]["recovered"]


async def test_a_position_from_before_a_leave_is_not_recovered(server, name):
    """CH9 CH17"""
    ann, bob, general = name("ann"), name("bob"), name("general")
    fill(server, general, bob, 1)
    server.app("user.upsert", id=ann)
    server.app("channel.invite", channel_id=general, user_ids=[ann], as_user_id=bob)
    before, epoch = await position(server, ann, general)
    server.app("message.send", channel_id=general, text="seen", as_user_id=bob)
    server.app("channel.leave", channel_id=general, as_user_id=ann)
    server.app("message.send", channel_id=general, text="not for ann", as_user_id=bob)
    server.app("channel.invite", channel_id=general, user_ids=[ann], as_user_id=bob)
    server.app("message.send", channel_id=general, text="back", as_user_id=bob)
    async with Wire(server) as wire:
        connected = await wire.connect(ann, subs={general: {"recover": True, "offset": before, "epoch": epoch}})
        sub = connected["subs"][general]
        assert sub["was_recovering"] and not sub.get("recovered", False)
        assert not sub.get("publications")


async def test_a_position_from_before_joining_is_not_recovered(server, name):
    """CH7 CH17"""
    ann, bob, general = name("ann"), name("bob"), name("general")
    fill(server, general, bob, 3)
    server.app("user.upsert", id=ann)
    server.app("channel.invite", channel_id=general, user_ids=[ann], as_user_id=bob)
    _, epoch = await position(server, ann, general)
    async with Wire(server) as wire:
        sub = (await wire.connect(ann, subs={general: {"recover": True, "offset": 1, "epoch": epoch}}))["subs"][general]
        assert not sub.get("recovered", False)


async def test_a_position_in_another_users_room_yields_nothing(server, name):
    """CH2"""
    ann, bob, general = name("ann"), name("bob"), name("general")
    fill(server, general, bob, 1)
    _, epoch = await position(server, bob, general)
    async with Wire(server) as wire:
        positions = {room: {"recover": True, "offset": 0, "epoch": epoch} for room in (general, "#" + bob, "no such")}
        assert set((await wire.connect(ann, subs=positions))["subs"]) == {"#" + ann}


async def test_live_events_follow_recovered_ones_without_a_gap(server, name):
    """CH17"""
    ann, bob, general = name("ann"), name("bob"), name("general")
    fill(server, general, bob, 5)
    server.app("user.upsert", id=ann)
    server.app("channel.invite", channel_id=general, user_ids=[ann], as_user_id=bob)
    since, epoch = await position(server, ann, general)
    async with Wire(server) as sender:
        await sender.connect(bob)
        for round in range(20):
            async with Wire(server) as wire:
                # Sent while the other client connects: each message is recovered or arrives live, never both.
                await sender.send(
                    f'{{"id":{1000 + round},"rpc":{{"method":"message.send","data":{{"channel_id":"{general}","text":"r{round}"}}}}}}'
                )
                connected = await wire.connect(ann, subs={general: {"recover": True, "offset": since, "epoch": epoch}})
                await sender.until(lambda: 1000 + round in sender.replies, "the message is stored")
                top = sender.replies[1000 + round]["rpc"]["data"]["message"]["offset"]
                sub = connected["subs"][general]
                assert sub["recovered"]
                recovered = [publication["offset"] for publication in sub.get("publications", [])]
                if sub["offset"] < top:
                    await wire.hears(general, f"r{round}")
                offsets = recovered + [publication["offset"] for publication in wire.heard(general)]
                assert offsets == list(range(since + 1, top + 1))


async def test_a_client_in_2000_rooms_can_name_them_all_when_it_reconnects(server, name):
    """The positions take some 300 KB, more than any later message may have."""
    ann = name("ann")
    positions = {
        f"{i}".rjust(100, "r"): {"recover": True, "offset": 2**63, "epoch": "e" * 12} for i in range(2000)
    }
    async with Wire(server) as wire:
        reply = await wire.connect(ann, subs=positions)
        assert list(reply["subs"]) == [f"#{ann}"]
        await wire.send('{"id":2,"rpc":{"method":"user.get","data":{"x":"%s"}}}' % ("y" * 70_000))
        assert await wire.close_code() == 1009


async def test_a_deleted_message_is_recovered_as_a_tombstone_even_after_a_restart(form, tmp_path):
    """MS8"""
    server = Server(tmp_path)
    try:
        fill(server, "general", "ann", 0)
        offset, epoch = await position(server, "ann", "general")
        say = {"channel_id": "general", "text": "a secret", "data": "a secret"}
        sent = server.post("message.send", say, user="ann")[1]["message"]
        server.app("message.send", channel_id="general", text="stays", as_user_id="ann")
        changed = {"channel_id": "general", "message_id": sent["id"], "text": "still a secret"}
        assert server.post("message.update", changed, user="ann")[0] == 200
        gone = {"channel_id": "general", "message_id": sent["id"]}
        assert server.post("message.delete", gone, user="ann")[0] == 200
        told = []
        for life in range(2):
            async with Wire(server) as wire:
                await wire.connect("ann", data={"subscribe": "none"})
                sub = (await wire.subscribe("general", recover=True, offset=offset, epoch=epoch))["subscribe"]
            assert sub["recovered"]
            told.append([(it["offset"], it["data"]) for it in sub["publications"]])
            if life == 0:
                assert server.terminate() == 0
                server = Server(tmp_path)
        assert told[0] == told[1]
        assert [place for place, _ in told[0]] == [offset + 1, offset + 2, offset + 3, offset + 4]
        events = [event for _, event in told[0]]
        assert [event["type"] for event in events] == ["message.new", "message.new", "message.updated", "message.deleted"]
        for tombstone in (events[0]["message"], events[2]["message"]):
            assert tombstone.keys() == {"id", "channel_id", "kind", "user", "created_at", "deleted_at", "offset"}
            assert (tombstone["id"], tombstone["deleted_at"]) == (sent["id"], events[3]["at"])
        assert events[1]["message"]["text"] == "stays" and "secret" not in str(told)
        assert server.terminate() == 0
    finally:
        server.process.kill()
