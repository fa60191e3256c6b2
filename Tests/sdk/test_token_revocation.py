"""`user.revoke_tokens`: tokens from before a given second are refused everywhere, on open connections and after a
restart."""

import time

import pytest
from belfry import API_KEY, Server, token
from clients import Wire
from storage import SMALL

# Each test runs once in each form of the client protocol.
pytestmark = pytest.mark.usefixtures("form")


async def closed_with(server, bearer: str) -> int:
    async with Wire(server) as wire:
        await wire.send('{"id":1,"connect":{"token":"%s"}}' % bearer)
        return await wire.close_code()


async def test_tokens_older_than_the_cutoff_are_refused_and_their_connections_closed(server, name):
    bob, second = name("bob"), int(time.time()) - 10
    old, new, nameless = (token(bob, **claims) for claims in ({"iat": second - 1}, {"iat": second}, {}))
    async with Wire(server) as first, Wire(server) as other, Wire(server) as kept, Wire(server) as refreshed:
        for wire, bearer in ((first, old), (other, nameless), (kept, new), (refreshed, old)):
            await wire.call(connect={"token": bearer})
        assert "refresh" in await refreshed.call(refresh={"token": new})
        answer = server.app("user.revoke_tokens", user_id=bob, before=second)
        assert answer["user"]["id"] == bob and answer["before"] == second
        assert await first.close_code() == 3500 and await other.close_code() == 3500
        for wire in (kept, refreshed):
            assert await wire.call(ping={}) == {"ping": {}}
        await kept.send('{"id":9,"refresh":{"token":"%s"}}' % old)
        assert await kept.close_code() == 3500
    for bearer in (old, nameless):
        status, answer = server.post("user.get", bearer=bearer)
        assert (status, answer["error"]["code"]) == (401, 101)
        assert await closed_with(server, bearer) == 3500
    assert server.post("user.get", bearer=new)[0] == 200
    # Nobody else is affected.
    assert server.post("user.get", user=name("ann"))[0] == 200


async def test_a_token_issued_right_after_a_revocation_is_valid(server, name):
    bob = name("bob")
    server.app("user.upsert", id=bob)
    before = server.app("user.revoke_tokens", user_id=bob)["before"]
    assert abs(before - time.time()) < 5
    fresh = server.app("token.create", user_id=bob)["token"]
    assert server.post("user.get", bearer=fresh)[0] == 200
    assert server.post("user.get", bearer=token(bob, iat=before - 1))[0] == 401


def test_an_invalid_cutoff_is_refused(server, name):
    bob = name("bob")
    server.app("user.upsert", id=bob)
    for before in (-1, int(time.time()) + 90, int(time.time() * 1000)):
        status, answer = server.post("user.revoke_tokens", {"user_id": bob, "before": before}, key=API_KEY)
        assert (status, answer["error"]["code"]) == (400, 1032)
    status, answer = server.post("user.revoke_tokens", {"user_id": name("absent")}, key=API_KEY)
    assert (status, answer["error"]["code"]) == (404, 1000)
    status, answer = server.post("user.revoke_tokens", {"user_id": bob}, user=bob)
    assert (status, answer["error"]["code"]) == (403, 1009)


def test_the_cutoff_survives_a_restart(tmp_path):
    second = int(time.time()) - 10
    old, new = token("bob", iat=second - 1), token("bob", iat=second)
    server = Server(tmp_path, SMALL)
    server.app("user.upsert", id="bob")
    server.app("user.revoke_tokens", user_id="bob", before=second)
    server.process.kill()
    server.process.wait()
    again = Server(tmp_path, SMALL)
    try:
        assert again.post("user.get", bearer=old)[0] == 401
        assert again.post("user.get", bearer=new)[0] == 200
        assert again.metric("belfry_token_revocations") == 1
    finally:
        assert again.terminate() == 0
