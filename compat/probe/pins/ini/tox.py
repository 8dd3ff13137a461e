"""tox.ini: what each environment installs, with which Python.

Every line of ``[testenv]`` is told once: lines under a condition are a group of their own, and each environment is a
scope, the groups that hold for it. Source: https://tox.wiki/en/latest/config.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from compat.facts.pins import PinFile, StatedPython
from compat.probe.pins.commands.found import Around, Found, Scopes, collected
from compat.probe.pins.commands.shell import scripted
from compat.probe.pins.commands.shell_words import Script
from compat.probe.pins.ini import places as ini_places
from compat.probe.pins.ini import tox_envs
from compat.probe.pins.ini.places import Ini, Line, Option
from compat.probe.pins.pip.requirements import Walk, include
from compat.probe.pins.requirement import Where, parse
from compat.probe.pins.source import Source

_SHARED = "testenv"
_REFERENCE = re.compile(r"\{\[([^\]{}]+)\]([\w-]+)\}")
_INCLUDES = re.compile(r"(-r|-c|--requirement|--constraint)(?:[ \t=]+|(?<=^-[rc]))(?=\S)")
_EDITABLE = re.compile(r"(?:-e|--editable)[ \t=]+")
_PYTHON = re.compile(r"(?:python)?(\d\.\d+(?:\.\d+)?)")
_LIMIT_REFERENCES = 10
"""Sections that name one another in a row."""
_SYSTEMS = frozenset({"darwin", "linux", "win32"})
"""``sys.platform``, which tox's ``platform`` is matched against."""


@dataclass(frozen=True, slots=True)
class _Env:
    """An environment: its name, where it was named, and the section its own settings are in."""

    name: str
    at: int
    section: str

    @property
    def group(self) -> str:
        return f"env {self.name}"


def read(source: Source) -> PinFile:
    """Return what a tox.ini's environments install."""
    ini = ini_places.parse(source)
    if ini.problem is not None:
        return PinFile(path=str(source.path), kind="tox", problem=ini.problem, problem_line=ini.line)
    envs = tuple(_environments(ini, source))
    sections = dict.fromkeys(section for section in ini.sections if section.partition(":")[0] == _SHARED)
    found: list[Found] = []
    conditions: dict[str, dict[tuple[str, str], None]] = {}
    for section in sections:
        for setting, condition, one in _section(ini, section, source):
            found.append(one)
            conditions.setdefault(setting, {})[condition] = None
    found.extend(python for env in envs for python in _pythons(ini, env, source))
    return collected(source, "tox", found, _scopes(ini, envs, conditions))


def _environments(ini: Ini, source: Source) -> Iterator[_Env]:
    """Those listed and those with a section of their own."""
    owned = {
        name: section
        for section in ini.sections
        if section.startswith(f"{_SHARED}:")
        for name in tox_envs.expanded(section.partition(":")[2])
    }
    listed = ini.option("tox", "envlist", "env_list") or ini.option("tox:tox", "envlist", "env_list")
    named: set[str] = set()
    for line in listed.filled if listed else ():
        for name, at in tox_envs.names(line.text, line.at):
            if name not in named and len(named) < tox_envs.LIMIT:
                named.add(name)
                yield _Env(name, at, owned.get(name, _SHARED))
    for name, section in owned.items():
        if name not in named and len(named) < tox_envs.LIMIT:
            named.add(name)
            at = source.text.find(f"[{section}]")
            yield _Env(name, max(at, 0), section)


def _group(section: str, setting: str, expression: str) -> str:
    """What one setting installs under one condition: an environment may take over another's deps, not its commands."""
    env = section.partition(":")[2]
    base = f"env {env}" if env else _SHARED
    base += "" if setting == "deps" else f" {setting}"
    return f"{base} with {expression}" if expression else base


def _scopes(ini: Ini, envs: tuple[_Env, ...], conditions: dict[str, dict[tuple[str, str], None]]) -> Scopes:
    """For each environment the groups that hold for it, of the section where each setting stands."""
    scopes: dict[tuple[str, ...], None] = {}
    for env in envs:
        groups: dict[str, None] = {}
        for setting, names in _SETTINGS:
            owner = env.section if ini.option(env.section, *names) else _SHARED
            for expression, group in conditions.get(f"{owner} {setting}", {}):
                if not expression or tox_envs.holds(expression, env.name):
                    groups[group] = None
        groups[env.group] = None
        scopes[tuple(groups)] = None
    reached = {group for scope in scopes for group in scope}
    alone = {group: None for rows in conditions.values() for _, group in rows if group not in reached}
    return (*scopes, *((group,) for group in alone))


_SETTINGS = (
    ("deps", ("deps",)),
    ("commands_pre", ("commands_pre",)),
    ("commands", ("commands",)),
)


def _section(ini: Ini, section: str, source: Source) -> Iterator[tuple[str, tuple[str, str], Found]]:
    """Yield what a section installs: by which setting, under which condition and in which group, and the find."""
    marker = _platform(ini.option(section, "platform") or ini.option(_SHARED, "platform"))
    for setting, names in _SETTINGS:
        option = ini.option(section, *names)
        if option is None:
            continue
        walk = Walk()
        lines = _dependencies(ini, option, 0) if setting == "deps" else _joined(option, source)
        for line in lines:
            expression, rest, shift = tox_envs.condition(line.text)
            group = _group(section, setting, expression)
            around = Around(marker=marker, group=group, quiet=True)
            here = replace(line, text=rest, at=line.at + shift)
            every = _dependency(here, source, around, walk) if setting == "deps" else _command(here, source, around)
            for found in every:
                yield f"{section} {setting}", (expression, group), found


def _dependencies(ini: Ini, option: Option, depth: int) -> Iterator[Line]:
    """The lines of a setting, with those of the settings it refers to."""
    for line in option.filled:
        reference = _REFERENCE.fullmatch(line.text)
        if reference is None:
            yield line
            continue
        named = ini.option(reference[1], reference[2])
        if named is not None and named is not option and depth < _LIMIT_REFERENCES:
            yield from _dependencies(ini, named, depth + 1)


def _dependency(line: Line, source: Source, around: Around, walk: Walk) -> Iterator[Found]:
    text = line.text.partition(" #")[0].rstrip()
    option = _INCLUDES.match(text)
    found: Found | None = None
    if option is not None:
        target = text[option.end() :]
        found = include(target, line.at + option.end(), source, walk, constraint="c" in option[1][:3])
    elif (editable := _EDITABLE.match(text)) is not None:
        found = parse(text[editable.end() :], line.at + editable.end(), source, _where(line, source, around))
    elif text and not text.startswith(("-", "{")):
        found = parse(text, line.at, source, _where(line, source, around))
    if found is not None:
        yield found


def _where(line: Line, source: Source, around: Around) -> Where:
    begins = source.start_of(source.place(line.at)[0])
    before = source.text[begins : line.at]
    own = not line.indent  # it stands beside the option's name
    joint = source.newline + ("    " if own else before)
    return Where(group=around.group, marker=around.marker, entry_end=line.end, joint=joint)


def _joined(option: Option, source: Source) -> Iterator[Line]:
    """The lines of commands, each with those it goes on in."""
    first: Line | None = None
    for line in option.filled:
        first = first or line
        if not line.text.endswith("\\"):
            yield Line(source.text[first.at : line.end].rstrip(), first.at, line.end, first.indent)
            first = None


def _command(line: Line, source: Source, around: Around) -> Iterator[Found]:
    """A command that installs; its leading ``-`` and ``!`` say what its failing means."""
    text = line.text.lstrip("-! \t")
    found, _ = scripted(Script(text, source, line.at + len(line.text) - len(text)), around)
    yield from found


def _pythons(ini: Ini, env: _Env, source: Source) -> Iterator[StatedPython]:
    option = ini.option(env.section, "basepython", "base_python") or ini.option(_SHARED, "basepython", "base_python")
    for line in option.filled if option else ():
        expression, rest, shift = tox_envs.condition(line.text)
        version = _PYTHON.fullmatch(rest.strip())
        if version and (not expression or tox_envs.holds(expression, env.name)):
            yield _stated(version[1], line.at + shift, "tox's base_python", env, source)
            return
    version_named = tox_envs.python(env.name)
    if version_named:
        yield _stated(version_named, env.at, f"tox's environment {env.name}", env, source)


def _stated(version: str, at: int, what: str, env: _Env, source: Source) -> StatedPython:
    line, column = source.place(at)
    return StatedPython(version=version, line=line, column=column, what=what, group=env.group)


def _platform(option: Option | None) -> str:
    """The marker of a plain ``platform = darwin`` or ``darwin|linux``; of a pattern that is more, nothing is said."""
    words = option.text.split("|") if option else []
    if not words or not _SYSTEMS.issuperset(words):
        return ""
    return " or ".join(f"sys_platform == '{word}'" for word in words)
