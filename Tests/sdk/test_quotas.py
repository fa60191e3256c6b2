"""The real server's limits on one user's effect on others, and its last-seen times."""

import time

from belfry import API_KEY, Server
from clients import Person


def _people(server, count):
    ids = [f"u{number}" for number in range(count)]
    for start in range(0, count, 100):
        server.app("user.upsert_many", users=[{"id": id} for id in ids[start:start + 100]])
    return ids


def test_super_channels_cannot_fill_everybodys_channel_list(own_server):
    """US4 CH7: with the default settings, at full rate. Regression: without a limit all users were added."""
    people = _people(own_server, 250)
    answers = []
    for number in range(16):
        create = {"id": f"s{number}", "is_super": True, "user_ids": people}
        status, answer = own_server.post("channel.create", create, user="mallory")
        answers.append((status, answer.get("error", {}).get("code")))
        if status != 200:
            assert answer["error"]["retry_after_ms"] > 200_000
    assert answers == [(200, None)] * 8 + [(429, 111)] * 8
    for user in (people[0], people[249]):
        listed = own_server.post("channel.list", {"include_empty": True}, user=user)[1]
        assert sorted(channel["id"] for channel in listed["channels"]) == [f"s{number}" for number in range(8)]
    # The app still adds them, and others have separate allowances.
    created = own_server.app("channel.create", id="app", is_super=True, user_ids=people)
    assert created["channel"]["member_count"] == 250
    assert own_server.post("channel.create", {"user_ids": people[:50]}, user="ann")[0] == 200


def test_empty_public_channels_cannot_be_created_by_the_thousand(own_server):
    """CH6: regression: 13,220 channels per minute were possible."""
    began = time.monotonic()
    codes = []
    for number in range(150):
        status, answer = own_server.post("channel.create", {"id": f"p{number}", "is_public": True}, user="mallory")
        codes.append(answer.get("error", {}).get("code") if status != 200 else None)
    recovered = int((time.monotonic() - began) / 5) + 1
    assert codes[:100] == [None] * 100 and codes[100:].count(None) <= recovered and 111 in codes


async def test_last_seen_times_survive_a_restart(tmp_path):
    """US7"""
    first = Server(tmp_path)
    try:
        async with Person(first, "bob"):
            pass
        async with Person(first, "cat"):
            # The connection ends with the server.
            assert first.terminate() == 0
    finally:
        first.process.kill()
    ended = time.time() * 1_000
    second = Server(tmp_path)
    try:
        for user in ("bob", "cat"):
            status, answer = second.post("user.get", {"user_id": user}, key=API_KEY)
            assert status == 200 and not answer["user"]["online"]
            assert ended - 60_000 < answer["user"]["last_seen_at"] <= ended + 1_000
    finally:
        assert second.terminate() == 0
