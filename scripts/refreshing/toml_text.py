"""A distribution's releases as TOML: one wheel a line, stable to the byte, made to be read in a diff."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator

    from packaging.version import Version

    from refreshing.releases import File, Release, Requires

HEADING = "# Written by scripts/refresh from the index named below; an edit by hand is lost at the next run."


def toml_of(name: str, source: str, retrieved: dt.date, releases: tuple[Release, ...], *, in_full: bool) -> str:
    """Write the whole file. `in_full=False` leaves out sizes, hashes, dependencies and sdists."""
    table = _requires_table(releases)
    lines = [HEADING, f"name = {_text(name)}", f"source = {_text(source)}", f"retrieved = {retrieved}"]
    if table:
        lines += ["", "requires = [", *(f"  [{', '.join(map(_text, each))}]," for each in table), "]"]
    for release in releases:
        lines += ["", "[[releases]]", *_release(name, release, table, in_full=in_full)]
    return "\n".join(lines) + "\n"


def _requires_table(releases: tuple[Release, ...]) -> dict[Requires, int]:
    """Distinct lists by number, oldest release first, so that a new release appends and renumbers nothing."""
    table: dict[Requires, int] = {}
    for release in reversed(releases):
        for file in (*release.wheels, *((release.sdist,) if release.sdist else ())):
            if file.requires is not None:
                table.setdefault(file.requires, len(table))
    return table


def _release(name: str, release: Release, table: dict[Requires, int], *, in_full: bool) -> Iterator[str]:
    yield f"version = {_text(str(release.version))}"
    yield f"uploaded = {release.uploaded}"
    if release.requires_python is not None:
        yield f"requires_python = {_text(release.requires_python)}"
    if release.yanked is not None:
        yield f"yanked = {_text(release.yanked)}"
    if release.wheels:
        yield "wheels = ["
        for wheel in release.wheels:
            yield f"  {{ {', '.join(_wheel(name, release.version, wheel, table, in_full=in_full))} }},"
        yield "]"
    else:
        yield "wheels = []"
    if in_full and release.sdist is not None:
        yield f"sdist = {{ {', '.join(_sdist(name, release.version, release.sdist, table))} }}"


def _wheel(name: str, version: Version, wheel: File, table: dict[Requires, int], *, in_full: bool) -> Iterable[str]:
    yield f"tag = {_text(wheel.tag or '')}"
    if in_full:
        if wheel.build is not None:
            yield f"build = {_text(wheel.build)}"
        if wheel.filename != _expected(name, version, wheel):
            yield f"file = {_text(wheel.filename)}"
        yield from _weight(wheel)
        if wheel.requires is not None:
            yield f"requires = {table[wheel.requires]}"
    yield from _exceptions(wheel)


def _sdist(name: str, version: Version, sdist: File, table: dict[Requires, int]) -> Iterable[str]:
    if sdist.filename != f"{_escaped(name)}-{version}.tar.gz":
        yield f"file = {_text(sdist.filename)}"
    yield from _weight(sdist)
    if sdist.requires is not None:
        yield f"requires = {table[sdist.requires]}"
    if sdist.requires is not None and sdist.dynamic:
        yield "dynamic = true"
    yield from _exceptions(sdist)


def _weight(file: File) -> Iterable[str]:
    yield f"size = {file.size}"
    yield f"sha256 = {_text(file.sha256)}"


def _exceptions(file: File) -> Iterable[str]:
    """Where a file differs from its release."""
    if file.uploaded is not None:
        yield f"uploaded = {file.uploaded}"
    if file.requires_python is not None:
        yield f"requires_python = {_text(file.requires_python)}"
    if file.yanked is not None:
        yield f"yanked = {_text(file.yanked)}"


def _expected(name: str, version: Version, wheel: File) -> str:
    build = f"-{wheel.build}" if wheel.build else ""
    return f"{_escaped(name)}-{version}{build}-{wheel.tag}.whl"


def _escaped(name: str) -> str:
    return name.replace("-", "_")


def _text(value: str) -> str:
    """Write a TOML basic string. JSON's escapes are all TOML's too; DEL alone TOML wants escaped and JSON does not."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
