"""Malformed JSON (RFC 8259) over WebSocket and HTTP, and JSON with extreme numbers and texts.

See also test_bad_input.py for invalid commands and frames with one invalid command, and test_http.py for bodies that
are not objects.
"""

import asyncio
import json

import pytest
from attacks import Peer, frame
from belfry import token

MEGABYTE = 1_000_000


def keys(count: int) -> bytes:
    return b"{" + b",".join(b'"k%d":0' % number for number in range(count)) + b"}"


def deep(count: int, end: bool = True) -> bytes:
    return b'{"a":' * (count // 2) + b"[" * (count // 2) + (b"]" * (count // 2) + b"}" * (count // 2)) * end


# The value of `data`, the close code of a session, and the status over HTTP.
BROKEN = {
    "arrays 100,000 deep, never closed": (b"[" * 100_000, 1009, 400),
    "arrays 30,000 deep": (b"[" * 30_000 + b"]" * 30_000, 3501, 400),
    "objects 10,000 deep": (b'{"a":' * 10_000 + b"0" + b"}" * 10_000, 3501, 400),
    "70 deep": (deep(70), 3501, 400),
    "10,000 deep, never closed": (deep(10_000, end=False), 3501, 400),
    "a million keys": (keys(MEGABYTE), 1009, 413),
    "100,000 keys": (keys(90_000), 1009, 400),
    "a key of a megabyte": (b'{"' + b"k" * MEGABYTE + b'":0}', 1009, 400),
    "duplicate keys": (b'{"user_id":"x","user_id":"y"}', 107, 400),
    "duplicate keys, one in escapes": (b'{"user_id":"x","user\\u005fid":"y"}', 107, 400),
    **{f"the surrogates {text}": (b'{"user_id":"' + text.encode() + b'"}', 107, 400)
       for text in ("\\ud800", "\\udc00", "\\ud800\\ud800", "\\udc00\\ud800", "\\ud83d\\u0041", "\\uDFFFx", "\\ud83d")},
    "a surrogate in a key": (b'{"\\ud800":0}', 107, 400),
    "surrogates in bytes": (b'{"user_id":"\xed\xa0\xbd\xed\xb8\x80"}', 1007, 400),
    "overlong bytes": (b'{"user_id":"\xc0\xaf"}', 1007, 400),
    "half a character": (b'{"user_id":"\xf0\x9f"}', 1007, 400),
    "beyond Unicode": (b'{"user_id":"\xf4\x90\x80\x80"}', 1007, 400),
    "a byte order mark": (b"\xef\xbb\xbf{}", 3501, 400),
    "UTF-16": ('{"user_id":"x"}'.encode("utf-16-le"), 3501, 400),
    "a NUL": (b'{"user_id":"\0"}', 3501, 400),
    "a tab in a text": (b'{"user_id":"a\tb"}', 3501, 400),
    **{f"the number {text}": (b'{"user_id":' + text.encode() + b"}", 3501, 400)
       for text in ("01", "+1", "1.", ".5", "0x10", "NaN", "Infinity", "1e", "--1", "1_000", "\u0663")},
    "a comma at the end": (b'{"user_id":"x",}', 3501, 400),
    "a comment": (b'{"user_id":"x"/**/}', 3501, 400),
    "single quotes": (b"{'user_id':'x'}", 3501, 400),
    "an escape that is none": (b'{"user_id":"\\x41"}', 3501, 400),
    "half an escape": (b'{"user_id":"\\u00"}', 3501, 400),
    # Well-formed but invalid for any field: the command is answered, and the session continues.
    **{f"the limit {text[:20]}": (b'{"limit":' + text.encode() + b"}", 107, 400)
       for text in ("1e400", "-1e400", "18446744073709551616", "9223372036854775808", "9" * 10_000,
                    "1e" + "9" * 1_000)},
    **{f"the limit {text}": (b'{"limit":' + text.encode() + b"}", 1032, 400)
       for text in ("1e-400", "-9223372036854775809", "-9223372036854775808", "9223372036854775807")},
}


async def asked(server, method: str, body: bytes, user: str) -> tuple[int, bytes]:
    head = (f"POST /v1/{method} HTTP/1.1\r\nHost: belfry\r\nAuthorization: Bearer {token(user)}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
    async with Peer(server) as peer:
        answered, _ = await asyncio.gather(peer.answer(), peer.send(head + body))
        return answered


@pytest.mark.parametrize("what", BROKEN)
async def test_malformed_JSON_is_refused_over_WebSocket_and_HTTP(target, attack, name, what):
    data, code, status = BROKEN[what]
    method = "channel.list" if b"limit" in data[:9] else "user.get"
    async with attack(f"json: {what}"):
        answered, answer = await asked(target, method, data, name("ann"))
        assert answered == status, answer
        if status == 400:
            assert json.loads(answer)["error"]["code"] == (code if code in (107, 1032) else 107)
        async with Peer(target) as peer:
            await peer.upgraded()
            await peer.send(frame(0x81, json.dumps({"id": 1, "connect": {"token": token(name("ann"))}}).encode()))
            assert (await peer.frame())[0] == 0x81
            await peer.send(frame(0x81, b'{"id":2,"rpc":{"method":"' + method.encode() + b'","data":' + data + b"}}"))
            if code in (107, 1032):
                first, reply = await peer.frame()
                assert json.loads(reply)["error"]["code"] == code
                await peer.send(frame(0x81, b'{"id":3,"ping":{}}'))
                assert json.loads((await peer.frame())[1]) == {"id": 3, "ping": {}}
            else:
                assert await peer.close_code() == code


@pytest.mark.parametrize("size", [3_000, 12_000, 500_000])
async def test_one_character_of_a_megabyte_is_refused_as_too_long(target, attack, name, size):
    """A letter with endless combining marks, which counting characters would read repeatedly."""
    ann, general = name("ann"), name("general")
    character = "e" + "\u0301" * size
    async with attack(f"json: one character of {2 * size + 1} bytes"):
        target.post("channel.create", {"id": general}, user=ann)
        for method, data, code in (
            # A text may have 16,384 bytes, and a name 200 characters of any kind.
            ("message.send", {"channel_id": general, "text": character}, None if size == 3_000 else 1030),
            ("channel.create", {"name": character}, 1030),
            ("channel.create", {"custom_type": character}, 1030),
            ("user.get", {"user_id": character}, 1032),
            ("channel.get", {"channel_id": character}, 1032),
        ):
            status, answer = await asked(target, method, json.dumps(data, ensure_ascii=False).encode(), ann)
            assert (status, json.loads(answer).get("error", {}).get("code")) == (400 if code else 200, code), method


async def test_a_frame_with_one_malformed_command_among_many_executes_none(target, attack, name):
    ann, general = name("ann"), name("general")
    send = json.dumps({"id": 2, "rpc": {"method": "message.send", "data": {"channel_id": general, "text": "hi"}}})
    target.post("channel.create", {"id": general}, user=ann)
    async with attack("json: many commands in a frame, one broken"):
        for frames in ([send] * 100 + ["{"], ["{"] + [send] * 100, [send] * 50 + ['{"id":0}'] + [send] * 50,
                       [send] * 129 + ["{"], [send] * 50 + ["", ""] + [send, "x"]):
            async with Peer(target) as peer:
                await peer.upgraded()
                await peer.send(frame(0x81, json.dumps({"id": 1, "connect": {"token": token(ann)}}).encode()))
                assert (await peer.frame())[0] == 0x81
                await peer.send(frame(0x81, "\n".join(frames).encode()))
                assert await peer.close_code() == 3501
        messages = target.post("message.list", {"channel_id": general}, user=ann)[1]["messages"]
        assert messages == []
