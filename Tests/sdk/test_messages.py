"""The table in Messages.md lists exactly the texts in the sources that operators and clients read, with their kinds."""

import re
from http import HTTPStatus

from articles import CATALOGUE, ROOT

SOURCES = ROOT / "Sources"
KINDS = re.compile(r"log (debug|info|notice|warning|error|critical)|start-up|(refusal|close|HTTP) \d+")
LOGGED = re.compile(r'\blogger\.(trace|debug|info|notice|warning|error|critical)\(\s*(?:"([^"]*)"|(\w+))')
# Logged at one of two levels, the more severe of which comes last.
LOGGED_BY_LEVEL = re.compile(r'\blogger\.log\(\s*level: [^"]*\.(\w+), "([^"]*)"')
# A function that logs its argument at a fixed level.
REPORTED = re.compile(r'\breport\("([^"]*)", request')
STARTUP = re.compile(
    r"\b(?:ConfigurationError|StorageFailure|TokenKeyError|PageFolderError|(?<!\.)Invalid)\((?:description: )?"
)
PAGE_FOLDER = re.compile(r"\bfailure\(path, ")
REFUSAL = re.compile(r"\bRejection\(\s*\.`?(\w+)`?, ")
ALLOWANCE = re.compile(r'\w+, "([^"]*)", atOnce')
BODY = re.compile(r"\.text\(\s*\.(\w+), ")
ADMIN_BODY = re.compile(r'\.text\("([^"]+)\\n", status: \.(\w+)\)')
ADMIN_QUERY = re.compile(r"\bBadAdminQuery\(description: ")
CLOSE = re.compile(r"\bend\(\.(\w+), (?=\")")
CASE = re.compile(r'\bcase (.+?):\s*(?=")|\bdefault: (?=")')
# Files whose texts describe the cases of an error.
DESCRIBED = {
    "Cluster/NATS/NATSError.swift": "start-up",
    "Engine/TLS/TLSError.swift": "start-up",
    "Engine/Journal/JournalError.swift": "start-up",
    "Server/Webhooks/Store/WebhookStore.swift": "start-up",
    "Core/WireProtocol/SyntaxErrors.swift": "close 3501",
    "Server/Transport/WireForm+WebSocket.swift": "close 1003",
    "Server/API/CommandDecoder.swift": "refusal 107",
}
CLOSE_CODES = {
    "badRequest": 3501, "policyViolation": 1008, "protocolError": 1002, "messageTooBig": 1009, "invalidPayload": 1007,
}


def literal(text: str, start: int) -> tuple[str, int]:
    """Returns the Swift string literal at a position, with `<>` for each interpolation, and its end."""
    value, place = "", start + 1
    while text[place] != '"':
        if text.startswith("\\(", place):
            place, depth = place + 2, 1
            while depth:
                if text[place] == '"':
                    place = literal(text, place)[1]
                    continue
                depth += {"(": 1, ")": -1}.get(text[place], 0)
                place += 1
            value += "<>"
        elif text[place] == "\\":
            value += {"n": "\n"}.get(text[place + 1], text[place + 1])
            place += 2
        else:
            value += text[place]
            place += 1
    return value, place + 1


def argument(text: str, start: int) -> list[str]:
    """Returns the literals of the argument at a position: parts joined by `+` count as one, alternatives as several."""
    found: list[str] = []
    place, end, depth = start, -1, 0
    while text[place] not in ",)}\n" or depth or (text[place] == "\n" and not found):
        if text[place] == '"':
            value, after = literal(text, place)
            if found and text[end:place].strip() == "+":
                found[-1] += value
            else:
                found.append(value)
            place = end = after
            if re.match(r"\s*\+\s*\"", text[after:]):
                place += len(re.match(r"\s*\+\s*", text[after:])[0])
            continue
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(text[place], 0)
        place += 1
    return found


def error_codes() -> dict[str, int]:
    text = (SOURCES / "Core/ChatModel/ErrorCode.swift").read_text()
    return {name: int(number) for name, number in re.findall(r"\bcase `?(\w+)`? = (\d+)", text)}


def statuses() -> dict[str, int]:
    """Returns the codes by their Swift names, such as `badRequest`."""
    known = {re.sub("[^a-z]", "", status.phrase.lower()): status.value for status in HTTPStatus}
    known |= {"contenttoolarge": 413, "uritoolong": 414}
    return known


def status(name: str) -> str:
    return f"HTTP {statuses()[name.lower()]}"


def by_case(path: str, code) -> set[tuple[str, str]]:
    """Returns the descriptions of an error's cases, with their values in another `switch` of the file."""
    text = (SOURCES / path).read_text()
    codes: dict[str, str] = {}
    for cases, name in re.findall(r"case ([^:\"]+):\s*\.(\w+)\n", text):
        codes |= {case: code(name) for case in re.findall(r"\.(\w+)", cases)}
    found = set()
    for match in CASE.finditer(text):
        (case,) = re.findall(r"\.(\w+)", match[1])
        found.add((literal(text, match.end())[0], codes[case]))
    return found


def in_sources() -> set[tuple[str, str]]:
    """Returns the texts in the sources, with `<>` for each interpolation, and their kinds."""
    codes, found = error_codes(), set()
    for path in SOURCES.rglob("*.swift"):
        if {"Examples", "Simulator", "Plugins", "Generated"} & set(path.parts):
            continue
        text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
        for level, message, variable in LOGGED.findall(text):
            reported = REPORTED.findall(text) if variable else [message]
            assert reported, f"{path} logs {variable}, whose values are not found"
            found |= {(one, f"log {level}") for one in reported}
        found |= {(message, f"log {level}") for level, message in LOGGED_BY_LEVEL.findall(text)}
        for match in STARTUP.finditer(text):
            found |= {(one, "start-up") for one in argument(text, match.end())}
        if path.name == "PageFolder.swift":
            for match in PAGE_FOLDER.finditer(text):
                found |= {(f'"<>" {one}', "start-up") for one in argument(text, match.end())}
        for match in REFUSAL.finditer(text):
            found |= {(one, f"refusal {codes[match[1]]}") for one in argument(text, match.end())}
        found |= {(one, f"refusal {codes['tooManyRequests']}") for one in ALLOWANCE.findall(text)}
        for match in BODY.finditer(text):
            if match[1] != "ok":
                found |= {(one.strip(), status(match[1])) for one in argument(text, match.end())}
        found |= {(one, status(name)) for one, name in ADMIN_BODY.findall(text)}
        for match in ADMIN_QUERY.finditer(text):
            found |= {(one, "HTTP 400") for one in argument(text, match.end())}
        for match in CLOSE.finditer(text):
            found |= {(one, f"close {CLOSE_CODES[match[1]]}") for one in argument(text, match.end())}
        kind = DESCRIBED.get(str(path.relative_to(SOURCES)))
        if kind:
            described = (literal(text, match.end())[0] for match in CASE.finditer(text))
            found |= {(one, kind) for one in described if " " in one}
    found |= by_case("Core/HTTPCodec/HTTPViolation.swift", status)
    found |= by_case("Core/WebSocketCodec/ProtocolViolation.swift", lambda name: f"close {CLOSE_CODES[name]}")
    # Omit texts that only pass on another one, and field names.
    return {(text, kind) for text, kind in found if re.search("[a-z]", text.replace("<>", ""))}


def documented() -> list[tuple[str, str, str]]:
    """Returns the rows of the table: text, kind and action."""
    rows = []
    for line in (CATALOGUE / "Messages.md").read_text().splitlines():
        if line.startswith("| `"):
            text, kind, action = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:4])
            rows.append((text.strip("`"), kind, action))
    return rows


def test_the_article_lists_every_text_with_its_kind_and_no_others():
    rows = [(re.sub("<[^<>]*>", "<>", text), kind) for text, kind, _ in documented()]
    assert len(rows) == len(set(rows)) and len(rows) > 300
    assert all(KINDS.fullmatch(kind) for _, kind in rows)
    missing, surplus = in_sources() - set(rows), set(rows) - in_sources()
    assert not missing and not surplus, f"missing: {sorted(missing)}\nsurplus: {sorted(surplus)}"


def test_each_action_has_at_most_fifteen_words():
    for text, _, action in documented():
        assert len(action.split()) <= 15, text


def test_texts_are_lowercase_phrases():
    for text, kind in in_sources():
        assert not text.endswith("."), text
        assert "please" not in text.lower(), text
        first = text.split()[0]
        assert not first[0].isupper() or not first[1:2].islower() or first.startswith(
            ("Authorization", "Idempotency-Key", "Host", "Content-Length", "Transfer-Encoding", "If-Match")
        ) or first in ("JetStream", "OpenSSL"), text
        assert not kind.startswith("log") or "<>" not in text, text
