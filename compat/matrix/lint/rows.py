"""What holds of rows of every kind: fields are filled, words are known, days are days, claims have a source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from compat.matrix.lint import words
from compat.matrix.lint.problem import Complaint, Problem
from compat.matrix.model import Source
from compat.matrix.versions import parse, specifiers

_ID_LETTERS = 3


def told(at: str, complaints: Iterable[Complaint]) -> Iterator[Problem]:
    """Turn what is said of a row into problems at its address (``a.toml: `` where the file is the row)."""
    begin = at if at.endswith(" ") else f"{at}."
    return (Problem(address=f"{begin}{where}", check=check, text=text) for where, check, text in complaints)


def numbered(text: str, prefixes: tuple[str, ...]) -> Iterator[Complaint]:
    """Check an id: letters that say the kind, and three digits."""
    number = text[_ID_LETTERS:]
    if text[:_ID_LETTERS] not in prefixes or len(number) != _ID_LETTERS or not (number.isascii() and number.isdigit()):
        yield "id", "id-shape", f"must be {' or '.join(prefixes)} and three digits"


def filled(row: object, names: Iterable[str]) -> Iterator[Complaint]:
    """Check that texts are there."""
    for name in names:
        if not str(getattr(row, name)).strip():
            yield name, "empty-field", "empty"


def one_of(text: str, known: Iterable[str], at: str) -> Iterator[Complaint]:
    """Check a word of a closed list."""
    if text not in known:
        yield at, "unknown-word", f"{text!r} is none of {', '.join(known)}"


def version_set(text: str | None, at: str) -> Iterator[Complaint]:
    """Check a PEP 440 set; absent is no set."""
    if text is not None and (not text.strip() or specifiers(text) is None):
        yield at, "version-set", f"{text!r} is not a PEP 440 set"


def version(text: str, at: str) -> Iterator[Complaint]:
    """Check one version."""
    if parse(text) is None:
        yield at, "version", f"{text!r} is not a version"


def day(text: str, at: str, today: str | None = None) -> Iterator[Complaint]:
    """Check an ISO day: it exists, TensorFlow existed, and it is not to come."""
    try:
        date.fromisoformat(text)
    except ValueError:
        yield at, "day", f"{text!r} is not a day (YYYY-MM-DD)"
        return
    if text < words.FIRST_TENSORFLOW:
        yield at, "day", f"{text} is older than TensorFlow"
    if today is not None and text > today:
        yield at, "day", f"{text} is yet to come"


def size(number: int, at: str, least: int = 1) -> Iterator[Complaint]:
    """Check the bytes of a file."""
    if not least <= number <= words.LARGEST_SIZE:
        shown = str(number) if abs(number) < words.LARGEST_SIZE else "a number of many digits"
        yield at, "number", f"{shown} is no size of a file"


def sources(rows: tuple[Source, ...], today: str | None) -> Iterator[Complaint]:
    """Check where a claim comes from: there is a source, it has an address, it was read on a day."""
    if not rows:
        yield "sources", "no-source", "no source"
    for index, row in enumerate(rows):
        at = f"sources[{index}]"
        if not row.url.startswith("https://") and not (row.kind == "note" and row.url.startswith(words.NOTE)):
            yield f"{at}.url", "source-url", f"{row.url!r} is not an https address"
        yield from one_of(row.kind, words.SOURCE_KINDS, f"{at}.kind")
        yield from day(row.day, f"{at}.day", today)


def is_sha256(text: str) -> bool:
    """Tell whether a text is a SHA-256 in lower-case hexadecimal."""
    return len(text) == words.SHA256_LENGTH and not set(text) - set("0123456789abcdef")
