"""Every block in the READMEs and the articles is run by a test, is marked in the text as not run, or is an
illustration.
"""

import os
import pathlib
import re
import subprocess

import pytest
from articles import ROOT, block, blocks, blocks_of, paths

PYTHON, SWIFT = "Tests/sdk/", "Tests/Repository/DocumentationTests/DocumentationTests.swift"
EMBEDDING = (SWIFT, "`every block in the embedding article is in the compiled example`")
EXAMPLES = (SWIFT, "`every block in the README and the other articles is in the compiled tests`")
MANIFESTS = (SWIFT, "`every package and product that articles add to a manifest exists`")
IMPORT = (PYTHON + "test_import.py", "def test_the_articles_commands_import(")
QUICK_START = (PYTHON + "test_quick_start.py", "def test_two_users_and_a_custom_program_talk(")
PAGE = (PYTHON + "js/article.test.mjs", "the walk-through runs as it stands")

# The file that runs a block, with text from it, by article and beginning of the block's first line.
RUN = {
    ("Belfry.md", "import Belfry"): EXAMPLES,
    ("ClientProtocol.md", "→"): (
        PYTHON + "test_client_guides.py", "def test_the_articles_protocol_lines_are_exchanged_as_shown("),
    ("ClientProtocol.md", "04 08"): (
        PYTHON + "test_client_guides.py", "def test_the_articles_protocol_bytes_are_exchanged_as_shown("),
    ("Conformance.md", "Tests/autobahn/install .build/autobahn"): ("Tests/run", "Tests/autobahn/install .build/autobahn"),
    ("Embedding.md", "dependencies: ["): MANIFESTS,
    ("Embedding.md", "var configuration"): EMBEDDING,
    ("Embedding.md", "let server: Server"): EMBEDDING,
    ("Embedding.md", "configuration.authenticate"): EMBEDDING,
    ("Embedding.md", "configuration.routes.on"): EMBEDDING,
    ("Embedding.md", "configuration.routes.wrap"): EMBEDDING,
    ("Embedding.md", "guard let server"): EMBEDDING,
    ("Embedding.md", "for try await event"): EMBEDDING,
    ("Export.md", "POST /v1/user.export"): (
        PYTHON + "test_export_commands.py", "def test_the_articles_request_returns_the_first_page("),
    ("Guests.md", "POST /v1/guest.create"): (
        PYTHON + "test_guests.py", "def test_the_articles_request_creates_a_guest("),
    ("Import.md", "belfry data import --data"): IMPORT,
    ("Import.md", "belfry data import --from sendbird"): IMPORT,
    ("Import.md", "belfry data import --from stream"): IMPORT,
    ("Moderation.md", '{"rules"'): (
        PYTHON + "test_moderation.py", "def test_the_articles_rules_refuse_mask_and_report("),
    ("Moderation.md", '{"type"'): (PYTHON + "test_hook.py", """block("Moderation.md", '{"type"')"""),
    ("Moderation.md", '{"entries"'): (PYTHON + "test_moderation.py", """block("Moderation.md", '{"entries"')"""),
    ("Operations.md", "curl -s -H"): (
        PYTHON + "test_admin.py", "def test_the_articles_commands_show_queues_and_a_tail("),
    ("SeveralNodes.md", "curl -s -H"): (
        PYTHON + "test_cluster_admin.py", "def test_the_articles_command_shows_a_node("),
    ("Operations.md", "swift build -c release"): (PYTHON + "test_systemd.py", 'INSTALL = block("Operations.md", "swift build'),
    ("Operations.md", "copy="): (PYTHON + "test_systemd.py", 'block("Operations.md", "copy=")'),
    ("Operations.md", "belfry check --config"): (PYTHON + "test_systemd.py", 'block("Operations.md", "belfry check'),
    ("PythonSDK.md", "pip install centrifuge-python"): (PYTHON + "requirements.txt", "centrifuge-python==0.7"),
    ("PythonSDK.md", "import asyncio"): (
        PYTHON + "test_client_guides.py",
        "def test_the_python_program_shows_stored_live_and_missed_messages("),
    ("QuickStart.md", "deploy/run"): QUICK_START,
    ("QuickStart.md", ".build/release/belfry listen"): QUICK_START,
    ("QuickStart.md", "curl -s http://127.0.0.1:8080/v1/channel.create"): QUICK_START,
    ("QuickStart.md", "curl -s http://127.0.0.1:8080/v1/message.list"): QUICK_START,
    ("QuickStart.md", "import json"): QUICK_START,
    # Its second line runs this block.
    ("README.md", "deploy/run"): QUICK_START,
    ("README.md", "export BELFRY_TOKEN_SECRET"): (
        PYTHON + "test_quick_start.py", "def test_the_readmes_commands_run_unchanged("),
    ("README.md", "import Belfry"): EXAMPLES,
    ("Roles.md", '{"role"'): (
        PYTHON + "test_moderation.py", "def test_the_articles_role_lets_members_of_a_channel_only_write_and_react("),
    ("ServerAPI.md", "["): (PYTHON + "test_keys.py", "def test_the_articles_key_file_is_accepted("),
    ("ServerAPI.md", "POST /v1/channel.create"): (
        PYTHON + "test_idempotency.py", "def test_the_articles_idempotency_key_identifies_a_request("),
    ("ServerAPI.md", "RateLimit-Policy"): (
        PYTHON + "test_limits.py", "def test_the_articles_rate_limit_fields_report_a_users_rate("),
    ("Simulation.md", "belfry-simulate"): (
        PYTHON + "test_documented_blocks.py", "def test_the_simulator_replays_a_seed("),
    ("SeveralNodes.md", "belfry cluster create"): (
        PYTHON + "test_cluster_command.py", "def test_the_articles_commands_create_describe_and_replace_a_log("),
    ("SwiftClients.md", ".package(path:"): MANIFESTS,
    ("SwiftClients.md", "import BelfryClient"): EXAMPLES,
    ("Tokens.md", "import json"): (PYTHON + "test_token_keys.py", 'r"```python'),
    ("WebClient.md", "import { Chat, Client }"): PAGE,
    ("WebClient.md", "chat.channels.on"): PAGE,
    ("WebClient.md", "const timeline"): PAGE,
    ("WebClient.md", "const message"): PAGE,
    ("WebClient.md", "await chat.markRead"): PAGE,
    ("Webhooks.md", '{"type":"message.new"'): (
        PYTHON + "test_webhooks_documented.py", "def test_a_delivery_has_the_documented_fields("),
    ("Webhooks.md", "import base64"): (PYTHON + "test_webhooks_documented.py", 'r"```python'),
}

# Illustrations: the architecture, a message's path, a file format, a file that a reader may write.
PICTURES = {
    ("Journal.md", "segment  = header"), ("LoadTesting.md", "{"), ("Architecture.md", "epoll readable"),
    ("README.md", "your app's clients"),
}

MARK = re.compile(r"\bnot\s+run\b", re.I)


def names(one, place: tuple[str, str]) -> bool:
    article, first = place
    return one.article == article and one.first.startswith(first)


def test_every_block_is_run_or_marked_as_not_run():
    unclaimed = [
        str(one) for one in blocks()
        if sum(names(one, place) for place in RUN) + sum(names(one, place) for place in PICTURES)
        + bool(MARK.search(one.above)) != 1
    ]
    assert not unclaimed, "neither run nor marked, or both: " + "; ".join(unclaimed)


def test_blocks_with_a_language_are_never_illustrations():
    assert not [str(one) for one in blocks() if one.language and any(names(one, place) for place in PICTURES)]
    assert {one.language for one in blocks()} <= {"", "go", "java", "js", "json", "python", "swift"}


@pytest.mark.parametrize("place", RUN, ids=" ".join)
def test_the_test_that_runs_a_block_exists(place):
    assert sum(names(one, place) for one in blocks()) == 1
    file, words = RUN[place]
    assert words in (ROOT / file).read_text()


def test_all_blocks_are_found():
    text = "above\n\n    one\n    two\n\nbetween\nthem\n\n```js\n    three\n```\n\n- a list\n  goes on\n"
    assert [(one.language, one.text, one.above) for one in blocks_of("a", text)] == [
        ("", "one\ntwo", "above"), ("js", "    three", "between\nthem")]
    assert len(blocks()) > 40 and len(paths()) > 40


@pytest.mark.parametrize("text", ["Swift:\n\n```swift\nlet a = 1\n```", "A shell:\n\n    rm file\n"])
def test_a_block_neither_run_nor_marked_is_detected(text):
    (one,) = blocks_of("Operations.md", text)
    assert not any(names(one, place) for place in RUN) and not MARK.search(one.above)


def test_the_simulator_replays_a_seed():
    simulator = pathlib.Path(os.environ.get("BELFRY_BIN", ".build/debug/belfry")).with_name("belfry-simulate")
    said = []
    for line in block("Simulation.md", "belfry-simulate").replace("20000", "3").split("\n"):
        done = subprocess.run([simulator, *line.split()[1:]], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        said.append(done.stdout)
    assert len(said) == 4 and len(said[2].split("\n")) > len(said[0].split("\n"))
