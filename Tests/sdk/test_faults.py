"""The planted faults of Tests/faults: each names a source line, which must still exist."""

import subprocess

from articles import ROOT


def test_every_planted_fault_matches_a_source_line():
    check = subprocess.run([ROOT / "Tests/faults/run", "--check"], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout
