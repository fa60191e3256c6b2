"""Clients of one chat on different nodes."""

import asyncio
import contextlib
import json

import pytest
from belfry import token
from clients import Wire
from cluster import Cluster
from receivers import LOOPBACK, SECRET, Receiver

CHANNEL = "general"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("nodes") / "cluster", settings=LOOPBACK, replicated=False)
    try:
        for user in ("ann", "bob", "cid"):
            cluster.app("user.upsert", id=user)
        cluster.app("channel.create", id=CHANNEL, user_ids=["ann", "bob", "cid"])
        yield cluster
    finally:
        cluster.end()


async def test_members_on_different_nodes_hear_the_same_events_in_the_same_order(cluster):
    async with contextlib.AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(Wire(node)) for node in cluster.nodes]
        for wire, user in zip(wires, ("ann", "bob", "cid"), strict=True):
            await wire.connect(user)
        texts = [f"same {number}" for number in range(30)]
        await asyncio.gather(*(
            wires[number % 3].rpc("message.send", {"channel_id": CHANNEL, "text": text})
            for number, text in enumerate(texts)))
        for wire in wires:
            for text in texts:
                await wire.hears(CHANNEL, text)
        heard = [[pub["offset"] for pub in wire.heard(CHANNEL) if pub["data"]["type"] == "message.new"] for wire in wires]
        assert heard[0] == heard[1] == heard[2] == sorted(heard[0]) and len(heard[0]) == 30


async def test_a_client_recovers_on_another_node_what_it_missed(cluster):
    async with Wire(cluster.nodes[0]) as wire:
        channel = (await wire.connect("ann"))["subs"][CHANNEL]
        position = {"recover": True, "offset": channel.get("offset", 0), "epoch": channel["epoch"]}
    for number in range(5):
        assert cluster.nodes[number % 3].post(
            "message.send", {"channel_id": CHANNEL, "text": f"missed {number}"}, user="bob")[0] == 200
    for node in cluster.nodes:
        async with Wire(node) as wire:
            channel = (await wire.connect("ann", subs={CHANNEL: position}))["subs"][CHANNEL]
            assert channel["recovered"]
            texts = [pub["data"]["message"]["text"] for pub in channel["publications"]]
            assert texts == [f"missed {number}" for number in range(5)]


def test_a_file_uploaded_to_one_node_is_served_by_all(cluster):
    connection = cluster.nodes[0].connect_http()
    connection.request(
        "POST", f"/v1/files?channel_id={CHANNEL}&name=a.txt", b"some bytes",
        {"Authorization": "Bearer " + token("ann"), "Content-Type": "text/plain"})
    answer = connection.getresponse()
    file = json.loads(answer.read())["file"]
    assert answer.status == 200
    path = file["url"]
    for node in cluster.nodes:
        connection = node.connect_http()
        connection.request("GET", path, headers={"Authorization": "Bearer " + token("ann")})
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"some bytes")


def test_a_message_is_found_on_every_node_as_soon_as_it_is_acknowledged(cluster):
    """SE1"""
    for number in range(12):
        command = {"channel_id": CHANNEL, "text": f"needle n{number}"}
        assert cluster.nodes[number % 3].post("message.send", command, user="ann")[0] == 200
        for node in cluster.nodes:
            status, page = node.post("message.search", {"query": f"needle n{number}"}, user="bob")
            assert status == 200 and page["is_complete"]
            assert [message["text"] for message in page["messages"]] == [f"needle n{number}"]


async def test_a_user_is_online_while_any_node_has_a_connection(cluster):
    def is_online(node) -> bool:
        return node.post("user.get", {"user_id": "cid"}, user="ann")[1]["user"].get("online", False)

    async def until(expected: bool):
        deadline = asyncio.get_running_loop().time() + 30
        while not all(is_online(node) is expected for node in cluster.nodes):
            assert asyncio.get_running_loop().time() < deadline
            await asyncio.sleep(0.02)

    async with Wire(cluster.nodes[0]) as first:
        await first.connect("cid")
        await until(True)
        async with Wire(cluster.nodes[1]) as second:
            await second.connect("cid")
        assert all(is_online(node) for node in cluster.nodes)
    await until(False)


async def test_typing_reaches_members_on_other_nodes(cluster):
    async with Wire(cluster.nodes[0]) as ann, Wire(cluster.nodes[1]) as bob:
        await ann.connect("ann")
        await bob.connect("bob")
        await ann.rpc("typing.start", {"channel_id": CHANNEL})
        await bob.until(
            lambda: [pub for pub in bob.heard(CHANNEL) if pub["data"]["type"] == "typing.started"], "ann types")


async def test_each_event_is_sent_to_a_webhook_by_one_node(cluster):
    async with Receiver() as receiver:
        cluster.app("webhook.set", id="hook", url=receiver.url, secret=SECRET, events=["message.new"])
        texts = [f"hooked {number}" for number in range(10)]
        for number, text in enumerate(texts):
            status, _ = await asyncio.to_thread(
                cluster.nodes[number % 3].post, "message.send", {"channel_id": CHANNEL, "text": text}, user="ann")
            assert status == 200
        deadline = asyncio.get_running_loop().time() + 30
        while len(receiver.texts()) < len(texts):
            assert asyncio.get_running_loop().time() < deadline, receiver.texts()
            await asyncio.sleep(0.02)
        # Another node would have sent by then.
        await asyncio.sleep(1)
        assert receiver.texts() == texts
        cluster.app("webhook.delete", id="hook")
