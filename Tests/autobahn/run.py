"""Runs Autobahn|Testsuite against the echo of the real server and judges its report.

    run.py BINARY SUITE [--all] [--case PATTERN…]

SUITE is the folder that `install` filled. The short form leaves out the slow sections, 12 and 13. Every case has to be OK,
and to close well, unless a table of Conformance.md names it with what it is and why. Prints `N passed, N failed`.
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
SHORT = [f"{section}.*" for section in (1, 2, 3, 4, 5, 6, 7, 9, 10)]


def excused():
    """The rows `| 1.2.3 | BEHAVIOUR | reason |`."""
    rows = re.findall(r"^\| (\d[\d.]*) \| ([A-Z-]+) \| (\S.*) \|$", TABLE.read_text(), re.MULTILINE)
    return {case: behaviour for case, behaviour, _ in rows}


def serve(binary, folder):
    environment = {"PATH": os.environ["PATH"], "BELFRY_TOKEN_SECRET": SECRET, "SWIFT_BACKTRACE": "enable=no"}
    server = subprocess.Popen(
        [binary, "serve", "--echo", "--port", "0", "--data", str(folder / "data")],
        env=environment, stdout=subprocess.PIPE, stderr=open(folder / "server.log", "w"))
    line = server.stdout.readline()
    if not line:
        sys.exit("the server does not start:\n" + (folder / "server.log").read_text())
    return server, json.loads(line)["listening"]["port"]


def run(suite, folder, url, cases):
    specification = {
        "outdir": str(folder / "reports"), "servers": [{"agent": "belfry", "url": url}], "cases": cases,
        "exclude-cases": [], "exclude-agent-cases": {},
    }
    (folder / "specification.json").write_text(json.dumps(specification))
    with open(folder / "suite.log", "w") as log:
        # Its exit code says nothing.
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
    parser.add_argument("--case", action="append", help="only these; 9.* names a section")
    options = parser.parse_args()
    cases = options.case or (["*"] if options.all else SHORT)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server, port = serve(options.binary, folder)
        try:
            results = run(options.suite.resolve(), folder, f"ws://127.0.0.1:{port}/echo", cases)
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
    # A suite that ran nothing has shown nothing.
    failed = max(len(wrong), int(not results))
    print(f"{max(0, len(results) - failed)} passed, {failed} failed")
    sys.exit(failed > 0)


main()
