"""Installers' complaints about a package that is written another way than in the signatures: ``tensorflow_text``.

An index takes ``_``, ``.`` and capital letters for ``-`` and small ones; signatures are matched letter by letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compat.facts.pasted import Offered, Pasted
from compat.matrix.load import Matrix
from compat.matrix.model import Issue
from compat.matrix.signatures import is_on, plain
from compat.verdict.diagnose.affected import Fit, fit
from compat.verdict.diagnose.cause import LOW, MEDIUM, Cause, of_issue
from compat.verdict.diagnose.offers import is_about_wheels
from compat.verdict.diagnose.picture import Picture
from compat.verdict.diagnose.signed import BESIDE, is_empty, unstated
from compat.verdict.finding import Evidence


def from_respelled(found: Sequence[Cause], pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield the known problem of each complaint that neither its wheels nor its letters explained."""
    told = [cause.line.number for cause in found if cause.line] + [hit.line.number for hit in pasted.hits]
    for offered in pasted.offered:
        if offered.name not in offered.line.text and not any(abs(at - offered.line.number) <= BESIDE for at in told):
            best = _named(offered, picture, matrix)
            if best is not None:
                yield _cause(offered, *best, picture)


def _named(offered: Offered, picture: Picture, matrix: Matrix) -> tuple[Issue, Fit] | None:
    """Return the problem whose longest signature stands in the complaint as the index spells its name."""
    asked = f"{offered.name}{offered.specifier}"
    versions = ", ".join(offered.versions) or "none"
    lines = (
        plain(f"ERROR: Could not find a version that satisfies the requirement {asked} (from versions: {versions})"),
        plain(f"ERROR: No matching distribution found for {asked}"),
    )
    suiting = [
        (len(signature), issue.id, issue, how)
        for issue in matrix.issues()
        if is_about_wheels(issue) and (how := fit(issue, picture, matrix)).possible
        for signature in issue.signatures
        if any(is_on(signature, line) for line in lines)
    ]
    return max(suiting, key=lambda row: row[:2])[2:] if suiting else None


def _cause(offered: Offered, issue: Issue, how: Fit, picture: Picture) -> Cause:
    asked = unstated(picture) if is_empty(offered) else ()
    missing = tuple(dict.fromkeys((*how.missing, *how.assumed, *asked)))
    return of_issue(
        issue,
        confidence=LOW if asked or "chip" in missing else MEDIUM,
        line=offered.line,
        evidence=tuple(Evidence(fact=issue.symptom, source=source.url) for source in issue.sources[:2]),
        missing=missing or ("pip-list",),
        is_final=True,
    )
