"""Cures into edits: for each the smallest one, in the file's own spelling; the first of two that contradict wins.

Offsets are characters of the file's decoded text. Nothing is written here, and nothing outside a pin's own place is
touched: comments, order, quoting and line ends stay.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from compat.facts.pins import Pin, PinFile
from compat.plan.spelling import added, conditional, quotable, renamed, respelled
from compat.verdict.pins.finding import Cure, JudgedFile, PinFinding
from compat.verdict.pins.patterns import plain

_HASH = re.compile(r"(?:[^\n\\]|\\\r?\n|\\)*?\s--hash[=\s]")
"""On the logical line that begins where it is matched."""
_TABLES = ("poetry", "pipfile")
"""Spellings in which a requirement is a key and its value."""
_ONLY_MACS = frozenset(("tensorflow-macos", "tensorflow-metal", "tensorflow-metal-plugin", "tensorflow-deps"))
_FOR_MACS = re.compile(r"mac|darwin|osx|apple|metal|silicon|(?<![a-z0-9])m[1-5](?![a-z0-9])|arm64", re.IGNORECASE)
"""How people name what is for Macs."""
_SILICON = "sys_platform == 'darwin' and platform_machine == 'arm64'"
_NOT_SILICON = "sys_platform != 'darwin' or platform_machine != 'arm64'"
_ASSIGNED = re.compile(r"\s*[\w.-]+ = ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One piece of a file's text to be replaced."""

    path: str
    start: int
    end: int
    text: str
    entry: bool = False
    """Whether it is one more entry, which comes behind whatever else is changed at its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A cure that is not carried out, and why; what to do instead is in it."""

    path: str
    line: int
    id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """What to change, and what cannot be."""

    edits: tuple[Edit, ...] = ()
    refusals: tuple[Refusal, ...] = ()


class _CannotError(Exception):
    """A cure that no edit carries out."""


def amendment(judged: Sequence[JudgedFile], texts: Mapping[str, str]) -> Amendment:
    """Return the edits that carry out the findings' cures; ``texts`` are the files', by their plain paths."""
    files = by_path(row.file for row in judged)
    chosen: list[Edit] = []
    refusals: list[Refusal] = []
    for row in judged:
        for finding in row.findings:
            fresh = _together(finding, files, texts, chosen)
            if isinstance(fresh, Refusal):
                refusals += [] if fresh in refusals else [fresh]
            else:
                chosen += fresh
    return Amendment(edits=tuple(chosen), refusals=tuple(refusals))


def _wanted(cure: Cure, file: PinFile | None, text: str | None) -> tuple[Edit, ...]:
    """Return what one cure asks for. Raises where the file cannot be edited there."""
    if file is None or text is None:
        raise _CannotError("the file cannot be edited safely: change it by hand")
    if file.is_lock or cure.pin.locked:
        again = f": `{file.relock}`" if file.relock else ""
        raise _CannotError(f"a lock file is not edited: mend what it is made from and lock again{again}")
    if _hashed(cure.pin, text):
        again = file.relock or "pip-compile --generate-hashes"
        raise _CannotError(f"its hashes would no longer fit: change what it is made from and run `{again}`")
    if cure.pin.writing is None:
        raise _CannotError("the place cannot be edited safely: change it by hand")
    cure = _for_macs_only(cure, file)
    _not_twice(cure, file)
    return tuple(_edits(cure, text))


def _not_twice(cure: Cure, file: PinFile) -> None:
    """Raises where a table would have a key twice, which TOML forbids."""
    if cure.pin.writing is None or cure.pin.writing.spelling not in _TABLES:
        return
    name = canonicalize_name(cure.name or _subject(cure.add))
    if name and any(pin.name == name and pin.group == cure.pin.group for pin in file.pins):
        raise _CannotError(f"{name} stands in that table already, for other conditions: change it by hand")


def _for_macs_only(cure: Cure, file: PinFile) -> Cure:
    """Return a cure that leaves others what they have where a name that only Macs have would replace it.

    A file that is for Macs, by its name, its markers or the pins beside it, just takes the other name.
    """
    pin = cure.pin
    said = (*file.platforms, pin.marker, pin.group, posixpath.basename(plain(file.path)))
    beside = any(other.name in _ONLY_MACS and other.group in ("", pin.group) for other in file.pins)
    if cure.name != "tensorflow-macos" or beside or any(_FOR_MACS.search(word) for word in said):
        return cure
    return Cure(path=cure.path, pin=pin, marker=_NOT_SILICON, add=f"{cure.name}{pin.specifier}; {_SILICON}")


def applied(text: str, chosen: Iterable[Edit]) -> str:
    """Return the text with the edits made; those at one place come in their order."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(chosen, key=lambda edit: (edit.start, edit.end, edit.entry)):
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join((*pieces, text[at:]))


def for_finding(finding: PinFinding, files: Mapping[str, PinFile], texts: Mapping[str, str]) -> tuple[Edit, ...]:
    """Return the edits of one finding alone; none where it has no cure or one of them cannot be carried out."""
    found = _together(finding, files, texts, ())
    return () if isinstance(found, Refusal) else tuple(found)


def _together(
    finding: PinFinding, files: Mapping[str, PinFile], texts: Mapping[str, str], chosen: Sequence[Edit]
) -> list[Edit] | Refusal:
    """Return the edits of one finding: all of them or none, since half a cure may be worse than the fault."""
    found: list[Edit] = []
    for cure in finding.cures:
        try:
            found += _new(_wanted(cure, files.get(plain(cure.path)), texts.get(plain(cure.path))), (*chosen, *found))
        except _CannotError as why:  # noqa: PERF203 - which cure it was is the news
            return Refusal(path=cure.path, line=cure.pin.line, id=finding.id, why=str(why))
    return found


def _edits(cure: Cure, text: str) -> Iterator[Edit]:
    writing = cure.pin.writing
    if writing is None:
        return
    span = writing.specifier
    if writing.spelling == "word":
        if cure.specifier is not None or cure.name:
            word = text[span.start : span.end]
            new = respelled(word, "word", cure.specifier, name=cure.name)
            yield from _different(cure, span.start, span.end, text, new)
    else:
        if cure.name:
            yield _renaming(cure, text)
        if cure.specifier is not None:
            new = respelled(text[span.start : span.end], writing.spelling, cure.specifier)
            yield from _different(cure, span.start, span.end, text, new)
    if cure.marker:
        yield _narrowed(cure, text)
    if cure.add:
        at = writing.entry_end
        yield Edit(path=plain(cure.path), start=at, end=at, text=added(cure.add, writing), entry=True)


def _narrowed(cure: Cure, text: str) -> Edit:
    """The pin under a condition. Raises where it has one already, or the format says conditions elsewhere."""
    pin, writing = cure.pin, cure.pin.writing
    if writing is None or pin.marker or writing.spelling in _TABLES:
        raise _CannotError(f"add the condition {cure.marker} by hand")
    span = writing.specifier
    if writing.spelling != "word":
        said = quotable(f"; {cure.marker}", writing.opening)
        return Edit(path=plain(cure.path), start=span.end, end=span.end, text=said)
    word = conditional(text[span.start : span.end], cure.marker)
    if word is None:
        raise _CannotError("the requirement is written in a way that cannot be edited safely: change it by hand")
    return Edit(path=plain(cure.path), start=span.start, end=span.end, text=word)


def _different(cure: Cure, start: int, end: int, text: str, new: str | None) -> Iterator[Edit]:
    """Yield the edit without what stays: of ``>=2.9`` and ``>=2.9,<2.16`` only the second bound is new."""
    if new is None:
        raise _CannotError("the requirement is written in a way that cannot be edited safely: change it by hand")
    old = text[start:end]
    if old == new:
        return
    if new.startswith(old):
        start, new = end, new[len(old) :]
    yield Edit(path=plain(cure.path), start=start, end=end, text=new)


def _renaming(cure: Cure, text: str) -> Edit:
    start = _offset(text, cure.pin)
    length = renamed(text[start : start + 200], cure.pin.name) if start is not None else None
    if start is None or length is None:
        raise _CannotError("its name cannot be found where it was read: change it by hand")
    return Edit(path=plain(cure.path), start=start, end=start + length, text=cure.name)


def _hashed(pin: Pin, text: str) -> bool:
    start = _offset(text, pin)
    return start is not None and _HASH.match(text, start) is not None


def _offset(text: str, pin: Pin) -> int | None:
    """Return where a pin's name begins."""
    at = 0
    for _ in range(pin.line - 1):
        at = text.find("\n", at) + 1
        if not at:
            return None
    return at + pin.column - 1


def _new(wanted: Iterable[Edit], chosen: Sequence[Edit]) -> list[Edit]:
    """Return the edits that are not chosen yet. Raises where one contradicts those that are."""
    fresh = [edit for edit in wanted if edit not in chosen]
    for edit in fresh:
        if any(_clash(edit, other) for other in chosen if other.path == edit.path):
            raise _CannotError("another edit of the same place comes first: run it again")
    return fresh


def _clash(edit: Edit, other: Edit) -> bool:
    """Tell whether two edits cannot both be made; two entries may follow one another at one place."""
    if edit.entry and other.entry and _ASSIGNED.match(edit.text) and _subject(edit.text) == _subject(other.text):
        return True  # it may be the same table, which can have the key once
    if edit.start == edit.end == other.start == other.end:
        return edit.entry == other.entry and (not edit.entry or _subject(edit.text) == _subject(other.text))
    return (edit.start < other.end and other.start < edit.end) or (
        edit.start == other.start and not (edit.entry or other.entry)
    )


def _subject(entry: str) -> str:
    """Return the name in an entry."""
    found = re.search(r"[A-Za-z][\w.-]*", entry)
    return found[0].lower() if found else ""


def by_path(files: Iterable[PinFile]) -> dict[str, PinFile]:
    """Return files by their plain path, with those they include."""
    found: dict[str, PinFile] = {}
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if found.setdefault(plain(file.path), file) is file:
            waiting += [part.file for part in file.included]
    return found
