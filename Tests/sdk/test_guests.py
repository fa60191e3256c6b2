"""Guests: users without an account, created over HTTP, who connect with an SDK and are removed after a long absence."""

import asyncio
import json
import os
import subprocess

from articles import block
from belfry import API_KEY, Server
from clients import Wire
from storage import SMALL

GUESTS = {"BELFRY_GUESTS_ENABLED": "true", **SMALL}


async def test_a_guest_stays_while_connected_and_is_removed_afterwards(tmp_path):
    server = Server(tmp_path, {**GUESTS, "BELFRY_GUESTS_AWAY_SECONDS": "1"})
    try:
        server.app("channel.create", id="square", is_public=True)
        status, guest = server.post("guest.create", {"nickname": "Gus"})
        assert status == 200 and guest["user"]["is_guest"]
        async with Wire(server) as wire:
            await wire.call(connect={"token": guest["token"]})
            await wire.call(rpc={"method": "channel.join", "data": {"channel_id": "square"}})
            sent = await wire.call(rpc={"method": "message.send", "data": {"channel_id": "square", "text": "hello"}})
            assert "error" not in sent
            for _ in range(12):
                # The client's ping shows that the connection is alive; the server checks every second.
                await wire.call(ping={})
                await asyncio.sleep(0.25)
            assert server.metric("belfry_guests") == 1
        for _ in range(100):
            if server.metric("belfry_guests") == 0:
                break
            await asyncio.sleep(0.1)
        assert server.metric("belfry_guests") == 0 and server.metric("belfry_guests_removed_total") == 1
        assert server.post("user.get", bearer=guest["token"])[0] == 401
        messages = server.app("message.list", channel_id="square")["messages"]
        assert [(m["text"], m["user"]["nickname"][:6]) for m in messages] == [("hello", "Guest ")]
        assert server.app("channel.get", channel_id="square")["channel"]["joined_member_count"] == 0
    finally:
        assert server.terminate() == 0


def test_a_guest_survives_a_restart_but_not_the_retention_time(tmp_path):
    server = Server(tmp_path, GUESTS)
    guest = server.post("guest.create")[1]
    server.process.kill()
    server.process.wait()
    again = Server(tmp_path, GUESTS)
    assert again.post("user.get", bearer=guest["token"])[1]["user"]["id"] == guest["user"]["id"]
    again.process.kill()
    again.process.wait()
    closed = Server(tmp_path, SMALL)
    try:
        status, answer = closed.post("user.get", bearer=guest["token"])
        assert (status, answer["error"]["code"]) == (403, 1018)
        status, answer = closed.post("user.upsert", {"id": "guest-" + "0" * 32}, key=API_KEY)
        assert (status, answer["error"]["code"]) == (400, 1032)
    finally:
        assert closed.terminate() == 0


def test_the_articles_request_creates_a_guest(tmp_path):
    request, body = block("Guests.md", "POST /v1/guest.create").split("\n")
    server = Server(tmp_path, GUESTS)
    try:
        status, guest = server.post(request.removeprefix("POST /v1/"), json.loads(body))
        assert status == 200 and guest["user"]["nickname"] == json.loads(body)["nickname"] and guest["token"]
        assert guest["user"]["is_guest"] and guest["expires_at"] % 1000 == 0
    finally:
        assert server.terminate() == 0


def test_check_names_the_missing_settings(tmp_path):
    binary = os.environ.get("BELFRY_BIN", ".build/debug/belfry")
    environment = {"PATH": os.environ["PATH"], "BELFRY_GUESTS_ENABLED": "true", "BELFRY_TOKENS_JWKS_URL": "https://a.example/"}
    told = subprocess.run(
        [binary, "check", "--data", str(tmp_path)], env=environment, capture_output=True, text=True, timeout=60)
    assert told.returncode == 78 and "guests.enabled needs a token secret (BELFRY_TOKEN_SECRET)" in told.stderr + told.stdout


def test_no_network_can_take_all_guest_places(tmp_path):
    """Regression: in version 0.1 one IPv6 /48 filled `guests.at_most` in seven seconds."""
    server = Server(tmp_path, {
        **GUESTS, "BELFRY_GUESTS_AT_MOST": "800", "BELFRY_GUESTS_PER_ADDRESS": "1000000",
        "BELFRY_SERVER_TRUSTED_PROXIES": "127.0.0.1",
    })

    def comes(address: str) -> int:
        headers = {"X-Forwarded-For": address, "Content-Type": "application/json"}
        answer, body = server._request("POST", "/v1/guest.create", b"{}", headers)
        return 200 if answer.status == 200 else json.loads(body)["error"]["code"]

    try:
        assert [comes("2001:db8:7:1::%x" % number) for number in range(105)] == [200] * 100 + [1031] * 5
        answers = [comes("2001:db8:7:%x::1" % number) for number in range(2, 152)]
        assert answers == [200] * 100 + [1031] * 50
        assert comes("2001:db8:8::1") == comes("192.0.2.1") == 200
        assert server.metric("belfry_guests") == 202
    finally:
        assert server.terminate() == 0


def test_guest_creation_is_rate_limited_per_network(tmp_path):
    server = Server(tmp_path, {**GUESTS, "BELFRY_SERVER_TRUSTED_PROXIES": "127.0.0.1"})

    def comes(address: str) -> int:
        headers = {"X-Forwarded-For": address, "Content-Type": "application/json"}
        return server._request("POST", "/v1/guest.create", b"{}", headers)[0].status

    try:
        for made in ("2001:db8:7:%x::1", "192.0.2.%d"):
            answers = [comes(made % number) for number in range(1, 131)]
            assert answers[:100] == [200] * 100 and answers.count(429) >= 25
        assert comes("2001:db8:8::1") == comes("198.51.100.1") == 200
    finally:
        assert server.terminate() == 0
