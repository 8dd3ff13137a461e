"""Requirements and constraints files as pip reads them, with the files they include.

Source: https://pip.pypa.io/en/stable/reference/requirements-file-format/ and pip's ``req/req_file.py``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from compat.facts.pins import Included, Pin, PinFile, Unread
from compat.probe.pins import read as door
from compat.probe.pins.pip import compiled
from compat.probe.pins.pip.indexes import is_pypi
from compat.probe.pins.requirement import Where, parse
from compat.probe.pins.source import Source

LIMIT_DEPTH = 10
LIMIT_FILES = 200
"""Includes that are read for one file; a folder that includes more was made to be endless."""
LIMIT_ENTRIES = 30_000
"""Requirements of one file; the largest freezes have 1,000."""
LIMIT_LINE = 20_000
"""Characters of one requirement without its hashes; a marker of uv's has had 4,000."""

_COMMENT = re.compile(r"(?:^|(?<=\s))#")
_OPTION = re.compile(r"(--?[A-Za-z][A-Za-z-]*?)(?:[ \t=]+|(?<=^-[A-Za-z]))(.*)", re.DOTALL)
_INCLUDES = {"-r": False, "--requirement": False, "--requirements": False, "-c": True, "--constraint": True}
_EDITABLE = frozenset({"-e", "--editable"})
_INDEX = re.compile(r"(?m)^[ \t]*(?:-i|--index-url|--pypi-url)[ \t=]*['\"]?([^\s'\"]+)")
_NO_INDEX = re.compile(r"(?m)^[ \t]*--no-index\b")


@dataclass(frozen=True, slots=True)
class Walk:
    """One file and what it includes, read each only once."""

    seen: set[tuple[str, bool]] = field(default_factory=set)
    chain: tuple[str, ...] = ()
    constraint: bool = False
    origin: str = "index"


@dataclass(frozen=True, slots=True)
class _Line:
    """A logical line; continuations are blanks in its text, so that offsets stay those of the file."""

    text: str
    at: int
    end: int
    """Where its last physical line ends, before the line end."""
    open: bool = False
    """It ends in a backslash, with nothing after it."""


def read(source: Source) -> PinFile:
    """Return the pins of a requirements file and of the files it includes."""
    return of(source, Walk())


def of(source: Source, walk: Walk) -> PinFile:
    """Return the file as one step of a walk through includes."""
    here = os.path.realpath(source.path) if "\0" not in str(source.path) else str(source.path)
    walk.seen.add((here, walk.constraint))
    origin = _origin(source.text) or walk.origin
    deeper = replace(walk, chain=(*walk.chain, here), origin=origin)
    header = compiled.header(source)
    pins, unread, included = [], [], []
    for found in _entries(source, deeper, locked=header is not None):
        if isinstance(found, Pin):
            pins.append(found)
        elif isinstance(found, Unread):
            unread.append(found)
        else:
            included.append(found)
    return PinFile(
        path=str(source.path),
        kind="requirements",
        pins=tuple(pins),
        unread=tuple(unread),
        included=tuple(included),
        pythons=(header.python,) if header and header.python else (),
        platforms=(header.platform,) if header and header.platform else (),
        platforms_why="the command in the header names it" if header and header.platform else "",
        is_lock=header is not None,
        relock=header.relock if header else "",
    )


def include(
    target: str, at: int, source: Source, walk: Walk, *, constraint: bool, folder: Path | None = None
) -> Included | Unread | None:
    """Return the file that ``-r target`` names, why it was not read, None for one that was read before.

    It is looked for beside the file that names it, or in ``folder``, where commands are run.
    """
    line, column = source.place(at)
    why = _unreadable(target, walk)
    if why:
        return Unread(line=line, column=column, text=target, why=why)
    path = (folder or source.path.parent) / target
    named = (f"named {path}", constraint)
    if named in walk.seen and str(path) not in walk.chain:
        return None
    walk.seen.add(named)
    real = str(path) if str(path) in walk.chain else os.path.realpath(path)
    if real in walk.chain:
        return Unread(line=line, column=column, text=target, why="includes itself")
    if (real, constraint) in walk.seen:
        return None
    if not os.path.lexists(path):
        return Unread(line=line, column=column, text=target, why="the file it includes is not there")
    file = _included(path, replace(walk, constraint=constraint))
    return Included(file=file, line=line, column=column, constraint=constraint)


def lines(text: str, at: int = 0) -> Iterator[_Line]:
    """Yield the logical lines of a text that begins at an offset of the file, comments taken off."""
    held: list[str] = []
    begins = at
    for physical in text.splitlines(keepends=True):
        content = physical.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        begins = begins if held else at
        at += len(physical)
        if content.endswith("\\") and not content.lstrip().startswith("#"):
            held.append(content[:-1] + " " * (len(physical) - len(content) + 1))
            continue
        end = at - len(physical) + len(content)
        if held or content:
            yield _Line(_bare("".join((*held, content))), begins, end)
        held.clear()
    if held:
        yield _Line(_bare("".join(held)), begins, at, open=True)


def _bare(text: str) -> str:
    if "#" not in text:
        return text
    comment = _COMMENT.search(text)
    return text[: comment.start()] if comment else text


def _entries(source: Source, walk: Walk, *, locked: bool) -> Iterator[Pin | Unread | Included]:
    joint = source.newline
    entries = 0
    for line in lines(source.text):
        text = line.text
        blanks = len(text) - len(text.lstrip())
        if blanks == len(text):
            continue
        entries += 1
        if entries > LIMIT_ENTRIES:
            number, column = source.place(line.at)
            yield Unread(line=number, column=column, text="", why=f"more than {LIMIT_ENTRIES:,} requirements")
            return
        found: Pin | Unread | Included | None
        if text[blanks] == "-":
            found = _option(text[blanks:].rstrip(), line.at + blanks, source, walk)
        else:
            found = _requirement(text, line, joint + text[:blanks], source, walk, locked=locked)
        if found is not None:
            yield found


def _requirement(
    text: str, line: _Line, joint: str, source: Source, walk: Walk, *, locked: bool
) -> Pin | Unread | None:
    wanted, hashed = _without_options(text)
    if len(wanted) > LIMIT_LINE:
        number, column = source.place(line.at)
        return Unread(line=number, column=column, text=wanted[:80], why="longer than any requirement")
    where = Where(
        constraint=walk.constraint,
        origin=walk.origin,
        entry_end=None if locked or hashed or line.open else line.end,
        joint=joint,
    )
    found = parse(wanted, line.at, source, where)
    return replace(found, locked=True) if locked and isinstance(found, Pin) else found


def _without_options(text: str) -> tuple[str, bool]:
    """The requirement without what pip's per-requirement options say, and whether hashes are among them."""
    begins = text.find(" -")
    begins = text.find("\t-") if begins < 0 else begins
    return (text, False) if begins < 0 else (text[:begins], "--hash" in text[begins:])


def _option(text: str, at: int, source: Source, walk: Walk) -> Pin | Unread | Included | None:
    found = _OPTION.fullmatch(text)
    if found is None or not found[2].strip():
        return None
    name, value = found[1], found[2].strip()
    begins = at + found.start(2) + len(found[2]) - len(found[2].lstrip())
    if name in _EDITABLE:
        return parse(value.strip("'\""), begins, source, Where(constraint=walk.constraint))
    if name not in _INCLUDES:
        return None
    target = re.split(r"\s", value.strip("'\""), maxsplit=1)[0] if value[0] not in "'\"" else value.strip("'\"")
    return include(target, begins, source, walk, constraint=_INCLUDES[name])


def _unreadable(target: str, walk: Walk) -> str:
    if "://" in target:
        return "an address is not fetched"
    if re.search(r"\$\{?\w|\0", target):
        return "its name holds a variable"
    if len(walk.chain) > LIMIT_DEPTH:
        return f"included more than {LIMIT_DEPTH} deep"
    return f"more than {LIMIT_FILES} files included" if len(walk.seen) >= 2 * LIMIT_FILES else ""


def _included(path: Path, walk: Walk) -> PinFile:
    source = door.load(path)
    if isinstance(source, PinFile):
        return source
    file = of(source, walk)
    return replace(file, ignores=tuple(door.ignores(source))) if "tfcompat:" in source.text else file


def _origin(text: str) -> str:
    """Where pip looks: an index in place of PyPI holds for the whole file, one beside it changes nothing."""
    if "-i" not in text and "--" not in text:
        return ""
    named = _INDEX.findall(text)
    if named:
        return "index" if is_pypi(named[-1]) else "private"
    return "private" if _NO_INDEX.search(text) else ""
