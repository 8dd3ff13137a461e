"""tox's generative names: which environments a file has, and for which of them a conditional line holds.

Source: https://tox.wiki/en/latest/config.html (generative environments, conditional settings) and tox's
``config/loader/ini/factor.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

LIMIT = 500
"""Environments that are told apart; a list that names more was made to be endless."""

_CONDITION = re.compile(r"([\w{}.!,-]+):(?:[ \t]+|$)")
_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(\d{1,3})-(\d{1,3})")
_PYTHON = re.compile(r"(?:py|python)?(\d)\.(\d+)|py(\d)(\d+)")


def names(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield the environments of a list with the offset of the word each is from (``at`` is the text's)."""
    found = 0
    for word, begins in _words(text):
        for name in expanded(word):
            found += 1
            if found > LIMIT:
                return
            yield name, at + begins


def expanded(text: str) -> tuple[str, ...]:
    """Return what a name with braces stands for: ``py{310,311}-tf`` is two names."""
    pieces = _BRACES.split(text)
    choices = [_choices(piece) if number % 2 else (piece,) for number, piece in enumerate(pieces)]
    count = 1
    for choice in choices:
        count *= len(choice)
        if count > LIMIT:
            return ()
    return tuple("".join(parts).strip() for parts in product(*choices))


def condition(line: str) -> tuple[str, str, int]:
    """Return a line's condition (empty: none), the rest, and the offset of the rest."""
    found = _CONDITION.match(line)
    return (found[1], line[found.end() :], found.end()) if found else ("", line, 0)


def holds(expression: str, name: str) -> bool:
    """Return whether a condition holds for an environment: all factors of one of its alternatives."""
    factors = set(name.split("-"))
    return any(
        all((part[1:] not in factors) if part.startswith("!") else (part in factors) for part in alternative.split("-"))
        for alternative in _alternatives(expression)
    )


def python(name: str) -> str:
    """Return the Python an environment's name says (``py311-tf`` is 3.11), empty where it says none."""
    for factor in name.split("-"):
        found = _PYTHON.fullmatch(factor)
        if found:
            return f"{found[1] or found[3]}.{found[2] or found[4]}"
    return ""


def _alternatives(expression: str) -> tuple[str, ...]:
    return tuple(name for word, _ in _words(expression) for name in expanded(word))


def _choices(text: str) -> tuple[str, ...]:
    parts: list[str] = []
    for part in text.split(","):
        span = _RANGE.fullmatch(part.strip())
        parts.extend(map(str, range(int(span[1]), int(span[2]) + 1)) if span else [part.strip()])
    return tuple(parts)


def _words(text: str) -> Iterator[tuple[str, int]]:
    """The words between commas and blanks that stand outside braces."""
    begins, depth = 0, 0
    for at, sign in enumerate(f"{text}\n"):
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth = max(0, depth - 1)
        elif sign == "\n" or (depth == 0 and (sign == "," or sign.isspace())):
            if word := text[begins:at].strip():
                yield word, begins + len(text[begins:at]) - len(text[begins:at].lstrip())
            begins, depth = at + 1, 0
