"""Attacks devised alongside the defence: every command, list and shared table with its largest legal inputs."""

import asyncio
import contextlib
import itertools
import json
import struct
import time
import zlib

from assault import (
    CHANNELS, DATA, ESCAPED, MALLORY, NOBODY, TEXT, Attack, ask, flood, flood_http, guests, refusal, rpc,
)
from listed import Giant
from victim import MIB
from wires import Http, Pace, Wire, frame

FURTHER: list[type[Attack]] = []
# 50 × 1,024 bytes, which are 300 KiB of JSON.
METADATA = {f"k{number:02}": ESCAPED * 1_024 for number in range(50)}
PLAIN_METADATA = {f"k{number:02}": "v" * 1_024 for number in range(50)}
LONG = "n" * 60


def further(kind):
    FURTHER.append(kind)
    return kind


def people(count: int, prefix: str = "p") -> list[str]:
    return [f"{prefix}-{number}" for number in range(count)]


@further
class LargeInvitations(Attack):
    name = "N01"
    title = "create with 300 KiB of metadata, invite 1,000, delete: each invitation carries the channel"

    async def prepare(self, victim, backend):
        self.invited = people(self.of(1_000))
        await backend.users([MALLORY, *self.invited])
        await backend.many([
            ("user.preferences", {"as_user_id": id, "auto_accept_invitations": False}) for id in self.invited])

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        token = "Bearer " + victim.token(MALLORY)
        wire = await Http.open(victim, tally)
        pace, rounds = Pace(), 0
        while time.monotonic() < end and wire.is_open:
            for command, data in (
                ("channel.create", {"id": "letter", "is_super": True, "metadata": METADATA, "operator_user_ids": [MALLORY]}),
                ("channel.invite", {"channel_id": "letter", "user_ids": self.invited}),
                ("channel.delete", {"channel_id": "letter"}),
            ):
                await pace.take()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(max(0.1, end - time.monotonic())):
                        await wire.request("POST", "/v1/" + command, json.dumps(data).encode(), Authorization=token)
            rounds += 1
        self.facts["rounds"] = rounds
        wire.transport.abort()


@further
class LargeUpdates(Attack):
    name = "N02"
    title = "freeze and unfreeze a channel of 300 KiB of metadata: each event carries the channel"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="heavy", as_user_id=MALLORY, metadata=METADATA,
                          operator_user_ids=[MALLORY])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [rpc("channel.freeze", channel_id="heavy"), rpc("channel.unfreeze", channel_id="heavy")],
                    seconds, tally, connections=4, in_flight=16, connect={})


@further
class OperatorsInTurn(Attack):
    name = "N03"
    title = "operator.add and operator.remove of 999 people in turn: 999 events by each command, for ever"

    async def prepare(self, victim, backend):
        self.people = people(self.of(999))
        await backend.users([MALLORY, *self.people])
        await backend.one("channel.create", id="court", as_user_id=MALLORY, is_super=True, operator_user_ids=[MALLORY])
        await backend.members("court", self.people)

    async def assault(self, victim, seconds, tally):
        await flood(
            victim, MALLORY, [rpc("operator.add", channel_id="court", user_ids=self.people),
                              rpc("operator.remove", channel_id="court", user_ids=self.people)],
            seconds, tally, connections=1, in_flight=32)


@further
class RingsOfOthers(Attack):
    name = "N04"
    title = "one user's rooms push everybody's events out of the rings: nobody recovers any more"
    rooms = 320

    async def prepare(self, victim, backend):
        await backend.users([MALLORY, "honest"])
        await backend.one("channel.create", id="work", as_user_id="honest")
        await backend.messages("work", "honest", 20, "a message that somebody missed")
        made = [{"id": f"flush-{number}", "user_ids": [MALLORY]} for number in range(self.rooms)]
        await backend.many([("channel.upsert_many", {"channels": made[start : start + CHANNELS]})
                            for start in range(0, self.rooms, CHANNELS)])

    async def _recovers(self, victim) -> bool:
        wire = await Wire.open(victim)
        wire._kept = 1 << 20
        reply = json.loads(await wire.connect(victim.token("honest")))
        epoch = reply["connect"]["subs"]["work"]["epoch"]
        await wire.close()
        wire = await Wire.open(victim)
        wire._kept = 1 << 20
        reply = json.loads(await wire.connect(
            victim.token("honest"), subs={"work": {"recover": True, "offset": 5, "epoch": epoch}}))
        await wire.close()
        return reply["connect"]["subs"]["work"].get("recovered", False)

    async def assault(self, victim, seconds, tally):
        self.facts["recovered before"] = await self._recovers(victim)
        full = json.dumps({"text": ESCAPED * TEXT, "data": ESCAPED * DATA, "meta_arrays": {"k": [ESCAPED * 1_000] * 16}})
        commands = (("message.send", f'{{"channel_id":"flush-{number % self.rooms}",{full[1:]}')
                    for number in range(self.rooms * 5))
        await flood_http(victim, MALLORY, commands, seconds, tally)

    async def judge(self, victim, backend):
        recovered = await self._recovers(victim)
        self.facts["recovered after"] = recovered
        if not recovered:
            self.problems.append("somebody else cannot recover 15 small events any more")


@further
class Reconnecting(Attack):
    name = "N05"
    title = "connect and go, with 1,990 channels, as often as TCP allows"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        made = [{"id": f"mine-{number}", "user_ids": [MALLORY]} for number in range(self.of(1_990))]
        await backend.many([("channel.upsert_many", {"channels": made[start : start + CHANNELS]})
                            for start in range(0, len(made), CHANNELS)])

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        refused = [0]

        async def come_and_go():
            while time.monotonic() < end and victim.is_alive:
                with contextlib.suppress(OSError, TimeoutError):
                    async with asyncio.timeout(max(0.05, end - time.monotonic())):
                        wire = await Wire.open(victim, tally)
                        line = await wire.connect(victim.token(MALLORY))
                        if line is None or b'"error"' in line:
                            refused[0] += 1
                            await asyncio.sleep(0.1)
                        await wire.close()

        await asyncio.gather(*(come_and_go() for _ in range(50)))
        self.facts["connects per second"] = round((tally.connects - refused[0]) / seconds)


@further
class AllDownloads(Attack):
    name = "N06"
    title = "eight users who download and do not read: nobody else gets a file"
    attackers = 8

    async def prepare(self, victim, backend):
        self.people = people(8, "mallory")
        await backend.users([*self.people, "honest"])
        for channel, members in (("films", self.people), ("work", ["honest"])):
            await backend.one("channel.create", id=channel, as_user_id=members[0], user_ids=members[1:])
        self.paths = []
        for channel, user, body in (("films", self.people[0], b"\xff" * 25 * MIB), ("work", "honest", b"hi")):
            wire = await Http.open(victim, keeps=True)
            token = "Bearer " + victim.token(user)
            _, answer = await wire.request("POST", f"/v1/files?channel_id={channel}&name=a", body, Authorization=token)
            file = json.loads(answer)["file"]
            await wire.request("POST", "/v1/message.send", json.dumps(
                {"channel_id": channel, "kind": "file", "files": [{"id": file["id"]}]}).encode(), Authorization=token)
            self.paths.append(f"/v1/files/{file['id']}/a")
            await wire.close()

    async def assault(self, victim, seconds, tally):
        async with contextlib.AsyncExitStack() as stack:
            for user in self.people * 32:
                deaf = await Http.open(victim, tally, receive_buffer=4_096)
                stack.callback(deaf.transport.abort)
                await deaf.send("GET", self.paths[0], Authorization="Bearer " + victim.token(user))
                deaf.transport.pause_reading()
            await asyncio.sleep(1)
            end = time.monotonic() + max(1, seconds - 1)
            tries = refused = 0
            while time.monotonic() < end:
                wire = await Http.open(victim, keeps=True)
                status, _ = await wire.request("GET", self.paths[1], Authorization="Bearer " + victim.token("honest"))
                await wire.close()
                tries, refused = tries + 1, refused + (status != 200)
                await asyncio.sleep(0.2)
        self.facts["somebody else's downloads refused"] = f"{refused} of {tries}"
        if refused:
            self.problems.append(f"{refused} of {tries} downloads of somebody else were refused")


@further
class SortedThreads(Attack):
    name = "N07"
    title = "thread.list limit 1 of somebody in 50,000 threads: tiny answers"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="threads", as_user_id=MALLORY)
        parents = await backend.messages("threads", MALLORY, self.of(50_000), "x")
        await backend.many([
            ("message.send", {"channel_id": "threads", "as_user_id": MALLORY, "parent_message_id": parent, "text": "y"})
            for parent in parents])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [rpc("thread.list", limit=1, reply_limit=0)], seconds, tally, in_flight=32)


@further
class ComparedPeople(Attack):
    name = "N08"
    title = "channel.list user_ids_include of 100 unknown names over 1,990 channels"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        made = [{"id": f"mine-{number}", "user_ids": [MALLORY]} for number in range(self.of(1_990))]
        await backend.many([("channel.upsert_many", {"channels": made[start : start + CHANNELS]})
                            for start in range(0, len(made), CHANNELS)])

    async def assault(self, victim, seconds, tally):
        names = [LONG + str(number) for number in range(100)]
        await flood(victim, MALLORY, [
            rpc("channel.list", include_empty=True, user_ids_include=names, user_ids_query="or", limit=1)],
            seconds, tally, in_flight=32)


@further
class NothingMatches(Attack):
    name = "N09"
    title = "message.list around the middle of 40,000 messages, none of which has the custom_type"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="long", as_user_id=MALLORY)
        ids = await backend.messages("long", MALLORY, self.of(40_000), "x")
        self.middle = ids[len(ids) // 2]

    async def assault(self, victim, seconds, tally):
        names = [LONG + str(number) for number in range(700)]
        await flood(victim, MALLORY, [
            rpc("message.list", channel_id="long", message_id=self.middle, previous=100, next=100, replies="all",
                custom_type="none", inclusive=False),
            rpc("message.list", channel_id="long", message_id=self.middle, previous=100, next=100, replies="all",
                user_ids=names, inclusive=False),
        ], seconds, tally, in_flight=32)


@further
class SearchedChannels(Attack):
    name = "N10 channels"
    title = "message.search over 1,990 channels of ten messages"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        names = [f"mine-{number}" for number in range(self.of(1_990))]
        made = [{"id": name, "user_ids": [MALLORY]} for name in names]
        await backend.many([("channel.upsert_many", {"channels": made[start : start + CHANNELS]})
                            for start in range(0, len(made), CHANNELS)])
        await backend.many([("message.send", {"channel_id": name, "as_user_id": MALLORY, "text": "some words of a chat"})
                            for _ in range(10) for name in names])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [rpc("message.search", query="zz")], seconds, tally, in_flight=32)


@further
class FoldedTexts(Attack):
    name = "N10 letters"
    title = 'message.search for "zz" in 128 × 16 KiB of "İ": what costs is lower case'

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="letters", as_user_id=MALLORY)
        await backend.messages("letters", MALLORY, self.of(128), "İ" * (TEXT // 2))

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [rpc("message.search", channel_id="letters", query="zz")], seconds, tally,
                    in_flight=32)


@further
class ManyReactions(Giant):
    name = "N11"
    title = "message.list of 100 messages with 480 reactions each, of a user with a long name"
    user = '"' * 79

    async def prepare(self, victim, backend):
        await backend.users([self.user])
        keys = [f"{number:03}" + "k" * 60 for number in range(480)]
        await backend.many([("emoji.create", {"key": key, "character": "x"}) for key in keys], allowed=(1032, 1036, 1037))
        await backend.one("channel.create", id="loved", as_user_id=self.user)
        self.ids = await backend.messages("loved", self.user, self.of(100), "x")
        await backend.many([
            ("reaction.add", {"channel_id": "loved", "as_user_id": self.user, "message_id": id, "key": key})
            for id in self.ids for key in keys])

    async def assault(self, victim, seconds, tally):
        await flood(victim, self.user, [rpc("message.list", channel_id="loved", limit=100, include_reactions=True)],
                    seconds, tally, connections=2, in_flight=8)
        self.bound(tally)


@further
class ManyAddresses(Giant):
    name = "N12"
    title = "messages with 20 addresses of 2 KiB, told four times each with three thumbnails"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="links", as_user_id=MALLORY)
        url = "https://example.com/" + "u" * 2_000
        files = [{"url": url, "name": "n" * 200, "mime_type": "image/png", "size": 1} for _ in range(20)]
        sizes = [{"max_width": side, "max_height": side} for side in (100, 200, 300)]
        ids = await backend.messages("links", MALLORY, self.of(201), None, kind="files", files=files, thumbnail_sizes=sizes)
        self.middle = ids[len(ids) // 2]

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("message.list", channel_id="links", message_id=self.middle, previous=100, next=100, include_meta_arrays=True)],
            seconds, tally, connections=2, in_flight=4)
        self.bound(tally)


@further
class LargeChannels(Giant):
    name = "N13"
    title = "channel.list and list_public of 100 channels with 300 KiB of metadata and a last message of 240 KiB"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        names = [f"heavy-{number}" for number in range(self.of(100))]
        await backend.many([
            ("channel.upsert_many", {"channels": [{
                "id": name, "user_ids": [MALLORY], "metadata": METADATA, "is_public": True, "data": ESCAPED * DATA}]})
            for name in names])
        await backend.many([
            ("message.send", {"channel_id": name, "as_user_id": MALLORY, "text": ESCAPED * TEXT, "data": ESCAPED * DATA,
                              "meta_arrays": {"k": [ESCAPED * 1_000] * 16}}) for name in names])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [rpc("channel.list", limit=100), rpc("channel.list_public", limit=100)],
                    seconds, tally, connections=2, in_flight=4)
        self.bound(tally)


@further
class HoardOfChannels(Attack):
    name = "N14"
    title = "channels of 51 KiB of metadata, created and left: memory of nobody"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        pace, serial, made = Pace(), itertools.count(), [0]
        metadata = json.dumps(PLAIN_METADATA)

        async def work():
            wire = await Wire.open(victim, tally)
            await wire.connect(victim.token(MALLORY), **NOBODY)
            while time.monotonic() < end and wire.is_open:
                id = f"hoard-{next(serial)}"
                await pace.take()
                line = await (await wire.rpc("channel.create", f'{{"id":"{id}","metadata":{metadata}}}'))
                if not line or b'"error"' in line:
                    await asyncio.sleep(0.1)
                    continue
                made[0] += 1
                await pace.take()
                await wire.rpc("channel.leave", f'{{"channel_id":"{id}"}}')
            await wire.close()

        await asyncio.gather(*(work() for _ in range(4)))
        self.facts["channels made"] = made[0]


@further
class Edits(Attack):
    name = "N15"
    title = "one message of 24 KiB edited back and forth: nothing grows but the journal"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="page", as_user_id=MALLORY)
        self.id = (await backend.messages("page", MALLORY, 1, "x"))[0]

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("message.update", channel_id="page", message_id=self.id, text=letter * TEXT, data=letter * DATA)
            for letter in "ab"], seconds, tally)
        self.facts["journaled, MiB"] = round((tally.answered - sum(tally.refused.values())) * (TEXT + DATA) / MIB)


@further
class Awakened(Attack):
    name = "N16"
    title = "one message into a super channel that 19,990 people have hidden: as many events in one frame"

    async def prepare(self, victim, backend):
        members = people(self.of(19_990))
        await backend.users([MALLORY, *members])
        await backend.one("channel.create", id="crowd", as_user_id=MALLORY, is_super=True)
        await backend.members("crowd", members)
        await backend.many([("channel.hide", {"channel_id": "crowd", "as_user_id": id}) for id in members])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [rpc("message.send", channel_id="crowd", text="good morning")], 1, tally)
        await asyncio.sleep(1)


@further
class ComingAndGoing(Attack):
    name = "N17"
    title = "channels with 999 people created and deleted in turn"

    async def prepare(self, victim, backend):
        self.people = people(self.of(999))
        await backend.users([MALLORY, "honest", *self.people])

    async def assault(self, victim, seconds, tally):
        names = json.dumps(self.people)
        commands = itertools.chain.from_iterable(
            (("channel.create", f'{{"id":"wave-{number}","is_super":true,"operator_user_ids":["{MALLORY}"],"user_ids":{names}}}'),
             ("channel.delete", f'{{"channel_id":"wave-{number}"}}')) for number in itertools.count())
        await flood(victim, MALLORY, commands, seconds, tally, connections=1, in_flight=32)

    async def judge(self, victim, backend):
        await backend.one("channel.create", id="work", operator_user_ids=["honest"], is_super=True)
        added = await backend.one("member.add", channel_id="work", user_ids=self.people)
        if added.get("refused"):
            self.problems.append(f"the server key cannot add {len(added['refused'])} of {len(self.people)}")


@further
class TinyFiles(Attack):
    name = "N18"
    title = "files of one byte, each sent: inodes, an fsync each, entries for ever"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY, "honest"])
        await backend.one("channel.create", id="dust", as_user_id=MALLORY)
        await backend.one("channel.create", id="work", as_user_id="honest")

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        pace, kept, waits = Pace(), [0], []

        async def work():
            wire = await Http.open(victim, tally, keeps=True)
            token = "Bearer " + victim.token(MALLORY)
            while time.monotonic() < end and wire.is_open:
                await pace.take()
                status, answer = await wire.request("POST", "/v1/files?channel_id=dust&name=a", b"x", Authorization=token)
                if status != 200:
                    await asyncio.sleep(0.05)
                    if not wire.is_open:
                        wire = await Http.open(victim, tally, keeps=True)
                    continue
                kept[0] += 1
                await pace.take()
                await wire.request("POST", "/v1/message.send", json.dumps(
                    {"channel_id": "dust", "kind": "file", "files": [{"id": json.loads(answer)["file"]["id"]}]}).encode(),
                    Authorization=token)
            await wire.close()

        async def honest():
            while time.monotonic() < end:
                wire = await Http.open(victim, keeps=True)
                begun = time.monotonic()
                status, _ = await wire.request(
                    "POST", "/v1/files?channel_id=work&name=a", b"hi", Authorization="Bearer " + victim.token("honest"))
                waits.append(time.monotonic() - begun)
                await wire.close()
                await asyncio.sleep(0.2)

        await asyncio.gather(honest(), *(work() for _ in range(16)))
        self.facts |= {"files": kept[0], "somebody else's upload, ms at worst": round(1_000 * max(waits, default=0))}


@further
class DeafListeners(Attack):
    name = "N19"
    title = "100 deaf connections of one user in a busy room of their own"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="loud", as_user_id=MALLORY)

    async def assault(self, victim, seconds, tally):
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(98):
                deaf = await Wire.open(victim, receive_buffer=4_096)
                stack.callback(deaf.transport.abort)
                await deaf.connect(victim.token(MALLORY))
                deaf.transport.pause_reading()
            body = json.dumps({"channel_id": "loud", "text": "t" * TEXT, "data": "d" * DATA})
            await flood(victim, MALLORY, [("message.send", body)], seconds, tally, connections=2)


@further
class FiguresForAll(Attack):
    name = "N20"
    title = "a stranger who asks for /metrics on 64 connections, without a pause"
    # connections.strangers_at_once, connections.strangers_per_second, and the cost of one page of metrics.
    at_once, per_second, each = 2_000, 200, 5

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        served = 0

        async def work():
            nonlocal served
            while time.monotonic() < end:
                with contextlib.suppress(OSError, TimeoutError):
                    async with asyncio.timeout(max(0.05, end - time.monotonic())):
                        wire = await Http.open(victim, tally)
                        while wire.is_open:
                            status, _ = await wire.request("GET", "/metrics")
                            served += status == 200

        await asyncio.gather(*(work() for _ in range(64)))
        self.facts["served"] = served
        # Twice the time: the machine may have started slowly.
        if served > (self.at_once + 2 * self.per_second * seconds) / self.each:
            self.problems.append(f"a stranger was served {served} pages of figures in {seconds:.0f} s")


@further
class TypingFull(Attack):
    name = "N22"
    title = "51 users who type in 1,990 channels each: nobody else's typing is told"
    attackers = 51

    async def prepare(self, victim, backend):
        self.people = people(51, "typist")
        await backend.users([*self.people, "honest", "friend"])
        made = [{"id": f"t-{number}", "user_ids": self.people} for number in range(1_990)]
        await backend.many([("channel.upsert_many", {"channels": made[start : start + 19]})
                            for start in range(0, len(made), 19)])
        await backend.one("channel.create", id="work", as_user_id="honest", user_ids=["friend"])

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        refused = [0, 0]

        async def honest():
            while time.monotonic() < end:
                refused[1] += 1
                refused[0] += refusal(await ask(victim, "honest", "typing.start", channel_id="work")) is not None
                await ask(victim, "honest", "typing.stop", channel_id="work")
                await asyncio.sleep(0.3)

        async def types(user, first):
            wire = await Wire.open(victim, tally)
            await wire.connect(victim.token(user), **NOBODY)
            # Half of the user's rate, because there are two connections.
            pace = Pace(200, 1_000)
            for number in itertools.cycle(range(first, 1_990, 100)):
                for _ in range(50):
                    await pace.take()
                if time.monotonic() > end or not wire.is_open:
                    break
                # Fifty commands per frame, so that the server is the bottleneck.
                await wire.write(frame("\n".join(
                    f'{{"id":{serial + 2},"rpc":{{"method":"typing.start","data":{{"channel_id":"t-{serial}"}}}}}}'
                    for serial in range(number, min(1_990, number + 50))).encode()))
                tally.sent += 50
            await wire.close()

        await asyncio.gather(honest(), *(types(user, first) for user in self.people for first in (0, 50)))
        self.facts["somebody else's typing.start refused"] = f"{refused[0]} of {refused[1]}"
        if refused[0]:
            self.problems.append(f"somebody else's typing.start was refused {refused[0]} times of {refused[1]}")


@further
class Thumbnails(Attack):
    name = "N23"
    title = "49-megapixel images with three thumbnails each"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="art", as_user_id=MALLORY)

        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        side = 7_000
        self.image = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
                      + chunk(b"IDAT", zlib.compress((b"\0" + b"\x55" * 3 * side) * side)) + chunk(b"IEND", b""))

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        token = "Bearer " + victim.token(MALLORY)
        made, tiny = [0], itertools.count(1_000)

        async def work():
            wire = await Http.open(victim, tally, keeps=True)
            while time.monotonic() < end and wire.is_open:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(max(0.05, end - time.monotonic())):
                        status, answer = await wire.request(
                            "POST", "/v1/files?channel_id=art&name=a.png", self.image, Authorization=token)
                        if status != 200:
                            await asyncio.sleep(0.1)
                            continue
                        id = json.loads(answer)["file"]["id"]
                        sides = [next(tiny) for _ in range(3)]
                        await wire.request("POST", "/v1/message.send", json.dumps({
                            "channel_id": "art", "kind": "file", "files": [{"id": id}],
                            "thumbnail_sizes": [{"max_width": side, "max_height": side} for side in sides]}).encode(),
                            Authorization=token)
                        for side in sides:
                            await wire.request("GET", f"/v1/files/{id}/a?thumbnail={side}x{side}", Authorization=token)
                            made[0] += 1
            wire.transport.abort()

        await asyncio.gather(*(work() for _ in range(16)))
        self.facts["thumbnails asked for"] = made[0]


@further
class Receipts(Attack):
    name = "N28"
    title = "read.receipts and operator lists of 19,990 members"

    async def prepare(self, victim, backend):
        members = people(self.of(19_990))
        await backend.users([MALLORY, *members])
        await backend.one("channel.create", id="crowd", as_user_id=MALLORY, is_super=True)
        await backend.members("crowd", members)
        self.id = (await backend.messages("crowd", MALLORY, 1, "x"))[0]
        await backend.many([("read.mark", {"channel_id": "crowd", "as_user_id": id}) for id in members])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("read.receipts", channel_id="crowd", message_id=self.id, limit=1),
            rpc("member.list", channel_id="crowd", nickname_prefix="zz", order="operator_then_nickname", limit=1)],
            seconds, tally, in_flight=32)


@further
class ThousandNames(Attack):
    name = "N29"
    title = "channel.invite of 999 members and user.list of 1,000: work that leads to nothing"

    async def prepare(self, victim, backend):
        self.people = people(self.of(999))
        await backend.users([MALLORY, *self.people])
        await backend.one("channel.create", id="court", as_user_id=MALLORY, is_super=True)
        await backend.members("court", self.people)

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("channel.invite", channel_id="court", user_ids=self.people),
            rpc("user.list", user_ids=self.people, limit=100)], seconds, tally, in_flight=32)


@further
class RankedRepliers(Attack):
    name = "N32"
    title = "reply and delete in a thread in which 15,000 people replied: the ranking is drawn up anew"

    async def prepare(self, victim, backend):
        members = people(self.of(15_000))
        await backend.users([MALLORY, *members])
        await backend.one("channel.create", id="crowd", as_user_id=MALLORY, is_super=True)
        await backend.members("crowd", members)
        self.parent = (await backend.messages("crowd", MALLORY, 1, "who is here?"))[0]
        await backend.many([
            ("message.send", {"channel_id": "crowd", "as_user_id": id, "parent_message_id": self.parent, "text": "me",
                              "reply_to_channel": False}) for id in members])
        # Replies to delete.
        self.ids = await backend.messages("crowd", MALLORY, self.of(8_000), "me too", parent_message_id=self.parent)

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, (
            rpc("message.delete", channel_id="crowd", message_id=id) for id in self.ids), seconds, tally, in_flight=32)


@further
class ReactedByAll(Attack):
    name = "N33"
    title = "a reaction toggled on a message to which 15,000 people reacted"

    async def prepare(self, victim, backend):
        members = people(self.of(15_000))
        await backend.users([MALLORY, *members])
        await backend.one("channel.create", id="crowd", as_user_id=MALLORY, is_super=True)
        await backend.members("crowd", members)
        emojis = await ask(victim, MALLORY, "emoji.list")
        self.key = emojis["emojis"][0]["key"] if emojis.get("emojis") else "like"
        if not emojis.get("emojis"):
            await backend.one("emoji.create", key="like", character="x")
        self.id = (await backend.messages("crowd", MALLORY, 1, "hello"))[0]
        await backend.many([
            ("reaction.add", {"channel_id": "crowd", "as_user_id": id, "message_id": self.id, "key": self.key})
            for id in members])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc(f"reaction.{what}", channel_id="crowd", message_id=self.id, key=self.key) for what in ("add", "remove")],
            seconds, tally, in_flight=32, connections=1)


@further
class SubscribingAgain(Attack):
    name = "N35"
    title = "subscribe with recover of a full ring, unsubscribe, again, on living connections"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="ring", as_user_id=MALLORY)
        await backend.messages("ring", MALLORY, self.of(60), "r" * TEXT)

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        pace = Pace()

        async def work():
            wire = await Wire.open(victim, tally)
            await wire.connect(victim.token(MALLORY), **NOBODY)
            line = await wire.call(subscribe={"channel": "ring"})
            epoch = line.split(b'"epoch":"')[1].split(b'"')[0].decode()
            while time.monotonic() < end and wire.is_open:
                await pace.take()
                await wire.call(unsubscribe={"channel": "ring"})
                await pace.take()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(max(0.05, end - time.monotonic())):
                        await wire.call(subscribe={"channel": "ring", "recover": True, "offset": 3, "epoch": epoch})
            await wire.close()

        await asyncio.gather(*(work() for _ in range(8)))
        self.facts["MiB/s recovered"] = round(tally.bytes / MIB / seconds)


class RefusedLate(Attack):
    """1 MiB of JSON that is decoded before it is refused."""

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="mine", as_user_id=MALLORY)

    def command(self) -> tuple[str, str]:
        raise NotImplementedError

    async def assault(self, victim, seconds, tally):
        await flood_http(victim, MALLORY, [self.command()], seconds, tally, connections=32)


@further
class ManyNames(RefusedLate):
    name = "N37 names"
    title = "user.list of 115,000 names in a mebibyte: refused once all are read"

    def command(self):
        return "user.list", '{"user_ids":[' + ",".join(f'"{number:02x}"' for number in range(1 << 16, (1 << 16) + 115_000)) + "]}"


@further
class ManyKeys(RefusedLate):
    name = "N37 keys"
    title = "channel.create with 90,000 keys of metadata in a mebibyte: refused once all are read"

    def command(self):
        keys = ",".join(f'"{number:x}":""' for number in range(1 << 16, (1 << 16) + 100_000))
        return "channel.create", '{"metadata":{' + keys[: keys.rfind(",", 0, 1_000_000)] + "}}"


@further
class LongText(RefusedLate):
    name = "N37 text"
    title = "message.send with a mebibyte of escapes: refused once it is read"

    def command(self):
        return "message.send", '{"channel_id":"mine","text":"' + "\\u00e9" * 170_000 + '"}'


@further
class ManyMarks(Attack):
    name = "N21"
    title = "read.mark_all of 1,990 channels, each made unread again by a second account"
    attackers = 2

    async def prepare(self, victim, backend):
        await backend.users([MALLORY, "accomplice"])
        self.names = [f"both-{number}" for number in range(self.of(1_990))]
        made = [{"id": name, "user_ids": [MALLORY, "accomplice"]} for name in self.names]
        await backend.many([("channel.upsert_many", {"channels": made[start : start + CHANNELS]})
                            for start in range(0, len(made), CHANNELS)])
        await backend.many([("message.send", {"channel_id": name, "as_user_id": "accomplice", "text": "x"})
                            for name in self.names])

    async def assault(self, victim, seconds, tally):
        sends = [rpc("message.send", channel_id=name, text="x") for name in self.names]
        await asyncio.gather(
            flood(victim, "accomplice", sends, seconds, tally),
            flood(victim, MALLORY, [rpc("read.mark_all"), rpc("read.counts")], seconds, tally))


@further
class Expensive(Attack):
    name = "N36"
    title = "one connection that has 64 of the dearest commands in flight, of 20 users: do all take turns?"
    attackers = 20

    async def prepare(self, victim, backend):
        self.people = people(20, "mallory")
        await backend.users(self.people)
        await backend.one("channel.create", id="busy", as_user_id=self.people[0], user_ids=self.people[1:])
        await backend.messages("busy", self.people[0], self.of(128), "ab " * (TEXT // 3))

    async def assault(self, victim, seconds, tally):
        # Linear searches at the scan limit.
        query = [rpc("message.search", channel_id="busy", query="zz")]
        await asyncio.gather(*(
            flood(victim, user, query, seconds, tally, connections=1, in_flight=64) for user in self.people))


@further
class FullLobby(Attack):
    name = "N47"
    title = "a public channel of 100 places that guests of six addresses fill"
    settings = {"BELFRY_GUESTS_ENABLED": "true", "BELFRY_SERVER_TRUSTED_PROXIES": "127.0.0.1"}

    async def prepare(self, victim, backend):
        await backend.users(["host", "honest"])
        await backend.one("channel.upsert_many", channels=[
            {"id": "lobby", "is_public": True, "operator_user_ids": ["host"]}])
        self.guests = await guests(victim, 120, lambda number: f"203.0.113.{number // 20 + 1}")

    async def assault(self, victim, seconds, tally):
        for id, token in self.guests:
            await flood(victim, id, iter([rpc("channel.join", channel_id="lobby")]), 2, tally, connections=1,
                        token=token)

    async def judge(self, victim, backend):
        code = refusal(await ask(victim, "honest", "channel.join", channel_id="lobby"))
        self.facts["an honest user's channel.join"] = f"refused with {code}" if code else "accepted"
        if code:
            self.problems.append(f"guests have taken all places of a public channel: {code}")


@further
class FullOfInvitations(Attack):
    name = "N48"
    title = "1,000 invitations to somebody who answers none: nobody else can invite them"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY, "honest", "shy"])
        await backend.one("user.preferences", as_user_id="shy", auto_accept_invitations=False)
        made = [{"id": f"lure-{number}", "operator_user_ids": [MALLORY]} for number in range(1_200)]
        await backend.many([("channel.upsert_many", {"channels": made[start : start + CHANNELS]})
                            for start in range(0, len(made), CHANNELS)])
        await backend.one("channel.upsert_many", channels=[{"id": "work", "operator_user_ids": ["honest"]}])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, (
            rpc("channel.invite", channel_id=f"lure-{number}", user_ids=["shy"]) for number in range(1_200)), seconds, tally)

    async def judge(self, victim, backend):
        answer = await ask(victim, "honest", "channel.invite", channel_id="work", user_ids=["shy"])
        self.facts["an honest invitation"] = str(answer.get("refused") or answer.get("error") or "accepted")[:100]
        if not answer.get("invited"):
            self.problems.append("nobody else can invite somebody whom one user has invited 1,000 times")


@further
class EngineFull(Attack):
    name = "N57"
    title = "26 users with 2,000 searches each in flight: does anybody else get a place?"
    attackers = 26

    async def prepare(self, victim, backend):
        self.people = people(26, "mallory")
        await backend.users(self.people)
        await backend.one("channel.upsert_many", channels=[{"id": "busy", "user_ids": self.people}])
        await backend.messages("busy", self.people[0], self.of(128), "ab " * (TEXT // 3))

    async def assault(self, victim, seconds, tally):
        query = [rpc("message.search", channel_id="busy", query="zz")]
        await asyncio.gather(*(
            flood(victim, user, query, seconds, tally, connections=32, in_flight=64) for user in self.people))


@further
class EveryDoor(Attack):
    name = "N61"
    title = "the largest answer of every list, at every door"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        full = {"text": ESCAPED * TEXT, "data": ESCAPED * DATA, "meta_arrays": {"k": [ESCAPED * 1_000] * 16}}
        names = [f"heavy-{number}" for number in range(self.of(40))]
        await backend.many([
            ("channel.upsert_many", {"channels": [{
                "id": name, "operator_user_ids": [MALLORY], "metadata": METADATA, "is_public": True, "is_super": True,
                "data": ESCAPED * DATA}]}) for name in names])
        self.parents = await backend.messages(names[0], MALLORY, 10, **full)
        for parent in self.parents[:5]:
            await backend.messages(names[0], MALLORY, self.of(40), **full, parent_message_id=parent)
        for name in names[1:]:
            await backend.messages(name, MALLORY, 4, **full)

    async def assault(self, victim, seconds, tally):
        channel, parent = {"channel_id": "heavy-0"}, {"parent_message_id": self.parents[0]}
        doors = [
            ("message.list", {**channel, "limit": 100, "include_meta_arrays": True, "include_parent": True, "replies": "all"}),
            ("message.list", {**channel, "message_id": self.parents[-1], "previous": 100, "next": 100, "replies": "all",
                              "include_parent": True, "include_thread": True, "include_meta_arrays": True}),
            ("message.list", {**channel, "at": 0, "previous": 0, "next": 100, "replies": "all", "include_parent": True}),
            ("message.search", {"query": "\u0001" * 250, "limit": 100}),
            ("message.search", {**channel, "query": "\u0001", "limit": 100}),
            ("message.get", {**channel, "message_id": self.parents[0]}),
            ("thread.replies", {**channel, **parent, "previous": 0, "next": 100}),
            ("thread.replies", {**channel, **parent, "previous": 100}),
            ("thread.get", {**channel, **parent, "reply_limit": 100, "participant_limit": 100}),
            ("thread.list", {"limit": 100, "reply_limit": 100}),
            ("thread.list", {"limit": 100, "reply_limit": 0}),
            ("channel.list", {"limit": 100}),
            ("channel.list", {"limit": 100, "order": "metadata_value", "metadata_key": "k01"}),
            ("channel.list_public", {"limit": 100}),
            ("channel.get", channel),
            ("channel.freeze", channel), ("channel.unfreeze", channel),
            ("operator.list", channel), ("member.list", channel),
        ]
        sizes = {}
        for method, data in doors:
            wire = await Http.open(victim, tally, keeps=True)
            status, body = await wire.request(
                "POST", "/v1/" + method, json.dumps(data).encode(), Authorization="Bearer " + victim.token(MALLORY))
            await wire.close()
            label = f"{method} {status}" if status != 200 else method
            sizes[label] = max(sizes.get(label, 0), len(body))
        wire = await Wire.open(victim, tally)
        line = await wire.connect(victim.token(MALLORY))
        epochs = json.loads(await self._whole(victim))["connect"]["subs"]
        before = tally.bytes
        again = await Wire.open(victim, tally)
        await again.connect(victim.token(MALLORY), subs={
            name: {"recover": True, "offset": 1, "epoch": sub["epoch"]} for name, sub in epochs.items() if "epoch" in sub})
        sizes["connect, recovering"] = tally.bytes - before
        await wire.close()
        await again.close()
        assert line is not None
        for label, size in sizes.items():
            self.facts[label] = f"{size / MIB:.2f} MiB"
            if size > 1.5 * MIB:
                self.problems.append(f"{label} answers {size / MIB:.1f} MiB")

    async def _whole(self, victim) -> bytes:
        wire = await Wire.open(victim)
        wire._kept = 1 << 30
        line = await wire.connect(victim.token(MALLORY))
        await wire.close()
        return line


@further
class LongSortKeys(Attack):
    name = "N66"
    title = "list_public by metadata values of a KiB that differ in their last bytes"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        made = [{"id": f"sorted-{number}", "is_public": True, "metadata": {"k": "v" * 1_018 + f"{number:05}"}}
                for number in range(self.of(10_000))]
        await backend.many([("channel.upsert_many", {"channels": made[start : start + CHANNELS]})
                            for start in range(0, len(made), CHANNELS)])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("channel.list_public", include_empty=True, order="metadata_value", metadata_key="k", limit=100)],
            seconds, tally, in_flight=32)


@further
class LargeConnects(Attack):
    name = "N70"
    title = "a stranger who connects with a bad token and 4,000 positions in 500 KiB, on 64 connections"

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        subs = {f"room-{number}-" + "r" * 60: {"recover": True, "offset": 1, "epoch": "e"} for number in range(4_000)}
        connect = frame(json.dumps({"id": 1, "connect": {"token": "no.such.token", "subs": subs}}).encode())

        async def work():
            while time.monotonic() < end:
                with contextlib.suppress(OSError, TimeoutError):
                    async with asyncio.timeout(max(0.05, end - time.monotonic())):
                        wire = await Wire.open(victim, tally)
                        await wire.write(connect)
                        tally.sent += 1
                        await wire.ended

        await asyncio.gather(*(work() for _ in range(64)))
        self.facts["connects"] = tally.sent


@further
class SmallReplies(Attack):
    name = "N80"
    title = "replies of one letter to a message of 16 KiB of \\u0001: each event quotes it, twice"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.upsert_many", channels=[{"id": "quoted", "operator_user_ids": [MALLORY]}])
        self.parent = (await backend.messages("quoted", MALLORY, 1, ESCAPED * TEXT, data=ESCAPED * DATA))[0]
        await backend.messages("quoted", MALLORY, 1, "x", parent_message_id=self.parent)
        await backend.one("thread.update", channel_id="quoted", as_user_id=MALLORY, parent_message_id=self.parent,
                          data=ESCAPED * DATA)

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("message.send", channel_id="quoted", text="y", parent_message_id=self.parent)], seconds, tally, connect={})


@further
class SmallEdits(Attack):
    name = "N81"
    title = "custom_type changed back and forth of a message of 240 KiB as JSON: each event carries all of it"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.upsert_many", channels=[{"id": "large", "operator_user_ids": [MALLORY]}])
        self.id = (await backend.messages("large", MALLORY, 1, ESCAPED * TEXT, data=ESCAPED * DATA,
                                          meta_arrays={"k": [ESCAPED * 1_000] * 16}))[0]

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("message.update", channel_id="large", message_id=self.id, custom_type=kind) for kind in "ab"],
            seconds, tally, connect={})


@further
class Restarting(Attack):
    name = "N42"
    title = "edits of 24 KiB for the whole time, and then how long a restart takes"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.upsert_many", channels=[{"id": "page", "operator_user_ids": [MALLORY]}])
        self.id = (await backend.messages("page", MALLORY, 1, "x"))[0]
        # The same user could have done this within three minutes.
        await backend.many([
            ("message.update", {"channel_id": "page", "as_user_id": MALLORY, "message_id": self.id,
                                "text": f"{number:06}" + "e" * (TEXT - 6), "data": "d" * DATA})
            for number in range(self.of(60_000))])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("message.update", channel_id="page", message_id=self.id, text=letter * TEXT, data=letter * DATA)
            for letter in "ab"], seconds, tally)


@further
class AddressesFull(Attack):
    name = "N93"
    title = "guest.create from 110,000 IPv6 /64s of two /48s: the table of addresses"
    settings = {"BELFRY_GUESTS_ENABLED": "true", "BELFRY_SERVER_TRUSTED_PROXIES": "127.0.0.1"}
    attackers = 2
    addresses = 110_000

    async def assault(self, victim, seconds, tally):
        begun = time.monotonic()
        made = await guests(
            victim, self.addresses, lambda number: f"2001:db8:{number // 65_000 + 1:x}:{number % 65_000 + 1:x}::1")
        tally.sent = tally.answered = self.addresses
        self.facts["guests made"] = f"{len(made)} in {time.monotonic() - begun:.1f} s"

    async def judge(self, victim, backend):
        wire = await Http.open(victim, keeps=True)
        status, body = await wire.request("POST", "/v1/guest.create", b"{}", X_Forwarded_For="203.0.113.9")
        await wire.close()
        code = refusal(json.loads(body))
        self.facts["a guest from elsewhere"] = f"refused with {code}" if code else "made"
        if code:
            self.problems.append(f"no guest comes in from anywhere else: {code}")


@further
class WebhookFull(Attack):
    name = "N91"
    title = "large events of one user in the queue of a webhook that takes a second for each delivery"
    settings = {"BELFRY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.1"}

    async def prepare(self, victim, backend):
        self.came = []
        self.receiver = await asyncio.start_server(self._receive, "127.0.0.1", 0, limit=1 << 24)
        url = f"http://127.0.0.1:{self.receiver.sockets[0].getsockname()[1]}/hook"
        await backend.one("webhook.set", id="app", url=url, events="*", secret="a secret of the attacks, long enough")
        await backend.users([MALLORY, "honest"])
        await backend.one("channel.upsert_many", channels=[
            {"id": "large", "operator_user_ids": [MALLORY]}, {"id": "work", "operator_user_ids": ["honest"]}])
        self.id = (await backend.messages("large", MALLORY, 1, ESCAPED * TEXT, data=ESCAPED * DATA,
                                          meta_arrays={"k": [ESCAPED * 1_000] * 16}))[0]

    async def _receive(self, reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                body = await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))
                self.came.append(b"an honest report" in body)
                await asyncio.sleep(1)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    async def assault(self, victim, seconds, tally):
        first = asyncio.create_task(self._report(victim, seconds / 4))
        await flood(victim, MALLORY, [
            rpc("message.update", channel_id="large", message_id=self.id, custom_type=kind) for kind in "ab"],
            seconds, tally)
        await first

    async def _report(self, victim, delay):
        await asyncio.sleep(delay)
        await ask(victim, "honest", "message.send", channel_id="work", text="an honest report")

    async def judge(self, victim, backend):
        dropped = victim.metric("belfry_webhook_dropped_total")
        # Beyond a user's share, only that user's events are dropped. Version 0.1 has no such label.
        own = victim.metric("belfry_webhook_dropped_total", 'reason="share"')
        self.facts |= {"events dropped": int(dropped), "of these beyond the attacker's share": int(own),
                       "an honest event delivered so far": any(self.came), "deliveries": len(self.came)}
        if dropped > own:
            self.problems.append(f"{int(dropped - own)} events of a webhook were dropped, and others' with them")
        self.receiver.close()
