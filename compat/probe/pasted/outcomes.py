"""Versions with their outcome in one line: ``2.17.0 works; 2.18 fails``, ``broken since 2.11, 2.10 was fine``.

The version that failed is the one that was installed when it failed; the others are told for comparison.
"""

from __future__ import annotations

import re

_VERSION = (
    r"(?:[<>]=?|==|~=)?\s?v?\d{1,4}\.\d{1,4}(?:\.\d{1,6})?(?:\.?(?:rc|post|a|b)\d{1,3})?(?:\.[xX*]|\+)?(?![\w.]*\w)"
)
_GOOD = r"work(?:s|ed|ing)?|ok(?:ay)?|OK|fine|good|loads?|loaded|runs?|ran|right|correct(?:ly)?|imports"
_BAD = (
    r"fail(?:s|ed|ing|ure)?|bad|broken?|broke|breaks|wrong|crash(?:es|ed)?|dies|died|slow|hangs?|errors?|"
    r"(?:does|do|did|will|can)(?:n't|n\u2019t| not|not) (?:work|load|run|import|start)|not working|aborts?|segfaults?"
)
_TOKEN = re.compile(
    rf"(?P<bad>\b(?:{_BAD})\b)|(?P<good>\b(?:{_GOOD})\b)|(?P<version>(?<![\w.-]){_VERSION})|(?P<cut>[;\n]|\.\s|\bbut\b)",
    re.IGNORECASE,
)
_LEADS = re.compile(r"\s*(?:to load )?(?:with|on|in|under|at|since|beside|for|from)\s+(?:[A-Za-z-]{2,20}\s+){0,2}$")

_PAIR = re.compile(
    r"(?<![\w.])([01]\.\d{1,2}\.\d{1,2})(?: plugin)? "
    r"(?:(?:does|do|did|will|can)(?:n't| not|not) (?:load|import|work)|fails?(?: to load)?|breaks|crashes)"
    r" (?:on|with|beside|under|in) (?:tensorflow |TensorFlow |TF )?"
    r"((?:[<>]=?\s?)?2\.\d{1,2}(?:\.\d{1,2})?(?:\.[xX*]|\+)?)"
    r"(?![\w.]*\w)"
)


def outcomes(text: str) -> tuple[tuple[str, bool], ...]:
    """Return the versions of a line with whether each failed; those that no outcome is told of are left out."""
    found: list[tuple[str, bool]] = []
    open_versions: list[str] = []
    leading: bool | None = None  # the outcome that versions behind it have, in "fails on 2.18, 2.19"
    led, end = False, 0
    for token in _TOKEN.finditer(text):
        between, end = text[end : token.start()], token.end()
        if token["version"]:
            version = re.sub(r"[\sv+]|\.[xX*]$", "", token["version"])
            version = version.removeprefix("==")
            if leading is not None and (_LEADS.match(between) or (led and not between.strip(" ,and/"))):
                found.append((version, leading))
                led = True
            else:
                leading = None
                open_versions.append(version)
        elif token["cut"]:
            open_versions, leading = [], None
        else:
            failed = token["bad"] is not None
            found += ((version, failed) for version in open_versions)
            open_versions, leading, led = [], None if open_versions else failed, False
    return tuple(found)


def unloadable(text: str) -> tuple[str, str] | None:
    """Return the plugin's and TensorFlow's versions of "1.2.0 does not load on >=2.20", None for any other line."""
    pair = _PAIR.search(text)
    return (pair[1], re.sub(r"\s|\.[xX*]$|\+$", "", pair[2])) if pair else None
