"""Attacks on the defence: work that it does not count, counts too cheaply, or does before charging anybody."""

import asyncio
import base64
import contextlib
import itertools
import json
import os
import socket
import time
import zlib

from assault import DATA, ESCAPED, MALLORY, TEXT, Attack, flood, rpc
from further import METADATA, people
from victim import MIB
from wires import Pace, Wire, frame

UNCOUNTED: list[type[Attack]] = []
# 62 marks above and below a letter, in two canonically equivalent orders. Comparing two such texts that differ at the
# end requires normalizing both first.
BELOW, ABOVE = "\u0316" * 31, "\u0301" * 31


def uncounted(kind):
    UNCOUNTED.append(kind)
    return kind


def p99(waits: list[float]) -> float | None:
    return round(1_000 * sorted(waits)[int(0.99 * (len(waits) - 1))], 1) if waits else None


@uncounted
class RingsRedacted(Attack):
    name = "N100"
    title = "60 messages deleted at once, each edited 950 times before: their events are decoded and worded anew"
    rooms, edits = 60, 950

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        rooms = [f"page-{number}" for number in range(self.of(self.rooms))]
        await backend.many([("channel.create", {"id": id, "operator_user_ids": [MALLORY]}) for id in rooms])
        made = await backend.many([
            ("message.send", {"channel_id": id, "as_user_id": MALLORY, "text": "x" * 200}) for id in rooms])
        self.messages = [(id, answer["message"]["id"]) for id, answer in zip(rooms, made, strict=True)]
        await backend.many([
            ("message.update", {"channel_id": room, "message_id": id, "as_user_id": MALLORY, "text": letter * 200})
            for letter in itertools.islice(itertools.cycle("ab"), self.of(self.edits)) for room, id in self.messages])

    async def assault(self, victim, seconds, tally):
        begun = time.monotonic()
        await flood(victim, MALLORY, (
            rpc("message.delete", channel_id=room, message_id=id) for room, id in self.messages),
            seconds, tally, connections=2, in_flight=32)
        self.facts["all answered after, s"] = round(time.monotonic() - begun, 1)
        await asyncio.sleep(max(0, begun + seconds - time.monotonic()))


@uncounted
class Totals(Attack):
    name = "N101"
    title = "read.counts of one person in 1,990 channels with a thread each: not sliced, not charged"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY, "peer"])
        rooms = [f"room-{number:04}-" + "r" * 80 for number in range(self.of(1_990))]
        await backend.many([("channel.create", {"id": id, "operator_user_ids": [MALLORY, "peer"]}) for id in rooms])
        parents = await backend.many([
            ("message.send", {"channel_id": id, "as_user_id": MALLORY, "text": "who?"}) for id in rooms])
        await backend.many([
            ("message.send", {"channel_id": id, "as_user_id": "peer", "text": "me",
                              "parent_message_id": parent["message"]["id"]})
            for id, parent in zip(rooms, parents, strict=True)])
        made = await backend.many([("message.send", {"channel_id": id, "as_user_id": "peer", "text": "hm"}) for id in rooms])
        self.unread = {"channel_id": rooms[0], "message_id": made[0]["message"]["id"]}

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [rpc("read.counts")], seconds, tally, in_flight=60)


@uncounted
class MarkedUnread(Totals):
    name = "N111"
    title = "one message marked read and unread in turn by a person in 1,990 channels: each event tells the totals"

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("read.mark", channel_id=self.unread["channel_id"]), rpc("read.mark_unread", **self.unread)],
            seconds, tally, connections=1, in_flight=60, pace=Pace(195, 900))
        # After one refusal the two no longer alternate.
        self.facts["events"] = (tally.answered - sum(tally.refused.values())) // 2


@uncounted
class EquivalentTypes(Attack):
    name = "N102"
    title = "message.list of a custom_type that differs from 20,000 others by its last letter, after 62 marks"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="long", as_user_id=MALLORY)
        await backend.messages("long", MALLORY, self.of(20_000), "x", custom_type="a" + BELOW + ABOVE + "x")

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("message.list", channel_id="long", limit=100, custom_type="a" + ABOVE + BELOW + "y")],
            seconds, tally, in_flight=32)


class Raw:
    """A WebSocket whose responses are discarded as they arrive."""

    def __init__(self, reader, writer):
        self.reader, self.writer, self.bytes = reader, writer, 0
        self.last = b""
        self.task = None

    @classmethod
    async def open(cls, victim, *fields: str) -> "Raw":
        self = cls(*await asyncio.open_connection(victim.host, victim.port))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = "".join(field + "\r\n" for field in fields)
        self.writer.write((
            "GET /connection/websocket HTTP/1.1\r\nHost: belfry\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n{lines}\r\n").encode())
        self.head = await self.reader.readuntil(b"\r\n\r\n")
        assert self.head.startswith(b"HTTP/1.1 101"), self.head
        self.task = asyncio.create_task(self.discard())
        return self

    async def discard(self):
        with contextlib.suppress(OSError):
            while data := await self.reader.read(1 << 18):
                self.bytes += len(data)
                self.last = data[-200:]

    @property
    def is_open(self) -> bool:
        return not self.task.done()

    async def write(self, data: bytes):
        with contextlib.suppress(OSError):
            self.writer.write(data)
            await self.writer.drain()

    async def close(self):
        self.task.cancel()
        self.writer.transport.abort()
        await asyncio.gather(self.task, return_exceptions=True)


DEFLATE = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"


def deflated(text: bytes) -> bytes:
    """Returns one independently compressed message. RFC 7692 §7.2.1."""
    deflater = zlib.compressobj(9, zlib.DEFLATED, -12)
    data = (deflater.compress(text) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4]
    whole = bytearray(frame(data))
    whole[0] |= 0x40
    return bytes(whole)


@uncounted
class RefusedUnread(Attack):
    name = "N103"
    title = "80 connections of one user whose commands of 64 KiB, 150 bytes compressed, are read and then refused"
    connections = 80

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        zeros = ",".join(["0"] * 32_700)
        command = deflated(f'{{"id":2,"ping":{{}},"x":[{zeros}]}}'.encode())
        opened, received = [0], [0]

        async def work():
            while time.monotonic() < end:
                with contextlib.suppress(OSError, AssertionError, asyncio.IncompleteReadError, TimeoutError):
                    wire = await Raw.open(victim, DEFLATE)
                    assert b"permessage-deflate" in wire.head, wire.head
                    opened[0] += 1
                    connect = {"token": victim.token(MALLORY), "data": {"subscribe": "none"}}
                    await wire.write(frame(json.dumps({"id": 1, "connect": connect}).encode()))
                    await asyncio.sleep(0.2)
                    while wire.is_open and time.monotonic() < end:
                        async with asyncio.timeout(max(0.05, end - time.monotonic())):
                            await wire.write(command * 100)
                        tally.sent += 100
                        # After as many refusals the server pauses for a second.
                        await asyncio.sleep(1)
                    received[0] += wire.bytes
                    await wire.close()
                await asyncio.sleep(0.1)

        await asyncio.gather(*(work() for _ in range(self.connections)))
        self.facts |= {"bytes of a command": len(command), "connections opened": opened[0],
                       "MiB received": round(received[0] / MIB, 1)}

    async def judge(self, victim, backend):
        self.facts["refused by the server"] = round(victim.metric("belfry_commands_refused_total"))


@uncounted
class Alive(Attack):
    name = "N104"
    title = "a stranger who asks for /livez on 16 connections, 1,500 requests in a piece"
    connections = 16
    request = b"GET /livez HTTP/1.1\r\nHost: belfry\r\n\r\n"

    async def assault(self, victim, seconds, tally):
        end = time.monotonic() + seconds
        piece, answers = self.request * 1_500, [0]

        async def work():
            while time.monotonic() < end:
                with contextlib.suppress(OSError, TimeoutError):
                    reader, writer = await asyncio.open_connection(victim.host, victim.port, limit=1 << 18)

                    async def read(reader=reader):
                        while data := await reader.read(1 << 18):
                            answers[0] += data.count(b"HTTP/1.1")

                    task = asyncio.create_task(read())
                    with contextlib.suppress(OSError, TimeoutError):
                        async with asyncio.timeout(max(0.01, end - time.monotonic())):
                            while not task.done():
                                writer.write(piece)
                                tally.sent += 1_500
                                await writer.drain()
                                await asyncio.sleep(0.05)
                    task.cancel()
                    writer.transport.abort()
                    await asyncio.gather(task, return_exceptions=True)

        await asyncio.gather(*(work() for _ in range(self.connections)))
        self.facts["answers a second"] = round(answers[0] / seconds)


@uncounted
class BadTokens(Alive):
    name = "N113"
    title = "a stranger who shows a bad token on 16 connections, 1,500 requests in a piece"
    request = (b"POST /v1/user.get HTTP/1.1\r\nHost: belfry\r\nAuthorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0."
               b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Length: 2\r\n\r\n{}")


@uncounted
class JustBelow(Attack):
    name = "N105"
    title = "edits of 40 bytes whose events have 19 KB: just below what counts as waiting for the publisher"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="page", operator_user_ids=[MALLORY])
        self.id = (await backend.messages("page", MALLORY, 1, "x" * TEXT, data="y" * 1_400))[0]

    async def assault(self, victim, seconds, tally):
        begun = victim.metric("belfry_commands_over_backlog_total")
        await flood(victim, MALLORY, [
            rpc("message.update", channel_id="page", message_id=self.id, custom_type=letter) for letter in "ab"],
            seconds, tally, connections=8, in_flight=31)
        self.facts["refused for the publisher"] = victim.metric("belfry_commands_over_backlog_total") - begun


@uncounted
class HalfBodies(Attack):
    name = "N106"
    title = "600 HTTP connections of one user, each with a body of 1 MiB that lacks its last byte"
    connections = 600

    async def assault(self, victim, seconds, tally):
        loop = asyncio.get_running_loop()
        end = time.monotonic() + seconds
        known = (f"POST /v1/user.get HTTP/1.1\r\nHost: belfry\r\nAuthorization: Bearer {victim.token(MALLORY)}\r\n"
                 "Content-Length: 2\r\n\r\n{}").encode()
        size = (1 << 20) - 1
        half = f"POST /v1/user.get HTTP/1.1\r\nHost: belfry\r\nContent-Length: {size + 1}\r\n\r\n".encode()
        body = b" " * size
        base, most, held = victim.memory()[0], [0], [0]

        async def work(number):
            plain = socket.create_connection((victim.host, victim.port))
            plain.setblocking(False)
            try:
                await loop.sock_sendall(plain, known)
                if b"200 OK" in await loop.sock_recv(plain, 4_096):
                    await loop.sock_sendall(plain, half)
                    await loop.sock_sendall(plain, body)
                    held[0] += 1
                    tally.sent += 1
                    # Waits until the server closes the connection.
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(max(0.1, end - time.monotonic())):
                            await loop.sock_recv(plain, 4_096)
                    held[0] -= 1
            except OSError as error:
                self.facts["first error"] = self.facts.get("first error") or str(error)
            finally:
                plain.close()

        async def look():
            while time.monotonic() < end:
                most[0] = max(most[0], held[0])
                await asyncio.sleep(0.05)

        await asyncio.gather(look(), *(work(number) for number in range(self.of(self.connections))))
        self.facts |= {"bodies held at once": most[0], "MiB before": round(base / MIB)}

    async def judge(self, victim, backend):
        self.facts["MiB afterwards"] = round(victim.memory()[0] / MIB)


@uncounted
class HalfMessages(Attack):
    name = "N107"
    title = "4,000 connections of a stranger, half of them in the middle of a compressed message of two bytes"
    connections = 2_000

    async def assault(self, victim, seconds, tally):
        count = self.of(self.connections)
        deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
        data = deflater.compress(b"{ ") + deflater.flush(zlib.Z_SYNC_FLUSH)
        beginning = bytearray(frame(data))
        # A compressed text frame that is not the final one.
        beginning[0] = 0x41
        begun, wires = time.monotonic(), []
        bases = [victim.memory()[0]]

        async def open_all(half):
            async def some(numbers):
                for _ in numbers:
                    with contextlib.suppress(OSError, AssertionError, asyncio.IncompleteReadError):
                        wire = await Raw.open(
                            victim, "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover")
                        if half:
                            await wire.write(bytes(beginning))
                        wires.append(wire)

            numbers = iter(range(count))
            await asyncio.gather(*(some(numbers) for _ in range(32)))
            await asyncio.sleep(0.3)
            bases.append(victim.memory()[0])

        await open_all(False)
        await open_all(True)
        tally.sent = len(wires)
        self.facts |= {
            "open": sum(wire.is_open for wire in wires),
            "KiB of a connection": round((bases[1] - bases[0]) / count / 1_024, 1),
            "KiB of one within a compressed message": round((bases[2] - bases[1]) / count / 1_024, 1)}
        await asyncio.sleep(max(0, begun + seconds - time.monotonic()))
        for wire in wires:
            await wire.close()


@uncounted
class EquivalentKeys(Attack):
    name = "N108"
    title = "list_public by a metadata key of 62 marks in 4,000 channels: every look-up brings it into the normal form"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.many([
            ("channel.create", {"id": f"room-{number}", "is_public": True, "metadata": {"a" + BELOW + ABOVE: str(number)}})
            for number in range(self.of(4_000))])

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [
            rpc("channel.list_public", order="metadata_value", metadata_key="a" + ABOVE + BELOW, limit=1, include_empty=True)],
            seconds, tally, in_flight=32)


@uncounted
class LargeChannelGot(Attack):
    name = "N109"
    title = "channel.get of a channel with all fields full: an answer of 0.6 MiB, charged like any small one"

    async def prepare(self, victim, backend):
        await backend.users([MALLORY])
        await backend.one("channel.create", id="full", operator_user_ids=[MALLORY], data=ESCAPED * DATA)
        for start in range(0, 50, 10):
            some = dict(list(METADATA.items())[start:start + 10])
            await backend.one("channel.set_metadata", channel_id="full", metadata=some)
        await backend.messages("full", MALLORY, 1, ESCAPED * TEXT, data=ESCAPED * DATA)

    async def assault(self, victim, seconds, tally):
        await flood(victim, MALLORY, [rpc("channel.get", channel_id="full")], seconds, tally, in_flight=60)
        self.facts["MiB of answers a second"] = round(tally.bytes / seconds / MIB)


@uncounted
class Spammed(Attack):
    name = "N110"
    title = "one member of a super channel sends at full rate to 2,000 who are there"
    listeners = 20
    attackers = 21

    async def prepare(self, victim, backend):
        self.people = people(self.listeners, "listener")
        await backend.users([MALLORY, *self.people])
        await backend.one("channel.create", id="crowd", operator_user_ids=[MALLORY], is_super=True)
        await backend.members("crowd", self.people)

    async def assault(self, victim, seconds, tally):
        wires = []

        async def listen(user):
            for _ in range(self.of(100)):
                wire = await Wire.open(victim)
                line = await wire.connect(victim.token(user))
                # The responses are pending and read later.
                wire.transport.pause_reading()
                wires.append(wire if line else None)

        await asyncio.gather(*(listen(user) for user in self.people))
        self.facts["listeners"] = len(wires)
        await flood(victim, MALLORY, [rpc("message.send", channel_id="crowd", text="buy now")], seconds, tally, in_flight=32)
        self.facts["messages"] = tally.answered - sum(tally.refused.values())
        for wire in wires:
            await wire.close()




@uncounted
class PushesRetold(Attack):
    name = "N112"
    title = "five members of a super channel of 19,990 send while the app's webhook is down, and then a restart"
    settings = {"BELFRY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.1"}
    attackers = 5

    async def prepare(self, victim, backend):
        self.senders = people(self.attackers, "sender")
        members = people(self.of(19_980))
        await backend.users([*self.senders, *members])
        # The address has no listener.
        await backend.one(
            "webhook.set", id="app", url="http://127.0.0.1:9/hook", events=["push"],
            secret="a secret of the attacks, long enough")
        await backend.one("channel.create", id="crowd", is_super=True, operator_user_ids=self.senders)
        await backend.members("crowd", members)
        await backend.one("user.register_device", as_user_id=members[0], provider="fcm", token="t")

    async def assault(self, victim, seconds, tally):
        await asyncio.gather(*(
            flood(victim, user, [rpc("message.send", channel_id="crowd", text="hm")], seconds, tally, connections=1)
            for user in self.senders))
        self.facts["messages"] = tally.answered - sum(tally.refused.values())
