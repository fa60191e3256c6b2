"""Attacks through uploads: paths as names, excessive sizes, and clients that never finish.

See also FileTests.swift for upload and download rights, and test_attacks_http.py for clients that stall.
"""

import asyncio
import contextlib
import json
import urllib.parse

import pytest
from attacks import SCALE, Peer, Watch, until
from belfry import API_KEY, Server, token

MAX_BYTES = 1_000_000
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    # One user may upload the maximum number concurrently here; a user's share is tested elsewhere.
    server = Server(tmp_path_factory.mktemp("store"), {
        "BELFRY_FILES_MAX_BYTES": str(MAX_BYTES), "BELFRY_FILES_OPEN_OF_USER": "256"})
    yield server
    assert server.terminate() == 0


@pytest.fixture
def attack(store, name):
    return lambda what, **bounds: Watch(store, what, name, **bounds)


@pytest.fixture
def room(store, name):
    """Returns a user's token and one of the user's channels."""
    ann, general = name("ann"), name("general")
    assert store.post("channel.create", {"id": general}, user=ann)[0] == 200
    return token(ann), general


def files(server: Server) -> set[str]:
    return {path.name for path in (server.data / "files").iterdir()}


def head(room, file: str, framing: str) -> bytes:
    bearer, channel = room
    return (f"POST /v1/files?channel_id={channel}&name={file} HTTP/1.1\r\nHost: belfry\r\n"
            f"Authorization: Bearer {bearer}\r\n{framing}\r\n\r\n").encode()


async def upload(server: Server, room, file: str, body: bytes, framing: str | None = None) -> tuple[int, dict]:
    """`file` is the query's value; the framing announces the body's length unless given."""
    async with Peer(server) as peer:
        request = head(room, file, framing or f"Content-Length: {len(body)}") + body
        (status, answer), _ = await asyncio.gather(peer.answer(), peer.send(request))
        return status, json.loads(answer)


# Names as escaped in a query, with the resulting file name, or None if refused.
NAMES = {
    "../../etc/passwd": "passwd", "..%2f..%2fetc%2fpasswd": "passwd", "..%5c..%5cboot.ini": "boot.ini",
    "/etc/passwd": "passwd", "%2Fetc%2Fpasswd": "passwd", "C%3A%5Cboot.ini": "boot.ini", "..": "file", ".": "file",
    "": "file", "%2f": "file", "%20": "file", "a%00.png": "a.png", "%00": "file", "a%0d%0aX-Evil:1": "aX-Evil:1",
    "x" * 5_000: "x" * 200, "%F0%9F%94%94" * 300: "\U0001f514" * 200, "%e2%80%aegnp.exe": "gnp.exe",
    "..%252f..%252fetc": "..%2f..%2fetc", "%ff": None, "%c0%ae%c0%ae%2f": None, "a%2": None, "a%zz": None,
    "a&name=b": None,
}


@pytest.mark.parametrize("file", NAMES, ids=lambda file: repr(file[:30]))
async def test_a_file_name_is_never_treated_as_a_path(store, attack, room, file):
    async with attack(f"upload: the name {file[:30]!r}"):
        before, outside = files(store), {path.name for path in store.data.iterdir()}
        if "%zz" in file or file.endswith("%2"):
            # Not a valid request target, RFC 3986 §2.1.
            async with Peer(store) as peer:
                await peer.send(head(room, file, "Content-Length: 2") + b"hi")
                assert (await peer.answer())[0] == 400
            return
        status, answer = await upload(store, room, file, b"hi")
        if NAMES[file] is None:
            assert status == 400 and answer["error"]["code"] == 107, answer
            assert files(store) == before
        else:
            assert status == 200 and answer["file"]["name"] == NAMES[file], answer
            (new,) = files(store) - before
            assert new == answer["file"]["id"] and len(new) == 32
            # The address is one path component after the id, whatever the name was.
            path = urllib.parse.urlsplit(answer["file"]["url"]).path
            assert path.startswith(f"/v1/files/{new}/") and path.count("/") == 4
        assert {path.name for path in store.data.iterdir()} == outside


async def test_uploads_are_accepted_from_one_byte_up_to_the_limit(store, attack, room):
    async with attack("upload: 0 bytes, the cap, and one more"):
        before = files(store)
        for body, status in ((b"", 400), (b"x" * MAX_BYTES, 200), (b"x" * (MAX_BYTES + 1), 413)):
            chunked = b"%x\r\n%s\r\n" % (len(body), body) if body else b""
            for framing, sent in ((None, body), ("Transfer-Encoding: chunked", chunked + b"0\r\n\r\n")):
                answered, answer = await upload(store, room, "a", sent, framing)
                assert answered == status, (len(body), framing)
                assert status == 200 or answer["error"]["code"] == 1035
        for length in (MAX_BYTES + 1, 1 << 40, 2**62 - 1):
            # Refused because of its Content-Length alone.
            assert (await upload(store, room, "a", b"", f"Content-Length: {length}"))[0] == 413
        async with Peer(store) as peer:
            # Longer than any request may be: refused by HTTP's own limit, with an explanation.
            await peer.send(head(room, "a", f"Content-Length: {2**63 - 1}"))
            assert (await peer.answer())[0] == 413
        for body in (b"%x\r\n" % (1 << 40), b"%x\r\n" % (2**62 - 1)):
            # Only received bytes count until the limit is exceeded.
            assert (await upload(
                store, room, "a", body + b"x" * (MAX_BYTES + 1), "Transfer-Encoding: chunked"))[0] == 413
        await until(lambda: len(files(store)) == len(before) + 2, "of the others nothing is left")


async def test_the_media_type_is_determined_by_the_content(store, attack, room):
    """No file is served as something that a browser would execute or show as a page of this server."""
    async with attack("upload: wrong types"):
        for file, body, kind in (
            ("page.html", b"<!DOCTYPE html><script>alert(1)</script>", "text/plain"),
            ("image.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "text/plain"),
            ("image.png", b"<script>alert(1)</script>", "text/plain"), ("script.js", b"alert(1)", "text/plain"),
            ("page.html", PNG, "image/png"), ("image.png", b"MZ\x90\0", "application/octet-stream"),
            ("image.png", b"GIF89a<script>alert(1)</script>", "image/gif"),
            ("form", b"--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nhi\r\n--x--\r\n" * 1_000,
             "text/plain"),
        ):
            status, answer = await upload(
                store, room, file, body, f"Content-Type: text/html\r\nContent-Length: {len(body)}")
            assert (status, answer["file"]["mime_type"]) == (200, kind), file
            async with Peer(store) as peer:
                await peer.send((f"GET {answer['file']['url']} HTTP/1.1\r\nHost: belfry\r\n"
                                 f"Authorization: Bearer {room[0]}\r\n\r\n").encode())
                fields = (await peer.head()).lower()
                assert fields.startswith("http/1.1 200 ") and f"content-type: {kind}" in fields
                assert "content-disposition: attachment" in fields and "x-content-type-options: nosniff" in fields


async def test_uploads_that_stop_halfway_leave_no_file(store, attack, room):
    count = 100 * SCALE
    async with attack(f"upload: {count} that stop half way"), contextlib.AsyncExitStack() as stack:
        before = files(store)
        for number in range(count):
            peer = await stack.enter_async_context(Peer(store))
            framing = "Transfer-Encoding: chunked" if number % 2 else f"Content-Length: {MAX_BYTES}"
            await peer.send(head(room, "half", framing) + (b"80000\r\n" if number % 2 else b"") + b"x" * 300_000)
        await until(lambda: len(files(store)) == len(before) + count, "all of them are coming in")
        await stack.aclose()
        await until(lambda: files(store) == before, "nothing of them is left")


async def test_an_upload_in_tiny_chunks_is_stored_and_one_with_more_framing_than_content_refused(store, attack, room):
    """Chunks as small as possible, and with more framing than the content allows."""
    async with attack("upload: 20,000 chunks of a byte"):
        status, answer = await upload(
            store, room, "parts", b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n", "Transfer-Encoding: chunked")
        assert (status, answer["file"]["size"]) == (200, 20_000)
    async with attack("upload: chunks that are mostly extensions"), Peer(store) as peer:
        request = head(room, "parts", "Transfer-Encoding: chunked") + (b"1;" + b"y" * 200 + b"\r\nx\r\n") * 5_000
        (status, _), _ = await asyncio.gather(peer.answer(), peer.send(request))
        assert status == 400 and await peer.rest() == b""


async def test_download_paths_reach_no_other_files(store, attack, room):
    async with attack("upload: paths of downloads"):
        for path in ("/v1/files/../../belfry.lock", "/v1/files/..%2f..%2fbelfry.lock/x", "/v1/files/%2e%2e/x",
                     "/v1/files//etc/passwd", "/v1/files/" + "0" * 32 + "/x", "/v1/files/" + "0" * 5_000 + "/x",
                     "/v1/files/" + "g" * 32 + "/x"):
            async with Peer(store) as peer:
                await peer.send(f"GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {room[0]}\r\n\r\n".encode())
                assert (await peer.answer())[0] == 404, path


async def test_one_user_cannot_exceed_the_upload_rate_or_the_quota(tmp_path, name):
    server = Server(tmp_path, {
        "BELFRY_FILES_MAX_BYTES": str(MAX_BYTES), "BELFRY_FILES_BYTES_PER_USER": "6000000",
        "BELFRY_FILES_BYTES_PER_SECOND_OF_USER": "1000", "BELFRY_FILES_BYTES_AT_ONCE_OF_USER": "3000000"})
    try:
        ann, general = name("ann"), name("general")
        assert server.post("channel.create", {"id": general}, user=ann)[0] == 200
        body = bytes(MAX_BYTES)
        room = token(ann), general
        for number in range(3):
            assert (await upload(server, room, f"{number}", body))[0] == 200
        # With both framings: the length is known before the body arrives, or not.
        chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (MAX_BYTES, body)
        for sent, framing in ((body, None), (chunks, "Transfer-Encoding: chunked")):
            status, answer = await upload(server, room, "more", sent, framing)
            assert (status, answer["error"]["code"]) == (429, 111)
            # If the length is not known in advance, only the next piece has to wait.
            assert (900_000 if framing is None else 0) < answer["error"]["retry_after_ms"] <= 1_000_000
        # Other users and the app's backend can continue, up to the quota.
        bob = name("bob")
        assert server.post("channel.create", {"id": name("other")}, user=bob)[0] == 200
        assert (await upload(server, (token(bob), name("other")), "a", body))[0] == 200
        query = f"/v1/files?channel_id={general}&name=a&as_user_id={ann}"
        for _ in range(3):
            assert server._request("POST", query, body, {"X-API-Key": API_KEY})[0].status == 200
        status, answer = await upload(server, room, "full", body)
        assert (status, answer["error"]["code"]) == (400, 1035)
        assert "6000000 of 6000000 bytes are in use (files.bytes_per_user)" in answer["error"]["message"]
        assert len([path for path in files(server) if len(path) == 32]) == 7
        assert server.terminate() == 0
    finally:
        server.process.kill()
