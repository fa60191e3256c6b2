"""The page's client library under Node's test runner, with a server for each file."""

import os
import pathlib
import subprocess

import pytest
from belfry import Server

FOLDER = pathlib.Path(__file__).parent / "js"
FILES = sorted(FOLDER.glob("*.test.mjs"))
# Timeout per file. Tests run one at a time, because they measure durations and wait for events.
SECONDS = 300


@pytest.mark.needs("node", "/usr/share/nodejs/ws")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_test_in_a_javascript_file_passes(path, tmp_path):
    server = Server(tmp_path)
    environment = {**os.environ, "BELFRY_URL": f"http://{server.host}:{server.port}",
                   "BELFRY_BIN": os.path.abspath(os.environ.get("BELFRY_BIN", ".build/debug/belfry"))}
    try:
        result = subprocess.run(["node", "--test", "--test-reporter=tap", str(path)], env=environment, timeout=SECONDS,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert result.returncode == 0, "\n".join(failures(result.stdout))
        assert "\n# fail 0\n" in result.stdout and "\n# pass 0\n" not in result.stdout, result.stdout
    finally:
        assert server.terminate() == 0


def failures(output: str) -> list[str]:
    """Returns the failed tests and reasons, or the whole output if unknown."""
    lines = output.splitlines()
    starts = [index for index, line in enumerate(lines) if line.lstrip().startswith("not ok")]
    return [line for start in starts for line in lines[start:start + 30]] or lines


def test_there_are_test_files():
    assert len(FILES) >= 7
