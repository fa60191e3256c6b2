"""Requests that schemathesis makes up from the OpenAPI document: no 5xx, and nothing that is not described."""

import copy
import json
import pathlib
import shutil
import subprocess
import sys

import documents
import pytest
from belfry import API_KEY, token

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# Half a minute on an idle machine; others may want it too.
SECONDS = 240
# After these a user has nothing more to say; the server's run has them.
ENDINGS = ["channel.delete", "channel.leave", "operator.remove", "operator.remove_all", "message.delete"]


def aimed(document: dict, ids: dict[str, list[str]], speaks_for_others: bool) -> dict:
    """The document with ids that exist, and without security: one credential is given to every request.

    Made-up ids get no further than 404, and a made-up credential beside the real one no further than 401.
    """
    document = copy.deepcopy(document)
    schemas = document["components"]["schemas"]
    prefix = "#/components/schemas/"

    def aim(schema):
        """Only what is sent: answers may hold other ids."""
        if isinstance(schema, list):
            return [aim(value) for value in schema]
        if not isinstance(schema, dict):
            return schema
        name = schema.get("$ref", "").removeprefix(prefix)
        if name in ids:
            return {"enum": ids[name]}
        if name:
            return aim(schemas[name])
        return {key: aim(value) for key, value in schema.items()}

    for item in document["paths"].values():
        for operation in item.values():
            operation["security"] = []
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            if "allOf" in schema and not speaks_for_others:
                del schema["allOf"][1]["properties"]["as_user_id"]
            if schema:
                operation["requestBody"]["content"]["application/json"]["schema"] = aim(schema)
    return document


def command() -> str:
    beside = pathlib.Path(sys.executable).with_name("schemathesis")
    return str(beside) if beside.exists() else shutil.which("schemathesis")


@pytest.mark.parametrize("speaker", ["user", "server"])
def test_made_up_requests_are_answered_as_described(own_server, tmp_path, speaker):
    server = own_server
    for user in ("ann", "bob"):
        server.app("user.upsert", id=user)
    for channel in ("general", "random", "other"):
        server.app("channel.create", id=channel, is_public=True, as_user_id="ann", operator_user_ids=["ann"],
                   user_ids=["bob"])
    messages = [server.app("message.send", channel_id="general", text="hi", as_user_id=user)["message"]["id"]
                for user in ("ann", "ann", "bob")]
    server.app("message.send", channel_id="general", text="re", parent_message_id=messages[0], as_user_id="bob")

    ids = {
        "ChannelID": ["general", "random", "other", "absent"], "UserID": ["ann", "bob", "cleo"], "MessageID": messages,
    }
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(aimed(documents.of(server).openapi, ids, speaker == "server")))
    header = "X-API-Key: " + API_KEY if speaker == "server" else "Authorization: Bearer " + token("ann")
    arguments = [
        command(), "run", str(path), "--url", f"http://{server.host}:{server.port}", "-H", header, "-c", CHECKS,
        "--phases", "examples,coverage,fuzzing", "--max-examples", "15", "--seed", "1", "--no-shrink",
        "--continue-on-failure", "--request-timeout", "10", "--warnings", "off",
    ]
    if speaker == "user":
        for method in ENDINGS:
            arguments += ["--exclude-operation-id", method]
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS, cwd=tmp_path)
    assert run.returncode == 0, run.stdout[-10_000:] + run.stderr
    assert server.process.poll() is None and server.get("/livez")[0] == 200
