"""Dockerfiles: stages, the images they build on, and what their ``RUN`` lines install.

Source: https://docs.docker.com/reference/dockerfile/ (``FROM``, ``ARG``, here-documents, JSON form, ``escape``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from compat.facts.pins import Image, Pin, PinFile, StatedPython
from compat.probe.pins.commands.found import Around, Found, collected
from compat.probe.pins.commands.installed import filled
from compat.probe.pins.commands.shell import LIMIT_TEXT, commanded, scripted
from compat.probe.pins.commands.shell_words import Budget, Script, Word
from compat.probe.pins.source import Source

LIMIT_STAGES = 200
LIMIT_INSTRUCTIONS = 5_000

_KEYWORD = re.compile(r"[ \t]*([A-Za-z]+)[ \t]+(?:--(?:mount|network|security|chmod|chown|link|from)\S*[ \t]+)*")
_DOCUMENT = re.compile(r"<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1")
_FROM = re.compile(r"(?:--platform=(?P<platform>\S+)\s+)?(?P<image>\S+)(?:\s+as\s+(?P<name>\S+))?\s*", re.IGNORECASE)
_VALUE = re.compile(r"([A-Za-z_]\w*)(?:=|[ \t]+)(\"[^\"\n]*\"|'[^'\n]*'|[^\s\"']*)")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PYTHON = re.compile(r"(?:^|[^a-z])python[:_-]?(?:\d-)?(3\.\d+(?:\.\d+)?)")
_TENSORFLOW = re.compile(r"(?:^|/)(tensorflow)/tensorflow:(\d+\.\d+\.\d+(?:rc\d+)?)(?:-|@|$)")
_CUDA = re.compile(r"nvidia/|cuda|-gpu\b|/l4t-")
_PLATFORMS = {"linux/amd64": "linux-x86_64", "linux/arm64": "linux-aarch64", "linux/arm64/v8": "linux-aarch64"}


@dataclass(frozen=True, slots=True)
class _Instruction:
    keyword: str
    start: int
    """Where its arguments begin."""
    end: int
    document: tuple[int, int] | None = None
    """The first here-document's text."""


@dataclass(slots=True)
class _Build:
    """A walk through the instructions: the stage it is in, and the values known there."""

    script: Script
    many: bool
    found: list[Found] = field(default_factory=list)
    chains: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each stage the groups it is built from, by its lower-case name."""
    scopes: list[tuple[str, ...]] = field(default_factory=list)
    given: dict[str, str] = field(default_factory=dict)
    """Values of arguments before the first stage."""
    values: dict[str, str] = field(default_factory=dict)
    chain: tuple[str, ...] = ()
    stages: int = 0
    budget: Budget = field(default_factory=Budget)


def read(source: Source) -> PinFile:
    """Return what an image is built on, and what is installed into it."""
    text, instructions = _instructions(source.text[:LIMIT_TEXT])
    build = _Build(Script(text, source), many=sum(row.keyword == "FROM" for row in instructions) > 1)
    for row in instructions[:LIMIT_INSTRUCTIONS]:
        if row.keyword == "FROM":
            _from(build, row)
        elif row.keyword in {"ARG", "ENV"}:
            _value(build, row)
        elif row.keyword == "RUN":
            _run(build, row)
    file = collected(source, "dockerfile", build.found, tuple(dict.fromkeys(build.scopes)))
    return replace(file, platforms=_platforms(file.images), platforms_why=_why(file.images))


def _instructions(text: str) -> tuple[str, list[_Instruction]]:
    """The text with comments between continued lines blanked out, and its instructions."""
    escape = "`" if re.match(r"#[ \t]*escape[ \t]*=[ \t]*`", text, re.IGNORECASE) else "\\"
    pieces: list[str] = []
    found: list[_Instruction] = []
    at = start = 0
    open_since: int | None = None
    lines = iter(text.splitlines(keepends=True))
    for line in lines:
        bare = line.strip()
        if not bare or bare.startswith("#"):
            pieces.append(" " * len(line) if open_since is not None else line)
            at += len(line)
            continue
        start = at if open_since is None else open_since
        continued = bare.endswith(escape)
        pieces.append(
            line if escape == "\\" or not continued else line[: line.rindex(escape)] + "\\" + _ending(line, escape)
        )
        at += len(line)
        if continued:
            open_since = start
            continue
        open_since = None
        at = _close(text, start, at, lines, pieces, found)
    if open_since is not None:
        _close(text, open_since, at, lines, pieces, found)
    return "".join(pieces), found


def _ending(line: str, escape: str) -> str:
    return line[line.rindex(escape) + 1 :]


def _close(text: str, start: int, at: int, lines: Iterator[str], pieces: list[str], found: list[_Instruction]) -> int:
    """Take an instruction whose last line ended, with the here-document behind it; return where the next begins."""
    keyword = _KEYWORD.match(text, start, at)
    if keyword is None:
        return at
    name = keyword[1].upper()
    announced = _DOCUMENT.search(text, keyword.end(), at) if name in {"RUN", "COPY", "ADD"} else None
    document, end = None, at
    if announced:
        for line in lines:
            pieces.append(line)
            end += len(line)
            if line.strip() == announced[2]:
                document = (at, end - len(line))
                break
    found.append(_Instruction(name, keyword.end(), end if announced else at, document))
    return end


def _from(build: _Build, row: _Instruction) -> None:
    wanted = _FROM.match(build.script.text, row.start, row.end)
    if wanted is None or build.stages >= LIMIT_STAGES:
        return
    image = filled(wanted["image"], build.given)
    name = wanted["name"] or str(build.stages)
    group = f"stage {name}" if build.many else ""
    build.chain = (*build.chains.get(image.lower(), ()), *((group,) if group else ()))
    for key in {name.lower(), str(build.stages)}:
        build.chains[key] = build.chain
    if build.chain:
        build.scopes.append(build.chain)
    build.stages += 1
    build.values = {}
    if image.lower() not in build.chains or image.lower() == name.lower():
        build.found.extend(_image(build, image, filled(wanted["platform"] or "", build.given), wanted.start("image")))


def _image(build: _Build, image: str, platform: str, at: int) -> Iterator[Found]:
    line, column = build.script.place(at)
    group = build.chain[-1] if build.chain else ""
    cuda = _CUDA.search(image.lower()) is not None
    yield Image(name=image, line=line, column=column, platform=platform if "/" in platform else "", cuda=cuda)
    python = _PYTHON.search(image.lower())
    if python:
        yield StatedPython(version=python[1], line=line, column=column, what=f"the image {image}", group=group)
    tensorflow = _TENSORFLOW.search(image)
    if tensorflow:
        yield Pin(
            name="tensorflow",
            specifier=f"=={tensorflow[2]}",
            marker="",
            line=line,
            column=column + tensorflow.start(1),
            group=group,
        )


def _value(build: _Build, row: _Instruction) -> None:
    """Keep what ``ARG`` and ``ENV`` set, where it is plain."""
    for name, value in _VALUE.findall(build.script.text[row.start : row.end]):
        plain = filled(value.strip("\"'"), build.values)
        if not plain and row.keyword == "ARG" and name in build.given:
            plain = build.given[name]  # an argument from before the first stage, asked for in this one
        if plain and "$" not in plain:
            (build.values if build.stages else build.given)[name] = plain


def _run(build: _Build, row: _Instruction) -> None:
    group = build.chain[-1] if build.chain else ""
    around = Around(group=group, values=dict(build.values))
    text, start, end = build.script.text, row.start, row.end
    if row.document and _DOCUMENT.sub("", text[start : row.document[0]], count=1).strip() == "":
        start, end = row.document
    elif text[start:end].lstrip().startswith("["):
        build.found.extend(_listed(build.script, start, end, around))
        return
    piece = Script(text[start:end], build.script.source, start)
    found, scopes = scripted(piece, around, build.budget)
    build.found.extend(found)
    build.scopes.extend((*build.chain[:-1], *scope) for scope in scopes)


def _listed(script: Script, start: int, end: int, around: Around) -> list[Found]:
    """``RUN ["pip", "install", "numpy"]``: no shell reads it."""
    words = []
    for found in _STRING.finditer(script.text, start, end):
        try:
            value = str(json.loads(found[0]))
        except ValueError:
            return []
        words.append(Word(value, found.start(), found.end(), found.start(1)))
    return commanded(words, script, replace(around, editable=False))


def _platforms(images: tuple[Image, ...]) -> tuple[str, ...]:
    asked = {_PLATFORMS[image.platform] for image in images if image.platform in _PLATFORMS}
    if images and all(image.name.startswith("mcr.microsoft.com/windows") for image in images):
        return ("windows-amd64",)
    return tuple(sorted(asked)) if len(asked) == 1 else ("linux-x86_64", "linux-aarch64")


def _why(images: tuple[Image, ...]) -> str:
    return "a container runs Windows" if _platforms(images) == ("windows-amd64",) else "a container runs Linux"
