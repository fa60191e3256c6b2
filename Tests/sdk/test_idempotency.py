"""`Idempotency-Key`: whose name it is, and what a restart does to it."""

import json

from articles import block
from belfry import API_KEY, Server, token
from storage import SMALL


def ask(server: Server, command: str, data: dict, key: str, user: str | None = None) -> tuple[int, dict]:
    credentials = {"Authorization": "Bearer " + token(user)} if user else {"X-API-Key": API_KEY}
    headers = {"Content-Type": "application/json", "Idempotency-Key": json.dumps(key), **credentials}
    answer, body = server._request("POST", "/v1/" + command, json.dumps(data).encode(), headers)
    return answer.status, json.loads(body)


def test_the_field_of_the_article_names_a_request(server, name):
    request, field = block("ServerAPI.md", "POST /v1/channel.create").split("\n")
    key = json.loads(field.removeprefix("Idempotency-Key: "))
    command, data = request.removeprefix("POST /v1/"), {"id": name("general")}
    first = ask(server, command, data, key)
    assert first[0] == 200 and ask(server, command, data, key) == first
    assert ask(server, command, {"id": name("other")}, key)[0] == 422


def test_each_user_has_names_of_their_own(server, name):
    ann, bob, channel = name("ann"), name("bob"), name("general")
    server.app("channel.create", id=channel, is_public=True)
    for user in (ann, bob):
        assert server.post("channel.join", {"channel_id": channel}, user=user)[0] == 200
    sent = {"channel_id": channel, "text": "hello"}
    first = ask(server, "message.send", sent, "one", ann)
    # Another token of the same user.
    assert first[0] == 200 and ask(server, "message.send", sent, "one", ann) == first
    other = ask(server, "message.send", sent, "one", bob)
    assert other[0] == 200 and other[1]["message"]["id"] != first[1]["message"]["id"]
    assert ask(server, "message.send", {**sent, "text": "ho"}, "one", bob)[0] == 422


def test_a_command_for_many_is_done_once_under_one_key(server, name):
    ann, bob, channel = name("ann"), name("bob"), name("general")
    for command, data, told, once, again in (
        ("user.upsert_many", {"users": [{"id": ann}, {"id": bob}]}, lambda body: body["users"][0]["nickname"], ann, "Ann"),
        ("channel.upsert_many", {"channels": [{"id": channel, "user_ids": [ann]}]}, lambda body: body["created"], [channel], []),
        ("member.add", {"channel_id": channel, "user_ids": [bob]}, lambda body: body["joined"], [bob], []),
    ):
        key = "many " + command
        first = ask(server, command, data, key)
        assert first[0] == 200 and told(first[1]) == once, first
        # What changes it meanwhile does not change the answer.
        server.app("user.upsert", id=ann, nickname="Ann")
        assert ask(server, command, data, key) == first
        assert ask(server, command, {**data, "more": 1}, key)[0] == 422
        # By another name it is done again, and finds it done.
        status, body = ask(server, command, data, "another " + command)
        assert status == 200 and told(body) == again, body


def test_a_restart_forgets_answers_but_not_what_a_client_id_names(tmp_path):
    server = Server(tmp_path, SMALL)
    server.app("channel.create", id="general", is_public=True)
    assert server.post("channel.join", {"channel_id": "general"}, user="ann")[0] == 200
    plain, durable = ({"channel_id": "general", "text": "hello", **more} for more in ({}, {"client_id": "c1"}))
    before = [ask(server, "message.send", plain, "one", "ann"), ask(server, "message.send", durable, "two", "ann")]
    assert [status for status, _ in before] == [200, 200]
    server.process.kill()
    server.process.wait()
    again = Server(tmp_path, SMALL)
    try:
        ids = [
            ask(again, "message.send", data, key, "ann")[1]["message"]["id"]
            for data, key in ((plain, "one"), (durable, "two"))
        ]
        assert ids[0] != before[0][1]["message"]["id"] and ids[1] == before[1][1]["message"]["id"]
    finally:
        assert again.terminate() == 0
