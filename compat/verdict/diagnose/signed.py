"""Causes from signatures: known problems whose words stand in the text, weighed by the stated facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from compat.facts.pasted import Hit, Line, Offered, Pasted
from compat.matrix.load import Matrix
from compat.matrix.model import Affects, Issue
from compat.matrix.query import TENSORFLOWS
from compat.verdict.diagnose.affected import Fit, fit
from compat.verdict.diagnose.cause import HIGH, LOW, MEDIUM, Cause, of_issue
from compat.verdict.diagnose.picture import Picture
from compat.verdict.finding import Evidence

NEAR = 40
"""Lines of one traceback: a hit this close above the last error belongs to it."""
BESIDE = 4
"""Lines of one complaint: dyld and pip spread theirs over several."""
NVIDIA_RULE = "MAC107"
"""The rule about NVIDIA's drivers and libraries, which no Mac has."""
_FAILED = "OP_REQUIRES failed"
"""What the log calls a warning and is the failure of an operation."""
_LOGGED = re.compile(r"^(?:\d{4}-\d\d-\d\d )?[\d:. ]*[IW] \S*[/.:]|Warning|WARNING|^W\d{4}|^I\d{4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """An issue with the hits that point at it and how the facts fit it."""

    issue: Issue
    hits: tuple[Hit, ...]
    fit: Fit

    @property
    def lines(self) -> set[int]:
        """Return the numbers of the lines that point at it."""
        return {hit.line.number for hit in self.hits}

    @property
    def letters(self) -> int:
        """Return how much of the text the longest signature explains."""
        return max(len(hit.signature) for hit in self.hits)


def from_signatures(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield each known problem that the text names and the stated facts do not exclude."""
    found = list(_signed(pasted, picture, matrix))
    possible = [item for item in found if item.fit.possible]
    for item in possible or found:
        if item.issue.severity == "info" and pasted.errors and all(is_quiet(hit.line) for hit in item.hits):
            continue  # a remark in the log is no cause of an error
        rivals = [other for other in possible if other is not item and other.lines & item.lines]
        yield _cause(item, rivals, pasted, picture)


def _signed(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Signed]:
    by_signature = {hit.signature: hit for hit in pasted.hits}
    for issue in matrix.issues():
        hits = tuple(by_signature[signature] for signature in issue.signatures if signature in by_signature)
        if hits and issue.withdrawn is None:
            yield Signed(issue=issue, hits=hits, fit=fit(issue, picture, matrix))


def _cause(item: Signed, rivals: list[Signed], pasted: Pasted, picture: Picture) -> Cause:
    hit = max(item.hits, key=lambda hit: (_is_final(hit.line, pasted), hit.line.number))
    issue = item.issue
    return of_issue(
        issue,
        confidence=_confidence(item, rivals, hit.line, pasted, picture),
        line=hit.line,
        evidence=tuple(Evidence(fact=issue.symptom, source=source.url) for source in issue.sources[:2]),
        missing=_missing(item, hit.line, pasted, picture),
        weight=item.letters,
        is_proved=bool(issue.affects) and item.fit.is_sure,
        is_final=_is_final(hit.line, pasted),
    )


def _confidence(item: Signed, rivals: list[Signed], line: Line, pasted: Pasted, picture: Picture) -> str:
    final, quiet = _is_final(line, pasted), is_quiet(line)
    nvidia_on_mac = item.issue.rule == NVIDIA_RULE and picture.os == ("macos",)
    if not item.fit.possible or nvidia_on_mac or (quiet and pasted.errors):
        return LOW
    beside = _offered_beside(line, pasted)
    if beside:  # whether wheels were there is for the wheels to say
        unknown = "chip" in item.fit.missing or (any(map(is_empty, beside)) and unstated(picture))
        return LOW if rivals or unknown else MEDIUM
    unchecked = item.issue.rule is not None and not item.issue.affects  # facts would tell, and were not asked
    remarked = item.issue.severity != "error" and not (item.issue.affects and item.fit.is_sure)
    lost = len(item.fit.missing) + len(item.fit.assumed) + (not final) + quiet + unchecked + remarked
    lost += _is_rivalled(item, rivals) + _is_of_metal_elsewhere(item, pasted, picture)
    return (HIGH, MEDIUM, LOW)[min(lost, 2)]


def _missing(item: Signed, line: Line, pasted: Pasted, picture: Picture) -> tuple[str, ...]:
    if not item.fit.possible:
        return ("packages",)
    asked = unstated(picture) if any(map(is_empty, _offered_beside(line, pasted))) else ()
    return tuple(dict.fromkeys((*item.fit.missing, *item.fit.assumed, *asked)))


def _offered_beside(line: Line, pasted: Pasted) -> list[Offered]:
    return [item for item in pasted.offered if abs(line.number - item.line.number) <= BESIDE]


def is_empty(offered: Offered) -> bool:
    """Tell whether an installer was offered no version at all: then everything turns on the interpreter."""
    return offered.is_list and not offered.versions


def unstated(picture: Picture) -> tuple[str, ...]:
    """Return which of the facts are not stated that decide what an installer is offered; empty where both are."""
    facts = (
        *(() if len(picture.process) == 1 or picture.hardware else ("process",)),
        *(() if picture.python else ("python",)),
    )
    return facts if not facts or picture.versions("pip") else (*facts, "pip")


def _is_rivalled(item: Signed, rivals: list[Signed]) -> bool:
    """Tell whether another problem fits the same line as well: by the stated facts, else by how much it explains."""
    return any(_strength(other) >= _strength(item) for other in rivals)


def _is_of_metal_elsewhere(item: Signed, pasted: Pasted, picture: Picture) -> bool:
    """Tell whether a problem of Metal has words that other GPUs print too, and nothing shows that it is Metal."""
    if "Metal" not in item.issue.title or picture.os == ("macos",) or pasted.works is not None:
        return False
    return not any("metal" in hit.line.text.lower() for hit in item.hits)


def _strength(item: Signed) -> tuple[int, int]:
    """Borne out by facts; without conditions, or open in part; then what turns on facts of which none is stated."""
    if not item.issue.affects:
        return 1, item.letters
    names = {name for row in item.issue.affects for name in _named(row)}
    return (2 if item.fit.is_sure else 0 if names and names <= {*item.fit.missing} else 1), item.letters


def _named(row: Affects) -> Iterator[str]:
    for name in (row.package, row.with_package):
        if name:
            yield "tensorflow" if name in TENSORFLOWS else name


def is_quiet(line: Line) -> bool:
    """Tell whether a line is a log line of level I or W, or a warning."""
    return _FAILED not in line.text and _LOGGED.search(line.text) is not None


def _is_final(line: Line, pasted: Pasted) -> bool:
    """Tell whether a hit explains how the program ended: it stands in the last error, or in the traceback above it."""
    if not pasted.errors:
        return True
    last = pasted.errors[-1].number
    beside_an_error = any(abs(line.number - error.number) <= BESIDE for error in pasted.errors)
    return line.number >= last - BESIDE or (beside_an_error and line.number >= last - NEAR)
