"""Short forms of further attacks by ordinary users (`Tests/attacks/further.py`)."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "attacks"))

import further  # noqa: E402
from run import carry_out  # noqa: E402

BINARY = os.environ.get("BELFRY_BIN", ".build/debug/belfry")


@pytest.fixture
def withstands(tmp_path):
    async def withstands(kind, seconds=1.5, scale=1.0, **changes):
        attack = kind(scale)
        # A debug build does the same work several times slower.
        attack.slower = 40
        for name, value in changes.items():
            setattr(attack, name, value)
        result = await carry_out(attack, BINARY, tmp_path, seconds, quiet=0.6, restarts=False)
        assert result["problems"] == []
        assert result["attack"]["answered"] > 0

    return withstands


async def test_an_invitation_does_not_multiply_what_its_channel_holds(withstands):
    """Each of 1,000 invitations carried 300 KiB of metadata; one command delayed every user by 2.4 s."""
    await withstands(further.LargeInvitations, scale=0.2)


async def test_operators_added_and_removed_in_turn_hold_nobody_up(withstands):
    await withstands(further.OperatorsInTurn, scale=0.5)


async def test_channels_created_and_deleted_in_turn_hold_nobody_up(withstands):
    await withstands(further.ComingAndGoing, scale=0.3)


async def test_one_users_events_push_nobody_elses_out_of_the_rings(withstands):
    """Other users could no longer recover a few missed events and had to reload."""
    await withstands(
        further.RingsOfOthers, seconds=5, rooms=20, settings={"BELFRY_ROOMS_RING_BYTES_IN_ALL": str(8 << 20)})


async def test_reconnecting_with_many_channels_is_charged_to_the_user(withstands):
    await withstands(further.Reconnecting, scale=0.25)


async def test_downloads_that_are_not_read_take_nobody_elses_place(withstands):
    await withstands(further.AllDownloads)


async def test_a_list_of_threads_costs_what_its_page_costs(withstands):
    await withstands(further.SortedThreads, scale=0.02)


async def test_letters_beyond_ascii_are_searched_within_the_same_work(withstands):
    await withstands(further.FoldedTexts, scale=0.05)


async def test_a_deleted_reply_does_not_rank_all_who_replied_anew(withstands):
    """With 15,000 repliers one deletion took the engine more than a second."""
    await withstands(further.RankedRepliers, scale=0.05)


async def test_names_that_are_refused_cost_their_user(withstands):
    await withstands(further.ThousandNames)


async def test_requests_that_are_refused_once_they_are_read_hold_nobody_up(withstands):
    await withstands(further.ManyKeys)


async def test_guests_leave_places_in_a_public_channel(withstands):
    await withstands(further.FullLobby)


async def test_one_user_leaves_room_for_the_invitations_of_others(withstands):
    await withstands(further.FullOfInvitations, seconds=6)


async def test_no_answer_is_too_large_at_any_door(withstands):
    await withstands(further.EveryDoor, seconds=3, scale=0.05)
