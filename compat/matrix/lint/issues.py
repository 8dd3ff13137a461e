"""What must hold of a known problem by itself: it can be recognized, it is sourced, and its advice harms nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.matrix.lint import rows, words
from compat.matrix.lint.problem import Complaint
from compat.matrix.model import PLATFORMS, Affects, Issue

_EMAIL = re.compile(r"\w@[\w-]{1,64}\.[A-Za-z]{2}")
_AT = re.compile(r"(?<![\w@])@(?=(\w[\w.-]{0,80}))")
_RULE_DIGITS = 3


def issue(row: Issue, today: str | None) -> Iterator[Complaint]:
    """Check one known problem."""
    yield from rows.numbered(row.id, ("ISS",))
    yield from rows.filled(row, ("title", "symptom", "remedy"))
    yield from rows.one_of(row.severity, words.SEVERITIES, "severity")
    if not row.signatures and row.rule is None:
        yield "signatures", "no-signature", "neither a signature nor a rule: nothing could ever point at this issue"
    if row.rule is not None and not is_rule_id(row.rule):
        yield "rule", "rule-id", f"{row.rule!r} is not a rule id"
    if row.withdrawn is not None and not row.withdrawn.strip():
        yield "withdrawn", "empty-field", "withdrawn, and nobody says why"
    yield from rows.sources(row.sources, today)
    if row.severity == "error" and row.sources and all(source.kind == "article" for source in row.sources):
        yield "sources", "second-hand-only", "second-hand articles alone do not support an error"
    for index, condition in enumerate(row.affects):
        yield from _affects(condition, f"affects[{index}]")
    for index, text in enumerate(row.signatures):
        yield from signature(text, f"signatures[{index}]")
    for index, text in enumerate(row.commands):
        yield from _command(text, f"commands[{index}]")


def is_rule_id(text: str) -> bool:
    """Tell whether a text is a family's letters and three digits."""
    return text[:-_RULE_DIGITS] in words.RULE_FAMILIES and text[-_RULE_DIGITS:].isdigit()


def signature(text: str, at: str) -> Iterator[Complaint]:
    """Check a literal piece of error text; ``…`` stands for any text on the same line.

    It begins with a literal piece long enough to be looked for, so that matching takes one pass over a log: there is
    nothing in it that a matcher could have to try again.
    """
    pieces = text.split(words.GAP)
    if not text.isprintable():
        yield at, "signature-lines", f"{text!r} holds a line end or another control character"
    if len(text) > words.LONGEST_SIGNATURE:
        yield at, "signature-too-long", f"{len(text)} characters, more than {words.LONGEST_SIGNATURE}"
    if len("".join(pieces)) < words.SHORTEST_SIGNATURE:
        yield at, "signature-too-short", f"{text!r} is too short to point at one problem"
    if len(pieces) > 1 and len(pieces[0].strip()) < words.SHORTEST_BEGINNING:
        yield at, "signature-gap", f"fewer than {words.SHORTEST_BEGINNING} characters stand before the first gap"
    if not all(piece.strip() for piece in pieces[1:]):
        yield at, "signature-gap", "a gap with nothing behind it"
    yield from _names_nobody(text, at)
    for piece in words.PATTERN:
        if piece in text:
            yield at, "signature-pattern", f"{text!r} looks like a regular expression; signatures are literal"


def _names_nobody(text: str, at: str) -> Iterator[Complaint]:
    for piece in words.PERSONAL:
        if piece in text:
            yield at, "signature-personal", f"{text!r} holds {piece!r}: it names a place, a person or a project"
    if _EMAIL.search(text):
        yield at, "signature-personal", f"{text!r} holds an e-mail address"
    for found in _AT.finditer(text):
        if not found[1].startswith(words.AT_WORDS):
            yield at, "signature-personal", f"{text!r} holds '@{found[1]}': it names a person"


def _affects(row: Affects, at: str) -> Iterator[Complaint]:
    for name in ("versions", "with_versions", "macos", "python"):
        yield from rows.version_set(getattr(row, name), f"{at}.{name}")
    if row.package is None:
        said = "a condition on no package holds everywhere; leave affects empty where a rule or a text tells"
        yield f"{at}.package", "no-package", said
    if row.with_versions is not None and row.with_package is None:
        yield f"{at}.with_versions", "no-package", "versions of no package"
    for platform in row.platforms:
        yield from rows.one_of(platform, PLATFORMS, f"{at}.platforms")


def _command(text: str, at: str) -> Iterator[Complaint]:
    for piece in words.PERSONAL:
        if piece in text:
            yield at, "command-personal", f"{text!r} holds {piece!r}: it works on one machine only"
    for piece in words.DESTRUCTIVE:
        if text.startswith(piece) or f" {piece}" in text:
            yield at, "command-destructive", f"{text!r} destroys: {piece.strip()!r} is never offered"
    if not text.isprintable():
        yield at, "command-destructive", f"{text!r} holds a line end or another control character"
