"""The attacks that stopped version 0.1, each with its legal starting state."""

import asyncio
import contextlib
import json
import time

from assault import (
    ANSWER, CHANNELS, DATA, ESCAPED, MALLORY, NOBODY, TEXT, Attack, ask, flood, flood_http, guests, largest_frames,
    refusal, rpc,
)
from victim import MIB
from wires import Http, Pace, Wire

LISTED: list[type[Attack]] = []


def listed(kind):
    LISTED.append(kind)
    return kind


@listed
class ThreadsInOnePiece(Attack):
    name = "A1"
    title = "threads with 8 KiB of data in one channel, then a snapshot"
    # The full form has 187,000.
    threads = 4_000

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="hoard", as_user_id=MALLORY)
        count = self.of(self.threads)
        parents = await backend.messages("hoard", MALLORY, count, "x")
        await backend.many([
            ("thread.update", {"channel_id": "hoard", "as_user_id": MALLORY, "parent_message_id": parent, "data": "d" * DATA})
            for parent in parents], allowed=(1031, 1040))

    async def assault(self, victim, seconds, tally):
        """Continues to send the user's commands at full rate."""
        end = time.monotonic() + seconds
        pace = Pace()

        async def one():
            wire = await Wire.open(victim, tally)
            await wire.connect(victim.token(MALLORY), **NOBODY)
            while time.monotonic() < end and wire.is_open:
                await pace.take()
                sent = await wire.ask("message.send", channel_id="hoard", text="x")
                if refusal(sent) is not None:
                    await asyncio.sleep(0.05)
                    continue
                await pace.take()
                await wire.rpc("thread.update", json.dumps(
                    {"channel_id": "hoard", "parent_message_id": sent["message"]["id"], "data": "e" * DATA}))
            await wire.close()

        await asyncio.gather(*(one() for _ in range(8)))

    async def judge_folder(self, victim):
        status, words = victim.data_tool("compact", "--keep", "0")
        piece, _ = largest_frames(victim.data)
        verified, _ = victim.data_tool("verify")
        self.facts |= {"compact exits with": status, "verify exits with": verified, "largest piece, MiB": round(piece / MIB, 2)}
        if status:
            self.problems.append(f"data compact ends with {status}: {words[-300:]}")
        if piece > 2 * MIB:
            self.problems.append(f"a piece of the snapshot has {piece / MIB:.1f} MiB: it grows with the threads")


@listed
class QuadraticSearch(Attack):
    name = "A2"
    title = 'search for "a"*255+"b" in 128 × 16 KiB of "a"'

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="aaa", as_user_id=MALLORY)
        await backend.messages("aaa", MALLORY, self.of(128), "a" * TEXT)

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [rpc("message.search", channel_id="aaa", query="a" * 255 + "b")], seconds, tally,
                    in_flight=32)


class Giant(Attack):
    """An attack that requests large responses."""

    def bound(self, tally):
        self.facts["largest answer, MiB"] = round(tally.largest / MIB, 2)
        if tally.largest > ANSWER:
            self.problems.append(f"an answer of {tally.largest / MIB:.1f} MiB")


@listed
class GiantThreads(Giant):
    name = "A3 threads"
    title = "thread.list 100 × 100 of 16 KiB of \\u0001"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="threads", as_user_id=MALLORY)
        parents = await backend.messages("threads", MALLORY, self.of(100), "parent")
        await backend.many([
            ("message.send", {"channel_id": "threads", "as_user_id": MALLORY, "parent_message_id": parent,
                              "reply_to_channel": False, "text": ESCAPED * TEXT})
            for parent in parents for _ in range(self.of(100))])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [rpc("thread.list", limit=100, reply_limit=100)], seconds, tally,
                    connections=2, in_flight=3)
        self.bound(tally)


@listed
class GiantList(Giant):
    name = "A3 list"
    title = "message.list of 201 × (16+8+16 KiB of \\u0001), quoted parents"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="giant", as_user_id=MALLORY)
        full = {"text": ESCAPED * TEXT, "data": ESCAPED * DATA,
                "meta_arrays": {"k": [ESCAPED * 1_000] * 16}}
        parent = (await backend.messages("giant", MALLORY, 1, **full))[0]
        self.ids = await backend.messages("giant", MALLORY, self.of(200), parent_message_id=parent, **full)

    async def assault(self, victim, seconds, tally):
        middle = self.ids[len(self.ids) // 2]
        await flood(
            victim, MALLORY, [rpc("message.list", channel_id="giant", message_id=middle, previous=100, next=100,
                                  replies="all", include_parent=True, include_meta_arrays=True)], seconds, tally,
            connections=2, in_flight=4)
        self.bound(tally)


@listed
class Unread(Giant):
    name = "A3 unread"
    title = "200 answers of 23 MiB that two guests do not read, over WebSocket and HTTP"
    settings = {"BELFRY_GUESTS_ENABLED": "true"}
    attackers = 2
    letter = ESCAPED
    # The number of requests per connection.
    asks = 1

    async def prepare(self, victim, backend):
        await backend.users(["host"])
        await backend.one("channel.create", id="giant", as_user_id="host", is_public=True)
        await backend.messages("giant", "host", self.of(100), self.letter * TEXT, data=self.letter * DATA,
                               meta_arrays={"k": [self.letter * 1_000] * 16})
        self.guests = await guests(victim, self.attackers)

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        body = json.dumps({"channel_id": "giant", "limit": 100, "include_meta_arrays": True}).encode()
        async with contextlib.AsyncExitStack() as stack:
            for _, token in self.guests:
                wire = await Wire.open(victim, tally)
                await wire.connect(token, **NOBODY)
                await (await wire.rpc("channel.join", '{"channel_id":"giant"}'))
                await wire.close()
            again = 0
            while time.monotonic() < end and victim.is_alive:
                # Connections that the server closed are opened again.
                for place, (_, token) in enumerate(self.guests * (200 // self.attackers)):
                    if time.monotonic() > end:
                        break
                    with contextlib.suppress(OSError, TimeoutError):
                        async with asyncio.timeout(5):
                            if place // self.attackers % 2:
                                deaf = await Http.open(victim, tally, receive_buffer=4_096)
                                stack.callback(deaf.transport.abort)
                                deaf.transport.pause_reading()
                                for _ in range(self.asks):
                                    await deaf.send("POST", "/v1/message.list", body, Authorization="Bearer " + token)
                            else:
                                deaf = await Wire.open(victim, tally, receive_buffer=4_096)
                                stack.callback(deaf.transport.abort)
                                await deaf.connect(token, **NOBODY)
                                deaf.transport.pause_reading()
                                for _ in range(self.asks):
                                    await deaf.rpc("message.list", body.decode())
                again += 1
                await asyncio.sleep(min(8, max(0, end - time.monotonic())))
        self.facts["rounds of deaf connections"] = again


@listed
class Recovering(Giant):
    name = "A3 recover"
    title = "17 rooms of 1 MiB recovered again and again, unread"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        self.subs = {}
        rooms = [f"ring-{number}" for number in range(17)]
        await backend.many([("channel.create", {"id": room, "as_user_id": MALLORY}) for room in rooms])
        await backend.many([
            ("message.send", {"channel_id": room, "as_user_id": MALLORY, "text": "r" * TEXT})
            for room in rooms for _ in range(self.of(58))])
        wire = await Wire.open(victim)
        wire._kept = 1 << 30
        reply = json.loads(await wire.connect(victim.token(MALLORY)))
        await wire.close()
        for room in rooms:
            sub = reply["connect"]["subs"][room]
            self.subs[room] = {"recover": True, "offset": 2, "epoch": sub["epoch"]}

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds

        async def come_back():
            while time.monotonic() < end and victim.is_alive:
                try:
                    async with asyncio.timeout(max(0.05, end - time.monotonic())):
                        wire = await Wire.open(victim, tally, receive_buffer=4_096)
                        await wire.command(connect={"token": victim.token(MALLORY), "subs": self.subs})
                        wire.transport.pause_reading()
                        tally.connects += 1
                        # The client does not read while the server writes.
                        await asyncio.sleep(2.0)
                        await wire.close()
                except (OSError, TimeoutError):
                    await asyncio.sleep(0.05)

        await asyncio.gather(*(come_back() for _ in range(100)))


@listed
class EverybodyFull(Attack):
    name = "A4"
    title = "channels with everybody in them, until everybody is at channels_per_user"
    people = 1_000
    # The number of these in one command.
    named = 250
    # chat.channels_per_user
    limit = 2_000

    async def prepare(self, victim, backend):
        self.victims = [f"victim-{number}" for number in range(self.of(self.people))]
        await backend.users([MALLORY, "honest", *self.victims])

    async def assault(self, victim, seconds, tally):
        # Groups of as many users as one command can name.
        groups = [json.dumps(self.victims[start : start + self.named]) for start in range(0, len(self.victims), self.named)]
        commands = (("channel.create", f'{{"id":"trap-{number}-{place}","is_super":true,"user_ids":{names}}}')
                    for number in range(self.limit) for place, names in enumerate(groups))
        await flood(victim, MALLORY, commands, seconds, tally, connections=4, in_flight=8)

    async def judge(self, victim, backend):
        pages, page = 0, {}
        while True:
            counts = await ask(victim, self.victims[0], "channel.list", limit=100, include_empty=True, **page)
            pages += len(counts.get("channels", []))
            if not counts.get("next"):
                break
            page = {"next": counts["next"]}
        self.facts["channels of a victim"] = pages
        await backend.one("channel.create", id="work", operator_user_ids=["honest"], is_super=True)
        refusals = []
        for start in range(0, len(self.victims), self.named):
            added = await backend.one(
                "member.add", channel_id="work", user_ids=self.victims[start : start + self.named])
            refusals += added.get("refused", [])
        refused = len(refusals)
        self.facts["victims that the server key cannot add"] = f"{refused} of {len(self.victims)}"
        if refused:
            code = refusals[0]["code"]
            self.problems.append(f"the server key cannot add {refused} of {len(self.victims)} victims: {code}")
        if pages > 0.75 * self.limit:
            self.problems.append(f"one user has put somebody into {pages} channels: more than three quarters")


@listed
class ReportsFull(Attack):
    name = "A5 reports"
    title = "reports of 100 guests"
    settings = {"BELFRY_GUESTS_ENABLED": "true"}
    attackers = 100

    async def prepare(self, victim, backend):
        await backend.users(["early", "honest"] + [f"target-{number}" for number in range(250)])
        await backend.one("report.create", as_user_id="early", category="spam", user_id="target-0")
        self.guests = await guests(victim, self.of(100))

    async def assault(self, victim, seconds, tally):
        categories = ("spam", "harassing", "suspicious", "inappropriate")

        def reports():
            return (rpc("report.create", category=category, user_id=f"target-{number}", description="d" * 1_024)
                    for number in range(250) for category in categories)

        await asyncio.gather(*(
            flood(victim, id, reports(), seconds, tally, connections=1, in_flight=8, token=token)
            for id, token in self.guests))

    async def judge(self, victim, backend):
        answer = await ask(victim, "honest", "report.create", category="spam", user_id="target-1")
        self.facts["an honest report"] = f"refused with {refusal(answer)}" if refusal(answer) else "accepted"
        if refusal(answer):
            self.problems.append(f"nobody can report any more: {refusal(answer)}")
        senders, page = [], {}
        while True:
            listed = await backend.one("report.list", limit=100, **page)
            senders += [report["by"] for report in listed["reports"]]
            if "next" not in listed:
                break
            page = {"next": listed["next"]}
        of_guests = sum(sender not in ("early", "honest") for sender in senders)
        self.facts["reports of guests"] = of_guests
        if "early" not in senders:
            self.problems.append("an honest report has had to make room")
        # Extrapolated to 100 guests.
        if of_guests / len(self.guests) * 100 > 75_000:
            self.problems.append("a hundred guests fill more than three quarters of the list")


@listed
class GuestsFull(Attack):
    name = "A5 guests"
    title = "guests.at_most filled from one IPv6 /48"
    settings = {"BELFRY_GUESTS_ENABLED": "true", "BELFRY_SERVER_TRUSTED_PROXIES": "127.0.0.1"}
    at_most = 10_000

    async def assault(self, victim, seconds, tally):
        begun = time.monotonic()
        made = await guests(
            victim, self.at_most, lambda number: f"2001:db8:7:{number // 20:x}::{number % 20 + 1:x}")
        tally.sent, tally.answered = self.at_most, self.at_most
        self.facts["guests made"] = f"{len(made)} in {time.monotonic() - begun:.1f} s"

    async def judge(self, victim, backend):
        others = [await guests(victim, 1, lambda _, address=address: address)
                  for address in ("203.0.113.9", "2001:db8:8::1")]
        by_key = await guests(victim, 1)
        self.facts["guests from elsewhere"] = f"{sum(map(len, others))} of 2, by the server key {len(by_key)} of 1"
        if not all(others):
            self.problems.append("no guest comes in from anywhere else")
        if not by_key:
            self.problems.append("the server key makes no guest any more")


@listed
class AnswersForgotten(Attack):
    name = "A5 idempotency"
    title = "large answers with an Idempotency-Key push out everybody's"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY, "honest"])
        await backend.one("channel.create", id="work", as_user_id="honest")
        await backend.one("channel.create", id="giant", as_user_id=MALLORY)
        await backend.messages("giant", MALLORY, self.of(100), ESCAPED * TEXT, data=ESCAPED * DATA)
    async def _send(self, victim, key):
        wire = await Http.open(victim, keeps=True)
        _, body = await wire.request(
            "POST", "/v1/message.send", json.dumps({"channel_id": "work", "text": "pay 10"}).encode(),
            Authorization="Bearer " + victim.token("honest"), Idempotency_Key=f'"{key}"')
        await wire.close()
        return json.loads(body)["message"]["id"]

    async def assault(self, victim, seconds, tally):
        # Requests by an honest user, who will repeat them. They are sent only now, because a restart forgets them.
        self.first = [await self._send(victim, f"honest-{number}") for number in range(10)]
        serial = iter(range(1 << 30))
        await flood_http(victim, MALLORY, [rpc("message.list", channel_id="giant", limit=100)], seconds, tally, connections=4,
                         fields=lambda: {"Idempotency_Key": f'"giant-{next(serial)}"'})

    async def judge(self, victim, backend):
        again = [await self._send(victim, f"honest-{number}") for number in range(10)]
        twice = sum(a != b for a, b in zip(self.first, again))
        self.facts["repeated sends that ran twice"] = f"{twice} of 10"
        if twice:
            self.problems.append(f"{twice} of 10 repeated sends ran a second time")


@listed
class BytesOfMessages(Attack):
    name = "A6 messages"
    title = "one guest's largest messages at full rate"
    # connections.user_commands_at_once
    burst = 2_000
    settings = {"BELFRY_GUESTS_ENABLED": "true"}

    async def prepare(self, victim, backend):
        await backend.users(["host"])
        await backend.one("channel.create", id="square", as_user_id="host", is_public=True)
        self.guest, self.token = (await guests(victim, 1))[0]

    async def assault(self, victim, seconds, tally):
        wire = await Wire.open(victim, tally)
        await wire.connect(self.token, **NOBODY)
        await (await wire.rpc("channel.join", '{"channel_id":"square"}'))
        await wire.close()
        large = rpc("message.send", channel_id="square", text="t" * TEXT, data="d" * DATA,
                    meta_arrays={f"k{number}": ["v" * 1_000] for number in range(16)})
        await flood(victim, self.guest, [large], seconds, tally, token=self.token)
        stored = (tally.answered - sum(tally.refused.values())) * len(large[1])
        self.facts |= {"MiB stored": round(stored / MIB), "MiB/s stored": round(stored / MIB / seconds, 1)}
        # Large messages must be refused well before the burst of commands is used up.
        if stored > 0.5 * self.burst * len(large[1]):
            self.problems.append(f"one guest stored {stored / MIB:.0f} MiB in {seconds:.0f} s: rates do not count bytes")


@listed
class BytesOfFiles(Attack):
    name = "A6 files"
    title = "one user's uploads at full rate"
    bytes_each = 25 * MIB
    quota = 1_100 * MIB
    # Stops once the quota is exceeded or an upload is refused; the runner measures the rate for the whole time instead.
    is_brief = False

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="files", as_user_id=MALLORY)

    async def assault(self, victim, seconds, tally):
        body = b"\xff" * self.bytes_each
        end = time.monotonic() + seconds
        kept = [0]

        def is_over():
            told = self.is_brief and (kept[0] * self.bytes_each > self.quota or tally.refused)
            return told or time.monotonic() > end or not victim.is_alive

        async def upload():
            while not is_over():
                try:
                    async with asyncio.timeout(max(0.05, end - time.monotonic())):
                        wire = await Http.open(victim, tally, keeps=True)
                        status = 200
                        while status == 200 and not is_over():
                            status, answer = await wire.request(
                                "POST", "/v1/files?channel_id=files&name=a", body,
                                Authorization="Bearer " + victim.token(MALLORY))
                            if status == 200:
                                kept[0] += 1
                                # Sending it frees its slot among the unsent files.
                                file = json.loads(answer)["file"]["id"]
                                await wire.request(
                                    "POST", "/v1/message.send", json.dumps(
                                        {"channel_id": "files", "kind": "file", "files": [{"id": file}]}).encode(),
                                    Authorization="Bearer " + victim.token(MALLORY))
                        await wire.close()
                        await asyncio.sleep(0.1)
                except (OSError, TimeoutError):
                    await asyncio.sleep(0.05)

        await asyncio.gather(*(upload() for _ in range(6)))
        self.facts["MiB/s of files kept"] = round(kept[0] * self.bytes_each / MIB / seconds, 1)
        self.facts["MiB of files kept"] = kept[0] * self.bytes_each / MIB
        if kept[0] * self.bytes_each > self.quota:
            self.problems.append(f"one user keeps {kept[0] * self.bytes_each / MIB:.0f} MiB of files: there is no quota")


@listed
class EmptyChannels(Attack):
    name = "A7 create"
    title = "public channels created and left, then list_public name_contains"
    restarts = True

    async def prepare(self, victim, backend):
        await backend.users([MALLORY, "honest"])

    async def assault(self, victim, seconds, tally):
        name = "a" * 199
        end = time.monotonic() + seconds
        pace = Pace()
        serial = iter(range(1 << 30))
        made = [0]

        async def work():
            wire = await Wire.open(victim, tally)
            await wire.connect(victim.token(MALLORY), **NOBODY)
            while time.monotonic() < end and wire.is_open:
                id = f"litter-{next(serial)}"
                await pace.take()
                line = await (await wire.rpc("channel.create", f'{{"id":"{id}","is_public":true,"name":"{name}"}}'))
                if not line or b'"error"' in line:
                    await asyncio.sleep(0.2)
                    continue
                made[0] += 1
                await pace.take()
                await (await wire.rpc("channel.leave", f'{{"channel_id":"{id}"}}'))
            await wire.close()

        await asyncio.gather(*(work() for _ in range(4)))
        self.facts["channels made"] = made[0]
        if made[0] > max(500, 0.25 * 200 * seconds):
            self.problems.append(f"one user made {made[0]} channels that nobody is in")


@listed
class LongLists(Attack):
    name = "A7 lists"
    title = "list_public name_contains of 13,220 channels, channel.list of 2,000, member.list of 20,000"

    async def prepare(self, victim, backend):
        members = [f"m-{number}" for number in range(self.of(20_000))]
        await backend.users([MALLORY, *members])
        await backend.one("channel.create", id="crowd", as_user_id=MALLORY, is_super=True)
        await backend.members("crowd", members[: self.of(19_990)])
        name = "a" * 199
        made = [{"id": f"public-{number}", "name": name, "is_public": True} for number in range(self.of(13_220))]
        for number in range(self.of(1_990)):
            made[number]["user_ids"] = [MALLORY]
        await backend.many([("channel.upsert_many", {"channels": made[start : start + CHANNELS]})
                            for start in range(0, len(made), CHANNELS)])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("channel.list_public", name_contains="a" * 100 + "b", include_empty=True, limit=1),
            rpc("channel.list", include_empty=True, name_contains="a" * 100 + "b", limit=1),
            rpc("member.list", channel_id="crowd", limit=1),
            rpc("channel.list", include_empty=True, limit=100),
        ], seconds, tally, in_flight=32)
