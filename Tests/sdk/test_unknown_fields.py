"""Unknown fields are refused by name, on every interface and in both forms of the protocol."""

import json
import signal

import pytest
from belfry import API_KEY, Server, token
from clients import Wire
from storage import SMALL


@pytest.mark.parametrize(("method", "data", "words"), [
    ("message.send", {"text": "x", "parent_id": "0198a0b0-0000-7000-8000-000000000001"},
     "unknown field parent_id; did you mean parent_message_id?"),
    ("message.send", {"kind": "file", "files": [{"url": "https://a.example/x", "nmae": "x"}]},
     "unknown field files[0].nmae; did you mean name?"),
    ("typing.start", {"colour": None}, "unknown field colour"),
    ("message.list", {"limits": 3}, "unknown field limits; did you mean limit?"),
])
async def test_an_unknown_field_is_refused_over_WebSocket_and_HTTP(server, name, form, method, data, words):
    ann, general = name("ann"), name("general")
    async with Wire(server) as wire:
        await wire.connect(ann)
        await wire.rpc("channel.create", {"id": general})
        data = {"channel_id": general, **data}
        error = (await wire.rpc(method, data))["error"]
        assert (error["code"], error["message"]) == (107, "bad request: " + words)
        status, answer = server.post(method, data, user=ann)
        assert status == 400 and answer["error"]["code"] == 107 and answer["error"]["message"] == error["message"]
        assert "messages" in (await wire.rpc("message.list", {"channel_id": general}))["rpc"]["data"]
        assert not (await wire.rpc("message.list", {"channel_id": general}))["rpc"]["data"]["messages"]


def test_a_misspelled_as_user_does_not_post_as_the_app(server, name):
    ann, general = name("ann"), name("general")
    server.app("user.upsert", id=ann)
    server.app("channel.create", id=general, user_ids=[ann])
    sent = {"channel_id": general, "text": "x", "as_user": ann}
    for kind in ("text", "admin"):
        status, answer = server.post("message.send", {**sent, "kind": kind}, key=API_KEY)
        assert status == 400 and answer["error"]["code"] == 107
    assert answer["error"]["message"] == "bad request: unknown field as_user; did you mean as_user_id?"
    path = f"/v1/files?channel_id={general}&name=a&as_user={ann}"
    upload, body = server._request("POST", path, b"hello", {"X-API-Key": API_KEY})
    assert upload.status == 400 and "did you mean as_user_id?" in json.loads(body)["error"]["message"]
    assert server.app("message.list", channel_id=general)["messages"] == []


async def test_envelope_fields_and_maps_with_free_keys_are_not_checked(server, name):
    ann, general = name("ann"), name("general")
    async with Wire(server) as wire:
        await wire.send(json.dumps({"id": 1, "more": 1, "connect": {"token": token(ann), "more": 1, "data": {"more": 1}}}))
        wire.last_id = 1
        reply = await wire.call(more=1, rpc={"more": 1, "method": "channel.create", "data": {
            "id": general, "metadata": {"parent_id": "x"}}})
        assert reply["rpc"]["data"]["channel"]["metadata"] == {"parent_id": "x"}


async def test_the_setting_lets_newer_clients_pass_and_is_reloaded_at_sighup(tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"server": {"unknown_fields": "ignore"}}))
    server = Server(tmp_path, SMALL, options=("--config", str(settings)))
    try:
        body = {"id": "general", "from_the_future": {"x": [1]}}
        assert server.post("channel.create", body, user="ann")[0] == 200
        settings.write_text("{}")
        reloads = server.metric("belfry_settings_reloads_total")
        server.process.send_signal(signal.SIGHUP)
        while server.metric("belfry_settings_reloads_total") == reloads:
            pass
        status, answer = server.post("channel.create", body, user="ann")
        assert status == 400 and answer["error"]["message"] == "bad request: unknown field from_the_future"
    finally:
        assert server.terminate() == 0
