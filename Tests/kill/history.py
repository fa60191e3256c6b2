"""The observations of all clients, with the properties that they must have. Shares no code with the server."""

from dataclasses import dataclass, field


@dataclass
class Sent:
    """One message as its sender knows it. Without `ack` its state is unknown."""

    channel: str
    sender: str
    client_id: str
    text: str
    ack: dict | None = None
    # The content after the last acknowledged edit; None if deleted.
    content: str | None = ""
    # Acknowledged reactions: (user, key).
    reactions: set = field(default_factory=set)

    def __post_init__(self):
        self.content = self.text


class Violation(Exception):
    pass


def require(condition, *what):
    if not condition:
        raise Violation(*what)


def check_channel(sent: list[Sent], stored: list[dict], last_seen: dict[str, int]):
    """Compares the channel as listed by the server, including tombstones, with its senders' operations.

    `last_seen`: the offsets found by the previous check, by message id; none may change or disappear.
    """
    by_client_id = {}
    offsets = [message["offset"] for message in stored]
    require(offsets == sorted(set(offsets)), "offsets are not ascending", offsets)
    for message in stored:
        key = message.get("client_id")
        if key is not None:
            require(key not in by_client_id, "a message is there twice", message)
            by_client_id[key] = message
    by_id = {message["id"]: message for message in stored}
    require(len(by_id) == len(stored), "an id is there twice")

    known = {one.client_id for one in sent}
    for key, message in by_client_id.items():
        require(key in known, "a message that nobody sent", message)

    for one in sent:
        if one.ack is None:
            continue
        message = by_id.get(one.ack["id"])
        require(message is not None, "an acknowledged message is lost", one)
        require(message["offset"] == one.ack["offset"], "an acknowledged message moved", one, message)
        require(message["created_at"] == one.ack["created_at"], "another time", one, message)
        if one.content is None:
            require("deleted_at" in message, "an acknowledged deletion is lost", one, message)
            continue
        require("deleted_at" not in message, "deleted by nobody", one, message)
        require(message["text"] == one.content, "an acknowledged edit is lost or a text changed", one, message)
        reactions = {(user, row["key"]) for row in message.get("reactions", []) for user in row["user_ids"]}
        require(reactions == one.reactions, "reactions differ", one, reactions)

    # A sender's messages keep the order of their acknowledgements.
    for sender in {one.sender for one in sent}:
        acked = [one.ack["offset"] for one in sent if one.sender == sender and one.ack]
        require(acked == sorted(acked), "a sender's messages changed their order", sender, acked)

    for identity, offset in last_seen.items():
        require(identity in by_id, "what was there is gone", identity)
        require(by_id[identity]["offset"] == offset, "an offset was used again", identity)
    return {message["id"]: message["offset"] for message in stored}


def check_subscriber(events: list[tuple[int, dict]], start: int, sent: list[Sent], top: int):
    """Checks a subscriber's events of one room: a contiguous slice from its start to the top that matches the
    acknowledged operations."""
    offsets = [offset for offset, _ in events]
    require(offsets == list(range(start + 1, start + 1 + len(offsets))), "a gap or a repetition", start, offsets)
    require(not offsets or offsets[-1] == top, "the end is missing", offsets[-1:], top)
    by_offset = dict(events)
    for one in sent:
        if one.ack is None or one.ack["offset"] <= start:
            continue
        event = by_offset.get(one.ack["offset"])
        require(event is not None, "an acknowledged message was never heard of", one)
        require(event["type"] == "message.new", "another event at a message's offset", one, event)
        require(event["message"]["id"] == one.ack["id"], "another message at its offset", one, event)
