"""Read reports gathered from many machines, one at a time, keeping of each only what a table of them needs.

A file that is no report is an answer with its reason, never an error: one bad file must not hide the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from compat.errors import BadFacts, CannotLook, one_line
from compat.facts.capture import SCHEMA_VERSION as CAPTURE_VERSION
from compat.facts.capture import Facts
from compat.facts.codec import decode
from compat.probe.gathered.places import Place, content, places, shown, told
from compat.probe.gathered.shapes import NAME, Capture, NotSeen, Report, failing, traits
from compat.probe.masking import mask_text
from compat.verdict.fleet.machine import TEXT, Seen, Unseen, roots

REPORT_VERSION = 1
"""Of `doctor --format json` (``report/schemas/doctor.schema.json``): keys may be added within a version."""
NEITHER = "neither a report of doctor nor a capture"


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """A capture (`tfcompat facts`): the machine is known, the judgement is still to be made."""

    seen: Seen
    """Without root causes, and not to be believed before it was judged."""
    facts: Facts


Answer = Seen | Captured | Unseen


def read(paths: Iterable[Path]) -> Iterator[Answer]:
    """Yield one answer a report, in the order of the files; a file named twice is read once."""
    pool: dict[object, Any] = {}
    for place in places(paths):
        yield _shared(_unseen(place.path, place.problem) if place.problem else _answer(place), pool)


def _answer(place: Place) -> Answer:
    try:
        value = _parsed(place)
        return _of_kind(value, _named(place.path, value), shown(place.path))
    except OSError as error:
        return _unseen(place.path, told(error))
    except CannotLook as error:
        return _unseen(place.path, error.message)
    except (ValueError, RecursionError) as error:
        return _unseen(place.path, f"not a whole JSON document ({error})")


def _unseen(path: Path, why: str) -> Unseen:
    return Unseen(name=_named(path, {}), place=shown(path), why=one_line(f"not readable: {mask_text(why)}", TEXT))


def _named(path: Path, value: Mapping[str, Any]) -> str:
    """Return the host a report says it is of, else the stem of its file."""
    host = value.get("host")
    text = host if isinstance(host, str) and host.strip() else path.stem
    return one_line(text, NAME) or "(no name)"


def _parsed(place: Place) -> Mapping[str, Any]:
    raw = content(place)
    if not raw.strip():
        raise CannotLook("the file is empty: doctor could not look, or the copy was cut short")
    value = json.loads(raw)
    if not isinstance(value, dict):
        raise CannotLook(NEITHER)
    return value


def _of_kind(value: Mapping[str, Any], name: str, place: str) -> Answer:
    """Tell a record of a machine that was not seen, a report and a capture apart."""
    if "not_seen" in value:
        _check_version(value, REPORT_VERSION)
        record = decode(NotSeen, value)
        why = one_line(mask_text(record.not_seen), TEXT)
        return Unseen(name=name, place=place, why=f"not seen: {why}", exit_code=record.exit_code)
    if "findings" in value or "ok" in value:
        _check_version(value, REPORT_VERSION)
        return _report(value, name, place)
    if "facts" in value:
        _check_version(value, CAPTURE_VERSION)
        return _capture(value, name, place)
    raise BadFacts(NEITHER)


def _check_version(value: Mapping[str, Any], wanted: int) -> None:
    version = value.get("schema_version")
    if type(version) is not int or version != wanted:  # True and 1.0 equal 1
        said = json.dumps(version) if isinstance(version, (str, int, float, type(None))) else "of no known kind"
        raise BadFacts(f"schema version {one_line(said, 40)}, this tfcompat reads {wanted}")


def _report(value: Mapping[str, Any], name: str, place: str) -> Seen:
    report = decode(Report, value)
    judged_by = f"tfcompat {report.tool_version}, matrix of {report.matrix_date}"
    return Seen(
        name=name,
        place=place,
        ok=report.ok,
        traits=traits(report.facts, judged_by),
        faults=roots(failing(value.get("findings"))),
        exit_code=report.exit_code,
    )


def _capture(value: Mapping[str, Any], name: str, place: str) -> Captured:
    facts = decode(Facts, value["facts"], at="facts")
    counted = traits(decode(Capture, value).facts, "this tfcompat and its matrix")
    return Captured(seen=Seen(name=name, place=place, ok=False, traits=counted), facts=facts)


def _shared(answer: Answer, pool: dict[object, Any]) -> Answer:
    """Let machines that are alike share one record of what is alike: ten thousand of them have few kinds of faults."""
    if isinstance(answer, Unseen):
        return answer
    seen = answer.seen if isinstance(answer, Captured) else answer
    alike = replace(
        seen,
        traits=pool.setdefault(seen.traits, seen.traits),
        faults=pool.setdefault(seen.faults, tuple(pool.setdefault(fault, fault) for fault in seen.faults)),
    )
    return replace(answer, seen=alike) if isinstance(answer, Captured) else alike
