"""Short forms of the attacks by ordinary users and guests that stopped version 0.1.

`Tests/attacks/run.py` runs them in full against a release build and reports latencies. These tests assert facts and
proportions: no bystander is refused or left unanswered, the size of the largest response, the memory per attacker, and
the growth of the bystanders' median latency.
"""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "attacks"))

import listed  # noqa: E402
from run import carry_out  # noqa: E402

BINARY = os.environ.get("BELFRY_BIN", ".build/debug/belfry")
# A debug build does a fraction of a release build's work in the same time, so its attackers would not use up their budget.
SMALL_BUDGET = {"BELFRY_WORK_USER_US_PER_SECOND": "10000", "BELFRY_WORK_USER_US_AT_ONCE": "20000"}


@pytest.fixture
def withstands(tmp_path):
    async def withstands(kind, seconds=1.5, scale=1.0, is_answered=True, **changes):
        attack = kind(scale)
        for name, value in changes.items():
            setattr(attack, name, value)
        result = await carry_out(attack, BINARY, tmp_path, seconds, quiet=0.6, restarts=False)
        # The runner reports how long others wait with a release build on an idle machine. A debug build under load
        # cannot tell, so these tests check only what does not depend on the machine.
        assert [problem for problem in result["problems"] if not problem.startswith("the median of others")] == []
        assert result["attack"]["answered"] > 0
        assert result["answered"] > 0 or not is_answered
        return result

    return withstands


async def test_one_channels_threads_are_split_into_small_snapshot_parts(withstands):
    """Regression: all threads of a channel formed one part, and the writer trapped at 1 GiB, again at every later
    startup."""
    await withstands(listed.ThreadsInOnePiece, seconds=0.5, scale=0.08)


async def test_a_search_for_a_word_that_almost_matches_everywhere_costs_no_more_than_others(withstands):
    result = await withstands(listed.QuadraticSearch, scale=0.1, settings=SMALL_BUDGET)
    assert "111" in result["refused"]


async def test_a_page_of_threads_ends_before_it_exceeds_the_size_limit(withstands):
    await withstands(listed.GiantThreads, scale=0.05)


async def test_a_page_of_messages_ends_before_it_exceeds_the_size_limit(withstands):
    await withstands(listed.GiantList, scale=0.05)


async def test_responses_the_client_does_not_read_are_charged_to_its_user(withstands):
    await withstands(listed.Unread, scale=0.3, seconds=4, attackers=1, letter="t", asks=8)


async def test_a_client_that_reads_nothing_cannot_recover_rooms_repeatedly(withstands):
    await withstands(listed.Recovering, seconds=4, is_answered=False)


async def test_other_users_stored_responses_are_not_evicted(withstands):
    await withstands(listed.AnswersForgotten, scale=0.3, seconds=3)


async def test_nobody_is_locked_out_by_being_added_to_channels(withstands):
    await withstands(
        listed.EverybodyFull, scale=0.003, limit=100, settings={"BELFRY_CHAT_CHANNELS_PER_USER": "100"})


async def test_guests_cannot_fill_the_list_of_reports(withstands):
    await withstands(listed.ReportsFull, seconds=3, scale=0.02)


async def test_one_network_cannot_create_all_guests(withstands):
    await withstands(
        listed.GuestsFull, seconds=1, at_most=200,
        settings={**listed.GuestsFull.settings, "BELFRY_GUESTS_AT_MOST": "200"})


async def test_rate_limits_count_message_bytes(withstands):
    await withstands(listed.BytesOfMessages, seconds=3, burst=200)


async def test_upload_bytes_are_rate_limited(withstands):
    await withstands(listed.BytesOfFiles, seconds=20, quota=320 << 20, is_brief=True)


async def test_channels_without_members_cannot_be_created_endlessly(withstands):
    await withstands(listed.EmptyChannels, seconds=3)


async def test_filters_with_long_lists_delay_nobody(withstands):
    result = await withstands(listed.LongLists, scale=0.05, settings=SMALL_BUDGET)
    assert "111" in result["refused"], "nobody charged the user for the entries looked at"
