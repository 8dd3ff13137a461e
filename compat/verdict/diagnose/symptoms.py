"""Causes from symptoms: known problems of the stated versions whose symptom the text tells in its own words.

Wrong numbers, hangs and slowness print no error. The words that a text shares with an issue are counted, rare ones
more; that suggests a cause and proves none, so such a cause is never of high confidence.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from compat.facts.pasted import Pasted
from compat.matrix.load import Matrix
from compat.matrix.model import Issue
from compat.matrix.query import TENSORFLOWS
from compat.verdict.diagnose.affected import fit
from compat.verdict.diagnose.cause import LOW, MEDIUM, Cause, of_issue
from compat.verdict.diagnose.picture import Picture
from compat.verdict.diagnose.symptoms_retried import from_retry
from compat.verdict.diagnose.symptoms_told import from_words, line_of
from compat.verdict.finding import Evidence

ENOUGH, MUCH = 9.0, 16.0
"""Sums of word weights (natural logarithms of how rare a word is among the issues): to be told, and to be likely."""
_FEWEST = 3
_WORD = re.compile(r"[a-z_]{4,}")
_FILLERS = frozenset(
    {"with", "that", "this", "from", "than", "beside", "while", "when", "which", "under", "only", "other", "another",
     "after", "newer", "older", "tensorflow", "python", "version", "versions", "import", "install", "installed",
     "package", "machine", "ends", "some", "more", "does", "have", "into", "same"}
)  # fmt: skip


def from_symptoms(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield the known problems whose symptom is told, in ways people speak or in the matrix's own words."""
    yield from from_words(pasted, picture, matrix)
    yield from from_retry(pasted, picture, matrix)
    issues = [issue for issue in matrix.issues() if issue.withdrawn is None and issue.affects]
    rarity = _rarity(issues)
    for issue in issues:
        shared = _words(issue) & pasted.words
        weight = sum(rarity[word] for word in shared)
        if weight < ENOUGH or len(shared) < _FEWEST:
            continue
        how = fit(issue, picture, matrix)
        if how.possible and len(how.missing) <= 1 and _is_about_these(issue, picture):
            likely = weight >= MUCH and how.is_sure and not pasted.errors
            yield _cause(issue, MEDIUM if likely else LOW, weight, (*how.missing, *how.assumed), shared, picture)


def _is_about_these(issue: Issue, picture: Picture) -> bool:
    """Tell whether a version that the issue names was stated: words alone name no problem."""
    return any(picture.packages.get(name) for row in issue.affects for name in _named(row.package, row.with_package))


def _named(*names: str | None) -> tuple[str, ...]:
    found = [name for name in names if name]
    return (*found, *TENSORFLOWS) if set(found) & set(TENSORFLOWS) else tuple(found)


def _cause(
    issue: Issue, confidence: str, weight: float, missing: tuple[str, ...], shared: frozenset[str], picture: Picture
) -> Cause:
    return of_issue(
        issue,
        confidence=confidence,
        line=line_of(picture),
        evidence=(Evidence(fact=f"the text speaks of {', '.join(sorted(shared))}", source=issue.sources[0].url),),
        missing=missing,
        weight=weight,
    )


def _rarity(issues: list[Issue]) -> dict[str, float]:
    counts = Counter(word for issue in issues for word in _words(issue))
    return {word: math.log(len(issues) / count) + 1 for word, count in counts.items()}


def _words(issue: Issue) -> frozenset[str]:
    return frozenset(_WORD.findall(f"{issue.title} {issue.symptom}".lower())) - _FILLERS
