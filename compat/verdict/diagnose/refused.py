"""Causes from a wheel file that pip refused: its name says for which Python, system and architecture it was made."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.pasted import REFUSED, Lacking, Pasted
from compat.matrix.load import Matrix
from compat.matrix.model import Issue
from compat.matrix.tags import is_for_python
from compat.matrix.versions import minor
from compat.verdict.diagnose.cause import LOW, MEDIUM, Cause, of_issue
from compat.verdict.diagnose.offers import hidden_macos, old_pip
from compat.verdict.diagnose.picture import Picture
from compat.verdict.finding import Evidence

_TAG = re.compile(r"-((?:cp|py|pp)\d[\w.]{0,40}-\w[\w.]{0,20}-\w[\w.]{0,120})\.whl")
"""The compressed tag at the end of a wheel's name (PEP 427)."""
_FLOOR = re.compile(r"macosx_(\d{1,2})_(\d{1,2})_")
_SYSTEMS = {"macosx": "macos", "manylinux": "linux", "musllinux": "linux", "linux": "linux", "win": "windows"}
_ARCHITECTURES = {
    "arm64": {"arm64"}, "aarch64": {"arm64"}, "x86_64": {"x86_64"}, "amd64": {"x86_64"}, "intel": {"x86_64"},
    "fat64": {"x86_64"}, "universal2": {"arm64", "x86_64"},
}  # fmt: skip
RULE = "PY204"
_WORDS = "is not a supported wheel"


def from_refused(said: Lacking, pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield what the file and the stated facts contradict each other in; else an old pip, or a hidden macOS.

    The latter two on macOS 11 or newer only, and unless a signature says what it is.
    """
    named = _TAG.search(said.line.text) if said.kind == REFUSED else None
    against = tuple(_against(named[1], picture)) if named else ()
    if named and against:
        yield from _misfit(said, named[1], against, MEDIUM, (), matrix)
        return
    signed = any(hit.line.number == said.line.number for hit in pasted.hits)
    new = bool(picture.macos) and all(int(value.split(".")[0]) >= 11 for value in picture.macos)  # noqa: PLR2004
    if new and not signed and picture.os == ("macos",):
        if picture.shim:
            yield hidden_macos(said.line, matrix)
            return
        if said.kind == REFUSED and picture.hardware != ("arm64",):
            yield old_pip(said.line, picture, matrix)
    unknown = tuple(name for name, known in (("python", picture.python), ("process", picture.process)) if not known)
    if named and unknown and not signed:
        yield from _misfit(said, named[1], ("what Python runs as is not all stated",), LOW, unknown, matrix)


def _against(tag: str, picture: Picture) -> Iterator[str]:
    """Yield in words each stated fact that the tag is not for."""
    pythons = tuple(dict.fromkeys(minor(value) for value in picture.python))
    if pythons and not any(is_for_python(tag, python) for python in pythons):
        yield f"Python {' or '.join(pythons)} is stated"
    platforms = tag.split("-")[2].split(".")
    if platforms == ["any"]:
        return
    systems = {_SYSTEMS[word] for name in platforms for word in _SYSTEMS if name.startswith(word)}
    if picture.os and systems and not systems & set(picture.os):
        yield f"{' or '.join(picture.os)} is stated"
    builds = {
        word for name in platforms for end, words in _ARCHITECTURES.items() if name.endswith(end) for word in words
    }
    if picture.process and not picture.process_assumed and builds and not builds & set(picture.process):
        yield f"Python runs as {' or '.join(picture.process)}"
    floors = [(int(major), int(rest)) for name in platforms for major, rest in _FLOOR.findall(name)]
    if floors and picture.macos and all(_numbers(value) < min(floors) for value in picture.macos):
        yield f"macOS {' or '.join(picture.macos)} is stated"


def _numbers(version: str) -> tuple[int, int]:
    """Return a macOS version's first two numbers; of a major alone its last release, which it may be."""
    major, _, rest = version.partition(".")
    second = rest.split(".")[0]
    return int(major), int(second) if second.isdigit() else 99


def _misfit(
    said: Lacking, tag: str, against: tuple[str, ...], confidence: str, missing: tuple[str, ...], matrix: Matrix
) -> Iterator[Cause]:
    issue = _issue(matrix)
    if issue is not None:
        yield of_issue(
            issue,
            confidence=confidence,
            line=said.line,
            evidence=(
                Evidence(fact=f"the file is for {tag}; {', '.join(against)}", source="the file's name (PEP 427)"),
            ),
            missing=missing or ("python", "process"),
            weight=len(said.line.text),  # the whole name was read
            is_final=True,
            is_proved=confidence != LOW,
        )


def _issue(matrix: Matrix) -> Issue | None:
    rows = (row for row in matrix.issues() if row.withdrawn is None and row.rule == RULE)
    return next((row for row in rows if any(_WORDS in signature for signature in row.signatures)), None)
