"""Webhooks.md with the real server: its Python block verifies real deliveries, dead letters are redelivered, and the
documented metrics exist.
"""

import asyncio
import json
import pathlib
import re

from articles import block
from attacks import until
from belfry import API_KEY, Server
from storage import SMALL, kill

ARTICLE = (pathlib.Path(__file__).parents[2] / "Sources/Belfry/Belfry.docc/Webhooks.md").read_text()
OLD, NEW = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "another secret of the webhook tests"
LOOPBACK = {"BELFRY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.1", "BELFRY_WEBHOOKS_ATTEMPTS": "1", **SMALL}


class Receiver:
    """A receiver that responds with `status` and keeps the received headers and bytes."""

    status = 200

    async def __aenter__(self):
        self.came: list[tuple[dict, bytes]] = []
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}/"
        return self

    async def __aexit__(self, *_):
        self.server.close()

    async def _serve(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = [line.split(": ", 1) for line in head.split("\r\n")[1:-2]]
        headers = {parts[0].lower(): parts[-1] for parts in lines}
        body = await reader.readexactly(int(headers["content-length"]))
        self.came.append((headers, body))
        writer.write(f"HTTP/1.1 {self.status} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.came]


def example():
    (block,) = re.findall(r"```python\n(.*?)```", ARTICLE, re.S)
    names: dict = {}
    exec(block, names)
    return names["is_genuine"]


async def say(server, name, text):
    await asyncio.to_thread(server.app, "message.send", channel_id=name("room"), text=text, as_user_id=name("ann"))


def begin(server, name, receiver, **fields):
    server.app("user.upsert", id=name("ann"))
    server.app("channel.create", id=name("room"), as_user_id=name("ann"))
    server.app("webhook.set", id="a", url=receiver.url, events=["message.new"], secret=OLD, **fields)


async def test_the_articles_example_accepts_only_genuine_deliveries_and_both_secrets_during_a_rotation(
    tmp_path, name
):
    is_genuine = example()
    server = Server(tmp_path, LOOPBACK)
    try:
        async with Receiver() as receiver:
            begin(server, name, receiver)
            await say(server, name, "one")
            server.app("webhook.set", id="a", url=receiver.url, events=["message.new"], secret=NEW, previous_secret=OLD)
            await say(server, name, "two")
            await until(lambda: len(receiver.came) == 2, "they come")
            server.app("webhook.set", id="a", url=receiver.url, events=["message.new"], secret=NEW)
            await say(server, name, "three")
            await until(lambda: len(receiver.came) == 3, "it comes")
            verdicts = [[is_genuine(secret, *one) for secret in (OLD, NEW)] for one in receiver.came]
            assert verdicts[0][0] and verdicts[1][1] and verdicts[2] == [False, True]
            headers, body = receiver.came[2]
            assert not is_genuine(NEW, headers, body + b" ")
            assert not is_genuine(NEW, {**headers, "webhook-id": "another"}, body)
            assert not is_genuine(NEW, {**headers, "webhook-timestamp": "1"}, body)
            server.app("webhook.set", id="a", url=receiver.url, events=["message.new"], secret=NEW, previous_secret=OLD)
            await say(server, name, "four")
            await until(lambda: len(receiver.came) == 4, "it comes")
            assert all(is_genuine(secret, *receiver.came[3]) for secret in (OLD, NEW))
            assert OLD not in str(server.app("webhook.list")) and NEW not in str(server.app("webhook.list"))
            status, answer = server.post("webhook.set", {
                "id": "a", "url": receiver.url, "events": "*", "secret": NEW, "previous_secret": "short"}, key=API_KEY)
            assert status == 400 and "previous_secret" in answer["error"]["message"]
    finally:
        assert server.terminate() == 0
    log = server.log.read_text()
    assert OLD not in log and NEW not in log


async def test_a_delivery_has_the_documented_fields(tmp_path, name):
    shown = json.loads(block("Webhooks.md", '{"type"'))
    server = Server(tmp_path, LOOPBACK)
    try:
        async with Receiver() as receiver:
            begin(server, name, receiver)
            await say(server, name, "hello")
            await until(lambda: len(receiver.came) == 1, "it comes")
            delivery = json.loads(receiver.came[0][1])
            assert {key: type(value) for key, value in delivery.items()} == {
                key: type(value) for key, value in shown.items()}
            assert shown["data"].keys() <= delivery["data"].keys()
            assert delivery["data"]["message"]["text"] == "hello"
    finally:
        assert server.terminate() == 0


async def test_dead_letters_are_listed_and_redelivered_even_by_the_next_process(tmp_path, name):
    server = Server(tmp_path, LOOPBACK)
    try:
        async with Receiver() as receiver:
            receiver.status = 410
            begin(server, name, receiver)
            for text in ("one", "two", "three"):
                await say(server, name, text)
            await until(lambda: server.metric("belfry_webhook_dead_letters") == 3, "they are given up")
            # Six commands make six frames; a delivery not recorded here would be attempted and abandoned again.
            cursors = server.data / "webhooks" / "cursors"
            await until(lambda: "a 6" in cursors.read_text(), "that is on the disk")
            kill(server)
            server = Server(tmp_path, LOOPBACK)

            def letters(**page):
                return server.app("webhook.dead_letters", id="a", **page)

            listed = letters()["dead_letters"]
            assert [one["event_id"] for one in listed] == list(dict.fromkeys(receiver.ids()))
            assert all((one["type"], one["attempts"], one["status"]) == ("message.new", 1, 410) for one in listed)
            page = letters(limit=2)
            assert page["dead_letters"] == listed[:2]
            assert letters(limit=2, next=page["next"]) == {"dead_letters": listed[2:]}
            receiver.status = 200
            second = listed[1]["event_id"]
            assert server.app("webhook.replay", id="a", event_ids=[second, "evt_unknown"]) == {"replayed": 1}
            await until(lambda: letters()["dead_letters"] == [listed[0], listed[2]], "it is none any more")
            assert receiver.ids()[-1] == second
            before = {headers["webhook-id"]: body for headers, body in receiver.came}
            assert receiver.came[-1][1] == before[second]
            assert server.app("webhook.replay", id="a") == {"replayed": 2}
            await until(lambda: letters() == {"dead_letters": []}, "nor are the others")
            for body, code in (({"id": "b"}, 1000), ({"id": "a", "event_ids": []}, 1032)):
                status, answer = server.post("webhook.replay", body, key=API_KEY)
                assert status in (400, 404) and answer["error"]["code"] == code
            status, answer = server.post("webhook.dead_letters", {"id": "a", "limit": 101}, key=API_KEY)
            assert status == 400
    finally:
        assert server.terminate() == 0


def test_the_article_lists_exactly_the_servers_webhook_metrics(tmp_path):
    server = Server(tmp_path)
    try:
        named = set(re.findall(r"`(belfry_webhook_\w+)`", ARTICLE))
        there = set(re.findall(r"^(belfry_webhook_\w+)", server.get("/metrics")[1], re.M))
        assert named == there and len(named) == 8
    finally:
        assert server.terminate() == 0
