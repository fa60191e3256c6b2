"""Metrics: the article and the server have the same ones, and each measures what it documents."""

import asyncio
import pathlib
import re
import subprocess

import pytest
from clients import Wire
from metrics import ARTICLE, ELSEWHERE, documented, samples, told


def test_the_article_lists_exactly_the_servers_metrics(start):
    text = start().get("/metrics")[1]
    expected = {name: row for name, row in documented().items() if not row[2].endswith(ELSEWHERE)}
    assert told(text) == expected and len(expected) > 50


def test_without_tls_only_the_tls_metrics_are_missing(server):
    missing = set(documented()) - set(told(server.get("/metrics")[1]))
    assert missing and all(
        name.startswith("belfry_tls_") or documented()[name][2].endswith(ELSEWHERE) for name in missing)


async def test_using_the_server_creates_no_new_series(own_server, name):
    """Users, channels, errors and reasons vary, but label values come from the program's own tables."""
    before = set(samples(own_server.get("/metrics")[1]))
    for number in range(5):
        ann, room = name("ann"), name("room")
        async with Wire(own_server) as wire:
            await wire.connect(ann)
            await wire.rpc("channel.create", {"id": room})
            await wire.rpc("message.send", {"channel_id": room, "text": "hello"})
            await wire.hears(room, "hello")
        own_server.post("channel.get", {"channel_id": name("absent")}, user=ann)
        own_server.post(name("no.such"), {}, user=ann)
        own_server.get("/" + name("path"))
    assert set(samples(own_server.get("/metrics")[1])) == before
    values = {value for sample in before for label, value in re.findall(r'(\w+)="([^"]*)"', sample) if label != "le"}
    assert len(values) < 100


def test_labels_have_the_documented_values(server):
    """Codes are those in the codes article, each present from startup, even if it has never occurred."""
    text = server.get("/metrics")[1]

    def values(metric, label):
        return set(re.findall(rf'^{metric}(?:_count)?\{{{label}="([^"]+)"\}}', text, re.M))

    def codes(heading):
        part = ARTICLE.with_name("Codes.md").read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
        return set(re.findall(r"^\| `(\d+)`", part, re.M))

    def row(label):
        return set(re.findall(r"`([\w.]+)`", re.search(rf"^\| {label} \|(.*)$", ARTICLE.read_text(), re.M)[1]))

    assert values("belfry_errors_total", "code") == codes("Errors")
    assert values("belfry_disconnects_total", "code") == codes("Closes")
    reasons = values("belfry_connections_refused_total", "reason"), values("belfry_webhook_dropped_total", "reason")
    assert all(reasons) and set().union(*reasons) == row("reason")
    assert {re.sub(r"^loop\.\d+$", "loop.0", queue) for queue in values("belfry_queue_lag_seconds", "queue")
            } == row("queue")


@pytest.mark.needs("promtool")
def test_promtool_has_no_complaints_about_the_metrics(server):
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=server.get("/metrics")[1], capture_output=True, text=True, timeout=60)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


async def test_histograms_are_consistent_and_grow_with_what_they_count(own_server, name):
    ann, room = name("ann"), name("room")
    assert own_server.post("channel.create", {"id": room}, user=ann)[0] == 200
    before = samples(own_server.get("/metrics")[1])
    for number in range(3):
        assert own_server.post("message.send", {"channel_id": room, "text": "x"}, user=ann)[0] == 200
    after = samples(own_server.get("/metrics")[1])
    for metric in ("belfry_journal_sync_seconds", "belfry_journal_batch_frames"):
        assert after[f"{metric}_count"] >= before[f"{metric}_count"] + 3
        assert after[f"{metric}_sum"] > before[f"{metric}_sum"]
        buckets = [value for sample, value in after.items() if sample.startswith(metric + "_bucket")]
        assert buckets == sorted(buckets) and buckets[-1] == after[f"{metric}_count"]
    assert after["belfry_messages_total"] == before["belfry_messages_total"] + 3
    assert after["belfry_journal_batch_frames_count"] == after["belfry_journal_syncs_total"]


async def test_errors_and_closes_are_counted_by_the_code_sent(own_server, name):
    def errors(code):
        return own_server.metric(r'belfry_errors_total\{code="%d"\}' % code)

    def closes(code):
        return own_server.metric(r'belfry_disconnects_total\{code="%d"\}' % code)

    ann = name("ann")
    assert own_server.post("channel.get", {"channel_id": "absent"}, user=ann)[1]["error"]["code"] == 1000
    assert errors(1000) == 1
    assert own_server.post("no.such", {}, user=ann)[1]["error"]["code"] == 104
    assert own_server.post("channel.get", {})[1]["error"]["code"] == 101
    async with Wire(own_server) as wire:
        await wire.connect(ann)
        assert (await wire.call(rpc={"method": "no.such", "data": {}}))["error"]["code"] == 104
        assert (await wire.call(subscribe={"channel": "no room"}))["error"]["code"] == 1000
        assert (await wire.call(history={"channel": "a"}))["error"]["code"] == 108
        await wire.send("garbage")
        assert await wire.close_code() == 3501
    assert (errors(104), errors(101), errors(1000), errors(108), closes(3501)) == (2, 1, 2, 1, 1)


async def test_every_queues_lag_is_measured(own_server):
    async def counts():
        text = own_server.get("/metrics")[1]
        return {queue: int(count) for queue, count in re.findall(
            r'^belfry_queue_lag_seconds_count\{queue="([^"]+)"\} (\d+)$', text, re.M)}

    before = await counts()
    assert {"loop.0", "chat", "journal"} <= set(before)
    async with asyncio.timeout(30):
        while not all(count > before[queue] for queue, count in (await counts()).items()):
            await asyncio.sleep(0.1)


def test_the_process_reports_its_resource_use(own_server):
    values = samples(own_server.get("/metrics")[1])
    status = pathlib.Path(f"/proc/{own_server.pid}/status").read_text()
    resident = int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.M)[1]) * 1024
    assert resident / 4 < values["process_resident_memory_bytes"] < resident * 4
    descriptors = len(list(pathlib.Path(f"/proc/{own_server.pid}/fd").iterdir()))
    assert abs(values["process_open_fds"] - descriptors) < 20
    assert values["process_max_fds"] > descriptors
    started = pathlib.Path(f"/proc/{own_server.pid}").stat().st_mtime
    assert abs(values["process_start_time_seconds"] - started) < 60
