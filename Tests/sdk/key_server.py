"""An identity provider: private keys of every algorithm, tokens signed with them, and a server that publishes the
public keys."""

import asyncio
import json
import time

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

MAKERS = {
    "RS256": (lambda: rsa.generate_private_key(65537, 2048), RSAAlgorithm),
    "ES256": (lambda: ec.generate_private_key(ec.SECP256R1()), ECAlgorithm),
    "EdDSA": (ed25519.Ed25519PrivateKey.generate, OKPAlgorithm),
}


class Key:
    def __init__(self, algorithm: str, kid: str | None):
        self.algorithm, self.kid = algorithm, kid
        make, self.kind = MAKERS[algorithm]
        self.private = make()

    def jwk(self, **members) -> dict:
        named = {"kid": self.kid} if self.kid else {}
        return {**self.kind.to_jwk(self.private.public_key(), as_dict=True), **named, "use": "sig", **members}

    def token(self, user: str, **claims) -> str:
        claims = {"sub": user, "exp": int(time.time()) + 600, **claims}
        return jwt.encode(claims, self.private, self.algorithm, headers={"kid": self.kid} if self.kid else None)


def key_set(*keys: Key) -> bytes:
    return json.dumps({"keys": [key.jwk() for key in keys]}).encode()


class KeyServer:
    """Responds with `status` and `body`; never responds if the body is None."""

    def __init__(self, *keys: Key):
        self.status, self.body, self.count = "200 OK", key_set(*keys), 0
        self.more = ""

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/keys"
        return self

    async def __aexit__(self, *_):
        self.server.close()

    def publish(self, *keys: Key):
        self.status, self.body = "200 OK", key_set(*keys)

    async def _serve(self, reader, writer):
        try:
            await reader.readuntil(b"\r\n\r\n")
            self.count += 1
            if self.body is None:
                await reader.read()
                return
            head = f"HTTP/1.1 {self.status}\r\n{self.more}Content-Length: {len(self.body)}\r\nConnection: close\r\n\r\n"
            writer.write(head.encode() + self.body)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def settings(self, **more) -> dict:
        return {
            "BELFRY_TOKENS_JWKS_URL": self.url, "BELFRY_TOKENS_JWKS_HTTP_NETWORKS": "127.0.0.1",
            "BELFRY_TOKENS_JWKS_TIMEOUT_MS": "500",
            **{"BELFRY_TOKENS_" + key.upper(): str(value) for key, value in more.items()},
        }
