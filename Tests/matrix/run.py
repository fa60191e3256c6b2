"""Runs the faults of several nodes: three nodes of the real program on three NATS servers, with writers and subscribers on
all of them.

    run.py [--quick] [--seed S] [--list] [ROW…]

BELFRY_BIN names the program (.build/debug/belfry). For each row, the table shows what was measured, and what may be. In every
row, nothing acknowledged may be lost or doubled, every subscriber must hear events without a gap, and all nodes must show the
same.
"""

import argparse
import contextlib
import dataclasses
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable

import client_faults
import log_faults
import node_faults
from scene import Figure, Scene, Violation, require

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def scene(folder, **options):
    return Scene(folder / "cluster", **options)


def plain(row, **options):
    """A row on a scene without anything special."""
    def run(folder, seed, arguments):
        with scene(folder, seed=seed, **options) as one:
            return watch(one, row, arguments)
    return run


def watch(one: Scene, row, arguments: dict) -> list[Figure]:
    try:
        figures = row(one, **arguments)
        print("   ", one.counts)
        return figures
    except BaseException:
        keep = os.environ.get("BELFRY_MATRIX_LOGS")
        for index in range(3):
            if keep:
                pathlib.Path(keep).mkdir(exist_ok=True)
                (pathlib.Path(keep) / f"node{index + 1}.log").write_bytes(one.nodes[index].log.read_bytes())
            print(f"--- node {index + 1}\n{one.problems(index)}")
        raise


def with_full_disk(folder, seed, arguments):
    with node_faults.small_disk(folder / "cluster" / "node1" / "data", 96) as disk:
        with scene(folder, seed=seed, settings={"BELFRY_JOURNAL_SEGMENT_BYTES": str(1 << 20)}) as one:
            return watch(one, lambda one: node_faults.disk_full(one, disk, **arguments), {})


def with_failing_disk(folder, seed, arguments):
    inject = ("strace", "-f", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=60")
    with scene(folder, seed=seed, under={0: inject}) as one:
        return watch(one, node_faults.disk_failing, arguments)


def with_full_nats_disks(folder, seed, arguments):
    with contextlib.ExitStack() as stack:
        disks = [stack.enter_context(node_faults.small_disk(folder / "cluster" / f"n{number}", 64)) for number in (1, 2, 3)]
        one = stack.enter_context(scene(folder, seed=seed))
        return watch(one, lambda one: log_faults.nats_disk_full(one, disks), arguments)


def with_wrong_clock(folder, seed, arguments):
    library = folder / "clock.so"
    subprocess.run(
        ["clang", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", library, HERE / "clock.c"], check=True)
    clock = {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(arguments["offset"])}
    with scene(folder, seed=seed, own={2: clock}) as one:
        return watch(one, node_faults.clock_off, {key: value for key, value in arguments.items() if key != "offset"})


def duels(folder, seed, arguments):
    """Candidates of the program's own code on a real stream, without the rest of a node."""
    environment = {
        **os.environ, "BELFRY_DUELS": str(arguments["count"]), "BELFRY_DUEL_SEED": str(seed % 1_000_000),
        "BELFRY_NATS_SERVER": os.environ.get("BELFRY_NATS_SERVER", str(pathlib.Path(sys.executable).parent / "nats-server"))}
    begin = time.monotonic()
    done = subprocess.run(
        ["swift", "test", "--traits", "Cluster", "--skip-build", "--filter", "DuelTests"], cwd=ROOT, env=environment,
        capture_output=True, text=True)
    require(done.returncode == 0, done.stdout[-2_000:], done.stderr[-2_000:])
    said = [line for line in done.stdout.splitlines() if " duels: " in line]
    require(said, "no duel took place", done.stdout[-2_000:])
    print("   ", said[0])
    return [Figure("duels with one writer each", arguments["count"], None, False), Figure("each", (time.monotonic() - begin) / arguments["count"])]


@dataclasses.dataclass
class Row:
    what: str
    run: Callable
    # What differs in the short and in the whole form; None: not in the short form.
    quick: dict | None
    full: dict = dataclasses.field(default_factory=dict)


ROWS = {
    "writer-killed": Row("the writer is killed", plain(node_faults.writer_killed), {"times": 1}),
    "writer-stopped": Row("the writer is stopped for 8 s", plain(node_faults.writer_stopped), {"times": 1}),
    "writer-asked": Row(
        "the writer is asked to stop", plain(node_faults.writer_asked, pause=0.005), {"times": 3}),
    "before-acknowledgement": Row(
        "the writer is killed between append and acknowledgement",
        plain(node_faults.killed_before_acknowledgement, is_proxied=True), {"times": 1}),
    "leader-killed": Row(
        "the leader of the stream is killed", plain(log_faults.leader_fails), {"how": signal.SIGKILL},
        {"how": signal.SIGKILL}),
    "leader-stopped": Row(
        "the leader of the stream is stopped", plain(log_faults.leader_fails), None, {"how": signal.SIGSTOP}),
    "nats-killed": Row("all NATS servers are killed", plain(log_faults.all_servers_killed), {"seconds": 6}),
    "no-quorum": Row("two of three NATS servers are killed", plain(log_faults.no_quorum), None),
    "follower-cut-off": Row(
        "a follower is cut off", plain(node_faults.follower_cut_off, is_proxied=True), {"is_short": True}),
    "writer-cut-off": Row("the writer is cut off", plain(node_faults.writer_cut_off, is_proxied=True), None),
    "lossy": Row("lost, repeated and late messages", plain(log_faults.lossy, is_proxied=True), {"seconds": 5}),
    "stream-full": Row(
        "the stream is full", plain(log_faults.stream_full, settings={"BELFRY_CLUSTER_MAX_BYTES": str(1 << 24)}), None),
    "nats-disk-full": Row("the disks of NATS are full", with_full_nats_disks, None),
    "follower-disk-full": Row("a follower's disk is full", with_full_disk, None, {"is_writer": False}),
    "writer-disk-full": Row("the writer's disk is full", with_full_disk, None, {"is_writer": True}),
    "disk-failing": Row("a node's disk fails", with_failing_disk, None),
    "clock-ahead": Row("a clock is an hour ahead", with_wrong_clock, None, {"offset": 3600}),
    "clock-behind": Row("a clock is an hour behind", with_wrong_clock, None, {"offset": -3600}),
    "stream-wiped": Row("the stream is deleted", plain(log_faults.stream_wiped), None),
    "duels": Row("duels of candidates", duels, {"count": 50}, {"count": 1_000}),
    "hops": Row("a client hops to another node", plain(client_faults.hops), {"times": 30}),
    "short-rings": Row(
        "a client hops beyond the reach of the rings",
        plain(client_faults.short_rings, settings={"BELFRY_ROOMS_RING_EVENTS": "50"}), {"times": 5}),
    "changes-of-writer": Row(
        "revocation, idempotency key, webhook and upload", plain(client_faults.changes_of_writer), {"times": 1}),
}


def text(figure: Figure) -> str:
    return f"{figure.value:.3f} s" if figure.is_time else f"{figure.value:g}"


def limit(figure: Figure) -> str:
    if figure.limit is None:
        return ""
    return f"at most {figure.limit:g}{' s' if figure.is_time else ''}"


def is_met(figure: Figure) -> bool:
    return figure.limit is None or figure.value <= figure.limit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--quick", action="store_true", help="the short form, without the rows that take long")
    parser.add_argument("--list", action="store_true", help="show the rows")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    if arguments.list:
        for name, row in ROWS.items():
            print(f"{name:24} {row.what}{'' if row.quick is not None else ' (not with --quick)'}")
        return
    unknown = [name for name in arguments.rows if name not in ROWS]
    if unknown:
        parser.error("no such row: " + ", ".join(unknown))
    print(f"seed {arguments.seed}", flush=True)
    chosen = arguments.rows or [name for name, row in ROWS.items() if not arguments.quick or row.quick is not None]
    table, failed = [], []
    for name in chosen:
        row = ROWS[name]
        options = row.quick if arguments.quick and row.quick is not None else row.full
        print(f"{name}: {row.what}", flush=True)
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                figures = row.run(pathlib.Path(folder), arguments.seed, dict(options))
            except Exception as error:
                failed.append(name)
                what = "VIOLATION" if isinstance(error, Violation) else "FAILED"
                if what == "FAILED":
                    traceback.print_exc()
                print(f"    {what}: {str(error)[:2_000]}", flush=True)
                table.append((name, what, "", "", "no"))
                continue
        for figure in figures:
            table.append((name, figure.name, text(figure), limit(figure), "yes" if is_met(figure) else "NO"))
            print("    " + "  ".join(table[-1][1:]), flush=True)
            if not is_met(figure) and name not in failed:
                failed.append(name)
        print(f"    {time.monotonic() - begin:.0f} s", flush=True)
    widths = [max(len(line[column]) for line in table) for column in range(4)]
    print()
    for line in table:
        print("  ".join(field.ljust(width) for field, width in zip(line, widths)) + "  " + line[4])
    print(f"\n{len(chosen) - len(failed)} rows held, {len(failed)} did not" + (": " + ", ".join(failed) if failed else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
