"""All sources of causes brought together: merged, ordered, consequences folded under their cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from compat.facts.pasted import Pasted
from compat.matrix.load import Matrix
from compat.verdict.diagnose.avx import weighed
from compat.verdict.diagnose.cause import HIGH, LOW, MEDIUM, Cause, Diagnosis, wanted
from compat.verdict.diagnose.picture import Picture, picture
from compat.verdict.diagnose.remarks import heard, without_remarks
from compat.verdict.diagnose.signed import BESIDE, from_signatures, is_quiet
from compat.verdict.diagnose.symptoms import from_symptoms
from compat.verdict.diagnose.translated import from_machine

_SEVERITIES = ("error", "warning", "info")
_PINNED = ("wrapt", "typing-extensions", "pip", "tf-nightly", "tensorflow-gpu")
"""Distributions that rules ask about and that neither have a release table nor stand in an issue."""
_SEND = ("tfcompat facts", "python -m pip list", "python -VV")


def diagnose(pasted: Pasted, matrix: Matrix) -> Diagnosis:
    """Return what explains a text; no cause where nothing known does. Raises BadMatrix."""
    drawn = picture(pasted, matrix)
    found: list[Cause] = []
    if pasted.offered:
        drawn, refused = _refused(pasted, drawn, matrix)
        found += refused
    if pasted.unlinked:
        from compat.verdict.diagnose.unlinked import from_unlinked

        found += from_unlinked(pasted, drawn, matrix)
    found += weighed(heard(from_signatures(pasted, drawn, matrix), pasted), pasted, drawn, matrix)
    found += (*_ruled(pasted, drawn, matrix), *from_machine(pasted, drawn, matrix))
    if pasted.offered:
        from compat.verdict.diagnose.respelled import from_respelled

        found += tuple(from_respelled(found, pasted, drawn, matrix))
    found += from_symptoms(without_remarks(pasted, matrix), drawn, matrix)
    found += _told(pasted, drawn, matrix)
    causes = _not_torn(_folded(sorted(_harmless_last(_merged(found)), key=_order)))
    missing = _missing(causes, pasted, drawn)
    return Diagnosis(
        causes=tuple(causes),
        missing_facts=tuple(dict.fromkeys(wanted(name)[0] for name in missing)),
        send=_send(causes, missing),
        stated=tuple(_words(drawn)),
        matrix_date=matrix.date,
    )


def _told(pasted: Pasted, drawn: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield what people's own words show: that nothing can be installed, that there is no GPU."""
    if pasted.capture is not None or not (pasted.lacking or pasted.no_gpu):
        return
    from compat.verdict.diagnose.gaps import from_gaps
    from compat.verdict.diagnose.idle import from_no_gpu

    yield from from_gaps(pasted, drawn, matrix)
    yield from from_no_gpu(pasted, drawn, matrix)


def _refused(pasted: Pasted, drawn: Picture, matrix: Matrix) -> tuple[Picture, list[Cause]]:
    """Return the picture with what installers' lists add to it, and the causes they show."""
    from compat.verdict.diagnose.fingerprint import read, told
    from compat.verdict.diagnose.offers import from_offers

    readings = []
    for item in pasted.offered:
        reading = read(item, drawn, matrix)
        if reading is not None:
            readings.append(reading)
            drawn = told(reading, drawn)
    return drawn, list(from_offers(tuple(readings), pasted, drawn, matrix))


def _ruled(pasted: Pasted, drawn: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield what doctor's rules find; their import costs more than a log, so only where there is something to judge."""
    if pasted.capture is None and not any(row.value for rows in drawn.packages.values() for row in rows):
        return
    from compat.verdict.diagnose.judged import from_capture, from_statements

    if pasted.capture is None:
        yield from from_statements(pasted, drawn, matrix)
    else:
        yield from from_capture(pasted.capture, matrix)


def _merged(found: Iterable[Cause]) -> list[Cause]:
    """One cause an id: two ways that lead to one problem support each other, and the surest speaks."""
    by_id: dict[str, Cause] = {}
    for cause in found:
        known = by_id.get(cause.id)
        by_id[cause.id] = cause if known is None else _joined(known, cause)
    return list(by_id.values())


def _joined(one: Cause, other: Cause) -> Cause:
    best, second = sorted((one, other), key=lambda cause: cause.rank)
    return replace(
        best,
        line=best.line or second.line,
        is_final=best.is_final or second.is_final,
        is_proved=best.is_proved or second.is_proved,
        evidence=tuple(dict.fromkeys((*best.evidence, *second.evidence))),
        missing=() if best.confidence == HIGH else best.missing,
    )


def _harmless_last(causes: list[Cause]) -> list[Cause]:
    """What is only remarked of a log line is no rival of a fault."""
    faults = [cause for cause in causes if cause.severity != "info"]
    return [
        replace(cause, confidence=LOW)
        if faults and cause.severity == "info" and cause.line and is_quiet(cause.line)
        else cause
        for cause in causes
    ]


def _order(cause: Cause) -> tuple[int, bool, int, float, str]:
    return cause.rank, not cause.is_final, _SEVERITIES.index(cause.severity), -cause.weight, cause.id


def _folded(causes: Sequence[Cause]) -> list[Cause]:
    """Take causes that follow from another one out, and name them there."""
    if len(causes) <= 1:
        return list(causes)
    after = _consequences()
    kept: list[Cause] = []
    for cause in causes:
        root = next((other for other in causes if _follows(cause, other, after)), None)
        if root is None:
            kept.append(cause)
    return [
        replace(
            root, consequences=tuple(other.id for other in causes if other not in kept and _follows(other, root, after))
        )
        for root in kept
    ]


def _not_torn(causes: list[Cause]) -> list[Cause]:
    """Of several sure causes only those are sure that facts bear out: words alone do not say which is the root."""
    if sum(cause.confidence == HIGH for cause in causes) <= 1:
        return causes
    weighed = [
        replace(cause, confidence=MEDIUM) if cause.confidence == HIGH and not cause.is_proved else cause
        for cause in causes
    ]
    return sorted(weighed, key=_order)


def _follows(cause: Cause, other: Cause, after: dict[str, tuple[str, ...]]) -> bool:
    if other is cause or other.rank > cause.rank or not cause.rule or not other.rule:
        return False
    same_line = (
        cause.line is not None and other.line is not None and abs(cause.line.number - other.line.number) <= BESIDE
    )
    same_fault = cause.rule == other.rule and (cause.issue is None or same_line) and _order(other) < _order(cause)
    return same_fault or other.rule in after.get(cause.rule, ())


def _consequences() -> dict[str, tuple[str, ...]]:
    from compat.verdict.rules import RULES

    return {rule.id: rule.consequence_of for rule in RULES}


def _missing(causes: Sequence[Cause], pasted: Pasted, drawn: Picture) -> list[str]:
    if causes:
        return [] if causes[0].confidence == HIGH else list(causes[0].missing)
    asked = [] if pasted.errors or pasted.offered else ["error"]
    has_version = any(row.value for rows in drawn.packages.values() for row in rows)
    return [
        *asked,
        *([] if has_version else ["packages"]),
        *([] if drawn.python else ["python"]),
        *([] if drawn.os else ["os"]),
        *(["macos"] if drawn.os == ("macos",) and not drawn.macos else []),
        *(["chip"] if drawn.os == ("macos",) and not drawn.chip and drawn.hardware != ("x86_64",) else []),
    ]


def _send(causes: Sequence[Cause], missing: Sequence[str]) -> tuple[str, ...]:
    """Return the commands whose output would settle it; none where it is settled."""
    if causes and causes[0].confidence == HIGH:
        return ()
    commands = [wanted(name)[1] for name in missing]
    general = [_SEND[0]] if causes else list(_SEND)
    return tuple(dict.fromkeys(command for command in (*general, *commands) if command))


def _words(drawn: Picture) -> Iterator[str]:
    for name, rows in sorted(drawn.packages.items()):
        values = [row.value for row in rows if row.value]
        if values:
            yield f"{name} {' or '.join(values)}"
    for name, found in (("Python", drawn.python), ("macOS", drawn.macos)):
        if found:
            yield f"{name} {' or '.join(found)}"
    for words in (drawn.os, drawn.chip or drawn.hardware):
        if words:
            yield " or ".join(words)
    if drawn.process:
        yield f"Python runs as {' or '.join(drawn.process)}" + (" (taken for usual)" if drawn.process_assumed else "")


def signatures_of(matrix: Matrix) -> tuple[str, ...]:
    """Return the signatures to look for: of every known problem that stands."""
    rows = (issue for issue in matrix.issues() if issue.withdrawn is None)
    return tuple(dict.fromkeys(signature for issue in rows for signature in issue.signatures))


def followed(matrix: Matrix) -> frozenset[str]:
    """Return the distributions whose versions a diagnosis can use."""
    affected = {name for issue in matrix.issues() for row in issue.affects for name in (row.package, row.with_package)}
    return frozenset({*matrix.distributions, *_PINNED, *(name for name in affected if name)})
