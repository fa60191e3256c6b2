"""Short forms of attacks by legitimate users, devised together with the defence.

`Tests/attacks/run.py` runs all of them in full and reports latencies. These tests assert facts: what others can still
do, the size of the largest response, and the memory per attacker.
"""

from test_attacks_users import withstands  # noqa: F401, I001

import further  # The preceding import has added the attacks to the path.


async def test_one_users_rooms_do_not_evict_other_users_events_from_the_rings(withstands):
    await withstands(further.RingsOfOthers, seconds=2, rooms=8, settings={"BELFRY_ROOMS_RING_BYTES_IN_ALL": "4194304"})


async def test_unread_downloads_leave_room_for_other_users_downloads(withstands):
    await withstands(further.AllDownloads, seconds=3, is_answered=False)


async def test_no_list_response_exceeds_one_mebibyte_on_any_interface(withstands):
    await withstands(further.EveryDoor, seconds=1, scale=0.05)


async def test_messages_with_many_files_end_a_page_early(withstands):
    await withstands(further.ManyAddresses, scale=0.1)


async def test_guests_leave_room_for_accounts_in_a_public_channel(withstands):
    await withstands(further.FullLobby, seconds=1)


async def test_one_user_cannot_use_up_another_users_open_invitation_limit(withstands):
    await withstands(further.FullOfInvitations, seconds=3)


async def test_a_slow_webhook_still_receives_other_users_events(withstands):
    await withstands(further.WebhookFull, seconds=4, settings={
        **further.WebhookFull.settings, "BELFRY_WEBHOOKS_QUEUE_BYTES": "8388608", "BELFRY_WEBHOOKS_OVERFLOW_BYTES": "0"})


async def test_unauthenticated_metrics_requests_are_rate_limited(withstands):
    await withstands(further.FiguresForAll, seconds=4)
