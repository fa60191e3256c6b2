"""The short form of `Tests/matrix/run.py`: faults of three nodes on three NATS servers under load. What is measured there has
no limits here, because the machine may be slow. Each test ends with the checks that always hold: nothing acknowledged is
lost or doubled, every subscriber hears events without a gap, and all nodes show the same."""

import pathlib
import signal
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "matrix"))

import client_faults  # noqa: E402
import log_faults  # noqa: E402
import node_faults  # noqa: E402
from scene import Scene  # noqa: E402


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """One chat for all tests, each of which leaves it with three live nodes."""
    with Scene(tmp_path_factory.mktemp("matrix") / "cluster", is_proxied=True) as scene:
        yield scene


@pytest.fixture(autouse=True)
def whole(scene):
    """A test that failed must not make the others fail."""
    scene.revive()
    yield
    for proxy in scene.cluster.proxies:
        proxy.rules = []
        if proxy.is_cut:
            proxy.mend()
    scene.revive()
    scene.end_load()


def test_a_killed_writer_is_replaced_while_clients_write_and_listen(scene):
    node_faults.writer_killed(scene, times=1)


def test_a_writer_that_was_stopped_acknowledges_nothing_and_leaves(scene):
    node_faults.writer_stopped(scene, seconds=3, times=1)


def test_a_writer_that_is_asked_to_stop_hands_over_without_a_refusal(scene):
    refused = [figure for figure in node_faults.writer_asked(scene, times=2) if figure.name == "refusals"]
    assert [figure.value for figure in refused] == [0]


def test_a_writer_killed_between_append_and_acknowledgement_leaves_exactly_one_answer(scene):
    node_faults.killed_before_acknowledgement(scene, times=1)


def test_when_the_leader_of_the_log_is_killed_reads_and_connects_go_on(scene):
    log_faults.leader_fails(scene, signal.SIGKILL)


def test_a_follower_that_was_cut_off_returns_and_deposes_nobody(scene):
    node_faults.follower_cut_off(scene, is_short=True)


def test_lost_repeated_and_late_messages_of_nats_change_nothing(scene):
    log_faults.lossy(scene, seconds=3, share=0.02)


def test_a_client_hops_from_node_to_node_and_misses_nothing(scene):
    client_faults.hops(scene, times=20)


def test_revocation_keys_webhooks_and_uploads_survive_a_change_of_the_writer(scene):
    client_faults.changes_of_writer(scene, times=1)
