"""From kept files to releases: one record per version, newest first, in an order that no index can disturb."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from typing import TYPE_CHECKING

from packaging.metadata import parse_email
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping

    from packaging.version import Version

    from refreshing.choosing import Kept

Requires = tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A wheel or an sdist of a release. A field is None where the release already says it, or nobody does."""

    tag: str | None
    build: str | None
    filename: str
    size: int
    """Bytes."""
    sha256: str
    uploaded: dt.date | None
    """Only where it differs from the release's day."""
    requires_python: str | None
    """Only where it differs from the release's; "" where this file asks for nothing and the others do."""
    yanked: str | None
    """Only where the file was withdrawn and the release was not."""
    requires: Requires | None
    """None where dependencies are not followed, and for an sdist beside wheels, which is not asked."""
    dynamic: bool
    """The sdist says that building it may change its requirements (`Dynamic: Requires-Dist`)."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One version of a distribution."""

    version: Version
    uploaded: dt.date
    """The day its first kept file arrived."""
    requires_python: str | None
    yanked: str | None
    """Set where every kept file is withdrawn."""
    wheels: tuple[File, ...]
    sdist: File | None


def releases_of(kept: Iterable[Kept], metadata: Mapping[str, bytes]) -> tuple[Release, ...]:
    """Newest first. `metadata` by the sha256 of the file; a file without one gets no dependencies."""
    by_version: dict[Version, list[Kept]] = {}
    for one in kept:
        by_version.setdefault(one.version, []).append(one)
    requires = {sha256: dependencies(content) for sha256, content in metadata.items()}
    dynamic = frozenset(sha256 for sha256, content in metadata.items() if may_change(content))
    return tuple(
        _release(version, by_version[version], requires, dynamic) for version in sorted(by_version, reverse=True)
    )


def may_change(metadata: bytes) -> bool:
    """Whether an sdist leaves its requirements to the build (core metadata 2.2, `Dynamic`)."""
    return "requires-dist" in {field.lower() for field in parse_email(metadata)[0].get("dynamic", [])}


def dependencies(metadata: bytes) -> Requires:
    """Requires-Dist, names canonical, duplicates gone, sorted: the same set gives the same tuple."""
    declared = parse_email(metadata)[0].get("requires_dist", [])
    return tuple(sorted({_canonical(requirement) for requirement in declared}))


def _canonical(requirement: str) -> str:
    try:
        parsed = Requirement(requirement)
    except (InvalidRequirement, RecursionError):  # the latter from nested brackets, in older releases of packaging
        # Kept as it stands: the matrix reports what was published, and pip's verdict on it is a fact of its own.
        return " ".join(requirement.split())
    parsed.name = canonicalize_name(parsed.name)
    return str(parsed)


def _release(version: Version, files: list[Kept], requires: Mapping[str, Requires], dynamic: frozenset[str]) -> Release:
    uploaded = min(one.file.uploaded for one in files)
    python = _most_common([one.file.requires_python for one in files])
    reasons = [one.file.yanked for one in files if one.file.yanked is not None]
    yanked = min(reasons) if len(reasons) == len(files) else None
    ordered = sorted(files, key=_order)
    described = [
        File(
            tag=one.tag,
            build=one.build,
            filename=one.file.filename,
            size=one.file.size,
            sha256=one.file.sha256,
            uploaded=one.file.uploaded if one.file.uploaded != uploaded else None,
            requires_python=(one.file.requires_python or "") if one.file.requires_python != python else None,
            yanked=one.file.yanked if yanked is None else None,
            requires=requires.get(one.file.sha256),
            dynamic=one.tag is None and one.file.sha256 in dynamic,
        )
        for one in ordered
    ]
    return Release(
        version=version,
        uploaded=uploaded,
        requires_python=python,
        yanked=yanked,
        wheels=tuple(file for file in described if file.tag is not None),
        sdist=next((file for file in described if file.tag is None), None),
    )


def _most_common(values: list[str | None]) -> str | None:
    counted = Counter(values)
    return min(counted, key=lambda value: (-counted[value], value or ""))


def _order(one: Kept) -> tuple[list[int], str, str]:
    """By Python, as a number (cp39 before cp310), then by the rest of the name."""
    interpreter = (one.tag or "").split("-")[0]
    numbers = re.findall(r"\d(\d*)", interpreter)
    return [int(minor or 0) for minor in numbers], one.tag or "", one.file.filename
