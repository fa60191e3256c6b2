"""Dead letters on the nodes of a cluster: all know them, and all go on when the writer dies."""

import asyncio
import time

import pytest
from belfry import API_KEY
from cluster import Cluster, change
from receivers import LOOPBACK, OK, SECRET, Receiver

CHANNEL, HOOK = "general", "hook"
REFUSED = b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"


@pytest.fixture
def cluster(tmp_path):
    settings = {**LOOPBACK, "BELFRY_WEBHOOKS_ATTEMPTS": "1"}
    cluster = Cluster(tmp_path / "cluster", settings=settings, replicated=False)
    try:
        cluster.app("user.upsert", id="ann")
        cluster.app("channel.create", id=CHANNEL, user_ids=["ann"])
        yield cluster
    finally:
        cluster.end()


class Endpoint(Receiver):
    """A webhook's endpoint that refuses everything until it `works`."""

    def __init__(self):
        super().__init__(self.respond)
        self.works = False

    async def respond(self, _, writer):
        writer.write(OK if self.works else REFUSED)


def letters(node, **page) -> dict:
    return change(node, "webhook.dead_letters", id=HOOK, **page)


async def until(condition, what: str, seconds: float = 30):
    deadline = time.monotonic() + seconds
    while not (result := await asyncio.to_thread(condition)):
        assert time.monotonic() < deadline, f"never happened: {what}"
        await asyncio.sleep(0.02)
    return result


async def fail(cluster, endpoint, count: int) -> list[dict]:
    """Makes dead letters, and returns the list that all nodes have."""
    texts = [f"lost {number}" for number in range(count)]
    await asyncio.to_thread(
        cluster.app, "webhook.set", id=HOOK, url=endpoint.url, secret=SECRET, events=["message.new"])
    for text in texts:
        await asyncio.to_thread(
            change, cluster, "message.send", channel_id=CHANNEL, text=text, as_user_id="ann")

    def same():
        lists = [letters(node)["dead_letters"] for node in cluster.live]
        return lists[0] if len(lists[0]) == count and all(one == lists[0] for one in lists) else None

    return await until(same, "all nodes have the same dead letters")


async def test_all_nodes_have_the_same_dead_letters_and_replay_them(cluster):
    async with Endpoint() as endpoint:
        found = await fail(cluster, endpoint, 5)
        assert [one["attempts"] for one in found] == [1] * 5 and {one["status"] for one in found} == {500}
        # The token of a page leads to the next one on every node.
        pages = [letters(node, limit=2) for node in cluster.nodes]
        assert pages[0] == pages[1] == pages[2] and pages[0]["dead_letters"] == found[:2]
        for node in cluster.nodes:
            assert letters(node, limit=2, next=pages[0]["next"])["dead_letters"] == found[2:4]
        endpoint.works = True
        follower = next(node for node in cluster.nodes if node is not cluster.writer)
        some = [one["event_id"] for one in found[:2]]
        assert (await asyncio.to_thread(change, follower, "webhook.replay", id=HOOK, event_ids=some))["replayed"] == 2
        await until(
            lambda: all(letters(node)["dead_letters"] == found[2:] for node in cluster.nodes), "two are delivered")
        assert (await asyncio.to_thread(change, cluster.writer, "webhook.replay", id=HOOK))["replayed"] == 3
        await until(
            lambda: not any(letters(node)["dead_letters"] for node in cluster.nodes), "all are delivered")
        assert sorted(endpoint.texts()[5:]) == [f"lost {number}" for number in range(5)]


async def test_dead_letters_outlive_the_writer_and_are_delivered_by_the_next(cluster):
    async with Endpoint() as endpoint:
        found = await fail(cluster, endpoint, 4)
        index = cluster.nodes.index(cluster.writer)
        cluster.nodes[index].process.kill()
        cluster.nodes[index].process.wait()
        await asyncio.to_thread(cluster.wait_for_writer)
        for node in cluster.live:
            assert letters(node)["dead_letters"] == found
        endpoint.works = True
        for node in cluster.live:
            # The second finds them queued or delivered.
            await asyncio.to_thread(change, node, "webhook.replay", id=HOOK)
        await until(lambda: not any(letters(node)["dead_letters"] for node in cluster.live), "all are delivered")
        assert sorted(set(endpoint.texts()[4:])) == [f"lost {number}" for number in range(4)]
        # The old writer's files do not bring them back.
        await asyncio.to_thread(cluster.restart, index)
        await until(lambda: not letters(cluster.nodes[index])["dead_letters"], "the old writer has none")


async def test_what_waits_is_delivered_by_the_next_writer_and_nothing_is_lost(cluster):
    """Every event is delivered, or a dead letter of all nodes, whenever the writer dies."""
    async with Endpoint() as endpoint:
        await asyncio.to_thread(
            cluster.app, "webhook.set", id=HOOK, url=endpoint.url, secret=SECRET, events=["message.new"])
        sent = []
        for number in range(60):
            if number in (20, 40):
                index = cluster.nodes.index(await asyncio.to_thread(cluster.wait_for_writer))
                cluster.nodes[index].process.kill()
                cluster.nodes[index].process.wait()
                await asyncio.to_thread(cluster.restart, index)
            endpoint.works = number % 3 == 0
            sent.append(f"word {number}")
            await asyncio.to_thread(
                change, cluster, "message.send", channel_id=CHANNEL, text=sent[-1], as_user_id="ann",
                client_id=str(number))
        endpoint.works = True

        def complete():
            lists = [letters(node)["dead_letters"] for node in cluster.live]
            return all(one == lists[0] for one in lists) and not pending(cluster)

        await until(complete, "nothing waits, and all nodes have the same dead letters", 60)
        await asyncio.to_thread(change, cluster, "webhook.replay", id=HOOK)
        await until(lambda: not any(letters(node)["dead_letters"] for node in cluster.live), "all are delivered")
        assert sorted(set(endpoint.texts())) == sorted(sent)


def pending(cluster) -> float:
    """How far the webhook is behind the log, on the node that is furthest behind."""
    return max(node.metric("belfry_webhook_lag_frames") for node in cluster.live)


async def test_a_deleted_webhook_leaves_no_dead_letters_on_any_node(cluster):
    async with Endpoint() as endpoint:
        await fail(cluster, endpoint, 2)
        await asyncio.to_thread(change, cluster, "webhook.delete", id=HOOK)
        for node in cluster.nodes:
            assert node.post("webhook.dead_letters", {"id": HOOK}, key=API_KEY)[1]["error"]["code"] == 1000
        await asyncio.to_thread(
            cluster.app, "webhook.set", id=HOOK, url=endpoint.url, secret=SECRET, events=["message.new"])
        assert not any(letters(node)["dead_letters"] for node in cluster.nodes)
