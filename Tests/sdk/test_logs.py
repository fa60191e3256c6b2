"""JSON logs: each line is an object, and none contains a secret."""

import json
import re

import pytest
from belfry import API_KEY, SECRET, NotStarted, Server, token
from clients import Person, Wire


async def test_the_json_log_parses_and_reveals_no_secret(tmp_path, name):
    """Runs a session with all kinds of errors; each line of the log must be an object."""
    server = Server(tmp_path, options=("--log-format", "json"))
    ann, room, text = name("ann"), name("room"), "canary-text-91"
    good, forged = token(ann), token(ann, secret="another secret that is long enough")
    async with Person(server, ann) as person:
        await person.rpc("channel.create", id=room)
        await person.rpc("message.send", channel_id=room, text=text)
    server.app("webhook.set", id="hook", url="http://127.0.0.1:1/", events="*", secret="canary-hook-92 of the tests")
    server.app("user.upsert", id=name("bob"), nickname=text)
    server.post("message.send", {"channel_id": "absent", "text": text}, user=ann)
    server.post("message.send", {"text": [text]}, bearer=forged)
    async with Wire(server) as wire:
        await wire.connect(ann)
        await wire.send("\xff" + text)
        assert await wire.close_code() == 3501
    assert server.terminate() == 0
    log = server.log.read_text()
    lines = [json.loads(line) for line in log.splitlines()]
    for line in lines:
        assert list(line)[:3] == ["time", "level", "message"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert line["level"] in ("trace", "debug", "info", "notice", "warning", "error", "critical")
    assert [line["time"] for line in lines] == sorted(line["time"] for line in lines)
    assert {"listening", "session opened", "draining", "stopped"} <= {line["message"] for line in lines}
    assert any(line.get("user") == ann for line in lines)
    for secret in (SECRET, API_KEY, text, "canary-hook-92", *good.split("."), *forged.split(".")):
        assert secret not in log, secret


def test_a_failed_startup_is_logged_as_json_too(tmp_path):
    with pytest.raises(NotStarted) as failed:
        Server(tmp_path, settings={"BELFRY_CHAT_CHANNELS_PER_USER": "-1"}, options=("--log-format", "json"))
    status, log = failed.value.args
    (line,) = [json.loads(line) for line in log.splitlines()]
    assert status == 78 and line["level"] == "critical" and "chat.channels_per_user" in line["error"]


def test_an_unknown_log_format_is_refused(tmp_path):
    with pytest.raises(NotStarted) as failed:
        Server(tmp_path, options=("--log-format", "xml"))
    assert failed.value.args[0] == 64 and "log-format" in failed.value.args[1]
