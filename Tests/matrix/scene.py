"""Three nodes on three NATS servers under load, and the checks of everything that the clients observed."""

import collections
import http.client
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

_tests = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_tests / "sdk"), str(_tests / "kill")]

from belfry import API_KEY, DEADLINE, RING_EVENTS, Server  # noqa: E402,F401
from cluster import Cluster, change  # noqa: E402
from history import Sent, Violation, check_channel, check_subscriber, require  # noqa: E402,F401
from load import AGAIN, CHANNELS, Ack, Caller, Prober, Subscriber, Writer  # noqa: E402,F401
from nats_proxy import NATSProxy  # noqa: E402
from receivers import LOOPBACK  # noqa: E402
from test_cluster_command import jetstream  # noqa: E402

STREAM = "belfry-belfry-1"
# Settings for nodes under load, whose subscribers may recover everything.
SETTINGS = {
    **LOOPBACK,
    **{f"BELFRY_CONNECTIONS_{name}": "1000000" for name in (
        "COMMANDS_PER_SECOND", "COMMANDS_AT_ONCE", "USER_COMMANDS_PER_SECOND", "USER_COMMANDS_AT_ONCE")},
    "BELFRY_ROOMS_RING_EVENTS": "1000000", "BELFRY_ROOMS_RING_BYTES": str(1 << 30), "SWIFT_BACKTRACE": "enable=no",
}
# The fields of a user that differ while presence is on its way.
PRESENCE = {"online", "last_seen_at", "is_online"}

# `limit` is None for a figure that is only shown. `seconds`: whether the value is a time, which depends on the machine.
Figure = collections.namedtuple("Figure", "name value limit is_time", defaults=(None, True))


class Nodes(Cluster):
    """Real nodes, each through its own proxy if desired, with settings and wrapping commands of their own."""

    def __init__(
        self, folder: pathlib.Path, settings: dict | None = None, is_proxied: bool = False, own: dict | None = None,
        under: dict | None = None, seed: int = 1,
    ):
        """`own` are additional settings of single nodes, and `under` are commands that run them, by index."""
        self.is_proxied, self.own, self.under, self.seed = is_proxied, own or {}, under or {}, seed
        self.proxies: list[NATSProxy] = []
        super().__init__(folder, settings={**SETTINGS, **(settings or {})})

    def start(self, index: int, port: int = 0) -> Server:
        if self.is_proxied and not self.proxies:
            ports = [server.port for server in self.servers]
            self.proxies = [NATSProxy(ports, seed=self.seed + number) for number in range(3)]
        own = dict(self.own.get(index, {}))
        if self.proxies:
            own["BELFRY_CLUSTER_URL"] = self.proxies[index].url
        return Server(
            self.prepare(index), {**self.settings, **own, "BELFRY_CLUSTER_NODE": f"node{index + 1}"},
            listens=("--port", str(port)), under=self.under.get(index, ()), log=("--log-level", "info"))

    def end(self):
        for node in self.live:
            # The program itself, if another one wraps it. It may be stopped.
            for pid in {node.process.pid, getattr(node, "pid", node.process.pid)}:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        super().end()
        for proxy in self.proxies:
            proxy.close()
        self.proxies = []


class Scene:
    def __init__(self, folder: pathlib.Path, seed: int = 1, pause: float = 0.02, **options):
        self.seed, self.pause = seed, pause
        self.cluster = Nodes(folder, seed=seed, **options)
        self.nodes = self.cluster.nodes
        self.servers = self.cluster.servers
        self.acks: list[Ack] = []
        self.refusals, self.closings = [], []
        self.broken = 0
        self.is_pausing, self.is_holding, self.is_over = threading.Event(), threading.Event(), threading.Event()
        # Messages that a row has sent itself, with client ids.
        self.extra: list[Sent] = []
        self.writers: list[Writer] = []
        self.all_writers: list[Writer] = []
        self.subscribers: list[Subscriber] = []
        self.probers: list[Prober] = []
        self.seen: dict[str, dict] = {}
        # Channels of a row, which nobody listens to.
        self.more_channels: list[str] = []
        self.loads = 0
        try:
            people = [f"{kind}-{number}" for kind in ("writer", "listener") for number in range(3)]
            for user in ["owner", *people]:
                change(self.cluster, "user.upsert", id=user)
            for channel in CHANNELS:
                change(self.cluster, "channel.create", id=channel, as_user_id="owner", user_ids=people)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.is_pausing.set()
        self.is_over.set()
        for prober in self.probers:
            prober.is_over.set()
        self.cluster.end()

    # The load

    def load(self):
        """Starts writers on all nodes, and subscribers unless there are some."""
        self.is_pausing.clear()
        if not self.subscribers:
            self.subscribers = [Subscriber(self, index) for index in range(3)]
            for subscriber in self.subscribers:
                subscriber.start()
            self.until(lambda: all(len(one.epochs) == len(CHANNELS) for one in self.subscribers), "all are subscribed")
        self.loads += 1
        self.writers = [Writer(self, index, self.loads, str(self.seed), self.pause) for index in range(3)]
        self.all_writers += self.writers
        for writer in self.writers:
            writer.start()
        self.flow()

    def end_load(self):
        """Lets the writers finish."""
        self.is_pausing.set()
        self.is_holding.clear()
        for writer in self.writers:
            writer.join(150)
            if writer.error:
                raise writer.error
            require(not writer.is_alive(), "a writer hangs", writer.user)

    def probe(self):
        """Reads from all nodes and connects to them until `probes` is called."""
        self.probers = [Prober(self, index) for index in range(3)]
        for prober in self.probers:
            prober.start()

    def end_probes(self) -> list[Prober]:
        probers, self.probers = self.probers, []
        for prober in probers:
            prober.is_over.set()
        for prober in probers:
            prober.join(60)
        return probers

    def hold(self):
        """Lets the writers finish what they do, and wait until `is_holding` is cleared."""
        self.is_holding.set()
        while True:
            count = len(self.acks)
            self.rest(0.3)
            if len(self.acks) == count:
                return

    def check(self):
        """Raises what a client has found."""
        for thread in [*self.writers, *self.subscribers]:
            if thread.error:
                raise thread.error

    def rest(self, seconds: float):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.check()
            time.sleep(0.02)

    def until(self, condition, what: str, seconds: float = 60):
        deadline = time.monotonic() + seconds
        while not (result := condition()):
            self.check()
            require(time.monotonic() < deadline, "never happened", what)
            time.sleep(0.01)
        return result

    # Observations

    def first_ack(self, since: float, nodes: set[int] | None = None, seconds: float = 90) -> float:
        """Waits for the acknowledgement of a command sent since a moment, and returns the time from then to it."""
        def found():
            # The newest come last.
            return [
                ack.end for ack in reversed(list(self.acks[-2_000:]))
                if ack.begin >= since and (nodes is None or ack.node in nodes)]

        return min(self.until(found, "a command is acknowledged", seconds)) - since

    def flow(self, count: int = 10):
        """Waits until commands are acknowledged on every live node."""
        since = time.monotonic()

        def flows():
            recent = [ack.node for ack in list(self.acks[-5_000:]) if ack.begin >= since]
            return all(
                recent.count(index) >= count // 3 for index, node in enumerate(self.nodes)
                if node.process.poll() is None)

        self.until(flows, "commands are acknowledged on all nodes")

    def gap(self, since: float, until: float) -> float:
        """The longest time without an acknowledgement on any node."""
        ends = sorted(ack.end for ack in list(self.acks) if since <= ack.end <= until)
        ends = [since, *ends, until]
        return max(b - a for a, b in zip(ends, ends[1:]))

    def slowest(self, since: float) -> float:
        """The slowest command that was under way since a moment."""
        return max((ack.end - ack.begin for ack in list(self.acks) if ack.end >= since), default=0)

    def refused(self, since: float, *codes: int) -> list:
        return [refusal for refusal in list(self.refusals) if refusal.at >= since and refusal.code in codes]

    # Nodes

    @property
    def writer(self) -> int:
        """The index of the node that writes."""
        def find():
            for index, node in enumerate(self.nodes):
                if node.process.poll() is None and index not in self.hanging:
                    try:
                        if node.metric("belfry_cluster_writer") == 1:
                            return index + 1
                    except (OSError, http.client.HTTPException):
                        pass
            return None

        return self.until(find, "a node writes") - 1

    # Nodes that are stopped.
    hanging: frozenset[int] = frozenset()

    def kill(self, index: int) -> float:
        """Kills a node, and returns the time."""
        os.kill(self.nodes[index].pid, signal.SIGKILL)
        now = time.monotonic()
        self.nodes[index].process.wait(DEADLINE)
        return now

    def stop(self, index: int) -> float:
        self.hanging |= {index}
        pid = self.nodes[index].pid
        os.kill(pid, signal.SIGSTOP)
        # Threads run on until one of them has received the signal.
        tasks = pathlib.Path(f"/proc/{pid}/task")
        self.until(
            lambda: all(") T " in (task / "stat").read_text() for task in tasks.iterdir()), f"node {index + 1} stops")
        return time.monotonic()

    def go_on(self, index: int) -> float:
        self.hanging -= {index}
        os.kill(self.nodes[index].pid, signal.SIGCONT)
        return time.monotonic()

    def is_ready(self, index: int) -> bool:
        try:
            return self.nodes[index].get("/readyz")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def restart(self, index: int):
        """Starts a node again, and waits until it follows the log."""
        self.cluster.restart(index)
        self.until(lambda: self.is_ready(index), f"node {index + 1} is ready")

    def ended(self, index: int, seconds: float = 60) -> int:
        """Waits until a node ends, and returns its status."""
        node = self.nodes[index]
        self.until(lambda: node.process.poll() is not None, f"node {index + 1} ends", seconds)
        return node.process.returncode

    def revive(self):
        """Starts all nodes that have ended."""
        for index, node in enumerate(self.nodes):
            if node.process.poll() is not None:
                self.restart(index)
        for index in range(3):
            self.until(lambda: self.is_ready(index), f"node {index + 1} is ready")

    def problems(self, index: int) -> str:
        """The end of a node's log, for a report."""
        return "\n".join(self.nodes[index].log.read_text(errors="replace").splitlines()[-20:])

    # NATS

    def ask_nats(self, method: str, body: dict | None = None, stream: str = STREAM) -> dict:
        """Calls JetStream's API on any server that is alive."""
        def ask():
            for server in self.servers:
                if server.process.poll() is None:
                    try:
                        return jetstream(server, method, stream, body)
                    except (OSError, AssertionError, ValueError):
                        pass
            return None

        return self.until(ask, f"JetStream answers {method}")

    def leader(self) -> int:
        """The index of the NATS server that leads the log's stream."""
        def find():
            name = self.ask_nats("STREAM.INFO").get("cluster", {}).get("leader")
            return int(name.removeprefix("n")) if name else None

        return self.until(find, "the stream has a leader") - 1

    # The end

    def judge(self):
        """Ends the load, and checks everything that its clients have observed. All nodes must be alive."""
        self.end_load()
        self.check()
        sent = [one for writer in self.all_writers for one in writer.sent] + self.extra
        callers = [Caller(self, "owner", index, patience=10) for index in range(3)]
        for channel in CHANNELS:
            tops = []
            for caller in callers:
                code, answer = caller.call("message.send", {"channel_id": channel, "text": "the end"})
                require(code is None, "the last message was refused", answer)
                tops.append(answer["message"]["offset"])
            top = max(tops)
            for subscriber in self.subscribers:
                self.until(lambda: subscriber.top(channel) >= top, f"{subscriber.user} hears the end of {channel}")
            here = [one for one in sent if one.channel == channel]
            lists = [stored(caller, channel) for caller in callers]
            require(lists[0] == lists[1] == lists[2], "nodes have different messages", channel)
            self.seen[channel] = check_channel(here, lists[0], self.seen.get(channel, {}))
            for subscriber in self.subscribers:
                check_subscriber(subscriber.events[channel], subscriber.start_offsets[channel], here, top)
        views = self.until(lambda: self.equal_views(callers), "all nodes show the same")
        listed = {channel["id"] for channel in views["channel.list"]["channels"]}
        require(listed == {*CHANNELS, *self.more_channels}, "a channel is missing", views)
        self.check()

    def equal_views(self, callers) -> dict | None:
        views = [view(caller) for caller in callers]
        return views[0] if views[0] == views[1] == views[2] else None

    @property
    def counts(self) -> str:
        return (
            f"{len(self.acks)} acknowledged, {len(self.refusals)} refusals, {self.broken} broken attempts,"
            f" {sum(one.recoveries for one in self.subscribers)} recoveries")


def stored(caller: Caller, channel: str) -> list[dict]:
    """All messages of a channel as a node lists them, oldest first."""
    messages, page = [], {}
    while True:
        body = {"channel_id": channel, "limit": 100, "include_deleted": True, "include_reactions": True, **page}
        answer = caller.ask("message.list", body)
        messages += without_presence(answer["messages"])
        if "next" not in answer:
            return sorted(messages, key=lambda message: message["offset"])
        page = {"next": answer["next"]}


def view(caller: Caller) -> dict:
    """What a node shows to the owner apart from messages."""
    shown = {}
    for method, body in [("channel.list", {})] + [("member.list", {"channel_id": channel}) for channel in CHANNELS]:
        shown[method + body.get("channel_id", "")] = without_presence(caller.ask(method, body))
    return shown


def without_presence(value):
    if isinstance(value, list):
        return [without_presence(one) for one in value]
    if isinstance(value, dict):
        return {key: without_presence(one) for key, one in value.items() if key not in PRESENCE}
    return value


def command(*words, **environment) -> tuple[int, str]:
    """Runs `belfry`, and returns its status and everything that it said."""
    done = subprocess.run(
        [os.environ.get("BELFRY_BIN", ".build/debug/belfry"), *map(str, words)],
        env={"PATH": os.environ["PATH"], **environment}, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr
