"""setup.cfg: what setuptools reads in ``[options]`` and ``[options.extras_require]``.

Source: https://setuptools.pypa.io/en/latest/userguide/declarative_config.html (``list-semi``: lines, or one line with
semicolons; ``file:`` in requirements).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from compat.facts.pins import Included, Pin, PinFile, Unread
from compat.probe.pins.ini import places as ini_places
from compat.probe.pins.ini.places import Ini, Line, Option
from compat.probe.pins.pip.requirements import Walk, include
from compat.probe.pins.requirement import Where, parse
from compat.probe.pins.source import Source

_GROUPS = (("install_requires", ""), ("setup_requires", "build"), ("tests_require", "group tests"))

Found = Pin | Unread | Included


def read(source: Source) -> PinFile:
    """Return the pins of a setup.cfg."""
    ini = ini_places.parse(source)
    file = PinFile(path=str(source.path), kind="setup.cfg")
    if ini.problem is not None:
        return replace(file, problem=ini.problem, problem_line=ini.line)
    found = tuple(_found(ini, source))
    python = ini.option("options", "python_requires", "python-requires")
    return replace(
        file,
        pins=tuple(one for one in found if isinstance(one, Pin)),
        unread=tuple(one for one in found if isinstance(one, Unread)),
        included=tuple(one for one in found if isinstance(one, Included)),
        requires_python=_specifiers(python.text) if python else None,
    )


def _found(ini: Ini, source: Source) -> Iterator[Found]:
    walk = Walk()
    for name, group in _GROUPS:
        option = ini.option("options", name, name.replace("_", "-"))
        if option is not None:
            yield from _listed(option, group, source, walk)
    for extra, option in ini.sections.get("options.extras_require", {}).items():
        yield from _listed(option, f"extra {extra}", source, walk)


def _listed(option: Option, group: str, source: Source, walk: Walk) -> Iterator[Found]:
    if option.text.startswith("file:"):
        yield from _files(option, source, walk)
        return
    for line, where in _entries(option, source):
        text = line.text.partition(" #")[0].rstrip()
        found = parse(text, line.at, source, replace(where, group=group))
        if found is not None:
            yield found


def _entries(option: Option, source: Source) -> Iterator[tuple[Line, Where]]:
    """Each requirement with how another one follows it: on its own line, or in one line behind a semicolon."""
    filled = option.filled
    if len(filled) == 1 and filled[0] is option.lines[0] and ";" in filled[0].text:
        at = filled[0].at
        for part in filled[0].text.split(";"):
            begins = at + len(part) - len(part.lstrip())
            at += len(part) + 1
            line = Line(part.strip(), begins, begins + len(part.strip()))
            yield line, Where(entry_end=line.end, joint="; ")
        return
    indent = next((line.indent for line in filled if line.indent), "    ")
    for line in filled:
        yield line, Where(entry_end=line.end, joint=source.newline + (line.indent or indent))


def _files(option: Option, source: Source, walk: Walk) -> Iterator[Found]:
    for line in option.filled:
        at = line.at
        for part in line.text.split(","):
            target = part.strip().removeprefix("file:").strip()
            begins = at + part.find(target)
            at += len(part) + 1
            found = include(target, begins, source, walk, constraint=False) if target else None
            if found is not None:
                yield found


def _specifiers(text: str) -> str | None:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return None
    return text or None
