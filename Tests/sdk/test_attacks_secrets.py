"""No token, key or text appears in any log, metric, error or close reason, whatever is requested.

Every server under attack is also searched for these when it ends (`target` in conftest.py).
"""

import asyncio
import json

from attacks import Peer, Watch, frame, upgrade
from belfry import API_KEY, SECRET, Server, token
from clients import Wire

TEXT, NOTE, HOOK = "canary-text-77", "canary-note-78", "canary-hook-79 of the tests"


async def test_no_secret_appears_in_any_log_metric_error_or_close_reason(tmp_path, name):
    server = Server(tmp_path)
    ann, general = name("ann"), name("general")
    good, forged, expired = token(ann), token(ann, secret=HOOK * 2), token(ann, expires_in=-5)
    secrets = {SECRET, API_KEY, TEXT, NOTE, HOOK, *(text.rsplit(".", 1)[1] for text in (good, forged, expired)),
               *(text.split(".")[1] for text in (good, forged, expired))}
    errors: list[bytes] = []

    async def wrong(request: bytes):
        async with Peer(server) as peer:
            _, got = await asyncio.gather(peer.send(request), peer.rest())
            errors.append(got)

    def post(method: str, data, fields: str) -> bytes:
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        return (f"POST /v1/{method} HTTP/1.1\r\nHost: belfry\r\nConnection: close\r\n{fields}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    async with Watch(server, "secrets: everything that can go wrong", name):
        async with Wire(server) as wire:
            await wire.connect(ann)
            await wire.rpc("channel.create", {"id": general, "data": NOTE, "metadata": {"note": NOTE}})
            await wire.rpc("message.send", {"channel_id": general, "text": TEXT, "data": NOTE})
            await wire.hears(general, TEXT)
        server.app("webhook.set", id="hook", url="http://127.0.0.1:1/", events="*", secret=HOOK)
        errors.append(json.dumps(server.app("webhook.list")).encode())
        bearer, key = f"Authorization: Bearer {good}", f"X-API-Key: {API_KEY}"
        for credentials in (bearer, key, f"Authorization: Bearer {forged}", f"Authorization: Bearer {expired}",
                            f"Authorization: Basic {good}", f"{bearer}\r\n{key}", f"X-API-Key: {API_KEY}x",
                            f"Authorization : Bearer {good}", f"Authorization: Bearer {good}\r\n{bearer}"):
            for method, data in (
                ("message.send", {"channel_id": general, "text": TEXT * 2_000}),
                ("message.send", {"channel_id": TEXT + "/", "text": TEXT}),
                ("message.send", {"channel_id": general, "text": [TEXT]}),
                ("message.send", {"channel_id": general, "text": TEXT, "kind": TEXT}),
                ("message.send", {"channel_id": general, "text": TEXT, "mention_type": NOTE}),
                ("message.send", {"channel_id": "absent", "text": TEXT}),
                ("message.send", b'{"text":"' + TEXT.encode() + b"\xff"), ("message.send", TEXT.encode()),
                ("message.send", b'{"text":"a","' + TEXT.encode() + b'":1,"' + TEXT.encode() + b'":2}'),
                ("webhook.set", {"id": "a", "url": HOOK, "events": "*", "secret": HOOK}),
                ("webhook.set", {"id": "a", "url": "http://a/", "events": "*", "secret": HOOK[:14]}),
                (TEXT, {}), ("token.create", {"user_id": "absent"}),
            ):
                await wrong(post(method, data, credentials))
        for request in (
            f"GET /{TEXT} HTTP/1.1\r\nHost: {TEXT}\r\nConnection: close\r\n\r\n",
            f"GET / HTTP/1.1\r\nHost: a\r\n{bearer}\0\r\n\r\n",
            f"{TEXT} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            f"GET /livez?{good} HTTP/1.0\r\n\r\n", TEXT + "\r\n\r\n",
            f"GET /livez HTTP/1.1\r\n {bearer}\r\n\r\n", f"GET /livez HTTP/1.1\r\nHost: a\r\n{good}\r\n\r\n",
        ):
            await wrong(request.encode())
        for messages in (
            ['{"id":1,"connect":{"token":"%s"}}' % forged], ['{"id":1,"connect":{"token":"%s"' % good],
            ['{"id":1,"connect":{"token":"%s"}}' % expired, TEXT], ['{"id":1,"%s":{}}' % TEXT], [TEXT],
            ['{"id":1,"connect":{"token":"%s"}}' % good, '{"id":2,"refresh":{"token":"%s"}}' % forged],
            ['{"id":1,"connect":{"token":"%s"}}' % good, '{"id":2,"rpc":{"method":"%s","data":{}}}' % TEXT, "{"],
            ['{"id":1,"connect":{"token":"%s"}}' % good, '{"id":2,"subscribe":{"channel":"%s/"}}' % TEXT, "{"],
            ['{"id":1,"connect":{"token":"%s"}}' % good,
             '{"id":2,"rpc":{"method":"message.send","data":{"channel_id":"%s","text":"%s"' % (general, TEXT)],
        ):
            await wrong(upgrade(f"{bearer}\r\n") + b"".join(frame(0x81, text.encode()) for text in messages))
        metrics = server.get("/metrics")[1]
    assert server.terminate() == 0
    log = server.log.read_text()
    assert len(errors) > 100 and log and metrics
    for secret in secrets:
        assert secret not in log and secret not in metrics, secret
        told = [error for error in errors if secret.encode() in error]
        assert not told, (secret, told[0])
