"""The metrics article and a server's response, as tables of the same form."""

import pathlib
import re

ARTICLE = pathlib.Path(__file__).parents[2] / "Sources/Belfry/Belfry.docc/Metrics.md"
# The end of the row of a metric that exists only in an embedding host.
EMBEDDED = "only when embedded."
CLUSTERED = "only in a cluster."
# What a single server without TLS does not have.
ELSEWHERE = (EMBEDDED, CLUSTERED)


def documented() -> dict[str, tuple[str, set[str], str]]:
    """Returns type, labels and description by name."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in ARTICLE.read_text().splitlines() if line.startswith("| `")]
    assert all(len(row) == 4 for row in rows)
    return {name.strip("`"): (kind, set(re.findall(r"`(\w+)`", labels)), help) for name, kind, labels, help in rows}


def samples(text: str) -> dict[str, float]:
    """Returns the values by name and labels, as written."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines}


def told(text: str) -> dict[str, tuple[str, set[str], str]]:
    """Returns the table of a server's response."""
    helps = dict(re.findall(r"^# HELP (\S+) (.*)$", text, re.M))
    types = dict(re.findall(r"^# TYPE (\S+) (.*)$", text, re.M))
    labels = {name: set() for name in types}
    for sample in samples(text):
        name = re.sub(r"\{.*", "", sample)
        family = name if name in types else re.sub(r"_(bucket|sum|count)$", "", name)
        labels[family] |= set(re.findall(r'[{,](\w+)="', sample)) - {"le"}
    return {name: (types[name], labels[name], helps.get(name, "")) for name in types}
