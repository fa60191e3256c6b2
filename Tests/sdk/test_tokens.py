"""Tokens on open connections: expiry, refresh and the user in a token."""

import asyncio
import json
import time

import pytest
from websockets.asyncio.client import connect as open_websocket

from belfry import DEADLINE, token
from clients import Person, Wire

# Each test runs once in each form of the client protocol.
pytestmark = pytest.mark.usefixtures("form")


async def closed_at(wire: Wire) -> float:
    await wire.close_code()
    return time.time()


async def test_an_expiring_token_closes_its_open_connection_within_a_second(server, name):
    async with Wire(server) as wire:
        soon = token(name("ann"), expires_in=2)
        connected = (await wire.call(connect={"token": soon}))["connect"]
        expiry = int(time.time() + 2)
        assert connected["expires"] and 0 < connected["ttl"] <= 2
        closed = await closed_at(wire)
        assert wire.closing[0] == 3005
        assert expiry - 1 <= closed <= expiry + 1.5


async def test_a_refresh_keeps_the_connection(server, name):
    async with Wire(server) as refreshed, Wire(server) as forgetful:
        soon = token(name("ann"), expires_in=2)
        await refreshed.call(connect={"token": soon})
        await forgetful.call(connect={"token": soon})
        answer = (await refreshed.call(refresh={"token": token(name("ann"), expires_in=600)}))["refresh"]
        assert answer["expires"] and 590 < answer["ttl"] <= 600
        # The other connection shows that the first token has expired.
        assert await forgetful.close_code() == 3005
        assert await refreshed.call(ping={}) == {"ping": {}}


async def test_a_refresh_with_an_expired_token_or_another_users_is_refused(server, name):
    async with Wire(server) as wire:
        await wire.connect(name("ann"))
        assert (await wire.call(refresh={"token": token(name("ann"), expires_in=-5)}))["error"]["code"] == 109
        assert await wire.call(ping={}) == {"ping": {}}
        await wire.send('{"id":99,"refresh":{"token":"%s"}}' % token(name("bob")))
        assert await wire.close_code() == 3500


async def test_a_token_without_an_expiry_is_valid_forever(server, name):
    async with Wire(server) as wire:
        connected = (await wire.call(connect={"token": token(name("ann"), expires_in=None)}))["connect"]
        assert "expires" not in connected and "ttl" not in connected


async def test_the_sdk_refreshes_its_token_and_is_never_disconnected(server, name):
    given = []

    async def get_token():
        # The first one is short-lived, so the SDK has to fetch another.
        given.append(token(name("ann"), expires_in=2 if not given else 600))
        ann.arrived()
        return given[-1]

    ann = Person(server, name("ann"), token="", get_token=get_token)
    async with ann:
        await ann.until(lambda: len(given) == 2, "the SDK asks for another token")
        async with Wire(server) as clock:
            await clock.call(connect={"token": token(name("bob"), expires_in=2)})
            assert await clock.close_code() == 3005
        assert await ann.rpc("user.get") and not ann.interruptions and ann.connected == 1


async def test_the_sdk_reconnects_with_a_new_token_when_its_old_one_has_expired(server, name):
    given = []

    async def get_token():
        given.append(token(name("ann"), expires_in=600))
        return given[-1]

    expired = token(name("ann"), expires_in=-60)
    async with Person(server, name("ann"), token=expired, get_token=get_token) as ann:
        assert len(given) == 1 and ann.errors[0].error.code == 109
        assert (await ann.rpc("user.get"))["user"]["id"] == ann.user


async def test_an_invalid_token_stops_the_sdk_permanently(server, name):
    ann = Person(server, name("ann"), token=token(name("ann"), secret="another secret that is long enough, too"))
    await ann.client.connect()
    await asyncio.wait_for(ann.until(lambda: ann.ended, "ann is turned away"), DEADLINE)
    assert ann.ended == (3500, "invalid token") and ann.connected == 0


async def test_a_token_can_be_sent_with_the_upgrade(server, name):
    headers = {"Authorization": "Bearer " + token(name("ann"))}
    async with Person(server, name("ann"), token="", headers=headers) as ann:
        assert (await ann.rpc("user.get"))["user"]["id"] == ann.user


async def test_an_empty_token_falls_back_to_the_upgrades_credentials(server, name):
    """Regression: some SDKs send an empty token if they have none, which was refused with 3500 regardless of the
    upgrade's credentials."""
    headers = {"Authorization": "Bearer " + token(name("ann"))}
    async with open_websocket(server.socket_url, additional_headers=headers, proxy=None) as wire:
        await wire.send(json.dumps({"id": 1, "connect": {"token": ""}}))
        assert json.loads(await wire.recv())["connect"]["data"]["user"]["id"] == name("ann")
