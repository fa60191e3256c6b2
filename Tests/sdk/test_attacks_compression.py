"""Attacks through permessage-deflate (RFC 7692).

See also test_compression.py for accepted offers, RSV1 without negotiation, and the counting of bombs.
"""

import asyncio
import contextlib
import json
import zlib

import pytest
from attacks import SCALE, Peer, frame, upgrade
from belfry import token
from test_compression import deflate, inflate

OFFER = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
BOMB = deflate(b" " * 100_000_000)


def test_the_bomb_is_small_when_compressed():
    assert len(BOMB) < 100_000


def in_fragments(payload: bytes, size: int) -> bytes:
    pieces = [payload[start : start + size] for start in range(0, len(payload), size)]
    return b"".join(
        frame((0x41 if index == 0 else 0x00) | (0x80 if index == len(pieces) - 1 else 0), piece)
        for index, piece in enumerate(pieces))


BOMBS = {
    "in one frame": frame(0xC1, BOMB),
    "in fragments of 1,000 bytes": in_fragments(BOMB, 1_000),
    "in fragments of 100 bytes": in_fragments(BOMB, 100),
    "in frames never finished": in_fragments(BOMB, 1_000)[:50_000],
}


@pytest.mark.parametrize("what", BOMBS)
async def test_97_kB_that_inflate_to_100_MB_close_the_connection_with_1009(target, attack, what):
    count = 20 * SCALE
    async with attack(f"compression: {count} bombs {what}"), contextlib.AsyncExitStack() as stack:
        peers = [await stack.enter_async_context(Peer(target)) for _ in range(count)]
        for peer in peers:
            await peer.upgraded(OFFER)
        await asyncio.gather(*(peer.send(BOMBS[what]) for peer in peers))
        assert {await peer.close_code() for peer in peers} == {1009}


async def session(peer: Peer, user: str):
    await peer.upgraded(OFFER)
    await peer.send(frame(0xC1, deflate(json.dumps({"id": 1, "connect": {"token": token(user)}}).encode())))
    assert (await peer.frame())[0] in (0x81, 0xC1)


async def test_a_bomb_in_a_session_closes_it_with_1009(target, attack, name):
    async with attack("compression: a bomb in a session"), Peer(target) as peer:
        await session(peer, name("ann"))
        await peer.send(frame(0xC1, BOMB))
        assert await peer.close_code() == 1009


async def test_many_small_bombs_in_one_context_are_rate_limited_as_commands(target, attack, name):
    """Each bomb is below the message limit: 65,500 bytes from some 120, so that 2,000 of them make 130 MB."""
    ids = range(2, 2_002)
    bombs = [deflate(json.dumps({"id": id, "rpc": {"method": "x", "data": " " * 65_400}}).encode()) for id in ids]
    assert max(map(len, bombs)) < 200
    async with attack("compression: 2,000 small bombs in one context"), Peer(target) as peer:
        await session(peer, name("ann"))
        flood = asyncio.create_task(peer.send(b"".join(frame(0xC1, bomb) for bomb in bombs)))
        answered, codes = [], set()
        while len(answered) < len(bombs):
            first, payload = await peer.frame()
            if first == 0x88:
                # A fast server refuses a hundred in a row beyond the rate.
                assert payload[:2] == (3509).to_bytes(2) and len(answered) > 1_000
                break
            for line in (inflate(payload) if first == 0xC1 else payload).decode().split("\n"):
                reply = json.loads(line)
                # A slow server sends pings meanwhile.
                if reply != {}:
                    answered.append(reply["id"])
                    codes.add(reply["error"]["code"])
        assert answered == list(ids)[:len(answered)] and codes <= {104, 111}
        await flood


async def test_no_context_is_kept_when_no_context_takeover_was_negotiated(target, attack, name):
    """A second message that refers back to the first must fail."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)

    def compressed(data: bytes) -> bytes:
        return (compressor.compress(data) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]

    async with attack("compression: references into another message"), Peer(target) as peer:
        await peer.upgraded(OFFER)
        connect = compressed(json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}).encode())
        again = compressed(json.dumps({"id": 2, "connect": {"token": token(name("ann"))}}).encode())
        assert len(again) < len(connect) / 2
        await peer.send(frame(0xC1, connect))
        assert (await peer.frame())[0] in (0x81, 0xC1)
        await peer.send(frame(0xC1, again))
        assert await peer.close_code() == 1007


NOISE = {
    "a block of type 3": b"\x07",
    "a stored block with wrong lengths": b"\xf2\x00\x11\x00\x00",
    "a distance beyond the window": deflate(b"x" * 300)[:3] + b"\xff\xff\xff\x01",
    "a final block, and more behind it": zlib.compress(b"{}", wbits=-15) + b"\x07\x07",
    "a ZLIB header": zlib.compress(b"{}"),
}


@pytest.mark.parametrize("what", NOISE)
async def test_invalid_deflate_data_closes_the_connection_with_1007(target, attack, what):
    async with attack(f"compression: {what}"):
        for at_a_time in (65_536, 1):
            async with Peer(target) as peer:
                await peer.upgraded(OFFER)
                await peer.send(frame(0xC1, NOISE[what]), at_a_time)
                assert await peer.close_code() == 1007


async def test_endless_empty_blocks_exceed_the_size_limit_or_yield_an_empty_message(target, attack):
    """Data that inflates to nothing also has a limited compressed size."""
    # An empty stored block has five bytes.
    async with attack("compression: empty blocks"), Peer(target) as peer:
        await peer.upgraded(OFFER)
        flood = asyncio.create_task(peer.send(frame(0xC1, b"\x00\x00\x00\xff\xff" * 200_000)))
        assert await peer.close_code() == 1009
        await flood


@pytest.mark.parametrize("first", [0xC1, 0x41, 0xC9, 0xC0])
async def test_RSV1_without_negotiation_closes_the_connection_with_1002(target, attack, first):
    async with attack(f"compression: RSV1 without negotiation in {first:#x}"), Peer(target) as peer:
        await peer.upgraded()
        await peer.send(frame(first, BOMB[:100]))
        assert await peer.close_code() == 1002


# An invalid offer is declined and the handshake continues without it (RFC 7692 §7.1); a malformed list fails the
# handshake.
DECLINED = [
    *(f"permessage-deflate; server_max_window_bits={bits}" for bits in ("0", "7", "8", "16", "999", "09", "+9", "0x9",
                                                                         "9" * 4_000, '"8"', '"16"', '"09"')),
    *(f"permessage-deflate; client_max_window_bits={bits}" for bits in ("0", "7", "16", "999", "09", '"16"')),
    "permessage-deflate; server_max_window_bits", "permessage-deflate; server_no_context_takeover=1",
    "permessage-deflate; server_max_window_bits=12; server_max_window_bits=12",
    "permessage-deflate; client_max_window_bits; client_max_window_bits=10",
    "permessage-deflate; mode=turbo", "permessage-deflate; " + "x" * 8_000,
    "permessage-deflate; x=" + "y" * 8_000, 'permessage-deflate; x="' + "\\y" * 3_000 + '"',
    "permessage-deflate2", "permessage-bzip2, x-webkit-deflate-frame, " * 100 + "x",
]
REFUSED = [
    "permessage-deflate; server_max_window_bits=", 'permessage-deflate; x="', 'permessage-deflate; x="\\', "=",
    "permessage-deflate; =9", 'permessage-deflate; server_max_window_bits=""', "permessage-deflate; a b",
    "permessage-deflate;;", 'permessage-deflate; x="a"b',
]


async def test_hostile_offers_are_declined_or_fail_the_handshake(target, attack):
    async with attack("compression: hostile offers"):
        for offers, status in ((DECLINED, 101), (REFUSED, 400)):
            for offer in offers:
                async with Peer(target) as peer:
                    await peer.send(upgrade_with(offer))
                    head = (await peer.head()).lower()
                    assert head.startswith(f"http/1.1 {status} "), (offer[:100], head)
                    assert "sec-websocket-extensions" not in head, offer[:100]


async def test_a_valid_offer_is_found_among_hundreds(target, attack):
    async with attack("compression: 400 offers, one of them good"), Peer(target) as peer:
        # Together they are below the size limit of a head.
        await peer.send(upgrade_with(", ".join(["permessage-deflate; a=1"] * 400 + ["permessage-deflate"])))
        head = await peer.head()
        assert head.startswith("HTTP/1.1 101 ") and head.count("permessage-deflate") == 1


def upgrade_with(offer: str) -> bytes:
    return upgrade(f"Sec-WebSocket-Extensions: {offer}\r\n")
