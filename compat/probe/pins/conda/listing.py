"""What conda writes of an environment: ``conda list``'s table, ``--export``'s triples, ``--explicit``'s addresses.

Source: conda's ``cli/main_list.py`` and ``misc.py`` (``explicit``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from compat.facts.pins import Pin, PinFile, Unread
from compat.probe.pins.conda import platforms as conda_platforms
from compat.probe.pins.conda.environment import stated
from compat.probe.pins.source import Source

_PLATFORM = re.compile(r"(?m)^# platform:[ \t]*([\w-]+)")
_EXPLICIT = re.compile(r"(?m)^@EXPLICIT\b")
_TABLE = re.compile(r"(?m)^# packages in environment at|^# Name +Version")
_FILE = re.compile(r"(?P<name>[^/\\]+)-(?P<version>[^-/\\]+)-(?P<build>[^-/\\]+)(?:\.conda|\.tar\.bz2)\Z")
_FROM_PYPI = re.compile(r"pypi(_\d+)?|<pip>")
_LIMIT = 2_000
"""Characters of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One built package with its place."""

    pin: Pin
    build: str
    subdir: str = ""


def read(source: Source) -> PinFile:
    """Return the packages of a listing."""
    kind, relock, parse = _way(source.text)
    rows = tuple(_rows(source, parse))
    packages = tuple(one for one in rows if isinstance(one, Package))
    platforms, why = _platforms(source.text, packages)
    python = next((one.pin for one in packages if one.pin.name == "python" and one.pin.origin == "conda"), None)
    return PinFile(
        path=str(source.path),
        kind=kind,
        pins=tuple(one.pin for one in packages if one.pin is not python),
        requires_python=python.admits[0] if python and python.admits else None,
        pythons=stated(python, python.admits or ())[1] if python else (),
        platforms=platforms,
        platforms_why=why,
        unread=tuple(one for one in rows if isinstance(one, Unread)),
        is_lock=True,
        relock=relock,
    )


def package(address: str, at: int, source: Source, *, marker: str = "", group: str = "") -> Package | None:
    """Return the package a conda file's address names, None where the name is not a conda file's."""
    bare = address.partition("#")[0]
    found = _FILE.search(bare)
    if found is None:
        return None
    line, column = source.place(at + found.start())
    folder = bare[: found.start()].rstrip("/\\")
    channel, _, subdir = folder.replace("\\", "/").rpartition("/")
    pin = Pin(
        name=canonicalize_name(unquote(found["name"])),
        specifier=unquote(found["version"]),
        marker=marker,
        line=line,
        column=column,
        admits=exact(unquote(found["version"])),
        group=group,
        origin="conda",
        channel=channel.rpartition("/")[2],
        locked=True,
    )
    return Package(pin=pin, build=found["build"], subdir=subdir)


def exact(version: str) -> tuple[str, ...]:
    """Return the set that admits a locked version alone; empty where PEP 440 does not know such a version."""
    try:
        Version(version)
    except InvalidVersion:
        return ()
    return (f"=={version}",)


def _way(text: str) -> tuple[str, str, Callable[[str, int, Source], Package | None]]:
    if _EXPLICIT.search(text):
        return "conda-explicit", "conda list --explicit", package
    if _TABLE.search(text):
        return "conda-list", "conda list", _of_table
    return "conda-list", "conda list --export", _of_triple


def _rows(source: Source, parse: Callable[[str, int, Source], Package | None]) -> Iterator[Package | Unread]:
    at = 0
    for line in source.text.splitlines(keepends=True):
        text = line.strip()
        begins = at + len(line) - len(line.lstrip())
        at += len(line)
        if not text or text.startswith(("#", "@")):
            continue
        found = parse(text, begins, source) if len(text) <= _LIMIT else None
        if found is not None:
            yield found
        else:
            number, column = source.place(begins)
            yield Unread(line=number, column=column, text=text[:80], why="not a row of conda's list")


def _of_table(text: str, at: int, source: Source) -> Package | None:
    """``name version build channel``; a package from PyPI says so in its channel (older conda: in its build)."""
    columns = text.split()
    if not 2 <= len(columns) <= 4:  # noqa: PLR2004 - the table's columns
        return None
    name, version, build, channel = (*columns, "", "")[:4]
    return _row(name, version, build, at, source, channel=channel)


def _of_triple(text: str, at: int, source: Source) -> Package | None:
    parts = text.split("=")
    return _row(parts[0], parts[1], parts[2], at, source) if len(parts) == 3 else None  # noqa: PLR2004


def _row(name: str, version: str, build: str, at: int, source: Source, channel: str = "") -> Package | None:
    line, column = source.place(at)
    index = bool(_FROM_PYPI.fullmatch(channel) or _FROM_PYPI.fullmatch(build))
    pin = Pin(
        name=canonicalize_name(name),
        specifier=version,
        marker="",
        line=line,
        column=column,
        admits=exact(version),
        origin="index" if index else "conda",
        channel="" if index else channel,
        locked=True,
    )
    return Package(pin=pin, build=build)


def _platforms(text: str, packages: tuple[Package, ...]) -> conda_platforms.Found:
    named = _PLATFORM.search(text)
    if named:
        return (conda_platforms.platform(named[1]),), "the header names it"
    subdirs = {one.subdir for one in packages if conda_platforms.marker(one.subdir)}
    if subdirs:
        return tuple(sorted(map(conda_platforms.platform, subdirs))), "the addresses name it"
    return conda_platforms.given_away((one.pin.name, one.build) for one in packages if one.pin.origin == "conda")
