"""The options of subscriptions by the SDK."""

import json

import pytest
from centrifuge import DeltaType, SubscriptionEventHandler
from clients import Person, Waiter, Wire

# Each test runs once in each form of the client protocol.
pytestmark = pytest.mark.usefixtures("form")


class Ears(SubscriptionEventHandler, Waiter):
    """A subscription with everything it has reported."""

    def __init__(self):
        Waiter.__init__(self)
        self.subscribed = None
        self.refused = None
        self.texts = []

    async def on_subscribed(self, context):
        self.subscribed = context
        self.arrived()

    async def on_unsubscribed(self, context):
        self.refused = context.code
        self.arrived()

    async def on_publication(self, context):
        data = context.pub.data if isinstance(context.pub.data, dict) else json.loads(context.pub.data)
        self.texts.append(data.get("message", {}).get("text"))
        self.arrived()


def alone(server, user):
    """A user whose connection names its rooms."""
    return Person(server, user, data={"subscribe": "none"})


async def test_a_subscription_with_every_sdk_option_receives_everything(server, name):
    async with alone(server, name("ann")) as ann:
        general = name("general")
        await ann.rpc("channel.create", id=general)
        ears = Ears()
        subscription = ann.client.new_subscription(
            general, ears, positioned=True, recoverable=True, delta=DeltaType.FOSSIL)
        await subscription.subscribe()
        await ears.until(lambda: ears.subscribed, "subscribed")
        for text in ("one", "one and a half"):
            await ann.say(general, text)
        await ears.until(lambda: ears.texts[-1:] == ["one and a half"], "both are heard")
        assert ears.texts == ["one", "one and a half"]


@pytest.mark.parametrize("option, value", [("join_leave", True), ("token", "t"), ("data", {"a": 1})])
async def test_options_that_would_change_who_receives_what_are_refused(server, name, option, value):
    async with alone(server, name("ann")) as ann:
        general = name("general")
        await ann.rpc("channel.create", id=general)
        ears = Ears()
        value = ann.payload(value) if option == "data" else value
        await ann.client.new_subscription(general, ears, **{option: value}).subscribe()
        assert await ears.until(lambda: ears.refused, "refused") == 108
        assert ears.subscribed is None
        assert (await ann.rpc("user.get"))["user"]["id"] == ann.user


async def test_a_tag_filter_is_refused_and_the_connection_stays_open(server, name):
    async with Wire(server) as wire:
        await wire.connect(name("ann"), data={"subscribe": "none"})
        general = name("general")
        await wire.rpc("channel.create", {"id": general})
        refused = await wire.subscribe(general, tf={"key": "type", "cmp": "eq", "val": "message.new"})
        assert refused["error"] == {"code": 108, "message": "not available: tf"}
        assert "subscribe" in await wire.subscribe(general, token="", data={}, join_leave=False)
