"""The app's hook before sending, with the real server, the unmodified SDK and `kill -9`."""

import asyncio
import http.client
import json
import time

import pytest
from articles import block
from belfry import API_KEY, Server
from clients import Person
from cluster import Cluster, change
from receivers import LOOPBACK, SECRET, Receiver
from storage import kill


class Hook(Receiver):
    """A hook that answers by the text: `hang…`, `refuse…`, `replace…`, and allows everything else."""

    def __init__(self):
        super().__init__(self.respond)
        self.released = asyncio.Event()

    async def respond(self, _, writer):
        text = self.asked(len(self.bodies) - 1)
        if text.startswith("hang"):
            await self.released.wait()
        answer = {"action": "allow"}
        if text.startswith("refuse"):
            answer = {"action": "refuse", "reason": "rude"}
        if text.startswith("replace"):
            answer = {"action": "replace", "text": "replaced"}
        body = json.dumps(answer).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    def asked(self, index: int) -> str:
        command = self.bodies[index]["command"]
        return command.get("text") or command.get("title") or ""


def set_hook(server, url: str, **fields):
    server.app("hook.set", **{"url": url, "secret": SECRET, "on_failure": "refuse", "timeout_ms": 5_000, **fields})


def send(server, text: str, user: str = "ann", **fields):
    body = {"channel_id": "general", "text": text, "as_user_id": user, **fields}
    return server.post("message.send", body, key=API_KEY)


async def until(condition, what: str, seconds: float = 30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"never happened: {what}"
        await asyncio.sleep(0.01)


@pytest.fixture
def hooked(tmp_path):
    server = Server(tmp_path, LOOPBACK)
    server.app("user.upsert_many", users=[{"id": "ann", "nickname": "Ann"}, {"id": "bob"}])
    server.app("channel.create", id="general", name="General", user_ids=["ann", "bob"])
    try:
        yield server
    finally:
        server.terminate()


async def test_the_hook_allows_refuses_and_replaces_what_others_then_see(hooked):
    """MO4"""
    async with Hook() as hook, Person(hooked, "ann") as ann, Person(hooked, "bob") as bob:
        await asyncio.to_thread(set_hook, hooked, hook.url)
        sent = await ann.rpc("message.send", channel_id="general", text="fine", client_id="1")
        assert sent["message"]["text"] == "fine"
        replaced = await ann.rpc("message.send", channel_id="general", text="replace me", client_id="2")
        assert replaced["message"]["text"] == "replaced"
        await bob.hears("general", "message.new", "replaced")
        assert await ann.refused("message.send", channel_id="general", text="refuse me") == 1050
        assert "replace me" not in str(bob.events) and "refuse me" not in str(bob.events)
        # A retry gets the same message, and the hook is not asked again.
        count = len(hook.bodies)
        assert await ann.rpc("message.send", channel_id="general", text="replace me", client_id="2") == replaced
        assert len(hook.bodies) == count
        message = sent["message"]["id"]
        edited = await ann.rpc("message.update", channel_id="general", message_id=message, text="replace this")
        assert edited["message"]["text"] == "replaced"
        assert await ann.refused(
            "thread.update", channel_id="general", parent_message_id=message, title="refuse this") == 1050
        shown = json.loads(block("Moderation.md", '{"type"'))
        await ann.rpc("message.send", **shown["command"])
        assert {**hook.bodies[-1], "at": shown["at"]} == shown
        status, refusal = await asyncio.to_thread(send, hooked, "refuse me")
        assert status == 403 and refusal["error"]["code"] == 1050
        assert refusal["error"]["message"] == "text refused: hook: rude"
    assert hooked.metric('belfry_hook_requests_total{outcome="refused"}') == 3
    assert hooked.metric('belfry_hook_requests_total{outcome="replaced"}') == 2
    assert "secret" not in hooked.app("hook.get")["hook"]


async def test_only_the_senders_later_commands_in_the_channel_wait_and_stay_in_order(hooked):
    """MO4"""
    hooked.app("channel.create", id="other", user_ids=["ann", "bob"])
    async with Hook() as hook, Person(hooked, "ann") as ann, Person(hooked, "bob") as bob:
        await asyncio.to_thread(set_hook, hooked, hook.url)
        first = asyncio.create_task(ann.rpc("message.send", channel_id="general", text="hang on"))
        await until(lambda: hook.bodies, "the hook is asked")
        later = [asyncio.create_task(ann.rpc("message.send", channel_id="general", text=f"then {number}"))
                 for number in range(3)]
        await until(lambda: hooked.metric("belfry_hook_held_commands") == 3, "the later ones wait")
        await bob.rpc("message.send", channel_id="general", text="of bob")
        await ann.rpc("message.send", channel_id="other", text="elsewhere")
        assert not first.done() and not any(task.done() for task in later)
        hook.released.set()
        await asyncio.gather(first, *later)
        listed = await bob.rpc("message.list", channel_id="general")
        texts = [message["text"] for message in listed["messages"]]
        assert texts == ["of bob", "hang on", "then 0", "then 1", "then 2"]
    assert hooked.metric("belfry_hook_held_commands") == 0


@pytest.mark.parametrize("on_failure", ["allow", "refuse"])
async def test_without_an_answer_in_time_the_text_is_accepted_or_refused_as_set(hooked, on_failure):
    """MO4"""
    async with Hook() as hook:
        await asyncio.to_thread(set_hook, hooked, hook.url, on_failure=on_failure, timeout_ms=100)
        status, answer = await asyncio.to_thread(send, hooked, "hang on")
        if on_failure == "allow":
            assert status == 200 and answer["message"]["text"] == "hang on"
        else:
            assert answer["error"]["message"] == "text refused: hook: no valid answer"
        assert hooked.metric('belfry_hook_requests_total{outcome="failed"}') == 1
        # Nobody listens there; then there is no hook.
        await asyncio.to_thread(set_hook, hooked, "http://127.0.0.1:1/", on_failure=on_failure)
        assert (await asyncio.to_thread(send, hooked, "x"))[0] == (200 if on_failure == "allow" else 403)
        await asyncio.to_thread(hooked.app, "hook.set")
        assert (await asyncio.to_thread(send, hooked, "hang on"))[0] == 200


async def test_a_server_killed_between_the_hooks_answer_and_the_write_stores_nothing_and_asks_again(tmp_path):
    """MO4 J"""
    server = Server(tmp_path, LOOPBACK)
    server.app("user.upsert", id="ann")
    server.app("channel.create", id="general", user_ids=["ann"])
    async with Hook() as hook:
        await asyncio.to_thread(set_hook, server, hook.url)
        lost = asyncio.create_task(asyncio.to_thread(send, server, "hang on", client_id="c"))
        await until(lambda: hook.bodies, "the hook is asked")
        kill(server)
        with pytest.raises((OSError, http.client.HTTPException)):
            await lost
        hook.released.set()
        server = Server(tmp_path, LOOPBACK)
        try:
            assert server.app("hook.get")["hook"]["url"] == hook.url
            assert server.app("message.list", channel_id="general")["messages"] == []
            for _ in range(2):
                status, answer = await asyncio.to_thread(send, server, "hang on", client_id="c")
                assert status == 200
            assert [body["command"]["client_id"] for body in hook.bodies] == ["c", "c"]
            assert [message["id"] for message in server.app("message.list", channel_id="general")["messages"]] == [
                answer["message"]["id"]]
        finally:
            server.terminate()


async def test_a_stopping_server_does_not_wait_for_a_hook_that_hangs(tmp_path):
    """MO4"""
    server = Server(tmp_path, LOOPBACK)
    server.app("user.upsert", id="ann")
    server.app("channel.create", id="general", user_ids=["ann"])
    async with Hook() as hook:
        await asyncio.to_thread(set_hook, server, hook.url)
        lost = asyncio.create_task(asyncio.to_thread(send, server, "hang on"))
        await until(lambda: hook.bodies, "the hook is asked")
        assert await asyncio.to_thread(server.terminate) == 0
        lost.cancel()


async def test_in_a_cluster_the_clients_node_asks_and_every_node_has_the_replaced_text(tmp_path):
    """MO4"""
    cluster = Cluster(tmp_path / "cluster", settings=LOOPBACK, replicated=False)
    try:
        cluster.app("user.upsert", id="ann")
        cluster.app("channel.create", id="general", user_ids=["ann"])
        async with Hook() as hook:
            await asyncio.to_thread(
                change, cluster, "hook.set", url=hook.url, secret=SECRET, on_failure="refuse", timeout_ms=5_000)
            for node in cluster.live:
                await until(lambda node=node: node.app("hook.get").get("hook"), "the node knows the hook")
            for number, node in enumerate(cluster.live):
                answer = await asyncio.to_thread(
                    change, node, "message.send", channel_id="general", text="replace me", client_id=str(number),
                    as_user_id="ann")
                assert answer["message"]["text"] == "replaced"
                assert node.metric('belfry_hook_requests_total{outcome="replaced"}') == 1
                # The same message on another node, which does not ask.
                other = cluster.live[number - 1]
                again = await asyncio.to_thread(
                    change, other, "message.send", channel_id="general", text="replace me", client_id=str(number),
                    as_user_id="ann")
                assert again["message"]["id"] == answer["message"]["id"]
            for node in cluster.live:
                listed = await asyncio.to_thread(node.app, "message.list", channel_id="general")
                assert [message["text"] for message in listed["messages"]] == ["replaced"] * 3
    finally:
        cluster.end()
