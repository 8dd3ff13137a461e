"""How `explain` does on the 119 public reports: its answer for each, held against the cause written down beforehand.

`tests/data/reports/expected.toml` was committed before the tool first read a report and is never edited. `causes.toml`
says which ids of ours name which of its causes; one id may name several, where the remedy is the same.
"""

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from compat.cli.explaining import diagnose_text
from compat.matrix.files import read_toml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent / "data" / "reports"
UNKNOWN = "unknown"
NO_FAULT = "no-fault"
"""Causes that are answered by naming none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One report, what it should be given and what it was given."""

    id: str
    established: bool
    expected: tuple[str, ...]
    """The cause, then those that count as well."""
    top: str
    """Id of the first cause named; empty where none is."""
    confidence: str
    line: str
    asks: bool
    """Whether missing facts, or what to send, are named."""
    right: bool
    confidently_wrong: bool

    @property
    def verdict(self) -> str:
        """In a word."""
        return "right" if self.right else "confidently wrong" if self.confidently_wrong else "wrong"


def answers(matrix):
    """Ask about every report, in the order of the files."""
    expected = {row["id"]: row for row in read_toml(FOLDER / "expected.toml")["expected"]}
    names = read_toml(FOLDER / "causes.toml")["names"]
    reports = read_toml(FOLDER / "reports.toml")["reports"]
    return [_answer(report, expected[report["id"]], names, matrix) for report in reports]


def second(matrix):
    """Ask about the second set: threads that nobody had read when the first was worked on."""
    names = read_toml(FOLDER / "causes.toml")["names"]
    return [
        _answer(row, row, names, matrix)
        for row in tomllib.loads((FOLDER / "second.toml").read_text("utf-8"))["reports"]
    ]


def score(found):
    """(right, confidently wrong, all) of the reports whose cause the thread established."""
    counted = [one for one in found if one.established]
    verdicts = Counter(one.verdict for one in counted)
    return verdicts["right"], verdicts["confidently wrong"], len(counted)


def _answer(report, expected, names, matrix):
    told = diagnose_text(report["text"], matrix)
    wanted = (expected["cause"], *expected.get("also", ()))
    first = told.causes[0] if told.causes else None
    asks = bool(told.missing_facts or told.send)
    right = _right(first, wanted, names, asks=asks)
    return Answer(
        id=report["id"],
        established=report["established"],
        expected=wanted,
        top=first.id if first else "",
        confidence=first.confidence if first else "",
        line=first.line.text if first and first.line else "",
        asks=asks,
        right=right,
        confidently_wrong=bool(first) and first.confidence == "high" and not right,
    )


def _right(first, wanted, names, *, asks):
    """A named cause must be one of those wanted; naming none is right where the facts do not suffice and it asks."""
    if first is not None and first.id in {identity for cause in wanted for identity in names.get(cause, ())}:
        return True
    if first is None:
        return (UNKNOWN in wanted and asks) or NO_FAULT in wanted
    # A guess marked as one is an honest "unknown" only where it says what would settle it.
    return UNKNOWN in wanted and first.confidence == "low" and asks
