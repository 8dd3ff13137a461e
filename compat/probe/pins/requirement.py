"""One requirement as text (PEP 508) into a pin with its place; what cannot be parsed is seen, not judged."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from compat.facts.pins import Pin, Span, Unread, Writing
from compat.probe.pins.source import Source

_SHAPE = re.compile(
    r"\s*(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(?P<paren>\()?(?P<set>[^;@#()]*)"
)
"""Where name and version set stand; whether they are right is packaging's to say."""
_VERSION = r"\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?"
_CLAUSE = rf"(?:(?:[<>]=?)\s*{_VERSION}|~=\s*\d+\.\d+(?:\.\d+)*|[=!]=\s*(?:\d+(?:\.\d+)*\.\*|{_VERSION}))"
_PLAIN = re.compile(
    r"\s*(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*"
    r"(?:\[\s*(?P<extras>[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?:\s*,\s*[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)*)\s*\]\s*)?"
    rf"(?:{_CLAUSE}(?:\s*,\s*{_CLAUSE})*)?\s*\Z"
)
"""What nearly every line is: told at a tenth of packaging's time. What it does not match packaging judges."""
_PLACEHOLDER = re.compile(
    r"\$\{\{|\$[({]?[A-Za-z_]|`|\{\{|<[A-Za-z_][A-Za-z_ ]*>|%\(|%[A-Za-z_]\w{2,}%|\{[A-Za-z_]\w*\}"
)
_WHEEL = re.compile(r"([^/\\\s]+\.whl)(?:[#?]|$)")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]*)")
_PATH = re.compile(r"[/\\:]|^\s*\.{1,2}\s*(?:\[|$)")
_VCS = re.compile(r"^(?:git|hg|svn|bzr)\+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """What the surroundings of a requirement say of it."""

    group: str = ""
    marker: str = ""
    """A condition that the format states apart from the requirement."""
    constraint: bool = False
    origin: str = "index"
    quote: str = ""
    """The quote around the requirement, where the format has one."""
    entry_end: int | None = None
    """Where another entry of the list can follow; None: it cannot be edited."""
    joint: str = ""
    opening: str = ""
    closing: str = ""


_NOWHERE = Where()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is asked for, beside the version set as it is written."""

    name: str
    extras: tuple[str, ...] = ()
    url: str = ""
    marker: str = ""


def parse(text: str, at: int, source: Source, where: Where = _NOWHERE) -> Pin | Unread | None:
    """Return the pin a requirement is, ``Unread`` for what cannot be judged, None for nothing at all.

    ``at`` is the offset of ``text`` in the source.
    """
    shape = _SHAPE.match(text)
    if not text.strip() or shape is None:
        return _address(text, at, source, where) if text.strip() else None
    line, column = source.place(at + shape.start("name"))
    if _PLACEHOLDER.search(text):
        return _open(text, shape, line, column, where)
    wanted = _wanted(text)
    if wanted is None:
        return _address(text, at, source, where)
    written = shape["set"].strip()
    return Pin(
        name=canonicalize_name(wanted.name),
        specifier="" if wanted.url else re.sub(r"\s*([<>=!~]=?=?|,)\s*", r"\1", written),
        marker=both(where.marker, wanted.marker),
        line=line,
        column=column,
        extras=wanted.extras,
        group=where.group,
        origin=_origin(wanted.url) if wanted.url else where.origin,
        admits=_of_wheel(wanted.url) if wanted.url else None,
        constraint=where.constraint,
        writing=_writing(shape, at, where) if not wanted.url else None,
    )


def _wanted(text: str) -> _Wanted | None:
    before, semicolon, marker = text.partition(";")
    plain = _PLAIN.match(before)
    if plain is None:
        found = requirement(text.strip())
        return (
            _Wanted(found.name, tuple(sorted(found.extras)), found.url or "", _marker_of(text, found))
            if found
            else None
        )
    if semicolon and requirement(f"any;{marker}") is None:
        return None
    extras = plain["extras"]
    return _Wanted(
        plain["name"], tuple(sorted({part.strip() for part in extras.split(",")})) if extras else (), "", marker.strip()
    )


def _marker_of(text: str, found: Requirement) -> str:
    """A requirement's marker as it is written; a semicolon may stand in its address too."""
    return re.split(r"\s;" if found.url else ";", text, maxsplit=1)[1].strip() if found.marker else ""


@functools.lru_cache(maxsize=8192)
def requirement(text: str) -> Requirement | None:
    """Return the parsed requirement, None for what is none."""
    try:
        return Requirement(text)
    except (InvalidRequirement, RecursionError):  # a marker of a thousand parentheses
        return None


def both(left: str, right: str) -> str:
    """Return the marker that holds where both do."""
    if not left or not right:
        return left or right
    return " and ".join(f"({part})" if " or " in part else part for part in (left, right))


def _writing(shape: re.Match[str], at: int, where: Where) -> Writing | None:
    if where.entry_end is None:
        return None
    start, end = shape.span("set")
    written = shape["set"]
    start += len(written) - len(written.lstrip()) if written.strip() else 0
    end = start + len(written.strip())
    if not written.strip():
        start = end = shape.start("name") + len(shape.group(0)[shape.start("name") :].rstrip())
    return Writing(
        specifier=Span(start=at + start, end=at + end),
        spelling="pep440",
        entry_end=where.entry_end,
        joint=where.joint,
        opening=where.opening,
        closing=where.closing,
    )


def _open(text: str, shape: re.Match[str], line: int, column: int, where: Where) -> Pin | Unread:
    """A requirement with a placeholder: the name is known, the versions are not."""
    if re.match(r"\s*(?:[\[(<>=!~;@]|$|\$)", text[shape.end("name") :]) is None:
        return Unread(line=line, column=column, text=text.strip(), why="not a requirement")
    return Pin(
        name=canonicalize_name(shape["name"]),
        specifier=text[shape.start("set") :].partition(";")[0].strip(),
        marker=where.marker,
        line=line,
        column=column,
        group=where.group,
        admits=(),
        constraint=where.constraint,
    )


def _address(text: str, at: int, source: Source, where: Where) -> Pin | Unread:
    """A line that is an address or a path: the version of a wheel is in its name, of anything else unknown."""
    line, column = source.place(at + len(text) - len(text.lstrip()))
    found = _WHEEL.search(text.strip())
    wheel = _wheel(found[1]) if found else None
    egg = _EGG.search(text) if wheel is None else None
    if wheel is None and egg is None:
        return Unread(line=line, column=column, text=text.strip(), why=_why(text))
    return Pin(
        name=wheel[0] if wheel else canonicalize_name(egg[1] if egg else ""),
        specifier=f"=={wheel[1]}" if wheel else "",
        admits=None if wheel else (),
        marker=where.marker,
        line=line,
        column=column,
        group=where.group,
        origin=_origin(text.strip()),
        constraint=where.constraint,
    )


def _why(text: str) -> str:
    """Why a text is no requirement."""
    before, semicolon, _ = text.partition(";")
    if semicolon and requirement(before.strip()):
        return "its marker is not valid (PEP 508)"
    shape = _SHAPE.match(before)
    if shape and re.match(r"[<>=!~]=?", shape["set"].strip()):
        return "its version set is not valid (PEP 440)"
    return "a path or an address: its versions are not known" if _PATH.search(text) else "not a requirement"


def _origin(url: str) -> str:
    if _VCS.match(url):
        return "vcs"
    return "url" if "://" in url and not url.startswith("file:") else "path"


def _of_wheel(url: str) -> tuple[str, ...]:
    found = _WHEEL.search(url)
    wheel = _wheel(found[1]) if found else None
    return (f"=={wheel[1]}",) if wheel else ()


def _wheel(name: str) -> tuple[str, str] | None:
    from urllib.parse import unquote

    try:
        project, version, _, _ = parse_wheel_filename(unquote(name))
    except InvalidWheelFilename:
        return None
    return project, str(version)
