"""Helpers for the tests of the data folder: ann's chat, and the tools of `belfry data`."""

import http.client
import os
import subprocess

from belfry import API_KEY

SMALL = {"BELFRY_JOURNAL_SEGMENT_BYTES": str(1 << 20)}
AS_ROOT = [] if os.getuid() == 0 else ["sudo", "-n"]
BINARY = os.environ.get("BELFRY_BIN", ".build/debug/belfry")


def begin(server):
    server.app("user.upsert", id="ann")
    server.app("channel.create", id="general", as_user_id="ann")


def send(server, text):
    """Sends a message; returns the response's status, or None without one."""
    try:
        return server.post("message.send", {"channel_id": "general", "text": text, "as_user_id": "ann"}, key=API_KEY)[0]
    except (OSError, http.client.HTTPException, ValueError):
        return None


def texts(server):
    found, page = [], {}
    while True:
        answer = server.app("message.list", channel_id="general", limit=100, **page)
        found += [message["text"] for message in answer["messages"]]
        if "next" not in answer:
            return set(found)
        page = {"next": answer["next"]}


def kill(server):
    os.kill(server.pid, 9)
    server.process.wait(10)


def segments(server):
    return sorted((server.data / "journal").glob("*.journal"))


def snapshots(server):
    return sorted((server.data / "journal").glob("*.snapshot"))


def data(command, *arguments):
    done = subprocess.run(
        [BINARY, "data", command, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr
