"""Causes from what people say in their own words, where no program named an error.

A way of speaking suggests a cause and proves none: medium at most, and low where a program's own words stand in the
text, where the text is long (its words then need not belong together), or where the facts leave much open.
"""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.pasted import Line, Pasted
from compat.matrix.load import Matrix
from compat.matrix.model import Issue
from compat.matrix.query import APPLE_PLUGIN, TENSORFLOWS
from compat.matrix.versions import contains
from compat.verdict.diagnose.affected import Fit, fit
from compat.verdict.diagnose.cause import LOW, MEDIUM, Cause, of_issue
from compat.verdict.diagnose.picture import Picture, every, releases_of
from compat.verdict.diagnose.symptoms_spoken import ANY, ARM_MAC, GPU_WORDS, LINUX, WAYS, Way
from compat.verdict.finding import Evidence

LONG = 250
"""Different words above which a text is more than somebody's few sentences; a page of a log has more."""
_OPEN = 3
"""Facts that may be missing or assumed (versions of the pair, what Python runs as) in a likely cause."""


def from_words(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield what the ways of speaking in the text mean, each problem once."""
    if pasted.capture is not None or pasted.offered or pasted.unlinked:
        return
    issues = {issue.id: issue for issue in matrix.issues() if issue.withdrawn is None}
    named: set[str] = set()
    for way in WAYS:
        said = _said(way, pasted)
        if not said or (way.about or way.otherwise) in named or not _is_there(way, picture, matrix):
            continue
        found = _meant(way, issues, picture, matrix)
        if found is not None:
            named.add(way.about or way.otherwise)
            issue, how, is_guess = found
            confidence = LOW if is_guess else _confidence(way, how, pasted, picture)
            yield _cause(issue, how, confidence, said, picture)


def _said(way: Way, pasted: Pasted) -> tuple[str, ...]:
    """Return one word of each group, or none where a group has none."""
    chosen = [sorted(group & pasted.words) for group in way.groups]
    return tuple(words[0] for words in chosen) if all(chosen) else ()


def _is_there(way: Way, picture: Picture, matrix: Matrix) -> bool:
    if way.needs and not any(picture.packages.get(name) for name in way.needs):
        return False
    if way.tensorflow and _are_within(way.tensorflow, picture, matrix) is False:
        return False
    if way.where == ANY:
        return True
    if way.where == LINUX:
        return picture.os == ("linux",)
    return picture.os == ("macos",) and (way.where != ARM_MAC or picture.hardware != ("x86_64",))


def _are_within(versions: str, picture: Picture, matrix: Matrix) -> bool | None:
    stated = [row for name in TENSORFLOWS for row in picture.packages.get(name, ()) if row.value]
    return every((one for row in stated for one in releases_of(row, matrix)), lambda one: contains(versions, one))


def _meant(way: Way, issues: dict[str, Issue], picture: Picture, matrix: Matrix) -> tuple[Issue, Fit, bool] | None:
    """Return the problem that is meant, how the facts fit it, and whether it is but a guess."""
    special = [(issues[name], fit(issues[name], picture, matrix), False) for name in way.first]
    usual = (issues[way.otherwise], fit(issues[way.otherwise], picture, matrix), False)
    guesses = [(issues[name], fit(issues[name], picture, matrix), True) for name in way.guesses]
    known = next((found for found in special if found[1].possible and not found[1].missing), None)
    return known or next((found for found in (usual, *guesses) if found[1].possible), None)


def _confidence(way: Way, how: Fit, pasted: Pasted, picture: Picture) -> str:
    printed = bool(pasted.hits) or (bool(pasted.errors) and not way.is_error)
    on_gpu = way.is_error or bool(picture.packages.get(APPLE_PLUGIN)) or bool(GPU_WORDS & pasted.words)
    is_open = len(how.missing) + len(how.assumed) > _OPEN
    unsure = printed or is_open or not (on_gpu or way.otherwise == "ISS069") or len(pasted.words) > LONG
    return LOW if unsure or way.most == LOW else MEDIUM


def _cause(issue: Issue, how: Fit, confidence: str, said: tuple[str, ...], picture: Picture) -> Cause:
    return of_issue(
        issue,
        confidence=confidence,
        line=line_of(picture),
        evidence=(Evidence(fact=f"the text speaks of {', '.join(said)}", source=issue.sources[0].url),),
        missing=(*how.missing, *how.assumed) or ("error",),
        weight=len(said),
    )


def line_of(picture: Picture) -> Line | None:
    """Return a line that states what such a cause is about: the plugin or TensorFlow."""
    rows = [row for name in (APPLE_PLUGIN, *TENSORFLOWS) for row in picture.packages.get(name, ())]
    return rows[0].line if rows else None
