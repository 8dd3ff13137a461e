"""The lists of requirements in a text that only looks like Python: for files that Python refuses to parse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.probe.pins.commands.found import Found
from compat.probe.pins.requirement import Where, parse
from compat.probe.pins.source import Source

_TOKEN = re.compile(
    r"""(?P<string>[rRbBuU]{0,2}(?:\"{3}(?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*(?:\"{3}|\Z)|'{3}(?:[^'\\]|\\[\s\S]|'(?!''))*(?:'{3}|\Z)"""
    r"""|\"(?:[^\"\\\n]|\\[\s\S])*\"?|'(?:[^'\\\n]|\\[\s\S])*'?))"""
    r"""|(?P<comment>\#[^\n]*)|(?P<open>[\[({])|(?P<close>[\])}])|\\\r?\n|(?P<line>\n)|(?P<colon>:)"""
    r"""|(?P<number>\d[\w.]*)|(?P<operator>\*\*|[-+*/%@&|^~.<>=]|\b(?:not|and|or|await|if|lambda)\b)|(?P<word>\w+)"""
)
_LIST = re.compile(
    r"\b(install_requires|extras_require|setup_requires|tests_require|requirements|requires)\s{0,20}=\s{0,20}(?=[\[{])"
)
_CONTENT = re.compile(r"[A-Za-z]{0,2}(\"{3}|'{3}|\"|')")
_GROUPS = {"setup_requires": "build", "tests_require": "group tests"}
_SMALL = 20_000
_CHAIN = 4_000
"""Operators of one statement. Python's parser follows a chain by recursion; up to 3.10 without looking at its stack."""


def too_deep(text: str) -> bool:
    """Return whether one statement chains more operators and calls than Python's parser should be given."""
    if len(text) < _SMALL:
        return False
    depth, chain = 0, 0
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        depth = max(0, depth + (kind == "open") - (kind == "close"))
        if kind == "line" and depth == 0:
            chain = 0
        chain += kind in {"operator", "open"}
        if chain > _CHAIN:
            return True
    return False


def lists(source: Source) -> Iterator[Found]:
    """Yield the requirements in ``install_requires = [ … ]`` and its like."""
    end = 0
    for found in _LIST.finditer(source.text):
        if found.start() >= end:
            for text, at, group, stop in _strings(source.text, found.end()):
                end = stop
                one = parse(text, at, source, Where(group=group or _GROUPS.get(found[1], "")))
                if one is not None:
                    yield one


def _strings(text: str, begins: int) -> Iterator[tuple[str, int, str, int]]:
    """The strings up to the bracket's end; in a dict one before a colon is a key, the group of those behind it."""
    depth, group = 0, ""
    held: tuple[str, int] | None = None
    for found in _TOKEN.finditer(text, begins):
        kind = found.lastgroup
        if held is not None and kind not in {"comment", "line"}:
            if kind == "colon":
                group = f"extra {held[0]}"
            else:
                yield (*held, group, found.end())
            held = None
        if kind == "string":
            quote = _CONTENT.match(found[0])
            width = len(quote[1]) if quote else 0
            begin = quote.end() if quote else 0
            held = (found[0][begin : len(found[0]) - width], found.start() + begin)
        depth += (kind == "open") - (kind == "close")
        if depth <= 0:
            return
