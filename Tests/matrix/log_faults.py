"""Rows in which NATS or the way to it fails."""

import re
import shutil
import signal
import time

from scene import Caller, Figure, Scene, Violation, command, require  # First: it extends the path.

from nats_proxy import Rule, is_append, is_append_reply, is_bus, is_live
from node_faults import fill, others

# How long a client with recovery may wait for an answer from a node that cannot ask the writer.
READ_SECONDS = 2.5


def probed(scene: Scene, since: float, until: float, writer: int | None = None) -> list[Figure]:
    """Ends the probes: nodes that do not write answered all reads and connects that began in between."""
    probers = scene.end_probes()
    reads = [probe for prober in probers for probe in prober.reads if since <= probe.begin <= until]
    connects = [probe for prober in probers for probe in prober.connects if since <= probe.begin <= until]
    of_others = [probe for probe in reads + connects if probe.node != writer]
    require(of_others, "nobody asked")
    failed = [probe for probe in of_others if not probe.ok]
    return [
        Figure(f"failed of {len(of_others)} reads and connects", len(failed), 0, False),
        Figure("slowest read", max(probe.end - probe.begin for probe in reads if probe.node != writer), READ_SECONDS),
        Figure(
            "slowest connect", max(probe.end - probe.begin for probe in connects if probe.node != writer), READ_SECONDS),
        *([Figure("slowest read on the writer", max(
            (probe.end - probe.begin for probe in reads if probe.node == writer), default=0))]
            if writer is not None else [])]


def leader_fails(scene: Scene, how: int) -> list[Figure]:
    """The NATS server that leads the log's stream is killed or stopped."""
    scene.load()
    scene.probe()
    leader, writer = scene.leader(), scene.writer
    server = scene.servers[leader]
    at = time.monotonic()
    server.process.send_signal(how)
    pause = scene.first_ack(at)
    until = time.monotonic()
    refused = scene.refused(at, 1040)
    scene.rest(1)
    figures = probed(scene, at, until, writer)
    if how == signal.SIGKILL:
        server.process.wait()
        server.start()
    else:
        server.process.send_signal(signal.SIGCONT)
    scene.revive()
    scene.flow()
    scene.judge()
    return [
        Figure("pause", pause, 15.0),
        *([Figure("first 1040 after", refused[0].at - at, 4.0)] if refused else []), *figures]


def all_servers_killed(scene: Scene, seconds: float = 10) -> list[Figure]:
    scene.load()
    scene.probe()
    writer = scene.writer
    for server in scene.servers:
        server.kill()
    at = time.monotonic()
    scene.rest(seconds)
    figures = probed(scene, at + 0.5, time.monotonic() - 3, writer)
    refused = scene.refused(at, 1040)
    require(refused, "nothing was refused")
    require(not [ack for ack in scene.acks if ack.begin > at + 0.5], "acknowledged without a log")
    restarted = time.monotonic()
    for server in scene.servers:
        server.start()
    healed = scene.first_ack(restarted)
    require(all(node.process.poll() is None for node in scene.nodes), "a node ended")
    scene.judge()
    return [Figure("first 1040 after", refused[0].at - at, 4.0), *figures, Figure("writes again after", healed, 20.0)]


def no_quorum(scene: Scene, seconds: float = 65) -> list[Figure]:
    scene.load()
    scene.probe()
    writer = scene.writer
    for server in scene.servers[:2]:
        server.kill()
    at = time.monotonic()
    scene.rest(seconds)
    figures = probed(scene, at + 5, time.monotonic() - 3, writer)
    require(scene.refused(at, 1040), "nothing was refused")
    require(not [ack for ack in scene.acks if ack.begin > at + 1], "acknowledged without a quorum")
    closed = [closing for closing in scene.closings if closing.at > at and closing.code == 3001]
    restarted = time.monotonic()
    for server in scene.servers[:2]:
        server.start()
    healed = scene.first_ack(restarted)
    require(all(node.process.poll() is None for node in scene.nodes), "a node ended")
    scene.judge()
    return [*figures, Figure("sessions closed", len(closed), 0, False), Figure("writes again after", healed, 20.0)]


def rules(share: float) -> list[Rule]:
    """Loss, repetition and delay; `share` is that of the live feed's losses."""
    return [
        Rule(is_live, "drop", share), Rule(is_live, "double", share), Rule(is_live, 0.3, share),
        Rule(is_append_reply, "drop", share), Rule(is_append, "double", share), Rule(is_append, 2.5, share / 10),
        Rule(is_bus, "drop", share), Rule(is_bus, "double", share), Rule(is_bus, 0.3, share)]


def lossy(scene: Scene, seconds: float = 30, share: float = 0.01) -> list[Figure]:
    scene.load()
    term = scene.nodes[0].metric("belfry_cluster_term")
    since = time.monotonic()
    for proxy in scene.cluster.proxies:
        proxy.rules = rules(share)
    scene.rest(seconds)
    count = len([ack for ack in scene.acks if ack.end >= since])
    slowest = scene.slowest(since)
    refused = scene.refused(since, 1040, 1041)
    applied = sum(sum(proxy.applied.values()) for proxy in scene.cluster.proxies)
    require(applied > 0, "nothing was lost")
    for proxy in scene.cluster.proxies:
        proxy.rules = []
    require(all(node.process.poll() is None for node in scene.nodes), "a node ended")
    changes = scene.nodes[0].metric("belfry_cluster_term") - term
    scene.judge()
    return [
        Figure(f"messages lost, repeated or delayed, of {count} commands", applied, None, False),
        Figure("refusals", len(refused), 0, False), Figure("changes of the writer", changes, 0, False),
        Figure("slowest command", slowest, 3.0)]


def stream_full(scene: Scene) -> list[Figure]:
    """The stream reaches its limit while no other node mirrors it. An operator raises the limit; when it is reached again, the
    other nodes return, so that the log is trimmed."""
    scene.load()
    writer = scene.writer
    filler = Caller(scene, "owner", writer, patience=30)
    # Nobody listens to it: these are more messages than can be recovered.
    require(filler.once("channel.create", {"id": "full"})[0] is None, "no channel")
    scene.more_channels.append("full")

    def fill_stream() -> int:
        for number in range(1, 4_000):
            try:
                code, _ = filler.once("message.send", {"channel_id": "full", "text": "x" * 15_000})
            except OSError:
                continue
            if code in (1040, 1041):
                return number
        raise Violation("the stream is never full")

    stopped = others(writer)
    for index in stopped:
        scene.stop(index)
    # Until the others have departed, what they have synced may go.
    scene.rest(4)
    count = fill_stream()
    full = time.monotonic()
    scene.rest(3)
    require(not [ack for ack in scene.acks if ack.begin > full + 1], "acknowledged although the log is full")
    configuration = scene.ask_nats("STREAM.INFO")["config"]
    answer = scene.ask_nats("STREAM.UPDATE", {**configuration, "max_bytes": 2 * configuration["max_bytes"]})
    require("error" not in answer, answer)
    raised = scene.first_ack(time.monotonic())
    fill_stream()
    healed = scene.first_ack(min(scene.go_on(index) for index in stopped))
    for _ in range(count):
        code, answer = filler.once("message.send", {"channel_id": "full", "text": "x" * 15_000})
        require(code is None, "the log is not trimmed", answer)
    require(all(node.process.poll() is None for node in scene.nodes), "a node ended")
    scene.judge()
    return [
        Figure("messages of 15 kB until 1040", count, None, False),
        Figure("writes again after the limit is raised", raised, 5.0),
        Figure("writes again after the others return", healed, 15.0)]


def nats_disk_full(scene: Scene, disks: list) -> list[Figure]:
    scene.load()
    at = time.monotonic()
    for disk in disks:
        fill(disk)
    scene.until(lambda: scene.refused(at, 1040, 1041), "changes are refused", 60)
    refused = time.monotonic() - at
    scene.rest(3)
    for disk in disks:
        (disk / "ballast").unlink()
    freed = time.monotonic()
    try:
        healed, restarts = scene.first_ack(freed, seconds=15), 0
    except Exception:
        scene.check()
        # A server that met a full disk may have given up JetStream until it is started again.
        restarts = len(scene.servers)
        for server in scene.servers:
            server.kill()
            server.start()
        freed = time.monotonic()
        healed = scene.first_ack(freed)
    scene.revive()
    scene.judge()
    return [
        Figure("refused after", refused, 10.0), Figure("NATS servers to restart", restarts, None, False),
        Figure("writes again after", healed, 20.0)]


def stream_wiped(scene: Scene) -> list[Figure]:
    """Somebody deletes the stream. `cluster recreate` continues with the longest journal."""
    scene.load()
    scene.rest(1)
    require("error" not in scene.ask_nats("STREAM.DELETE"), "not deleted")
    at = time.monotonic()
    scene.until(lambda: scene.refused(at, 1040, 1041), "changes are refused", 60)
    refused = time.monotonic() - at
    require(not [ack for ack in scene.acks if ack.begin > at + 1], "acknowledged without a log")
    for index in range(3):
        scene.kill(index)
    folders = [scene.cluster.folder / f"node{index + 1}" / "data" for index in range(3)]
    frames = [int(re.search(r"^frames (\d+)", command("data", "inspect", folder)[1], re.M)[1]) for folder in folders]
    longest = frames.index(max(frames))
    recreating = time.monotonic()
    status, said = command(
        "cluster", "recreate", "--data", folders[longest], **scene.cluster.settings,
        BELFRY_CLUSTER_NODE=f"node{longest + 1}")
    require(status == 0, said)
    for index, folder in enumerate(folders):
        if frames[index] < frames[longest]:
            shutil.rmtree(folder)
            status, said = command("data", "backup", folders[longest], folder)
            require(status == 0, said)
            shutil.rmtree(folder / "files", ignore_errors=True)
    for index in range(3):
        scene.cluster.restart(index)
    scene.revive()
    healed = time.monotonic() - recreating
    scene.first_ack(time.monotonic())
    scene.judge()
    return [
        Figure("refused after", refused, 6.0), Figure("from the command to three nodes that are ready", healed, None),
        Figure("frames by which journals differed", max(frames) - min(frames), None, False)]
