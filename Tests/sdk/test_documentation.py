"""Builds the catalogue with DocC: every link to an article, a heading, a symbol or an image must resolve."""

import os
import pathlib
import subprocess

import pytest
from articles import CATALOGUE, ROOT

MODULES = pathlib.Path(os.environ.get("BELFRY_BIN", ".build/debug/belfry")).absolute().parent / "Modules"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Returns a function that builds the site of a catalogue; the symbol graph is extracted once."""
    symbols = tmp_path_factory.mktemp("symbols")

    def build(catalogue: pathlib.Path, output: pathlib.Path) -> subprocess.CompletedProcess:
        settings = {"BELFRY_MODULES": MODULES, "BELFRY_SYMBOLS": symbols, "BELFRY_CATALOGUE": catalogue}
        return subprocess.run([ROOT / "deploy/docs", output], capture_output=True, text=True, timeout=110,
                              env={**os.environ, **{name: str(path) for name, path in settings.items()}})

    return build


def test_the_catalogue_builds_without_warnings(site, tmp_path):
    done = site(CATALOGUE, tmp_path / "docs")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "docs/documentation/belfry/architecture/index.html").exists()


@pytest.mark.parametrize("link", ["<doc:NoSuchArticle>", "``Server/noSuchMethod()``", "![a picture](no-such-picture)"])
def test_a_broken_link_is_detected(site, tmp_path, link):
    catalogue = tmp_path / "Belfry.docc"
    catalogue.mkdir()
    (catalogue / "Belfry.md").write_text(f"# ``Belfry``\n\nOne.\n\n## Overview\n\nSee {link}.\n")
    done = site(catalogue, tmp_path / "docs")
    assert done.returncode != 0 and "Belfry.md" in done.stdout + done.stderr
