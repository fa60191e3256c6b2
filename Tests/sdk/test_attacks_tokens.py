"""Forged and malformed tokens (RFC 7519, 7515): refused with 3500 over WebSocket and 401 over HTTP.

See also test_tokens.py for tokens that expire on an open connection, are refreshed or never expire, and
TokenCreationTests.swift for deactivated users.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import time

import pytest
from attacks import Peer, frame
from belfry import API_KEY, SECRET, NotStarted, Server, token
from clients import Wire
from tls import openssl


def encoded(data: bytes | dict | list) -> str:
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(header: bytes | dict, claims: bytes | dict, secret: bytes = SECRET.encode(), digest=hashlib.sha256) -> str:
    """Returns a token whose signature is valid for `secret`, whatever the parts contain."""
    text = encoded(header) + "." + encoded(claims)
    return text + "." + encoded(hmac.new(secret, text.encode(), digest).digest())


def made(user: str, **header) -> str:
    return signed({"alg": "HS256", "typ": "JWT", **header}, {"sub": user, "exp": int(time.time()) + 600})


def claimed(user: str, **claims) -> str:
    return signed({"alg": "HS256"}, {"sub": user, "exp": int(time.time()) + 600, **claims})


def public_key() -> bytes:
    key = openssl("genrsa", "2048").stdout
    return openssl("rsa", "-pubout", input=key).stdout


def other_base64(user: str) -> str:
    """Returns a valid token whose signature contains at least one `+` or `/`."""
    for number in range(1_000):
        text = claimed(user, number=number)
        if "-" in text or "_" in text:
            return text.replace("-", "+").replace("_", "/")


def loose_bits(user: str) -> str:
    """The last character of a 32-byte signature has two unused bits, which should be zero."""
    text = made(user)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return text[:-1] + alphabet[alphabet.index(text[-1]) | 1]


FORGED = {
    # RFC 4648 §3.5 leaves this to the decoder. If a signature has several encodings, a revoked or logged token can look
    # new.
    "bits of the last character": loose_bits,
    **{f"alg {name}": lambda user, name=name: made(user, alg=name)
       for name in ("none", "None", "nOnE", "NONE", "", "hs256", "HS384", "HS512", "RS256", "ES256", "EdDSA",
                    "HS256 ")},
    "alg none without a signature": lambda user: made(user, alg="none").rsplit(".", 1)[0] + ".",
    "alg HS256 without a signature": lambda user: made(user).rsplit(".", 1)[0] + ".",
    "alg is no text": lambda user: made(user, alg=["HS256"]),
    "alg is null": lambda user: made(user, alg=None),
    "no alg": lambda user: signed({"typ": "JWT"}, {"sub": user}),
    "HS256 with a public key": lambda user: signed({"alg": "HS256"}, {"sub": user}, public_key()),
    "HS256 with an empty key": lambda user: signed({"alg": "HS256"}, {"sub": user}, b""),
    "HS256 with a key of zeroes": lambda user: signed({"alg": "HS256"}, {"sub": user}, bytes(32)),
    "HS512 with the key": lambda user: signed({"alg": "HS512"}, {"sub": user}, digest=hashlib.sha512),
    "the key and a byte": lambda user: signed({"alg": "HS256"}, {"sub": user}, SECRET.encode() + b"\0x"),
    "crit": lambda user: made(user, crit=["exp"]),
    "crit of nothing": lambda user: made(user, crit=[]),
    "crit b64": lambda user: made(user, crit=["b64"], b64=False),
    "kid with a path and its key": lambda user: signed(
        {"alg": "HS256", "kid": "../../../../dev/null"}, {"sub": user}, b""),
    "jku and its key": lambda user: signed(
        {"alg": "HS256", "jku": "http://127.0.0.1:1/keys"}, {"sub": user}, b"x" * 32),
    "x5u and its key": lambda user: signed(
        {"alg": "HS256", "x5u": "http://127.0.0.1:1/key"}, {"sub": user}, b"x" * 32),
    "jwk and its key": lambda user: signed(
        {"alg": "HS256", "jwk": {"kty": "oct", "k": encoded(b"x" * 32)}}, {"sub": user}, b"x" * 32),
    # A token with a shared secret never has keys in its header.
    "jwk and the right key": lambda user: made(user, jwk={"kty": "oct", "k": encoded(b"x" * 32)}),
    "a number that fits no integer": lambda user: made(user, x=10**20),
    "nbf to come": lambda user: claimed(user, nbf=int(time.time()) + 600),
    "nbf far off": lambda user: claimed(user, nbf=1e300),
    "exp is a text": lambda user: claimed(user, exp="4000000000"),
    "exp is true": lambda user: claimed(user, exp=True),
    "exp is a list": lambda user: claimed(user, exp=[4_000_000_000]),
    "exp is beyond a double": lambda user: signed({"alg": "HS256"}, b'{"sub":"%s","exp":1e400}' % user.encode()),
    "exp is not a number": lambda user: signed({"alg": "HS256"}, b'{"sub":"%s","exp":NaN}' % user.encode()),
    "nbf is a text": lambda user: claimed(user, nbf="0"),
    "no sub": lambda user: signed({"alg": "HS256"}, {"exp": int(time.time()) + 600}),
    "sub is empty": lambda user: claimed(""),
    "sub is a number": lambda user: claimed(7),
    "sub is a list": lambda user: claimed([user]),
    "sub has a control": lambda user: claimed(user + "\0"),
    "sub is too long": lambda user: claimed("x" * 81),
    "claims are a list": lambda user: signed({"alg": "HS256"}, b'["sub"]'),
    "claims are no JSON": lambda user: signed({"alg": "HS256"}, b"sub"),
    "claims are deep": lambda user: signed({"alg": "HS256"}, b'{"sub":' + b"[" * 2_000 + b"]" * 2_000 + b"}"),
    "a header that is deep": lambda user: signed(b'{"alg":' + b"[" * 2_000 + b"]" * 2_000 + b"}", {"sub": user}),
    "a header that is no JSON": lambda user: signed(b"HS256", {"sub": user}),
    "huge": lambda user: claimed(user, filling="x" * 100_000),
    "over the limit": lambda user: claimed(user, filling="x" * 4_096),
    "padding": lambda user: made(user) + "=",
    "the other alphabet": other_base64,
    "four parts": lambda user: made(user) + ".x",
    "two parts": lambda user: made(user).rsplit(".", 1)[0],
    "five parts": lambda user: made(user) + ".x.y",
    "an empty header": lambda user: "." + made(user).split(".", 1)[1],
    "empty claims": lambda user: signed({"alg": "HS256"}, b""),
    "dots": lambda user: "..",
    "a space within": lambda user: made(user).replace(".", ". ", 1),
    "a line end": lambda user: made(user) + "\n",
    "a signature cut short": lambda user: made(user)[:-22],
    "a signature twice": lambda user: made(user) + made(user).rsplit(".")[2],
}
EXPIRED = {
    "exp a second ago": lambda user: claimed(user, exp=int(time.time()) - 1),
    "exp 0": lambda user: claimed(user, exp=0),
    "exp is negative": lambda user: claimed(user, exp=-4_000_000_000),
    "exp is far off and negative": lambda user: claimed(user, exp=-1e300),
    "exp half a second ago": lambda user: claimed(user, exp=time.time() - 0.5),
}
# Unusual, but valid.
GOOD = {
    "exp is a float": lambda user: claimed(user, exp=time.time() + 600.5),
    "exp is far off": lambda user: claimed(user, exp=1e300),
    "exp is a long integer": lambda user: claimed(user, exp=10**30),
    "nbf is negative": lambda user: claimed(user, nbf=-1),
    "nbf is a float, now": lambda user: claimed(user, nbf=time.time() - 0.5),
    # The configured key is used, whatever the header offers.
    "kid with a path": lambda user: made(user, kid="../../../../dev/null"),
    "jku": lambda user: made(user, jku="http://127.0.0.1:1/keys"),
    # Belfry's own tokens have neither claim, and neither is checked by default.
    "aud and iss": lambda user: claimed(user, aud="someone else", iss="someone else"),
}


async def bearer(server, text: str) -> tuple[int, dict]:
    async with Peer(server) as peer:
        head = f"POST /v1/user.get HTTP/1.1\r\nHost: belfry\r\nAuthorization: Bearer {text}\r\n\r\n"
        answered, _ = await asyncio.gather(peer.answer(), peer.send(head.encode()))
        return answered


async def connecting(peer: Peer, text: str):
    await peer.upgraded()
    await peer.send(frame(0x81, json.dumps({"id": 1, "connect": {"token": text}}).encode()))


@pytest.mark.parametrize("what", FORGED)
async def test_a_forged_token_authenticates_nobody(target, attack, name, what):
    text = FORGED[what](name("ann"))
    async with attack(f"token: {what}"):
        async with Peer(target) as peer:
            await connecting(peer, text)
            assert await peer.close_code() == 3500
        if what == "a line end":
            return
        status, body = await bearer(target, text)
        if len(text) > 16_000:
            assert status == 431
        else:
            assert status == 401 and json.loads(body)["error"]["code"] == 101
            # An error never repeats any part of the refused token.
            assert text.split(".")[0] not in body.decode() or what in ("an empty header", "dots")
        async with Peer(target) as peer:
            await peer.upgraded(f"Authorization: Bearer {text}\r\n") if len(text) < 15_000 else await peer.upgraded()
            await peer.send(frame(0x81, b'{"id":1,"connect":{}}'))
            assert await peer.close_code() == 3500


@pytest.mark.parametrize("what", EXPIRED)
async def test_an_expired_token_is_reported_as_expired(target, attack, name, what):
    text = EXPIRED[what](name("ann"))
    async with attack(f"token: {what}"):
        async with Peer(target) as peer:
            await connecting(peer, text)
            assert json.loads((await peer.frame())[1])["error"]["code"] == 109
        status, body = await bearer(target, text)
        assert status == 401 and json.loads(body)["error"]["code"] == 109


@pytest.mark.parametrize("what", GOOD)
async def test_an_unusual_token_with_a_valid_signature_is_accepted(target, attack, name, what):
    text = GOOD[what](name("ann"))
    async with attack(f"token: {what}"):
        async with Peer(target) as peer:
            await connecting(peer, text)
            reply = json.loads((await peer.frame())[1])
            assert reply["connect"]["data"]["user"]["id"] == name("ann")
        assert (await bearer(target, text))[0] == 200


async def test_a_thousand_simultaneous_forged_tokens_delay_nobody(target, attack, name):
    forged = token(name("ann"), secret="another secret that is long enough, too")
    async with attack("token: 1,000 forged ones at once"):
        async def one():
            async with Peer(target) as peer:
                await connecting(peer, forged)
                assert await peer.close_code() == 3500

        for _ in range(10):
            await asyncio.gather(*(one() for _ in range(100)))


@pytest.mark.parametrize("secret", ["", " ", "x", "x" * 31])
def test_an_empty_or_short_key_prevents_startup(tmp_path, secret):
    with pytest.raises(NotStarted) as refused:
        Server(tmp_path, {"BELFRY_TOKEN_SECRET": secret}).terminate()
    status, said = refused.value.args
    assert status > 0 and "BELFRY_TOKEN_SECRET" in said


async def test_a_deactivated_user_is_disconnected_immediately_despite_a_valid_token(target, attack, name):
    ann = name("ann")
    async with attack("token: a revoked user"), Wire(target) as living:
        good = token(ann)
        await living.connect(ann)
        target.app("user.deactivate", user_id=ann)
        assert await living.close_code() == 3503
        async with Peer(target) as peer:
            await connecting(peer, good)
            reply = (await peer.frame())
            assert json.loads(reply[1])["error"]["code"] == 1008
            assert await peer.close_code() == 3503
        status, body = await bearer(target, good)
        assert (status, json.loads(body)["error"]["code"]) == (403, 1008)


async def test_wrong_api_keys_are_refused(target, attack, name):
    async with attack("token: wrong API keys"):
        for key in ("", " ", API_KEY[:-1], API_KEY + "x", API_KEY.upper(), "x" * 10_000, token(name("ann"))):
            assert target.post("user.upsert", {"id": name("ann")}, key=key)[0] == 401
