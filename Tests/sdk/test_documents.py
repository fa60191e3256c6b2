"""The OpenAPI and AsyncAPI documents are valid, complete and consistent with a session."""

import json

import documents
from asyncapi3 import AsyncAPI3
from belfry import API_KEY
from clients import Wire
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator


def test_the_openapi_document_is_valid(server):
    status, text = server.get("/openapi.json")
    assert status == 200
    document = json.loads(text)
    OpenAPIV31SpecValidator(document).validate()
    assert document["openapi"].startswith("3.1")


def resolve(document: dict, reference: str) -> dict:
    assert reference.startswith("#/"), reference
    for part in reference[2:].split("/"):
        document = document[part]
    return document


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_the_asyncapi_document_has_the_structure_of_3_0(server):
    """Checks the document with a public model of AsyncAPI 3.0, and the rules for references, which the model omits."""
    document = documents.of(server).asyncapi
    AsyncAPI3.model_validate(document)
    assert document["asyncapi"] == "3.0.0"
    assert {"title", "version"} <= document["info"].keys()
    assert document.keys() <= {
        "asyncapi", "id", "info", "servers", "defaultContentType", "channels", "operations", "components"}
    for reference in set(references(document)):
        assert isinstance(resolve(document, reference), dict), reference
    for entry in document["servers"].values():
        assert {"host", "protocol"} <= entry.keys() <= {"host", "protocol", "pathname", "description", "security"}
    messages = document["components"]["messages"]
    for channel in document["channels"].values():
        assert channel.keys() <= {"address", "messages", "title", "summary", "description", "servers", "parameters"}
        assert channel["messages"].keys() == messages.keys()
    channels = {"#/channels/" + name for name in document["channels"]}
    for name, operation in document["operations"].items():
        assert operation["action"] in ("send", "receive"), name
        assert operation["channel"]["$ref"] in channels, name
        for part in (operation, operation.get("reply", operation)):
            for message in part["messages"]:
                # An operation names messages of its channel, not components.
                assert message["$ref"].startswith(operation["channel"]["$ref"] + "/messages/"), name
    for name, message in messages.items():
        assert message.keys() <= {"name", "title", "summary", "description", "payload", "examples"}, name


def test_every_schema_is_valid_and_accepts_its_examples(server):
    known = documents.of(server)
    for document in (known.openapi, known.asyncapi):
        for schema in document["components"]["schemas"].values():
            Draft202012Validator.check_schema(schema)
    for name, message in known.asyncapi["components"]["messages"].items():
        Draft202012Validator.check_schema(message["payload"])
        for example in message["examples"]:
            known.hold("asyncapi", message["payload"], example["payload"], name)
    for path, item in known.openapi["paths"].items():
        for operation in item.values():
            media = [operation["requestBody"]["content"]] if "requestBody" in operation else []
            media += [response["content"] for response in operation["responses"].values() if "content" in response]
            for content in media:
                for kind in content.values():
                    if "example" in kind:
                        Draft202012Validator(
                            {**kind["schema"], "components": known.openapi["components"]}).validate(kind["example"])
    for name, response in known.openapi["components"]["responses"].items():
        for content in response["content"].values():
            for example in content.get("examples", {}).values():
                known.hold("openapi", content["schema"], example["value"], name)


async def test_a_session_matches_the_api_documents(server, name):
    """Checks each command listed here and its events, over WebSocket and HTTP."""
    known = documents.of(server)
    ann, bob, general, key = name("ann"), name("bob"), name("general"), name("party")
    server.app("user.upsert", id=bob, nickname="Bob", profile_url="https://example.org/b", metadata={"a": "1"})
    async with Wire(server) as wire, Wire(server) as other:
        await wire.connect(ann)
        await other.connect(bob)

        async def run(method: str, speaker=wire, **data) -> dict:
            reply = await speaker.rpc(method, data)
            assert "error" not in reply, (method, reply)
            return reply["rpc"]["data"]

        await run("user.get", user_id=bob)
        await run("user.preferences", other, auto_accept_invitations=False)
        await run("channel.create", id=general, name="General", operator_user_ids=[ann], metadata={"a": "1"},
                  is_public=True, custom_type="x", data="d", cover_url="/c")
        await run("channel.invite", channel_id=general, user_ids=[bob, name("absent")])
        await run("channel.decline", other, channel_id=general)
        await run("channel.invite", channel_id=general, user_ids=[bob])
        await run("channel.accept", other, channel_id=general)
        sent = await run("message.send", channel_id=general, text="hello", client_id="c", custom_type="t", data="{}")
        place = {"channel_id": general, "message_id": sent["message"]["id"]}
        thread = {"channel_id": general, "parent_message_id": place["message_id"]}
        reply = await run("message.send", other, text="reply", reply_to_channel=False, **thread)
        await run("reaction.add", other, key="sob", **place)
        await run("reaction.list_users", key="sob", **place)
        await run("reaction.remove", other, key="sob", **place)
        await run("reaction.add", other, key="sob", **place)
        await run("message.get", **place)
        await run("message.update", text="hello!", **place)
        await run("message.list", channel_id=general, replies="all", include_thread=True, include_parent=True,
                  include_reactions=True, include_deleted=True)
        await run("thread.replies", **thread)
        await run("message.delete", other, channel_id=general, message_id=reply["message"]["id"])
        await run("operator.add", channel_id=general, user_ids=[bob])
        await run("operator.list", channel_id=general)
        await run("operator.remove", channel_id=general, user_ids=[bob])
        await run("member.list", channel_id=general, limit=1)
        await run("member.mute", channel_id=general, user_id=bob, seconds=60, description="loud")
        await run("member.list_muted", channel_id=general)
        await run("member.unmute", channel_id=general, user_id=bob)
        await run("member.ban", channel_id=general, user_id=bob, description="rude")
        await run("member.list_banned", channel_id=general)
        await run("member.unban", channel_id=general, user_id=bob)
        await run("channel.join", other, channel_id=general)
        await run("channel.leave", other, channel_id=general)
        await run("channel.freeze", channel_id=general)
        await run("channel.unfreeze", channel_id=general)
        await run("channel.update", channel_id=general, name="Else")
        await run("channel.set_metadata", channel_id=general, metadata={"b": "2"})
        await run("channel.delete_metadata", channel_id=general, keys=["b"])
        await run("channel.get", channel_id=general)
        await run("emoji.list")
        for command, subject in (("user.export", {"user_id": ann}), ("channel.export", {"channel_id": general})):
            page = server.app(command, limit=3, **subject)
            assert len(page["lines"]) == 3
            server.app(command, next=page["next"], **subject)
        server.app("emoji.create", key=key, url="https://example.org/p.png", category="x")
        server.app("emoji.delete", key=key)
        server.app("message.send", channel_id=general, text="maintenance")
        await run("operator.remove_all", channel_id=general)
        server.app("channel.delete", channel_id=general)
        await wire.until(lambda: wire.heard(general)[-1:] and wire.heard(general)[-1]["data"]["type"]
                         == "channel.deleted", "the channel is deleted")
        assert server.post("channel.get", {"channel_id": general}, key=API_KEY)[0] == 404
    heard = {event for event, status in known.seen if status == 0}
    assert {"message.new", "thread.reply", "reaction.updated", "invitation.received", "member.banned"} <= heard
    assert {"room.gained", "room.lost"} <= heard
