"""The two forms of the client protocol. Tests use JSON, which is written and read in either form.

The Protobuf form is written and read with Google's runtime and the message types of the Python SDK.
"""

import json

import centrifuge.protocol.client_pb2 as protocol

FORMS = ("json", "protobuf")
# The default form of users and wires, set by the fixture `form`.
usual = "json"


def encode(commands: list[dict], form: str) -> str | bytes:
    """Returns one WebSocket message with these commands."""
    if form == "json":
        return "\n".join(json.dumps(command) for command in commands)
    return b"".join(delimited(command_message(command)) for command in commands)


def decode(message: str | bytes, form: str) -> list[dict]:
    """Returns the replies and pushes in one WebSocket message, in the JSON form; `{}` is a ping."""
    if form == "json":
        assert isinstance(message, str)
        return [json.loads(line) for line in message.split("\n")]
    assert isinstance(message, bytes)
    return [as_json(protocol.Reply.FromString(part)) for part in parts(message)]


def command_message(command: dict) -> protocol.Command:
    """Converts `data` of the JSON form to bytes, as in the other form."""
    message = protocol.Command()
    fill(message, command)
    return message


def fill(message, values: dict):
    message.SetInParent()
    for name, value in values.items():
        field = message.DESCRIPTOR.fields_by_name.get(name)
        # The JSON form ignores unknown fields, and null means absent.
        if field is None or value is None:
            continue
        if name == "data":
            message.data = json.dumps(value).encode()
        elif field.message_type and field.message_type.GetOptions().map_entry:
            for key, one in value.items():
                fill(getattr(message, name)[key], one)
        elif field.message_type:
            fill(getattr(message, name), value)
        else:
            setattr(message, name, value)


# Fields that a Protobuf reader yields as zeros or empty texts if absent, and that the JSON form always writes.
ALWAYS = {"SubscribeResult": {"offset": 0, "epoch": ""}, "Subscribe": {"offset": 0, "epoch": ""}}


def as_json(message) -> dict:
    values = dict(ALWAYS.get(message.DESCRIPTOR.name, {}))
    for field, value in message.ListFields():
        if field.name == "data":
            values["data"] = json.loads(value)
        elif field.message_type and field.message_type.GetOptions().map_entry:
            values[field.name] = {key: as_json(one) for key, one in value.items()}
        elif field.message_type and field.is_repeated:
            values[field.name] = [as_json(one) for one in value]
        else:
            values[field.name] = as_json(value) if field.message_type else value
    return values


def delimited(message) -> bytes:
    """Returns a message, or its replacement, preceded by its length."""
    data = message if isinstance(message, bytes) else message.SerializeToString()
    return varint(len(data)) + data


def varint(number: int) -> bytes:
    head = b""
    while number > 127:
        head += bytes([number & 127 | 128])
        number >>= 7
    return head + bytes([number])


def parts(message: bytes) -> list[bytes]:
    """Returns the messages, each of which follows its length."""
    found, start = [], 0
    while start < len(message):
        size = shift = 0
        while True:
            byte = message[start]
            start += 1
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        assert start + size <= len(message)
        found.append(message[start:start + size])
        start += size
    return found
