"""Runs Autobahn|Testsuite against the real server's echo endpoint and evaluates its report.

    run.py BINARY SUITE [--all] [--tls] [--case PATTERN…]

SUITE is the folder that `install` filled. Every case must be OK and close cleanly, unless a table in Conformance.md
lists its behaviour with a reason. The short form runs sections 1 to 10 and, of the slow sections 12 and 13, some sizes
of every offer; over TLS it runs the sections whose bytes are cut differently there. Prints `N passed, N failed`.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SECRET = "a secret of the conformance run, long enough for HS256"
TABLE = pathlib.Path(__file__).parents[2] / "Sources/Belfry/Belfry.docc/Conformance.md"
COMPRESSED = [
    *[f"12.1.{size}" for size in (1, 2, 3, 4, 5, 11, 12)], *[f"12.{kind}.{size}" for kind in (2, 3, 4, 5) for size in (1, 3)],
    *[f"13.{offer}.{size}" for offer in range(1, 8) for size in (1, 4)],
]
SHORT = [*[f"{section}.*" for section in (1, 2, 3, 4, 5, 6, 7, 9, 10)], *COMPRESSED]
SHORT_OVER_TLS = ["1.*", "2.*", "5.*", "6.1.*", "6.4.*", "7.1.*", "7.7.*", "9.1.*", "9.7.*", "10.*", "12.1.3", "13.3.1"]


def excused():
    """Returns the rows `| 1.2.3 | BEHAVIOUR | reason |`."""
    rows = re.findall(r"^\| (\d[\d.]*) \| ([A-Z-]+) \| (\S.*) \|$", TABLE.read_text(), re.MULTILINE)
    return {case: behaviour for case, behaviour, _ in rows}


def certificate(folder):
    """Creates a self-signed certificate, as the suite verifies none."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"], check=True, stderr=subprocess.DEVNULL)
    return ["--tls-port", "0", "--tls-certificate", folder / "certificate.pem", "--tls-key", folder / "key.pem"]


def serve(binary, folder, is_tls):
    environment = {"PATH": os.environ["PATH"], "BELFRY_TOKEN_SECRET": SECRET, "SWIFT_BACKTRACE": "enable=no"}
    server = subprocess.Popen(
        [binary, "serve", "--echo", "--port", "0", "--data", folder / "data", *(certificate(folder) if is_tls else [])],
        env=environment, stdout=subprocess.PIPE, stderr=open(folder / "server.log", "w"))
    line = server.stdout.readline()
    if not line:
        sys.exit("the server does not start:\n" + (folder / "server.log").read_text())
    hello = json.loads(line)
    if is_tls:
        return server, f"wss://127.0.0.1:{hello['tls']['port']}/echo"
    return server, f"ws://127.0.0.1:{hello['listening']['port']}/echo"


def run(suite, folder, url, cases):
    specification = {
        "outdir": str(folder / "reports"), "servers": [{"agent": "belfry", "url": url}], "cases": cases,
        "exclude-cases": [], "exclude-agent-cases": {},
    }
    (folder / "specification.json").write_text(json.dumps(specification))
    with open(folder / "suite.log", "w") as log:
        # Its exit code carries no information.
        subprocess.run(
            [suite / "suite/bin/wstest", "-m", "fuzzingclient", "-s", folder / "specification.json"],
            cwd=folder, stdout=log, stderr=log)
    report = folder / "reports/index.json"
    if not report.exists():
        sys.exit("the suite left no report:\n" + (folder / "suite.log").read_text()[-4000:])
    return json.loads(report.read_text())["belfry"]


def judge(results, excuses):
    wrong = []
    for case, result in results.items():
        behaviour, close = result["behavior"], result["behaviorClose"]
        if behaviour != excuses.get(case, "OK") or close not in ("OK", "INFORMATIONAL"):
            wrong.append(f"{case}: {behaviour}, and at the close {close}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="every case of the suite, some 15 minutes")
    parser.add_argument("--tls", action="store_true", help="over wss")
    parser.add_argument("--case", action="append", help="only these; 9.* names a section")
    options = parser.parse_args()
    cases = options.case or (["*"] if options.all else SHORT_OVER_TLS if options.tls else SHORT)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server, url = serve(options.binary, folder, options.tls)
        try:
            results = run(options.suite.resolve(), folder, url, cases)
            died = server.poll()
        finally:
            server.kill()
            server.wait()
    wrong = judge(results, excused())
    print("\n".join(wrong))
    print(dict(collections.Counter(result["behavior"] for result in results.values())))
    if died is not None:
        wrong.append(f"the server ended with {died}")
        print(wrong[-1])
    # A suite that ran no cases counts as a failure.
    failed = max(len(wrong), int(not results))
    print(f"{max(0, len(results) - failed)} passed, {failed} failed")
    sys.exit(failed > 0)


main()
