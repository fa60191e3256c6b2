"""Public keys for users' tokens with the real server: from files, from a JWKS URL with changing keys, and from one with
invalid responses or none.
"""

import asyncio
import json
import os
import pathlib
import re
import signal
import ssl
import time

import jwt
import pytest
from belfry import API_KEY, DEADLINE, SECRET, NotStarted, Server, token
from clients import Person, Wire
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from key_server import MAKERS, Key, KeyServer, key_set
from tls import Certificate

ARTICLE = (pathlib.Path(__file__).parents[2] / "Sources/Belfry/Belfry.docc/Tokens.md").read_text()
# Longer than any test, so that only tokens cause later fetches.
NEVER = {"jwks_refresh_seconds": 86_400}


class Without(Server):
    """A server without a secret."""

    def __init__(self, folder, settings, **options):
        folder.mkdir(exist_ok=True)
        super().__init__(folder, settings, under=("env", "-u", "BELFRY_TOKEN_SECRET"), **options)


def status(server, bearer: str) -> int:
    # 404 means that the server accepted the token but does not know the user.
    found, _ = server.post("user.get", bearer=bearer)
    return 200 if found in (200, 404) else found


async def taken(server, bearer: str) -> int:
    """Runs in another thread, because the key server uses this loop."""
    return await asyncio.to_thread(status, server, bearer)


async def until(condition, what: str):
    deadline = time.monotonic() + 2 * DEADLINE
    while not await condition():
        assert time.monotonic() < deadline, f"never happened: {what}"
        await asyncio.sleep(0.05)


async def metric(server, name: str) -> float:
    return await asyncio.to_thread(server.metric, name)


async def served(start):
    return await asyncio.to_thread(start)


@pytest.mark.parametrize("algorithm", MAKERS)
async def test_users_connect_with_tokens_of_every_algorithm_and_secret_signed_ones_are_refused(tmp_path, name, algorithm):
    key, other = Key(algorithm, None), Key(algorithm, None)
    path = tmp_path / "keys"
    pem = key.private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    for text in (pem, key_set(key)):
        path.write_bytes(text)
        server = Without(tmp_path / "server", {"BELFRY_TOKENS_KEYS_FILE": str(path)})
        try:
            async with Person(server, name("ann"), token=key.token(name("ann"))) as ann:
                assert (await ann.rpc("user.get"))["user"]["id"] == ann.user
            assert status(server, key.token(name("ann"))) == 200
            for wrong in (
                other.token(name("ann")), token(name("ann")), token(name("ann"), secret=pem.decode()),
                token(name("ann"), algorithm="none"), token(name("ann"), algorithm=algorithm),
            ):
                assert status(server, wrong) == 401
            code, answer = server.post("token.create", {"user_id": name("ann")}, key=API_KEY)
            assert code == 403 and answer["error"]["code"] == 1018 and "needs a token secret" in answer["error"]["message"]
        finally:
            assert server.terminate() == 0


async def test_an_unknown_key_is_fetched_once_and_old_tokens_work_until_their_key_is_removed(tmp_path, name):
    old, new, third = (Key("ES256", kid) for kid in ("old", "new", "third"))
    async with KeyServer(old) as keys:
        server = await served(lambda: Server(tmp_path, keys.settings(**NEVER, jwks_pause_ms=3_600_000)))
        try:
            assert keys.count == 1 and await metric(server, "belfry_token_keys") == 1
            assert await taken(server, old.token(name("ann"))) == 200
            assert await taken(server, token(name("ann"))) == 200, "the secret is good as well"
            keys.publish(old, new)
            came = await asyncio.gather(*(taken(server, new.token(name(f"bob{number}"))) for number in range(20)))
            assert came == [200] * 20 and keys.count == 2, "they wait for one fetch"
            assert await taken(server, old.token(name("ann"))) == 200
            keys.publish(new, third)
            forged = [await taken(server, Key("ES256", f"x{number}").token(name("eve"))) for number in range(20)]
            assert forged == [401] * 20 and keys.count == 2, "a made-up name fetches no more for a while"
            assert await taken(server, third.token(name("ann"))) == 401
            assert await metric(server, "belfry_token_key_fetches_total") == 2
            assert await metric(server, "belfry_token_keys_unknown_total") >= 22
        finally:
            assert await asyncio.to_thread(server.terminate) == 0
        server = await served(lambda: Server(tmp_path, keys.settings(jwks_refresh_seconds=1)))
        try:
            assert [await taken(server, key.token(name("ann"))) for key in (old, new, third)] == [401, 200, 200]
            keys.publish(third)

            async def left():
                return await metric(server, "belfry_token_keys") == 1
            await until(left, "the old ones leave unasked")
            assert [await taken(server, key.token(name("ann"))) for key in (new, third)] == [401, 200]
        finally:
            assert await asyncio.to_thread(server.terminate) == 0


GARBAGE = {
    "a page": ("200 OK", b"<html>", ""), "nothing": ("200 OK", b"", ""), "no keys": ("200 OK", b'{"keys":[]}', ""),
    "a status": ("500 x", b"", ""), "not found": ("404 x", b"{}", ""), "too much": ("200 OK", b" " * 300_000, ""),
    "binary": ("200 OK", bytes(range(256)), ""), "no answer": ("200 OK", None, ""),
    "a secret": ("200 OK", b'{"keys":[{"kty":"oct","k":"QUFBQQ","kid":"a"}]}', ""),
    "a redirect": ("302 x", b"", "Location: /keys\r\n"),
}


async def test_an_invalid_key_set_response_is_counted_and_keeps_the_current_keys(tmp_path, name):
    key, late = Key("EdDSA", "a"), Key("EdDSA", "late")
    async with KeyServer(key) as keys:
        server = await served(lambda: Server(tmp_path, keys.settings(**NEVER, jwks_pause_ms=100)))
        try:
            for number, (what, (keys.status, keys.body, keys.more)) in enumerate(GARBAGE.items(), 1):
                async def failed():
                    assert await taken(server, Key("EdDSA", "b").token(name("eve"))) == 401
                    return await metric(server, "belfry_token_key_fetch_failures_total") >= number
                await until(failed, what)
                assert await taken(server, key.token(name("ann"))) == 200, what
                assert await metric(server, "belfry_token_keys") == 1, what
            keys.more = ""
            keys.publish(late)

            async def arrived():
                return await taken(server, late.token(name("ann"))) == 200
            await until(arrived, "a right answer is believed again")
            assert await taken(server, key.token(name("ann"))) == 401
        finally:
            assert await asyncio.to_thread(server.terminate) == 0
    log = server.log.read_text()
    assert log.count("cannot fetch token keys") >= len(GARBAGE)
    assert "status 302" in log and "larger than" in log and "QUFBQQ" not in log


@pytest.mark.parametrize("what", ["no answer", "a page"])
async def test_a_server_without_keys_starts_and_refuses_users_only_temporarily(tmp_path, name, what):
    key = Key("RS256", "a")
    async with KeyServer(key) as keys:
        keys.status, keys.body, keys.more = GARBAGE[what]
        server = await served(lambda: Without(tmp_path, keys.settings(jwks_refresh_seconds=1, jwks_pause_ms=100)))
        try:
            assert await taken(server, key.token(name("ann"))) == 429
            async with Wire(server) as wire:
                answer = await wire.call(connect={"token": key.token(name("ann"))})
                assert (answer["error"]["code"], answer["error"]["temporary"]) == (111, True), "a client tries again"
            assert await taken(server, token(name("ann"))) == 401, "no key would make it good"
            keys.publish(key)

            async def arrived():
                return await taken(server, key.token(name("ann"))) == 200
            await until(arrived, "its keys are there")
        finally:
            assert await asyncio.to_thread(server.terminate) == 0


async def test_plain_http_is_allowed_only_in_listed_networks_and_https_only_with_a_trusted_certificate(tmp_path, name):
    key = Key("ES256", "a")
    async with KeyServer(key) as keys:
        for settings in ({"BELFRY_TOKENS_JWKS_URL": keys.url}, {"BELFRY_TOKENS_JWKS_URL": "ftp://127.0.0.1/keys"},
                         {"BELFRY_TOKENS_JWKS_URL": "https://name:word@127.0.0.1/keys"}, {"BELFRY_TOKENS_JWKS_URL": "https://"}):
            with pytest.raises(NotStarted) as error:
                await served(lambda: Server(tmp_path, settings))
            assert error.value.args[0] == 78 and "tokens.jwks_url" in error.value.args[1]
            assert "word" not in error.value.args[1].split("must")[0]
        elsewhere = keys.settings(jwks_http_networks="10.0.0.0/8")
        server = await served(lambda: Server(tmp_path, elsewhere))
        try:
            assert await taken(server, key.token(name("ann"))) == 429 and keys.count == 0
        finally:
            assert await asyncio.to_thread(server.terminate) == 0
        assert "127.0.0.1 is in no network" in server.log.read_text()
        certificate = Certificate(tmp_path / "tls")
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate.path, certificate.key)
        secure = await asyncio.start_server(keys._serve, "127.0.0.1", 0, ssl=context)
        url = f"https://127.0.0.1:{secure.sockets[0].getsockname()[1]}/keys"
        server = await served(lambda: Server(tmp_path, {"BELFRY_TOKENS_JWKS_URL": url}))
        try:
            assert await taken(server, key.token(name("ann"))) == 429 and keys.count == 0
        finally:
            secure.close()
            assert await asyncio.to_thread(server.terminate) == 0


def test_the_issuer_and_the_audience_of_a_token_are_checked(tmp_path, name):
    path = tmp_path / "keys"
    key = Key("RS256", "a")
    path.write_bytes(key_set(key))
    settings = {"BELFRY_TOKENS_KEYS_FILE": str(path), "BELFRY_TOKENS_ISSUER": "https://id.example",
                "BELFRY_TOKENS_AUDIENCE": "chat"}
    server = Server(tmp_path, settings)
    try:
        good = {"iss": "https://id.example", "aud": ["web", "chat"]}
        assert status(server, key.token(name("ann"), **good)) == 200
        assert status(server, token(name("ann"), **good)) == 200
        for wrong in ({"iss": "https://id.example/"}, {"aud": "web"}, {"aud": []}, {"aud": "Chat"}, {"iss": ""}):
            assert status(server, key.token(name("ann"), **{**good, **wrong})) == 401
            assert status(server, token(name("ann"), **{**good, **wrong})) == 401
        assert status(server, token(name("ann"))) == 401
        server.app("user.upsert", id=name("ann"))
        made = server.app("token.create", user_id=name("ann"))["token"]
        assert status(server, made) == 200
        assert jwt.decode(made, SECRET, ["HS256"], audience="chat", issuer="https://id.example")["sub"] == name("ann")
    finally:
        assert server.terminate() == 0


@pytest.mark.parametrize("text, reason", [
    (b"", "neither"), (b"{}", "keys"), (b'{"keys":[]}', "no keys"), (b" " * 300_000, "larger"), (None, "cannot read"),
    (json.dumps({"keys": [Key("RS256", "a").jwk(use="enc")]}).encode(), "use must be sig"),
    (json.dumps({"keys": [Key("ES256", "a").jwk(alg="RS256")]}).encode(), "alg of this kty must be ES256"),
    (json.dumps({"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}).encode(), "set it as BELFRY_TOKEN_SECRET"),
])
def test_a_file_without_usable_keys_prevents_startup(tmp_path, text, reason):
    path = tmp_path / "keys"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(NotStarted) as error:
        Server(tmp_path, {"BELFRY_TOKENS_KEYS_FILE": str(path)})
    code, said = error.value.args
    assert code == 78 and reason in said and "c2VjcmV0" not in said


def test_a_server_requires_a_secret_or_public_keys(tmp_path):
    with pytest.raises(NotStarted) as error:
        Without(tmp_path / "server", {})
    assert error.value.args[0] == 78 and "tokens.keys_file" in error.value.args[1]


async def test_the_articles_example_works_through_a_key_rotation(tmp_path, name):
    (block,) = re.findall(r"```python\n(.*?)```", ARTICLE, re.S)
    names: dict = {}
    exec(block, names)
    made, write = names["token"], names["write_keys"]
    old, new = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    path = str(tmp_path / "keys")
    write(path, {"old": old})
    server = Without(tmp_path / "server", {"BELFRY_TOKENS_KEYS_FILE": path})

    async def reload(count: int):
        os.kill(server.pid, signal.SIGHUP)

        async def reloaded():
            return sum([await metric(server, f"belfry_token_key_{what}_total") for what in ("reloads", "reload_failures")]) == count
        await until(reloaded, "the file is read again")

    try:
        async with Person(server, name("ann"), token=made(old, "old", name("ann"))) as ann:
            assert status(server, made(new, "new", name("bob"))) == 401
            write(path, {"old": old, "new": new})
            await reload(1)
            assert status(server, made(new, "new", name("bob"))) == status(server, made(old, "old", name("bob"))) == 200
            pathlib.Path(path).write_text("{")
            await reload(2)
            assert status(server, made(old, "old", name("bob"))) == 200, "the former keys stay"
            write(path, {"new": new})
            await reload(3)
            assert status(server, made(old, "old", name("bob"))) == 401
            assert status(server, made(new, "new", name("bob"))) == 200
            assert await ann.rpc("user.get") and not ann.interruptions
    finally:
        assert server.terminate() == 0


def test_the_article_lists_exactly_the_servers_token_metrics(tmp_path):
    server = Server(tmp_path)
    try:
        named = set(re.findall(r"`(belfry_token_\w+)`", ARTICLE))
        there = set(re.findall(r"^(belfry_token_\w+)", server.get("/metrics")[1], re.M))
        assert named == there and len(named) == 10
    finally:
        assert server.terminate() == 0
