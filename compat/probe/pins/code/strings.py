"""What methods and operators make of a string in Python code; what is not known in the result is ``{x}``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from compat.probe.pins.code.values import Budget, Many, Text, Value

LIMIT = 20_000
"""Characters of a string that code makes."""

_FIELD = re.compile(r"\{[^{}]*\}")
_PERCENT = re.compile(r"%(?:\(\w{1,80}\))?[-+ #0-9.]{0,9}[sdr]")
_STRIPS = frozenset({"strip", "lstrip", "rstrip"})
_CUTS = {None: r"\S+", "\n": r"[^\n]+", ",": r"[^,]+"}
"""What stays between the separators of ``split``."""


def called(
    text: Text, method: str, argument: object, words: Mapping[str | None, object], budget: Budget
) -> Value | None:
    """Return what a method makes of a string, None where that is not known."""
    budget.spend(1 + len(text.text) // 1_000)
    if method in _STRIPS and argument is None:
        lead = len(text.text) - len(text.text.lstrip()) if method != "rstrip" else 0
        return Text(getattr(text.text, method)(), text.at + lead)
    if method == "format":
        return _short(Text(_FIELD.sub(lambda found: _filled(words, found[0]), text.text), text.at))
    if method == "splitlines":
        return Many(tuple(_pieces(text, _CUTS["\n"], budget)))
    if method == "split" and (argument is None or argument in {"\n", ","}):
        return Many(tuple(_pieces(text, _CUTS[None if argument is None else str(argument)], budget)))
    return None


def percent(text: Text, known: str | None, budget: Budget) -> Value | None:
    """Return ``text % known``."""
    budget.spend(1 + len(text.text) // 1_000)
    return _short(Text(_PERCENT.sub(lambda _: "{x}" if known is None else known, text.text), text.at))


def _short(text: Text) -> Text | None:
    return text if len(text.text) <= LIMIT else None


def _filled(known: Mapping[str | None, object], piece: str) -> str:
    value = known.get(piece[1:-1])
    return value if isinstance(value, str) else "{x}"


def _pieces(text: Text, between: str, budget: Budget) -> Iterator[Text]:
    for found in re.finditer(between, text.text):
        budget.spend()
        if found[0].strip():
            yield Text(found[0], text.at + found.start())
