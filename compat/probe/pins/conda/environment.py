"""A conda environment.yml: conda's packages, the pip section, and what the file says of Python and platform.

Sources: conda's "Creating an environment file manually", conda-lock's "environment.yml" (platforms, category,
selectors).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import yaml
from packaging.utils import canonicalize_name

from compat.facts.pins import Included, Pin, PinFile, StatedPython, Unread
from compat.probe.pins import yaml_places
from compat.probe.pins.conda import constraints as constraints_conda
from compat.probe.pins.conda import platforms as conda_platforms
from compat.probe.pins.pip.requirements import Walk, include
from compat.probe.pins.requirement import Where, parse
from compat.probe.pins.source import Source

_SELECTOR = re.compile(r"[ \t]{0,200}#[^\n\[]{0,200}\[([^\]\n]{0,200})\]")
_OPTION = re.compile(r"(--?[A-Za-z][A-Za-z-]*)[ \t=]*")
_INCLUDES = {"-r": False, "--requirement": False, "-c": True, "--constraint": True}
_EDITABLE = frozenset({"-e", "--editable"})
_MINOR = re.compile(r"==(\d+\.\d+(?:\.\d+)*)(?:\.\*)?")
_EXACT = re.compile(r"==(\d+(?:\.\d+)*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    """One conda package of the list."""

    pin: Pin
    admitted: tuple[str, ...]
    build: str


Found = _Listed | Pin | Unread | Included


def read(source: Source) -> PinFile:
    """Return the pins of an environment file."""
    root, problem, line, column = yaml_places.compose(source)
    file = PinFile(path=str(source.path), kind="conda")
    if problem is not None:
        return replace(file, problem=problem, problem_line=line, problem_column=column)
    channels = tuple(name for name, _ in yaml_places.texts(yaml_places.get(root, "channels")))
    group = yaml_places.text(yaml_places.get(root, "category")) or "main"
    group = "" if group == "main" else f"group {group}"
    found = tuple(_entries(yaml_places.get(root, "dependencies"), source, channels, group))
    return replace(file, channels=channels, **_sorted(found), **_platforms(root, found))


def stated(pin: Pin, admitted: tuple[str, ...]) -> tuple[str | None, tuple[StatedPython, ...]]:
    """Return what conda's package ``python`` says: the versions required, and each one that is named outright."""
    named = tuple(match[1] for one in admitted if (match := _MINOR.fullmatch(one) or _EXACT.fullmatch(one)))
    pythons = tuple(
        StatedPython(version=version, line=pin.line, column=pin.column, what="conda's package python", group=pin.group)
        for version in named
        if "." in version
    )
    return (admitted[0] or None if len(admitted) == 1 else None), pythons


def _sorted(found: tuple[Found, ...]) -> dict[str, Any]:
    listed = tuple(one for one in found if isinstance(one, _Listed))
    python = next((one for one in listed if one.pin.name == "python"), None)
    required, pythons = stated(python.pin, python.admitted) if python else (None, ())
    pins = tuple(one.pin if isinstance(one, _Listed) else one for one in found if isinstance(one, (_Listed, Pin)))
    return {
        "pins": tuple(pin for pin in pins if pin.name != "python" or pin.origin != "conda"),
        "unread": tuple(one for one in found if isinstance(one, Unread)),
        "included": tuple(one for one in found if isinstance(one, Included)),
        "requires_python": required,
        "pythons": pythons,
    }


def _platforms(root: yaml.Node | None, found: tuple[Found, ...]) -> dict[str, Any]:
    said = tuple(name for name, _ in yaml_places.texts(yaml_places.get(root, "platforms")))
    if said:
        platforms = tuple(conda_platforms.platform(name) for name in said)
        return {"platforms": platforms, "platforms_why": "the file lists its platforms"}
    everywhere = ((one.pin.name, one.build) for one in found if isinstance(one, _Listed) and not one.pin.marker)
    platforms, why = conda_platforms.given_away(everywhere)
    return {"platforms": platforms, "platforms_why": why}


def _entries(node: yaml.Node | None, source: Source, channels: tuple[str, ...], group: str) -> Iterator[Found]:
    seen: set[int] = set()  # an alias repeats a list
    for item in yaml_places.items(node):
        if isinstance(item, yaml.ScalarNode):
            found = _spec(item, source, channels, group)
            yield from [found] if found is not None else []
            continue
        for key, key_node, value in yaml_places.entries(item):
            if key != "pip":
                yield _unread(key_node, source, key, "a part of an environment that is not known")
            elif id(value) not in seen:
                seen.add(id(value))
                yield from _pip(value, source, group)


def _spec(node: yaml.ScalarNode, source: Source, channels: tuple[str, ...], group: str) -> Found | None:
    text = node.value.strip()
    if not text:
        return None
    spec = constraints_conda.spec(text)
    if spec is None:
        return _unread(node, source, text, "not a conda package")
    marker = _selector(node, source)
    if marker is None:
        return _unread(node, source, text, "its platform selector is not understood")
    line, column = yaml_places.place(node, source)
    shift = spec.name_at if yaml_places.plain(node, source) else 0
    pin = Pin(
        name=canonicalize_name(spec.name),
        specifier=spec.written,
        marker=marker,
        line=line,
        column=column + shift,
        admits=None if spec.admits == (spec.written,) else spec.admits,
        group=group,
        origin="conda",
        channel=spec.channel or (channels[0] if len(channels) == 1 else ""),
    )
    return _Listed(pin=pin, admitted=spec.admits, build=spec.build)


def _selector(node: yaml.ScalarNode, source: Source) -> str | None:
    found = _SELECTOR.match(source.text, int(node.end_mark.index))
    return conda_platforms.selected(found[1]) if found else ""


def _pip(node: yaml.Node, source: Source, group: str) -> Iterator[Found]:
    walk = Walk()
    flow = isinstance(node, yaml.SequenceNode) and source.text[yaml_places.start(node)] == "["
    for text, item in yaml_places.texts(node):
        at = yaml_places.span(item, source).start
        option = _OPTION.match(text)
        found: Found | None
        if option is None:
            found = _requirement(text, item, source, group, flow=flow)
        elif option[1] in _EDITABLE:
            found = parse(text[option.end() :].strip("'\""), at + option.end(), source, Where(group=group))
        elif option[1] in _INCLUDES:
            target = text[option.end() :].strip().strip("'\"")
            found = include(target, at + option.end(), source, walk, constraint=_INCLUDES[option[1]])
        else:
            continue
        if found is not None:
            yield found


def _requirement(text: str, item: yaml.Node, source: Source, group: str, *, flow: bool) -> Found | None:
    at = yaml_places.span(item, source).start
    marker = _selector(item, source) if isinstance(item, yaml.ScalarNode) else ""
    where = Where(group=group, marker=marker or "")
    if not yaml_places.plain(item, source):
        found = parse(" ".join(text.split()), at, source, where)
        return replace(found, column=yaml_places.place(item, source)[1]) if found else None
    return parse(text, at, source, _placed(item, source, where, flow=flow))


def _placed(item: yaml.Node, source: Source, where: Where, *, flow: bool) -> Where:
    """How another entry follows: on the next line in a block, after a comma between brackets.

    Between brackets a plain scalar ends at a comma, so that one without quotes cannot take a set of versions.
    """
    quoted = isinstance(item, yaml.ScalarNode) and bool(item.style)
    end = int(item.end_mark.index)
    if flow:
        return replace(where, entry_end=end, joint=", ", opening='"', closing='"') if quoted else where
    begins = source.start_of(source.place(yaml_places.start(item))[0])
    before, dash, after = source.text[begins : yaml_places.start(item)].rpartition("-")
    if not dash or after.strip():
        return where
    stop = source.text.find("\n", end)
    line_end = (stop if stop >= 0 else len(source.text)) - (source.text[stop - 1 : stop] == "\r")
    indentation = "".join(sign if sign.isspace() else " " for sign in before)
    return replace(where, entry_end=line_end, joint=source.newline + indentation, opening=f"-{after}")


def _unread(node: yaml.Node, source: Source, text: str, why: str) -> Unread:
    line, column = yaml_places.place(node, source)
    return Unread(line=line, column=column, text=text, why=why)
