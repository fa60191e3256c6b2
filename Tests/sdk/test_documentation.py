"""The catalogue as DocC reads it: every link to an article, a heading, a symbol or an image resolves."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from articles import CATALOGUE, ROOT

MODULES = pathlib.Path(os.environ.get("BELFRY_BIN", ".build/debug/belfry")).absolute().parent / "Modules"


def toolchain() -> dict:
    return json.loads(subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True).stdout)


@pytest.fixture(scope="module")
def symbols(tmp_path_factory) -> pathlib.Path:
    """The library's public symbols, from the built module."""
    folder = tmp_path_factory.mktemp("symbols")
    # C modules are headers, and are next to their sources.
    headers = [*ROOT.glob("Sources/*/module.modulemap"),
               *ROOT.glob(".build/checkouts/*/Sources/C*/include/module.modulemap")]
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", "Belfry", "-minimum-access-level", "public",
         "-target", toolchain()["target"]["triple"], "-output-dir", folder, "-I", MODULES,
         *(word for path in headers for word in ("-I", path.parent))],
        check=True, timeout=55)
    return folder


@pytest.fixture(scope="session")
def template(tmp_path_factory) -> pathlib.Path:
    """The page template of docc. It copies the toolchain's with its owner, which only root can; this one belongs to
    anybody."""
    # usr/lib/swift of the toolchain; the entry in PATH may be a link.
    installed = pathlib.Path(toolchain()["paths"]["runtimeResourcePath"]).parent.parent / "share/docc/render"
    return shutil.copytree(installed, tmp_path_factory.mktemp("docc") / "render")


def convert(catalogue: pathlib.Path, symbols: pathlib.Path, template: pathlib.Path, output: pathlib.Path):
    return subprocess.run(
        ["docc", "convert", catalogue, "--additional-symbol-graph-dir", symbols, "--output-path", output,
         "--fallback-display-name", "Belfry", "--fallback-bundle-identifier", "belfry", "--warnings-as-errors"],
        capture_output=True, text=True, timeout=55, env={**os.environ, "DOCC_HTML_DIR": str(template)})


def test_the_catalogue_is_built_without_a_warning(symbols, template, tmp_path):
    done = convert(CATALOGUE, symbols, template, tmp_path / "docs")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("link", ["<doc:NoSuchArticle>", "``Server/noSuchMethod()``", "![a picture](no-such-picture)"])
def test_a_link_that_leads_nowhere_is_noticed(symbols, template, tmp_path, link):
    catalogue = tmp_path / "Belfry.docc"
    catalogue.mkdir()
    (catalogue / "Belfry.md").write_text(f"# ``Belfry``\n\nOne.\n\n## Overview\n\nSee {link}.\n")
    done = convert(catalogue, symbols, template, tmp_path / "docs")
    assert done.returncode != 0 and "Belfry.md" in done.stdout + done.stderr
