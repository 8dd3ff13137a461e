"""Words around a version that make it another one than this machine's: ranges, examples, what used to work."""

from __future__ import annotations

import re

_BEFORE = re.compile(
    r"(?:[<>!~]=?|\b(?:since|before|after|until|till|below|above|under|over|least|most|than|through|from|up to|"
    r"prior to|requires?|needs?|supports?|to|or))\s*v?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:\+(?!\w)|[-–—]\s?v?\d+\.|(?:release|branch) |(?:to|through|or|and|until)\s+"
    r"(?:v?\d+\.|newer|later|higher|above|below|older|lower|up\b|greater|earlier))",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:work(?:s|ed|ing)? (?:fine|well|perfectly|correctly|with|in|on|under|for|again)"
    r"|(?:downgrad|upgrad|revert|roll|switch|fall|fell|went|go|going)\w*|instead|used to|previous(?:ly)?|earlier|older"
    r"|another|other (?:machine|computer|laptop)|fixed (?:in|by)|solved|resolved|converge\w*"
    r"|same (?:script|code|model|notebook|program)|recommend\w*|should (?:use|work|install)|try|tried|until|unlike"
    r"|compared?)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"n't|\bnot\b|\bfail|\bbroken\b|\bcannot\b|\bcrash", re.IGNORECASE)
_EXAMPLE = re.compile(
    r"\((?:e\.g\.|use command|source or|if compiling)[^)]{0,120}\)|e\.g\.,? [^\n)]{0,60}", re.IGNORECASE
)


_QUOTING = " \t>|│┃║"


def is_range(before: str, after: str) -> bool:
    """Tell whether a version is the end of a range in prose or in a requirement."""
    before = before.lstrip(_QUOTING)  # a quoted line begins with >, which compares nothing
    return _BEFORE.search(before[-40:]) is not None or _AFTER.match(after[:40]) is not None


def is_about_elsewhere(before: str, after: str) -> bool:
    """Tell whether a sentence is about a version that works, or is to be tried, or was there before."""
    sentence = re.split(r"[.!?;]\s", before)[-1][-160:] + " " + re.split(r"[.!?;]\s", after)[0][:80]
    return _ELSEWHERE.search(sentence) is not None and _NOT.search(sentence) is None


def is_example(before: str) -> bool:
    """Tell whether a value is a form's own example: ``OS Platform (e.g., Linux Ubuntu 16.04)``."""
    opened = before.rfind("e.g.")
    return opened >= 0 and ")" not in before[opened:] and len(before) - opened < 60  # noqa: PLR2004 - one bracket


def without_examples(text: str) -> str:
    """Return a form's line without its own examples."""
    return _EXAMPLE.sub("", text)
