"""Read a dependency file into pins: requirements files and PEP 621 tables; anything else is seen, not judged."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from compat.facts.pins import Pin, PinFile

LIMIT_BYTES = 50_000_000

_COMMENT = re.compile(r"(^|\s)#.*$")
_OPTION = re.compile(r"\s--(hash|global-option|config-settings)[= ]\S+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def read(path: Path) -> PinFile:
    """Return the pins of a file; a file that cannot be read says so in its ``problem``."""
    try:
        if path.stat().st_size > LIMIT_BYTES:
            return PinFile(path=str(path), kind="unknown", problem="larger than 50 MB")
        text = decoded(path.read_bytes())
    except OSError as error:
        return PinFile(path=str(path), kind="unknown", problem=error.strerror or str(error))
    except UnicodeDecodeError:
        return PinFile(path=str(path), kind="unknown", problem="not text")
    if path.name == "pyproject.toml":
        return _pyproject(str(path), text)
    if path.suffix in (".txt", ".in", ".pip") or "requirements" in path.name or "constraints" in path.name:
        return PinFile(path=str(path), kind="requirements", pins=tuple(requirements(text)))
    return PinFile(path=str(path), kind="unknown")


def decoded(raw: bytes) -> str:
    """Return the text of a file by its byte order mark, UTF-8 without one. Raises UnicodeDecodeError."""
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if raw.startswith(mark):
            return raw.decode(encoding)
    return raw.decode("utf-8")


def requirements(text: str) -> Iterator[Pin]:
    """Yield the pins of a requirements file: comments, continuations, hashes and options are pip's."""
    for number, line in _logical_lines(text):
        bare = _OPTION.sub("", _COMMENT.sub("", line)).strip()
        if bare and not bare.startswith("-"):
            yield from _pin(bare, number, len(line) - len(line.lstrip()) + 1)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Join continued lines; the number is that of the first."""
    joined, first = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        first = first or number
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            joined += line[:-1]
            continue
        yield first, joined + line
        joined, first = "", 0
    if joined:
        yield first, joined


def _pin(text: str, line: int, column: int) -> Iterator[Pin]:
    """The pin a requirement is; URLs, paths and what does not parse pin no version and are left out."""
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    if not _NAME.match(text):
        return
    try:
        wanted = Requirement(text)
    except InvalidRequirement:
        return
    if wanted.url is None:
        yield Pin(
            name=canonicalize_name(wanted.name),
            specifier=str(wanted.specifier),
            marker=str(wanted.marker or ""),
            line=line,
            column=column,
            extras=tuple(sorted(wanted.extras)),
        )


def _pyproject(path: str, text: str) -> PinFile:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return PinFile(path=path, kind="pyproject", problem=str(error))
    project = raw.get("project")
    if not isinstance(project, dict):
        return PinFile(path=path, kind="pyproject")
    optional = project.get("optional-dependencies")
    groups = [project.get("dependencies"), *(optional.values() if isinstance(optional, dict) else ())]
    wanted = [row for group in groups if isinstance(group, list) for row in group if isinstance(row, str)]
    requires_python = project.get("requires-python")
    return PinFile(
        path=path,
        kind="pyproject",
        pins=tuple(pin for row in dict.fromkeys(wanted) for pin in _placed(row, text)),
        requires_python=requires_python if isinstance(requires_python, str) else None,
    )


def _placed(requirement: str, text: str) -> Iterator[Pin]:
    """A requirement of a TOML list at the line its text stands on."""
    for number, line in enumerate(text.splitlines(), start=1):
        if requirement in line:
            yield from _pin(requirement, number, line.index(requirement) + 1)
            return
    yield from _pin(requirement, 1, 1)
