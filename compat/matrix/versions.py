"""Version logic in one place, all of it ``packaging``'s: parse, order, contain, fit."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version


@functools.cache
def parse(text: str) -> Version | None:
    """Return the version, None for text that is none (a local build's, a cut-short METADATA's)."""
    try:
        return Version(text)
    except InvalidVersion:
        return None


@functools.cache
def specifiers(text: str) -> SpecifierSet | None:
    """Return the PEP 440 set, None for text that is none."""
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return None


@functools.lru_cache(maxsize=65536)
def contains(specifier: str, version: str) -> bool:
    """Tell whether a PEP 440 set admits a version; pre-releases count, text that does not parse is not admitted."""
    wanted, given = specifiers(specifier), parse(version)
    return wanted is not None and given is not None and wanted.contains(given, prereleases=True)


def newest(texts: Iterable[str]) -> str | None:
    """Return the greatest of some versions, None where none parses."""
    return max((text for text in texts if parse(text)), key=order, default=None)


def order(text: str) -> Version:
    """Sort key; what does not parse sorts first."""
    return parse(text) or Version("0.dev0")


def is_final(text: str) -> bool:
    """Tell whether a version is neither a pre- nor a development release."""
    version = parse(text)
    return version is not None and not version.is_prerelease


def minor(text: str) -> str:
    """Return ``2.18`` of ``2.18.1``."""
    version = parse(text)
    return f"{version.major}.{version.minor}" if version else text


def ranges(texts: Iterable[str]) -> str:
    """Return a short human list: ``3.9–3.12`` for consecutive minors, commas between runs."""
    found = sorted({text for text in texts if parse(text)}, key=order)
    runs: list[list[str]] = []
    for text in found:
        if runs and _follows(runs[-1][-1], text):
            runs[-1].append(text)
        else:
            runs.append([text])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _follows(left: str, right: str) -> bool:
    a, b = parse(left), parse(right)
    if a is None or b is None or len(a.release) != len(b.release):
        return False
    return a.release[:-1] == b.release[:-1] and b.release[-1] - a.release[-1] == 1
