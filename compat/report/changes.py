"""The difference of two matrices, told as release notes: text, JSON and Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from compat.errors import one_line
from compat.matrix.diff import Change, Difference, FieldChange, Kind
from compat.matrix.model import (
    Chip,
    Issue,
    LinkRow,
    LockEntry,
    MacOS,
    Observation,
    PluginBinary,
    PythonBuild,
    Release,
    Repair,
)
from compat.matrix.versions import order
from compat.report import json, wheels
from compat.report.document import SCHEMA_VERSION
from compat.report.markdown import escape
from compat.report.style import Style

TITLES = {
    "releases": "Releases",
    "links": "Does the plugin load?",
    "binaries": "Plugin binaries",
    "locks": "Locks",
    "repairs": "Repairs",
    "observed": "Runs and claims",
    "issues": "Known problems",
    "macos": "macOS versions",
    "chips": "Chips",
    "pythons": "Where Pythons come from",
}
_LISTED = 3
"""Versions named one by one; of more only the count and the ends are."""


def as_text(difference: Difference, style: Style) -> str:
    """Return the notes by section; one line says so where nothing differs."""
    lines = [style.paint(_head(difference), "1")]
    for title, notes in _notes(difference):
        lines += ["", style.paint(title, "1"), *(f"  {one_line(note)}" for note in notes)]
    text = "\n".join(lines) + "\n"
    if style.unicode:
        return text
    return text.replace("–", "-").replace("→", "->").encode("ascii", "replace").decode("ascii")


def as_markdown(difference: Difference) -> str:
    """Return the notes as Markdown, for a change log."""
    lines = [f"### {escape(_head(difference))}"]
    for title, notes in _notes(difference):
        lines += ["", f"#### {escape(title)}", "", *(f"- {escape(note)}" for note in notes)]
    return "\n".join(lines) + "\n"


def as_json(difference: Difference) -> str:
    """Return ``matrix diff --format json``: every change by itself, with the fields that differ."""
    return json.text(
        {
            "schema_version": SCHEMA_VERSION,
            "old_date": difference.old_date,
            "new_date": difference.new_date,
            "identical": is_identical(difference),
            "followed": list(difference.followed),
            "dropped": list(difference.dropped),
            "changes": [
                {
                    "section": change.section,
                    "key": list(change.key),
                    "kind": change.kind.value,
                    "text": line(change),
                    "fields": [{"name": row.name, "old": row.old, "new": row.new} for row in change.fields],
                }
                for change in difference.changes
            ],
        }
    )


def is_identical(difference: Difference) -> bool:
    """Tell whether no fact differs (the days of the data may)."""
    return not (difference.changes or difference.followed or difference.dropped)


def _head(difference: Difference) -> str:
    days = f"matrix of {difference.old_date} → {difference.new_date}"
    if difference.old_date == difference.new_date:
        days = f"both matrices of {difference.old_date}"
    if is_identical(difference):
        return f"no fact differs ({days})"
    count = len(difference.changes) + len(difference.followed) + len(difference.dropped)
    return f"{days}: {count} change{'' if count == 1 else 's'}"


def _notes(difference: Difference) -> Iterator[tuple[str, list[str]]]:
    for section, title in TITLES.items():
        changes = [change for change in difference.changes if change.section == section]
        notes = list(_links(changes)) if section == "links" else [line(change) for change in changes]
        if section == "releases":
            notes += [f"{name} is followed now" for name in difference.followed]
            notes += [f"{name} is followed no longer" for name in difference.dropped]
        if notes:
            yield title, notes


def line(change: Change) -> str:
    """Return one change as one line."""
    if change.kind is Kind.CHANGED:
        return _changed(change)
    row = change.new if change.kind is Kind.ADDED else change.old
    added, removed = _TOLD[type(row)]
    return added(row) if change.kind is Kind.ADDED else removed(row)


def _changed(change: Change) -> str:
    """A release, a pair, a lock or an issue by what happened to it; other rows field by field."""
    old, new = change.old, change.new
    fields = list(change.fields)
    said: list[str] = []
    if isinstance(new, Release):
        said = list(_release_said(old, new, fields))
    elif isinstance(new, LinkRow) and old.loads is not new.loads:
        said, fields = [_loads(new, now=True)], []
    elif isinstance(new, LockEntry) and (old.tier, old.verified_day) != (new.tier, new.verified_day):
        said = [f"now {_known(new)}"]
    elif isinstance(new, Issue) and old.withdrawn != new.withdrawn:
        said = [f"withdrawn: {new.withdrawn}" if new.withdrawn else "is no longer withdrawn"]
    told = {"tier", "verified_day", "withdrawn", "yanked", "wheels"} if said else set()
    rest = [_field(row) for row in fields if row.name not in told]
    pair = f" on {new.distribution} {new.tensorflow} ({new.arch})" if isinstance(new, LinkRow) and not said else ""
    return f"{_name(new)}{pair}{_joint(new, said)}{'; '.join((*said, *rest))}"


def _joint(row: object, said: Sequence[str]) -> str:
    return " " if said and isinstance(row, (Release, LinkRow, LockEntry, Issue)) else ": "


def _release_said(old: Release, new: Release, fields: Iterable[FieldChange]) -> Iterator[str]:
    if old.yanked != new.yanked:
        yield f"was yanked: {new.yanked}" if new.yanked is not None else "is no longer yanked"
    for row in fields:
        if row.name == "wheels" and row.gained:
            yield f"has new wheels ({wheels.told(row.gained)})"
        if row.name == "wheels" and row.lost:
            yield f"has lost wheels ({wheels.told(row.lost)})"


def _field(row: FieldChange) -> str:
    """``minimum_macos 12.1 → 13.0``; of a list what it gained and lost."""
    name = row.name.replace("_", " ")
    if row.gained or row.lost:
        pieces = [*(f"+ {item}" for item in row.gained), *(f"− {item}" for item in row.lost)]
        return f"{name} {', '.join(pieces)}"
    return f"{name} {_value(row.old)} → {_value(row.new)}"


def _value(value: object) -> str:
    if value is None or value == "":
        return "none"
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _links(changes: Sequence[Change]) -> Iterator[str]:
    """Pairs that were judged anew in groups: by TensorFlow where that is new, by plugin release where that is."""
    added = [change.new for change in changes if change.kind is Kind.ADDED]
    by_tensorflow = len({row.tensorflow for row in added}) <= len({row.plugin_version for row in added})
    groups: dict[tuple[str, ...], list[LinkRow]] = {}
    for row in added:
        one = (row.distribution, row.tensorflow) if by_tensorflow else (row.plugin_version,)
        groups.setdefault((row.plugin, row.arch, str(row.loads), *one), []).append(row)
    for rows in groups.values():
        yield _group(rows, by_tensorflow=by_tensorflow)
    yield from (line(change) for change in changes if change.kind is not Kind.ADDED)


def _group(rows: Sequence[LinkRow], *, by_tensorflow: bool) -> str:
    first = rows[0]
    if len(rows) == 1:
        return f"{_name(first)} {_loads(first, now=False)}"
    verb = {True: "load", False: "cannot load", None: "were not judged"}[first.loads]
    if by_tensorflow:
        many = _many(first.plugin, [row.plugin_version for row in rows])
        return f"{many} {verb} on {first.distribution} {first.tensorflow} ({first.arch})"
    verb = verb.replace("load", "loads") if first.loads else verb.replace("were", "was")
    many = _many("TensorFlow", [row.tensorflow for row in rows])
    return f"{first.plugin} {first.plugin_version} {verb} on {many} ({first.arch})"


def _many(name: str, versions: Iterable[str]) -> str:
    found = sorted(set(versions), key=order)
    if len(found) <= _LISTED:
        return f"{name} {', '.join(found)}"
    return f"{len(found)} releases of {name} ({found[0]} to {found[-1]})"


def _loads(row: LinkRow, *, now: bool) -> str:
    """``now loads on tensorflow 2.22.0 (arm64)``."""
    where = f"on {row.distribution} {row.tensorflow} ({row.arch})"
    if row.loads is None:
        return f"is not judged {where}: {row.reason}"
    if row.loads:
        return f"{'now ' if now else ''}loads {where}"
    first = f": layer {row.layer}, {row.missing[0]}" if row.missing else ""
    return f"{'no longer loads' if now else 'cannot load'} {where}{first}"


def _known(row: LockEntry) -> str:
    if row.verified_day is not None and row.tier in ("runs", "agrees"):
        return f"runs whole ({row.verified_day})"
    return f"known up to tier {row.tier}"


def _observed(row: Observation) -> str:
    plugin = f" with {row.plugin} {row.plugin_version or ''}".rstrip() if row.plugin else ""
    where = f" on {row.chip}" if row.chip else ""
    word = "a run" if row.kind == "run" else "a claim"
    return f"{row.id} added, {word}: tensorflow {row.tensorflow}{plugin}{where}: {row.result.replace('-', ' ')}"


def _minimum(row: PluginBinary) -> str:
    return f", minimum macOS {row.minimum_macos}" if row.minimum_macos else ""


def _name(row: Any) -> str:  # noqa: ANN401 - any record of the matrix
    """What a row is about, as a note begins."""
    names: dict[type, Callable[[Any], str]] = {
        Release: lambda one: f"{one.name} {one.version}",
        LinkRow: lambda one: f"{one.plugin} {one.plugin_version}",
        PluginBinary: lambda one: f"{one.plugin} {one.version} ({one.arch})",
        LockEntry: lambda one: f"lock {one.file.removesuffix('.toml')}",
        Repair: lambda one: f"repair {one.id}",
        Observation: lambda one: str(one.id),
        Issue: lambda one: f"issue {one.id}",
        MacOS: lambda one: f"macOS {one.version}",
        Chip: lambda one: f"chip {one.name}",
        PythonBuild: lambda one: f"Python {one.version} from {one.origin}",
    }
    return names[type(row)](row)


_Teller = Callable[[Any], str]


def _gone(row: object) -> str:
    return f"{_name(row)} is gone"


_TOLD: dict[type, tuple[_Teller, _Teller]] = {
    Release: (
        lambda row: f"{_name(row)} released ({wheels.told(wheel.tag for wheel in row.wheels)}; {row.uploaded})",
        lambda row: f"{_name(row)} is no longer on the index",
    ),
    LinkRow: (
        lambda row: f"{_name(row)} {_loads(row, now=False)}",
        lambda row: f"{_name(row)} on {row.distribution} {row.tensorflow} ({row.arch}) is no longer judged",
    ),
    PluginBinary: (lambda row: f"{_name(row)} was read{_minimum(row)}", _gone),
    LockEntry: (lambda row: f"{_name(row)} added: {_known(row)}", _gone),
    Repair: (
        lambda row: f"{_name(row)} added: {row.requirement} for {', '.join(row.packages)} {row.versions} ({row.step})",
        _gone,
    ),
    Observation: (_observed, _gone),
    Issue: (
        lambda row: f"{_name(row)} added: {row.title}",
        lambda row: f"{_gone(row)} (ids are withdrawn, not deleted)",
    ),
    MacOS: (lambda row: f"{_name(row)} added" + (f": {row.name}" if row.name else ""), _gone),
    Chip: (lambda row: f"{_name(row)} added", _gone),
    PythonBuild: (lambda row: f"{_name(row)} added: {row.binary}", _gone),
}
