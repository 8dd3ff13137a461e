"""Causes from what the dynamic loader missed, looked up among the names that the proofs of ``links/`` found missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compat.facts.pasted import SEEN, Line, Pasted, Stated, Unlinked
from compat.matrix.load import Matrix
from compat.matrix.model import Issue, LinkRow
from compat.matrix.query import APPLE_PLUGIN
from compat.matrix.versions import ranges
from compat.verdict.diagnose.affected import fit
from compat.verdict.diagnose.cause import HIGH, LOW, MEDIUM, Cause
from compat.verdict.diagnose.picture import Picture, fits
from compat.verdict.finding import Evidence, Remedy
from compat.verdict.rules.remedies import NEW_ENVIRONMENT

PLUGIN_FILE = "libmetal_plugin"
RULE = "BIN401"


def from_unlinked(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield a cause for each complaint that names what some pair of the matrix is known to miss."""
    for item in pasted.unlinked:
        rows = _rows(item, matrix)
        if rows or PLUGIN_FILE in item.wanted_by:
            yield _cause(item, rows, pasted, picture, matrix)


def _rows(item: Unlinked, matrix: Matrix) -> list[LinkRow]:
    """Return the pairs that miss it; a plugin's complaint only, where the text says whose it is."""
    if item.wanted_by and PLUGIN_FILE not in item.wanted_by and not item.wanted_by.endswith((".so", ".dylib")):
        return []
    if item.wanted_by.endswith((".so", ".dylib")) and PLUGIN_FILE not in item.wanted_by:
        return []
    return [row for row in matrix.links() if row.loads is False and _is_missed(item, row)]


def _is_missed(item: Unlinked, row: LinkRow) -> bool:
    """Tell whether a pair misses it; people name a library without its folder."""
    return item.name in row.missing or (
        item.is_library and "/" not in item.name and any(name.endswith(f"/{item.name}") for name in row.missing)
    )


def _cause(item: Unlinked, rows: Sequence[LinkRow], pasted: Pasted, picture: Picture, matrix: Matrix) -> Cause:
    fitting = [row for row in rows if _is_possible(row, picture)]
    issues = _issues(fitting or rows, matrix)
    signed = {hit.signature for hit in pasted.hits if hit.line.number == item.line.number}
    issues.sort(key=lambda issue: not signed & set(issue.signatures))  # stable: the words first, then the pairs
    issue = issues[0] if issues else None
    stated = {name for name in ("tensorflow", APPLE_PLUGIN) if _is_stated(name, picture)}
    missing = tuple(name for name in ("tensorflow", APPLE_PLUGIN) if name not in stated)
    if not rows or not fitting:
        confidence, missing = LOW, ("packages",)
    elif len(issues) == 1 and (PLUGIN_FILE in item.wanted_by or not missing):
        confidence = HIGH
    else:
        confidence = MEDIUM if not missing or (issue and signed & set(issue.signatures)) or len(issues) == 1 else LOW
    return Cause(
        id=issue.id if issue else RULE,
        title=_title(item, fitting, issue),
        confidence=confidence,
        line=item.line,
        remedy=_remedy(issue, fitting, matrix),
        rule=RULE,
        issue=issue.id if issue else None,
        evidence=(_evidence(item, fitting or rows, bool(fitting)),),
        missing=missing,
        is_final=True,
        is_proved=bool(fitting),
    )


def _is_possible(row: LinkRow, picture: Picture) -> bool:
    tensorflow = [item for item in picture.versions("tensorflow") if item.value]
    plugin = [item for item in picture.versions(row.plugin) if item.value]
    return (
        (not tensorflow or any(fits(item, row.tensorflow) for item in tensorflow))
        and (not plugin or any(fits(item, row.plugin_version) for item in plugin))
        and (not picture.process or row.arch in picture.process)
    )


def _is_stated(name: str, picture: Picture) -> bool:
    return any(row.value for row in picture.versions(name))


def _issues(rows: Sequence[LinkRow], matrix: Matrix) -> list[Issue]:
    """Return the known problems that these pairs belong to, the one with most of them first."""
    counted: dict[str, int] = {}
    by_id = {issue.id: issue for issue in matrix.issues() if issue.withdrawn is None and issue.affects}
    about = [issue for issue in by_id.values() if _is_about_loading(issue)]
    for row in rows:
        for issue in about:
            if fit(issue, _picture_of(row), matrix).is_sure:
                counted[issue.id] = counted.get(issue.id, 0) + 1
    return [by_id[name] for name in sorted(counted, key=lambda name: -counted[name])]


def _is_about_loading(issue: Issue) -> bool:
    return issue.rule == RULE


def _picture_of(row: LinkRow) -> Picture:
    line = Line(number=0, text="")
    packages: dict[str, tuple[Stated, ...]] = {
        name: (Stated(name=name, value=value, how=SEEN, line=line),)
        for name, value in ((row.distribution, row.tensorflow), (row.plugin, row.plugin_version))
    }
    return Picture(packages=packages, asked={}, os=("macos",), process=(row.arch,))


def _pairs(rows: Sequence[LinkRow]) -> str:
    plugins = list(dict.fromkeys(row.plugin_version for row in rows))
    tensorflows = ranges({row.tensorflow for row in rows})
    name = rows[0].plugin
    return f"{name} {ranges(plugins)} beside TensorFlow {tensorflows}"


def _title(item: Unlinked, rows: Sequence[LinkRow], issue: Issue | None) -> str:
    what = "library" if item.is_library else "symbol"
    if issue:
        return issue.title
    if rows:
        return f"{_pairs(rows)}: the plugin misses the {what} {item.name}"
    return f"the Metal plugin misses the {what} {item.name}, which no known pair of releases does"


def _evidence(item: Unlinked, rows: Sequence[LinkRow], fitting: bool) -> Evidence:
    if not rows:
        return Evidence(fact=f"no row of links/ misses {item.name}", source="matrix: links")
    word = "" if fitting else ", none of them the stated versions"
    return Evidence(fact=f"{item.name} is missing in {_pairs(rows)}{word}", source="matrix: links", tier="links")


def _remedy(issue: Issue | None, rows: Sequence[LinkRow], matrix: Matrix) -> Remedy:
    if issue:
        return Remedy(text=issue.remedy, commands=issue.commands)
    if not rows:
        words = "without the plugin TensorFlow works on the CPU; a new environment can have a pair that loads"
        return Remedy(text=words, commands=(NEW_ENVIRONMENT,))
    tensorflows = {row.tensorflow for row in rows}
    loads = {
        row.plugin_version
        for row in matrix.links()
        if row.loads and row.tensorflow in tensorflows and row.arch == rows[0].arch
    }
    better = (
        f"beside it {APPLE_PLUGIN} {ranges(loads)} loads"
        if loads and len(tensorflows) == 1
        else "take a pair that loads"
    )
    return Remedy(text=f"{better}; without the plugin TensorFlow works on the CPU", commands=(NEW_ENVIRONMENT,))
