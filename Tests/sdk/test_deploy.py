"""Tests of the files in deploy/: systemd, Prometheus, Grafana, Kubernetes and compose accept them, and every metric
they name exists."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import kubernetes_validate
import pytest
import yaml
from fronts import DEPLOY
from metrics import documented
from nats_server import PROGRAM
from storage import BINARY

ROOT = DEPLOY.parent


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60, **options)


# systemd


@pytest.mark.needs("systemd-analyze")
def test_systemd_accepts_every_unit_without_warnings(tmp_path):
    """Verifies units. `systemd-analyze verify` exits with 0 on unknown keys, so any output on standard error is a
    failure."""
    units = []
    for unit in sorted((DEPLOY / "systemd").iterdir()):
        copy = tmp_path / unit.name
        copy.write_text(unit.read_text().replace("/usr/local/bin/belfry", os.path.abspath(BINARY)))
        units.append(copy)
    assert len(units) == 6
    verified = run("systemd-analyze", "verify", "--man=no", *units)
    assert (verified.returncode, verified.stderr) == (0, "")


@pytest.mark.needs("systemd-analyze")
def test_an_unknown_systemd_key_is_detected(tmp_path):
    unit = tmp_path / "belfry.service"
    unit.write_text("[Service]\nExecStart=/bin/true\nProtectSistem=strict\n")
    assert "ProtectSistem" in run("systemd-analyze", "verify", "--man=no", unit).stderr


@pytest.mark.needs("systemd-analyze")
@pytest.mark.parametrize("name", ["belfry.service", "belfry@.service", "belfry-backup.service"])
def test_the_services_are_hardened(name):
    judged = run("systemd-analyze", "security", "--offline=true", "--threshold=15", DEPLOY / "systemd" / name)
    level = float(re.search(r"exposure level for \S+: ([\d.]+)", judged.stdout)[1])
    assert level <= 1.5 and judged.returncode == 0, judged.stdout


def hardening(unit: str) -> str:
    return re.search(r"^CapabilityBoundingSet=.*?(?=^\[Install)", unit, re.M | re.S)[0]


def test_the_service_runs_an_existing_command_with_existing_options():
    """Returns the options, and the names of sockets and credentials."""
    folder = DEPLOY / "systemd"
    help = run(BINARY, "serve", "--help").stdout
    options = re.findall(r"--[a-z-]+", " ".join(re.findall(r"belfry serve (.*)", (folder / "belfry.service").read_text())))
    assert options and all(option + " " in help for option in options)
    node = (folder / "belfry@.service").read_text()
    options = re.findall(r"--[a-z-]+", re.search(r"^ExecStart=.* belfry serve (.*)$", node.replace("/usr/local/bin/", " "), re.M)[1])
    assert options == ["--host", "--port", "--data", "--config"] and all(option + " " in help for option in options)
    # Apart from sockets, the unit of a node is that of a single server.
    assert hardening(node) == hardening((folder / "belfry.service").read_text())
    names = [re.search(r"FileDescriptorName=(\w+)", (folder / name).read_text())[1]
             for name in ("belfry.socket", "belfry-tls.socket")]
    assert names == ["plain", "tls"]
    assert re.findall(r"^LoadCredential=(\w+)", (folder / "belfry.service").read_text(), re.M) == [
        "token_secret", "api_key"]


def test_the_services_backup_can_be_restored(own_server, tmp_path):
    """Returns the command line of belfry-backup.service, with its folders replaced."""
    own_server.app("user.upsert", id="ann")
    backups = tmp_path / "backups"
    backups.mkdir()
    unit = (DEPLOY / "systemd/belfry-backup.service").read_text()
    for line in ("ExecStart", "ExecStartPost"):
        command = re.search(rf"^{line}=(.*)$", unit, re.M)[1].replace("%%", "%")
        command = command.replace("/usr/local/bin/belfry", os.path.abspath(BINARY)).replace(
            "/var/lib/belfry-backups", str(backups)).replace("/var/lib/belfry ", f"{own_server.data} ")
        done = run("sh", "-c", command)
        assert done.returncode == 0, done.stderr
    (copy,) = backups.iterdir()
    assert run(BINARY, "data", "verify", copy).stdout.rstrip().endswith("everything can be read")
    # Today's copy is kept, and older copies are removed.
    old = backups / "old"
    old.mkdir()
    os.utime(old, (0, 0))
    assert run("sh", "-c", command).returncode == 0
    assert [entry.name for entry in backups.iterdir()] == [copy.name]


# Metrics


FUNCTIONS = {
    "rate", "increase", "sum", "min", "max", "by", "on", "time", "absent", "changes", "clamp_min", "without", "and", "or",
    "unless", "group_left", "ignoring", "avg", "deriv", "up", "job", "le", "reason", "instance",
}


# Every metric in the documentation's table.
TABLE = set(documented())
# A single node does not have them.
CLUSTER_METRICS = {name for name in TABLE if name.startswith(("belfry_cluster_", "belfry_nats_"))}
CLUSTER_SAMPLES = CLUSTER_METRICS | {
    f"{name}_{part}" for name, (kind, _, _) in documented().items() if name in CLUSTER_METRICS and kind == "histogram"
    for part in ("bucket", "sum", "count")}
NOT_DRAWN = {
    # Embedding hosts have their own dashboards; otherwise these metrics are constant or absent.
    "belfry_authentications", "belfry_authentications_late_total", "belfry_authentications_refused_total",
    "belfry_calls", "belfry_calls_refused_total", "belfry_event_listeners", "belfry_event_listeners_slow_total",
    "belfry_route_failures_total", "belfry_route_pauses_total", "belfry_route_requests",
    "belfry_route_requests_refused_total", "belfry_route_requests_total",
    # The dashboard shows their histograms instead.
    "belfry_journal_last_sync_seconds", "belfry_log_batches_total", "belfry_log_outcomes_total",
    # Momentary or constant values.
    "belfry_outbox_bytes_at_overflow", "belfry_build_info", "process_start_time_seconds",
}


def metrics_of(expression: str) -> set[str]:
    return set(re.findall(r"\b(?:belfry|process)_[a-z_]+\b", expression))


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """Returns the names of all samples of a server with a TLS listener, and those of a node of several."""
    from tls import TLSServer

    server = TLSServer(tmp_path_factory.mktemp("metrics"))
    text = server.get("/metrics")[1]
    assert server.terminate() == 0
    return set(re.findall(r"^([a-z_]+)[ {]", text, re.M)) | CLUSTER_SAMPLES


def rules() -> list[dict]:
    groups = yaml.safe_load((DEPLOY / "prometheus/rules.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_every_alert_uses_existing_metrics(known):
    assert len(rules()) >= 10
    for rule in rules():
        named = metrics_of(rule["expr"])
        assert named <= known, (rule["alert"], named - known)
        assert named or rule["expr"].startswith(("up{", "absent(")), rule["alert"]
        assert rule["labels"]["severity"] in ("page", "ticket") and rule["annotations"]["summary"]


@pytest.mark.needs("promtool")
def test_prometheus_accepts_the_rules_and_they_fire_as_intended():
    folder = DEPLOY / "prometheus"
    checked = run("promtool", "check", "rules", folder / "rules.yml")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    tried = run("promtool", "test", "rules", folder / "rules-test.yml", cwd=folder)
    assert tried.returncode == 0, tried.stdout + tried.stderr
    # Each alert has a test in which it fires.
    tests = yaml.safe_load((folder / "rules-test.yml").read_text())["tests"]
    fired = {alert["alertname"] for test in tests for alert in test["alert_rule_test"] if alert.get("exp_alerts")}
    assert fired == {rule["alert"] for rule in rules()}


@pytest.mark.needs("promtool")
def test_prometheus_accepts_the_example_scrape_configuration():
    checked = run("promtool", "check", "config", "--syntax-only", DEPLOY / "prometheus/prometheus.yml")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.needs("promtool")
def test_prometheus_can_parse_the_metrics(server):
    checked = run("promtool", "check", "metrics", input=server.get("/metrics")[1])
    # promtool also gives advice on names; parse errors contain the word error.
    assert "error" not in checked.stderr.lower(), checked.stderr


def test_every_dashboard_panel_uses_existing_metrics(known):
    dashboard = json.loads((DEPLOY / "grafana/belfry.json").read_text())
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    assert len(panels) >= 12 and len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    for panel in panels:
        for target in panel["targets"]:
            named = metrics_of(target["expr"])
            assert named and named <= known, (panel["title"], named - known)
    # Conversely, each metric is shown, or is listed with the reason why not.
    shown = {re.sub("_(bucket|sum|count)$", "", name) if name not in TABLE else name
             for panel in panels for target in panel["targets"] for name in metrics_of(target["expr"])}
    assert shown == TABLE - NOT_DRAWN and NOT_DRAWN <= TABLE
    # No panel overlaps another.
    taken = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken and place["x"] + place["w"] <= 24, panel["title"]
        taken |= cells


def test_the_runbook_has_a_section_for_every_alert_and_no_others():
    runbook = (ROOT / "Sources/Belfry/Belfry.docc/Operations.md").read_text()
    alerts = runbook.split("## What each alert means")[1].split("\n## ")[0]
    assert re.findall(r"^### (\w+)$", alerts, re.M) == [rule["alert"] for rule in rules()]


def test_the_runbook_names_every_file_in_deploy_and_no_others():
    runbook = (ROOT / "Sources/Belfry/Belfry.docc/Operations.md").read_text()
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            assert f"`deploy/{path.relative_to(DEPLOY)}`" in runbook, path
    for named in re.findall(r"`(deploy/[^`]+)`", runbook):
        assert (ROOT / named).exists(), named


# Images


def test_the_dockerfile_builds_in_stages_and_runs_as_an_unprivileged_user():
    lines = [line for line in (DEPLOY / "Dockerfile").read_text().splitlines() if line and not line.startswith("#")]
    words = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert words.count("FROM") == 2 and words[-1] == "CMD" and "HEALTHCHECK" in words
    last = "\n".join(lines)[[match.start() for match in re.finditer("^FROM", "\n".join(lines), re.M)][-1]:]
    assert re.search(r"^USER (?!root|0)\S+", last, re.M)
    assert "--static-swift-stdlib" in "\n".join(lines)
    # The files it copies exist.
    for source in re.findall(r"^COPY (?!--from)(.+) \S+$", "\n".join(lines), re.M):
        assert all((ROOT / name).exists() for name in source.split()), source


def test_the_image_contains_the_libraries_that_the_program_needs():
    """Checks the packages for the program's libraries; the image contains Swift's own libraries."""
    needed = re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", BINARY).stdout)
    paths = dict(re.findall(r"^\s*(\S+) => (\S+)", run("ldd", BINARY).stdout, re.M))
    last = (DEPLOY / "Dockerfile").read_text().rsplit("\nFROM", 1)[1]
    # These packages are in every Debian image.
    packages = {"libc6", "libgcc-s1"} | set(last.split())
    theirs = [name for name in needed if "swift" not in paths.get(name, "")]
    assert {"libssl.so.3", "libcurl.so.4"} <= set(theirs)
    for name in theirs:
        # Debian's folders are now links, but its file lists use their former names.
        found = [run("dpkg", "-S", path).stdout for path in (paths[name], "/usr" + paths[name])
                 ] if name in paths else []
        owners = {line.split(":")[0] for text in found for line in text.splitlines()}
        assert owners & packages or name.startswith("ld-linux"), (name, owners)


@pytest.mark.needs("docker-compose")
def test_docker_compose_accepts_its_file(tmp_path):
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    checked = run("docker-compose", "-f", DEPLOY / "compose.yml", "config", env=environment)
    assert checked.returncode == 0, checked.stderr


def test_the_compose_service_listens_only_on_the_loopback():
    service = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"]["belfry"]
    assert service["build"]["dockerfile"] == "deploy/Dockerfile"
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_the_kubernetes_manifests_are_complete():
    found = {}
    for path in sorted((DEPLOY / "kubernetes").glob("*.yml")):
        for manifest in yaml.safe_load_all(path.read_text()):
            assert manifest["apiVersion"] and manifest["metadata"]["name"] == "belfry"
            found.setdefault(manifest["kind"], []).append(manifest)
    assert {kind: len(all) for kind, all in found.items()} == {
        "ConfigMap": 1, "Secret": 1, "Service": 1, "StatefulSet": 1}
    (stateful,), (service,) = found["StatefulSet"], found["Service"]
    spec = stateful["spec"]
    assert spec["replicas"] == 1 and spec["serviceName"] == "belfry"
    labels = spec["selector"]["matchLabels"]
    assert labels.items() <= spec["template"]["metadata"]["labels"].items() and service["spec"]["selector"] == labels
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    assert {container[probe]["httpGet"]["path"] for probe in ("livenessProbe", "startupProbe")} == {"/livez"}
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    ports = {port["name"] for port in container["ports"]}
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        assert container[probe]["httpGet"]["port"] in ports
    assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports
    # Each mount has a volume, and each volume a source.
    claims = {claim["metadata"]["name"] for claim in spec["volumeClaimTemplates"]}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == claims | set(volumes)
    assert {"name": "belfry"}.items() <= volumes["settings"]["configMap"].items()
    assert volumes["keys"]["secret"]["secretName"] == "belfry"
    assert set(found["Secret"][0]["stringData"]) == {"token_secret", "api_key"}
    assert pod["terminationGracePeriodSeconds"] > 5
    json.loads(found["ConfigMap"][0]["data"]["belfry.json"])
    # The pod runs the image's command with its settings.
    assert container["args"][0] == "serve"


def manifests(*names: str) -> list[dict]:
    return [manifest for name in names for manifest in yaml.safe_load_all((DEPLOY / name).read_text())]


SINGLE = ("kubernetes/belfry.yml", "kubernetes/settings.yml")
CLUSTER = ("cluster/kubernetes.yml", "cluster/create.yml")


def test_the_kubernetes_manifests_match_their_schemas():
    version = kubernetes_validate.latest_version()
    for manifest in manifests(*SINGLE, *CLUSTER):
        kubernetes_validate.validate(manifest, version, strict=True)
    # A single wrong word must be detected.
    (stateful,) = [manifest for manifest in manifests(*SINGLE) if manifest["kind"] == "StatefulSet"]
    stateful["spec"]["template"]["spec"]["containers"][0]["redinessProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(stateful, version, strict=True)


# Several nodes


def named(kind: str, name: str) -> dict:
    (manifest,) = [one for one in manifests(*CLUSTER) if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return manifest


@pytest.mark.parametrize("name", ["belfry", "nats"])
def test_three_pods_of_each_kind_run_on_different_machines_and_one_may_stop_at_a_time(name):
    spec = named("StatefulSet", name)["spec"]
    labels = spec["selector"]["matchLabels"]
    pod = spec["template"]["spec"]
    (rule,) = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert rule == {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": labels}}
    budget = named("PodDisruptionBudget", name)["spec"]
    assert budget == {"maxUnavailable": 1, "selector": {"matchLabels": labels}}
    assert spec["replicas"] == 3 and labels.items() <= spec["template"]["metadata"]["labels"].items()
    assert named("Service", name)["spec"]["selector"] == labels and spec["serviceName"] == name
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    claims = {claim["metadata"]["name"] for claim in spec["volumeClaimTemplates"]}
    volumes = {volume["name"] for volume in pod["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == claims | volumes
    ports = {port["name"] for port in container["ports"]}
    assert {port["targetPort"] for port in named("Service", name)["spec"]["ports"]} <= ports


def test_a_node_gets_clients_when_it_is_ready_and_all_nodes_share_the_uploads():
    pod = named("StatefulSet", "belfry")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    data = container["args"][container["args"].index("--data") + 1]
    assert mounts["files"] == data + "/files" and data.startswith(mounts["data"] + "/")
    assert named("PersistentVolumeClaim", "files")["spec"]["accessModes"] == ["ReadWriteMany"]
    project = yaml.safe_load((DEPLOY / "cluster/compose.yml").read_text())
    for index in range(3):
        service = project["services"][f"belfry-{index}"]
        assert service["volumes"] == [f"data-{index}:/var/lib/belfry", "files:/var/lib/belfry/files"]
        assert service["environment"]["BELFRY_CLUSTER_NODE"] == f"belfry-{index}"
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def environment_of(service: dict) -> dict:
    return {name: value for name, value in service["environment"].items() if name.startswith("BELFRY_CLUSTER")}


def test_the_nodes_settings_are_accepted_and_name_all_nats_servers(tmp_path):
    """Checks the settings as a node does, with the credentials in a file of this machine."""
    credentials = tmp_path / "credentials"
    credentials.write_text("belfry:secret\n")
    project = yaml.safe_load((DEPLOY / "cluster/compose.yml").read_text())
    settings = json.loads(named("ConfigMap", "belfry")["data"]["belfry.json"])
    assert settings["cluster"]["url"] == [f"nats://nats-{index}.nats:4222" for index in range(3)]
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(settings))
    ready = {
        "PATH": os.environ["PATH"], "BELFRY_TOKEN_SECRET": "0" * 32, "BELFRY_CLUSTER_CREDENTIALS_FILE": str(credentials)}
    checked = [run(BINARY, "check", "--config", file, env=ready)]
    for index in range(3):
        environment = environment_of(project["services"][f"belfry-{index}"])
        assert environment["BELFRY_CLUSTER_URL"] == ",".join(f"nats://nats-{other}:4222" for other in range(3))
        checked.append(run(BINARY, "check", env={**environment, **ready}))
    for done in checked:
        assert (done.returncode, done.stderr) == (0, "") or "--traits Cluster" in done.stderr


@pytest.mark.parametrize("where", ["compose", "kubernetes"])
def test_nats_accepts_its_configuration_and_syncs_always(tmp_path, where):
    text = (DEPLOY / "cluster/nats.conf").read_text() if where == "compose" else named(
        "ConfigMap", "nats")["data"]["nats.conf"]
    assert re.search(r"^ *(jetstream \{.*)?sync_interval: always", text, re.M)
    for folder in ("etc/nats", "run/secrets"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "etc/nats/nats.conf").write_text(text)
    (tmp_path / "run/secrets/nats_authorization").write_text('authorization { user: belfry, password: "12e4" }\n')
    checked = run(
        PROGRAM, "-t", "-c", tmp_path / "etc/nats/nats.conf", env={**os.environ, "SERVER_NAME": "nats-0"})
    assert checked.returncode == 0, checked.stderr
    (tmp_path / "run/secrets/nats_authorization").unlink()
    assert run(PROGRAM, "-t", "-c", tmp_path / "etc/nats/nats.conf", env={**os.environ, "SERVER_NAME": "n"}).returncode


@pytest.mark.needs("docker-compose")
def test_docker_compose_accepts_the_file_of_several_nodes(tmp_path):
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    checked = run("docker-compose", "-f", DEPLOY / "cluster/compose.yml", "config", env=environment)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("version", ["2.9.10", "2.11.8", ""])
def test_the_script_for_several_nodes_refuses_an_old_nats_server_with_a_hint(tmp_path, version):
    program = tmp_path / "nats-server"
    program.write_text(f"#!/bin/sh\necho 'nats-server: v{version}'\n")
    program.chmod(0o755)
    done = run(DEPLOY / "run", "--cluster", env={
        **os.environ, "BELFRY_BIN": BINARY, "NATS_SERVER": str(program), "BELFRY_DATA": str(tmp_path / "data")})
    assert done.returncode == 1 and "nats-server 2.12 or newer is needed: https://" in done.stderr
    assert not (tmp_path / "data").exists()


# Stands for the program: the second node fails on demand, once the others run.
STAND_IN = r"""#!/bin/bash
echo "$BELFRY_CLUSTER_NODE $*" >>"$STAND_IN_LOG"
case "$1 $2" in
"cluster status") exit 78 ;;
"cluster create") exit 0 ;;
esac
if [ "$BELFRY_CLUSTER_NODE" = node-1 ] && [ -n "${STAND_IN_STATUS:-}" ]; then
    until [ "$(grep -c ' runs$' "$STAND_IN_LOG")" -eq 2 ]; do sleep 0.05; done
    exit "$STAND_IN_STATUS"
fi
trap 'echo "$BELFRY_CLUSTER_NODE stops" >>"$STAND_IN_LOG"; exit 0' TERM
echo "$BELFRY_CLUSTER_NODE runs" >>"$STAND_IN_LOG"
while :; do sleep 0.05; done
"""


def is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


@pytest.fixture
def trial(tmp_path):
    """Returns a function that starts deploy/run --cluster, and the log of the stand-in."""
    program, log = tmp_path / "belfry", tmp_path / "log"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    log.touch()
    port = next(port for port in range(20_000, 30_000, 10) if all(is_free(port + more) for more in (0, 1, 2, 100, 101, 102)))

    def start(**environment) -> subprocess.Popen:
        return subprocess.Popen([DEPLOY / "run", "--cluster", "--log-level", "debug"], stderr=subprocess.PIPE, text=True, env={
            **os.environ, "BELFRY_BIN": str(program), "NATS_SERVER": str(PROGRAM), "NATS_PORT": str(port),
            "BELFRY_DATA": str(tmp_path / "data"), "STAND_IN_LOG": str(log), **environment})

    yield start, log
    assert all(is_free(port + more) for more in (0, 1, 2, 100, 101, 102)), "a NATS server still runs"


def test_the_script_for_several_nodes_stops_everything_when_one_fails(trial):
    start, log = trial
    script = start(STAND_IN_STATUS="74")
    assert script.wait(30) == 74
    lines = log.read_text().splitlines()
    assert lines[0] == " cluster status" and lines[1].startswith("node-0 cluster create --data ")
    served = {line.split()[0]: line for line in lines[2:] if " serve " in line}
    assert set(served) == {"node-0", "node-1", "node-2"}
    assert [("--development" in served[f"node-{index}"]) for index in range(3)] == [True, False, False]
    for index in range(3):
        assert f"--port {8000 + index} " in served[f"node-{index}"] and served[f"node-{index}"].endswith("--log-level debug")
    assert script.stderr.read().splitlines()[-1] == "a process has ended with status 74: stopping all"


def test_the_script_for_several_nodes_stops_everything_on_a_signal(trial):
    start, log = trial
    script = start()
    deadline = time.monotonic() + 30
    while log.read_text().count(" runs") < 3:
        assert script.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    script.send_signal(signal.SIGINT)
    assert script.wait(30) == 0
    assert log.read_text().count(" stops") == 3


def test_deploy_contains_no_working_key():
    for path in pathlib.Path(DEPLOY / "kubernetes").glob("*.yml"):
        for manifest in yaml.safe_load_all(path.read_text()):
            if manifest["kind"] == "Secret":
                assert set(manifest["stringData"].values()) == {""}
