"""Texts that are programs if interpreted as markup, and a chat with one in every field that users write."""

import json
import pathlib

PAYLOADS: list[str] = json.loads(pathlib.Path(__file__).with_name("injections.json").read_text())
# An address without a listener. A page that fetches it violates its Content-Security-Policy.
ELSEWHERE = "https://127.0.0.1:9/"


class Chat:
    """Fifty users, `mallory-0` and so on, each with one of the texts in every possible field, and ann, who shares
    `hall` with all of them and a separate channel with each. Created by the app's backend."""

    def __init__(self, server):
        self.server = server
        self.mallories = [f"mallory-{i}" for i in range(len(PAYLOADS))]
        server.app("user.upsert", id="ann", nickname="Ann")
        for mallory, text in zip(self.mallories, PAYLOADS):
            server.app("user.upsert", id=mallory, nickname=text, profile_url=ELSEWHERE + "face.png",
                       metadata={"note": text})
        for i, text in enumerate(PAYLOADS):
            server.app("emoji.create", key=f"odd-{i}", character=text[:16], category=text[:16])
        self.channel("hall", "Hall", ["ann", *self.mallories], operator_user_ids=["ann"])
        self.channels()
        self.messages()
        self.sanctions()

    def channel(self, id, name, people, **fields):
        self.server.app("channel.create", id=id, name=name, user_ids=people, **fields)

    def say(self, channel, who, text=None, **fields) -> str:
        by = {"as_user_id": who} if who else {"kind": "admin"}
        words = {} if text is None else {"text": text}
        return self.server.app("message.send", channel_id=channel, **by, **words, **fields)["message"]["id"]

    def channels(self):
        for i, (mallory, text) in enumerate(zip(self.mallories, PAYLOADS)):
            odd = {"data": text, "custom_type": text, "metadata": {"topic": text}, "cover_url": ELSEWHERE + "cover.png"}
            self.channel(f"pair-{i}", text, ["ann", mallory], **odd)
            self.say(f"pair-{i}", mallory, text, data=text, custom_type=text)
            self.channel(f"public-{i}", text, [mallory], is_public=True, **odd)
            self.channel(f"archived-{i}", text, ["ann", mallory], **odd)
            self.server.app("channel.hide", channel_id=f"archived-{i}", as_user_id="ann")
        # The page names this channel after its members.
        self.channel("unnamed", "", ["ann", *self.mallories[:20]])
        self.server.app("user.preferences", as_user_id="ann", auto_accept_invitations=False)
        for i, (mallory, text) in enumerate(zip(self.mallories, PAYLOADS)):
            self.channel(f"invitation-{i}", text, [mallory])
            self.server.app("channel.invite", channel_id=f"invitation-{i}", as_user_id=mallory, user_ids=["ann"])

    def messages(self):
        """Fills the hall, from the top: announcements, files, texts, replies that quote them, and threads with
        titles."""
        for text in PAYLOADS:
            self.say("hall", None, text)
        for mallory, text in zip(self.mallories, PAYLOADS):
            file = {"url": ELSEWHERE + "picture.png", "name": text + ".png", "mime_type": "image/png"}
            self.say("hall", mallory, kind="file", files=[file])
        said = [self.say("hall", mallory, text) for mallory, text in zip(self.mallories, PAYLOADS)]
        for i, (parent, text) in enumerate(zip(said, PAYLOADS)):
            self.say("hall", self.mallories[i - 1], text, parent_message_id=parent, reply_to_channel=True)
        for parent, text in zip(said, PAYLOADS):
            self.say("hall", "ann", "seen", parent_message_id=parent)
            self.server.app("thread.update", channel_id="hall", parent_message_id=parent, as_user_id="ann", title=text,
                            data=text)
        self.parent = self.say("hall", self.mallories[0], PAYLOADS[0])
        for i, (mallory, text) in enumerate(zip(self.mallories, PAYLOADS)):
            self.say("hall", mallory, text, parent_message_id=self.parent)
            for key in ("heart_eyes", f"odd-{i}"):
                self.server.app("reaction.add", channel_id="hall", message_id=self.parent, key=key, as_user_id=mallory)

    def sanctions(self):
        self.channel("court", "Court", ["ann", *self.mallories], operator_user_ids=["ann"])
        self.server.app("channel.accept", channel_id="court", as_user_id="ann")
        for mallory, text in zip(self.mallories, PAYLOADS):
            self.server.app("member.ban", channel_id="court", user_id=mallory, description=text)
            self.server.app("member.mute", channel_id="hall", user_id=mallory, description=text)
            self.server.app("report.create", as_user_id="ann", user_id=mallory, category="spam", description=text)
