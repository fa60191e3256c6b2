"""A stand-in for systemd, which holds the listening sockets, receives status notifications and restarts the service."""

import fcntl
import os
import pathlib
import socket
import time

from belfry import DEADLINE, Server

# A shell moves the sockets to the numbers from 3 on, and already has the server's pid.
START = 'export LISTEN_PID=${LISTEN_PID:-$$}; number=3; for socket in $SOCKETS; do eval "exec $number<&$socket"; ' \
    'number=$((number + 1)); done; unset SOCKETS; exec "$@"'


class Supervisor:
    """`names` are the sockets' names, as in FileDescriptorName=; the sockets outlive every server."""

    def __init__(self, folder: pathlib.Path, names: tuple[str, ...] = ("plain",), is_abstract: bool = False):
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.names = names
        self.sockets = [socket.create_server(("127.0.0.1", 0), backlog=4_096) for _ in names]
        self.ports = [listening.getsockname()[1] for listening in self.sockets]
        self.news = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = f"@belfry-{os.getpid()}-{id(self)}" if is_abstract else str(folder / "notify")
        self.news.bind("\0" + name[1:] if is_abstract else name)
        self.address = name
        self.servers: list[Server] = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
                server.process.wait()
        for listening in (*self.sockets, self.news):
            listening.close()

    def start(self, settings: dict | None = None, **options) -> Server:
        # Keep them away from their final numbers.
        numbers = tuple(fcntl.fcntl(listening, fcntl.F_DUPFD, 100) for listening in self.sockets)
        try:
            server = Server(
                self.folder,
                {
                    "LISTEN_FDS": str(len(numbers)), "LISTEN_FDNAMES": ":".join(self.names),
                    "SOCKETS": " ".join(map(str, numbers)), "NOTIFY_SOCKET": self.address, **(settings or {}),
                },
                **{"under": ("bash", "-c", START, "bash"), "listens": (), "sockets": numbers, **options})
        finally:
            for number in numbers:
                os.close(number)
        self.servers.append(server)
        return server

    def hears(self, words: str, seconds: float = DEADLINE) -> list[str]:
        """Returns all notifications up to and including these words."""
        heard = []
        deadline = time.monotonic() + seconds
        while not heard or words not in heard[-1].split("\n"):
            self.news.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                heard.append(self.news.recv(4_096).decode())
            except TimeoutError:
                raise AssertionError(f"{words} was never said, but {heard}") from None
        return heard
