"""The code blocks in the READMEs and the articles, each with the paragraph above it."""

import functools
import pathlib
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).parents[2]
CATALOGUE = ROOT / "Sources/Belfry/Belfry.docc"


@dataclass(frozen=True)
class Block:
    article: str
    # The info string of a fence; empty for an indented block.
    language: str
    text: str
    above: str

    @property
    def first(self) -> str:
        return self.text.strip().split("\n")[0].strip()

    def __str__(self):
        return f"{self.article}: {self.first}"


def paths() -> dict[str, pathlib.Path]:
    """Returns the texts by name: the file name for articles, the path for READMEs."""
    articles = {path.name: path for path in sorted(CATALOGUE.rglob("*.md"))}
    return {**articles, **{name: ROOT / name for name in ("README.md", "loadtest/README.md")}}


def blocks_of(article: str, text: str) -> list[Block]:
    """Returns CommonMark's fenced and indented blocks, except those in quotes and lists, which are not used here."""
    found: list[Block] = []
    lines, above, number = text.split("\n"), "", 0
    while number < len(lines):
        line = lines[number]
        if line.lstrip().startswith("```"):
            end = next((n for n in range(number + 1, len(lines)) if lines[n].strip() == "```"), len(lines))
            found.append(Block(article, line.strip()[3:].strip(), "\n".join(lines[number + 1:end]), above))
            number = end + 1
        elif line.startswith("    ") and (number == 0 or not lines[number - 1].strip()):
            end = number
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            found.append(Block(article, "", "\n".join(text[4:] for text in lines[number:end]).strip("\n"), above))
            number = end
        else:
            if line.strip():
                above = line if number == 0 or not lines[number - 1].strip() else f"{above}\n{line}"
            number += 1
    return found


@functools.cache
def blocks() -> tuple[Block, ...]:
    return tuple(block for name, path in paths().items() for block in blocks_of(name, path.read_text()))


def block(article: str, first: str) -> str:
    """Returns the text of the only block in an article that starts with this text."""
    (found,) = [one for one in blocks() if one.article == article and one.first.startswith(first)]
    return found.text
