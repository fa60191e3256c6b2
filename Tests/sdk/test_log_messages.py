"""The table of log messages in Operations.md: every message of the sources, at its level, and no other."""

import re

from articles import CATALOGUE, ROOT

LOGGED = re.compile(r'\blogger\.(trace|debug|info|notice|warning|error|critical)\(\s*(?:"([^"]*)"|(\w+))')
# A function that logs what it is given, at its one level.
REPORTED = re.compile(r'\breport\("([^"]*)", request')


def logged() -> set[tuple[str, str]]:
    """Messages with their levels, as the sources have them."""
    found = set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        if "Examples" in path.parts:
            continue
        text = path.read_text()
        for level, message, variable in LOGGED.findall(text):
            if variable:
                reported = REPORTED.findall(text)
                assert reported, f"{path} logs {variable}, whose values are not found"
                found |= {(one, level) for one in reported}
            else:
                found.add((message, level))
    return found


def documented() -> list[tuple[str, str]]:
    section = (CATALOGUE / "Operations.md").read_text().split("### Log messages\n")[1].split("\n#")[0]
    return re.findall(r"^\| ([^|`]+) \| (trace|debug|info|notice|warning|error|critical) \|", section, re.M)


def test_the_runbook_lists_every_log_message_with_its_level_and_no_others():
    rows = documented()
    assert len(rows) == len(set(rows)) and len(rows) > 40
    assert set(rows) == logged()


def test_log_messages_are_constant_lowercase_phrases():
    for message, _ in logged():
        assert "\\(" not in message and not message.endswith("."), message
        assert message[0].islower() or message.startswith("TLS"), message
