"""Commands over HTTP, and the operator endpoints."""

import pytest
from belfry import API_KEY, token
from clients import Wire


async def test_a_command_gives_the_same_response_over_http(server, name):
    """MS3 MS4 MS6 T5"""
    ann, general = name("ann"), name("general")
    async with Wire(server) as wire:
        await wire.connect(ann)
        await wire.rpc("channel.create", {"id": general, "name": "General", "metadata": {"a": "1"}})
        sent = await wire.rpc("message.send", {"channel_id": general, "text": "hello", "client_id": "c1"})
        message = sent["rpc"]["data"]["message"]["id"]
        await wire.rpc("message.send", {"channel_id": general, "text": "reply", "parent_message_id": message})
        absent = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
        commands = [
            ("user.get", {}), ("user.preferences", {}), ("channel.get", {"channel_id": general}),
            ("message.get", {"channel_id": general, "message_id": message}),
            ("message.send", {"channel_id": general, "text": "hello", "client_id": "c1"}),
            ("message.list", {"channel_id": general, "limit": 10, "replies": "all", "include_thread": True}),
            ("message.list", {"channel_id": general, "message_id": message, "previous": 1, "next": 1}),
            ("thread.replies", {"channel_id": general, "parent_message_id": message}),
            # Errors of every kind.
            ("message.sing", {}), ("user.upsert", {"id": "x"}), ("channel.get", {"channel_id": name("absent")}),
            ("channel.get", {"channel_id": "a b"}), ("channel.get", {}), ("channel.create", {"id": general}),
            ("channel.join", {"channel_id": general}), ("channel.accept", {"channel_id": general}),
            ("message.get", {"channel_id": general, "message_id": absent}),
            ("message.send", {"channel_id": general, "text": "other", "client_id": "c1"}),
            ("message.send", {"channel_id": general, "text": "x" * 20_000}),
            ("message.send", {"channel_id": general, "text": "hi", "kind": "admin"}),
            ("message.send", {"channel_id": general, "text": "hi", "as_user_id": ann}),
            ("message.update", {"files": []}), ("channel.create", {"is_distinct": True, "is_super": True}),
        ]
        refusals = 0
        for method, data in commands:
            reply = await wire.rpc(method, data)
            status, answer = server.post(method, data, user=ann)
            if "error" in reply:
                refusals += 1
                assert answer == {"error": reply["error"]} and 400 <= status < 500, method
            else:
                assert answer == reply["rpc"]["data"] and status == 200, method
        assert refusals == 15


@pytest.mark.parametrize(
    "credentials, status, code",
    [
        ({}, 401, 101), ({"key": "wrong"}, 401, 101), ({"key": ""}, 401, 101), ({"bearer": "garbage"}, 401, 101),
        ({"bearer": token("ann", secret="another secret that is long enough, too")}, 401, 101),
        ({"bearer": token("ann", expires_in=-5)}, 401, 109), ({"bearer": token("ann"), "key": API_KEY}, 401, 101),
        ({"bearer": token("ann")}, 403, 1009), ({"key": API_KEY}, 200, None),
    ],
)
def test_a_server_command_requires_the_server_key(server, name, credentials, status, code):
    """US1"""
    data = {"id": name("cleo"), "nickname": "Cleo"}
    answered, answer = server.post("user.upsert", data, **credentials)
    assert (answered, answer.get("error", {}).get("code")) == (status, code)
    if code is None:
        assert answer["user"]["nickname"] == "Cleo"


async def test_the_server_acts_as_itself_or_as_a_user(server, name):
    """MS1"""
    ann, general = name("ann"), name("general")
    async with Wire(server) as wire:
        await wire.connect(ann)
        await wire.rpc("channel.create", {"id": general})
        server.app("message.send", channel_id=general, text="for ann", as_user_id=ann)
        heard = await wire.hears(general, "for ann")
        assert heard["data"]["by"] == ann and heard["data"]["message"]["user"]["id"] == ann
        server.app("message.send", channel_id=general, text="maintenance")
        heard = await wire.hears(general, "maintenance")
        assert heard["data"]["message"]["kind"] == "admin"
        assert "by" not in heard["data"] and "user" not in heard["data"]["message"]

        for data, code in (
            ({"channel_id": general, "text": "x", "as_user_id": name("absent")}, 1000),
            ({"channel_id": general, "text": "x", "as_user_id": ""}, 1032),
            ({"channel_id": general, "text": "x", "as_user_id": 7}, 1032),
        ):
            assert server.post("message.send", data, key=API_KEY)[1]["error"]["code"] == code, data
        assert server.post("channel.join", {"channel_id": general}, key=API_KEY)[1]["error"]["code"] == 107


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b'{"a":1,"a":2}', b'{"a":"\xff"}', b'{"a":"\\ud800"}', b"[" * 100_000])
def test_a_body_that_is_not_an_object_is_refused(server, name, body):
    status, answer = server.post("user.get", body, user=name("ann"))
    assert (status, answer["error"]["code"]) == (400, 107)


def test_the_operator_endpoints_respond(server, name):
    assert server.get("/livez")[0] == 200
    assert server.get("/readyz")[0] == 200
    server.post("user.get", {}, user=name("ann"))
    status, metrics = server.get("/metrics")
    assert status == 200
    samples = [line for line in metrics.splitlines() if line and not line.startswith("#")]
    assert any(line.startswith("belfry_") for line in samples)
    for line in samples:
        assert float(line.rsplit(" ", 1)[1]) >= 0, line


@pytest.mark.parametrize(
    "method, path, status",
    [
        ("GET", "/", 200), ("GET", "/v1/user.get", 405), ("POST", "/livez", 405), ("HEAD", "/livez", 200),
        ("GET", "//livez", 404), ("GET", "/livez/", 404), ("GET", "/%6civez", 404), ("GET", "/LIVEZ", 404),
        ("GET", "/livez?x=1", 200), ("GET", "/connection/websocket", 400), ("GET", "/connection/%77ebsocket", 404),
        ("GET", "/echo", 404),
    ],
)
def test_paths_are_compared_byte_by_byte(server, method, path, status):
    answered = server.get(path, method)[0]
    # An invalid upgrade may also be answered with 426 Upgrade Required: RFC 9110 §15.5.22.
    assert answered == status or (path == "/connection/websocket" and answered == 426)
