"""NATS servers with JetStream as child processes."""

import json
import pathlib
import signal
import socket
import subprocess
import sys
import time

from belfry import DEADLINE

PROGRAM = pathlib.Path(sys.executable).parent / "nats-server"


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class NATSServer:
    """One server on a loopback port; `routes` are the cluster ports of all servers, the first of which is its own."""

    def __init__(self, folder: pathlib.Path, name: str = "n1", routes: tuple[int, ...] = ()):
        self.folder = folder / name
        self.folder.mkdir(exist_ok=True)
        (self.port,) = free_ports(1)
        self.url = f"nats://127.0.0.1:{self.port}"
        configuration = {
            "server_name": name, "listen": f"127.0.0.1:{self.port}",
            "jetstream": {"store_dir": str(self.folder / "store"), "max_file_store": 1 << 30, "sync_interval": "always"},
        }
        if routes:
            configuration["cluster"] = {
                "name": "test", "listen": f"127.0.0.1:{routes[0]}",
                "routes": [f"nats://127.0.0.1:{port}" for port in routes],
            }
        # JSON is a subset of the server's format.
        (self.folder / "nats.conf").write_text(json.dumps(configuration))
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAM, "-c", self.folder / "nats.conf", "-l", self.folder / "log"], stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                assert self.process.poll() is None and time.monotonic() < deadline, "nats-server does not start"
                time.sleep(0.02)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def start_three(folder: pathlib.Path) -> list[NATSServer]:
    routes = free_ports(3)
    return [
        NATSServer(folder, f"n{index + 1}", (routes[index], *routes[:index], *routes[index + 1:])) for index in range(3)]
