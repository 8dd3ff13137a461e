"""Markdown and reStructuredText: commands and requirements in code, never in prose.

Source: CommonMark 0.31, "Fenced code blocks", "Indented code blocks", "Code spans".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from compat.facts.pins import Pin, PinFile
from compat.probe.pins.commands.found import Around, Found, collected
from compat.probe.pins.commands.notebook import commands_of
from compat.probe.pins.commands.shell import LIMIT_TEXT, scripted
from compat.probe.pins.commands.shell_words import Budget, Script
from compat.probe.pins.pip.requirements import lines
from compat.probe.pins.requirement import Where, parse
from compat.probe.pins.source import Source

LIMIT_BLOCKS = 5_000
LIMIT_BLOCK = 500
"""Lines of a list of requirements in prose."""

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*([^\n`]*)")
_PROMPT = re.compile(
    r"(?m)^([ \t>]*)((?:\([\w.-]+\)[ \t]*)?(?:[\w@:~/.-]*[$%#>][ \t]+|PS[^>\n]*>[ \t]*|C:[^>\n]*>[ \t]*)+)"
)
_COMMAND = re.compile(
    r"[ \t>]*(?:[$%#>][ \t]+|!|%)?(?:sudo[ \t]+)?(?:\S*/)?"
    r"(?:pip3?|python[\d.]*[ \t]+-m[ \t]+pip|py[ \t]+(?:-[\d.]+[ \t]+)?-m[ \t]+pip"
    r"|uv|conda|mamba|micromamba|poetry|pipenv|pdm|pipx)"
    r"[ \t]+\S"
)
_SPAN = re.compile(r"(?<!`)`([^`\n]{4,500})`(?!`)")
_PYTHONS = frozenset({"python", "py", "python3", "ipython", "jupyter"})
_LISTS = frozenset({"", "text", "txt", "requirements", "pip", "plaintext", "pip-requirements"})
_SPECIFIED = re.compile(r"[=<>~!]=|[<>]")


@dataclass(slots=True)
class _Block:
    """A piece of code: its language, and where it stands."""

    language: str
    start: int
    end: int


def read(source: Source) -> PinFile:
    """Return what a page's code installs; each block stands for itself."""
    found: list[Found] = []
    budget = Budget()
    for block in islice(_blocks(source.text[:LIMIT_TEXT]), LIMIT_BLOCKS):
        found.extend(_of_block(block, source, budget))
    return collected(source, "markdown", found)


def _of_block(block: _Block, source: Source, budget: Budget) -> Iterator[Found]:
    text = source.text[block.start : block.end]
    if block.language in _PYTHONS:
        for at, line in commands_of(text):
            yield from scripted(Script(line, source, block.start + at), Around(quiet=True), budget)[0]
        return
    listed = tuple(_listed(text, block.start, source)) if block.language in _LISTS else ()
    if listed:
        yield from listed
        return
    blanked = _PROMPT.sub(lambda prompt: prompt[1].replace(">", " ") + " " * len(prompt[2]), text)
    signs = re.sub(r"(?m)^([ \t]*)[!%](?=[a-z])", r"\1 ", blanked)
    yield from scripted(Script(signs, source, block.start), Around(quiet=True), budget)[0]


def _listed(text: str, at: int, source: Source) -> Iterator[Pin]:
    """The pins of a block in which every line is a requirement, and one of them names a version."""
    rows = [row for row in lines(text, at) if row.text.strip()]
    if not rows or len(rows) > LIMIT_BLOCK or not any(_SPECIFIED.search(row.text) for row in rows):
        return
    joint = source.newline
    found = [parse(row.text, row.at, source, Where(entry_end=row.end, joint=joint + _indent(row.text))) for row in rows]
    pins = [row for row in found if isinstance(row, Pin)]
    if len(pins) == len(found):
        yield from pins


def _indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _blocks(text: str) -> Iterator[_Block]:
    """Yield fenced blocks, indented lines that are commands, and code spans that are commands."""
    fence, block, at = "", None, 0
    for line in text.splitlines(keepends=True):
        begins, at = at, at + len(line)
        mark = _FENCE.match(line)
        if block is not None:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                yield block
                block = None
            else:
                block.end = at
        elif mark:
            fence = mark[1]
            block = _Block((mark[2].strip().split() or [""])[0].lower().strip("{}."), at, at)
        elif line.startswith(("    ", "\t", "   ")) and _COMMAND.match(line):
            yield _Block("sh", begins, at)
        else:
            spans = (span for span in _SPAN.finditer(line) if _COMMAND.match(span[1]))
            yield from (_Block("sh", begins + span.start(1), begins + span.end(1)) for span in spans)
    if block is not None:
        yield block
