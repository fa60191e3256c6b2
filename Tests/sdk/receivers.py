"""Webhook receivers whose responses are determined by the test."""

import asyncio
import contextlib
import json

SECRET = "a secret of the webhook tests"
# The address of the tests' receivers.
LOOPBACK = {"BELFRY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.1"}
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Receiver:
    """Receives deliveries on the loopback, responds to each with the result of `answer`, and keeps the bodies."""

    def __init__(self, answer=None):
        self.answer = answer
        self.bodies: list[dict] = []
        # The id of each delivery.
        self.ids: list[str] = []

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.tasks = set()
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}/hook"
        return self

    async def __aexit__(self, *_):
        self.server.close()
        for task in self.tasks:
            task.cancel()

    async def _serve(self, reader, writer):
        self.tasks.add(asyncio.current_task())
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = int(head.split("content-length:")[1].split("\r\n")[0])
                body = json.loads(await reader.readexactly(length))
                self.ids.append(head.partition("webhook-id:")[2].split("\r\n")[0].strip())
                self.bodies.append(body)
                if self.answer:
                    await self.answer(reader, writer)
                else:
                    writer.write(OK)
        writer.close()

    def texts(self) -> list[str]:
        return [body["data"]["message"]["text"] for body in self.bodies if body["type"] == "message.new"]


def refusals(server) -> dict[str, str]:
    """Returns the refused addresses by webhook, according to the log."""
    lines = [line for line in server.log.read_text().splitlines() if "not in an allowed network" in line]
    fields = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]
    return {found["webhook"]: found["address"] for found in fields}
