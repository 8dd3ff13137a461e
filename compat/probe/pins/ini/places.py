"""INI files as Python's configparser reads them, with the place of every line of a value.

configparser itself tells no places, and its pattern for options takes quadratic time for a long run of blanks; the
tests hold this reader to its answers (defaults, no interpolation).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from compat.probe.pins.source import Source


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a value without the blanks around it."""

    text: str
    at: int
    end: int
    """Of the physical line, before the line end."""
    indent: str = ""
    """What stands before it; empty on the option's own line."""


@dataclass(slots=True)
class Option:
    """An option with the lines of its value; the first is the one beside its name and may be empty."""

    name: str
    at: int
    lines: list[Line] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The value as one text."""
        return "\n".join(line.text for line in self.lines).strip()

    @property
    def filled(self) -> tuple[Line, ...]:
        """The lines that hold something."""
        return tuple(line for line in self.lines if line.text)


@dataclass(slots=True)
class Ini:
    """Sections in their order, each with its options; or the problem that stands in the way."""

    sections: dict[str, dict[str, Option]] = field(default_factory=dict)
    problem: str | None = None
    line: int = 1

    def option(self, section: str, *names: str) -> Option | None:
        """Return the option that has one of these names."""
        found = self.sections.get(section, {})
        return next((found[name] for name in names if name in found), None)


def parse(source: Source) -> Ini:
    """Return the sections of an INI file."""
    reading = _Reading()
    at = 0
    for number, physical in enumerate(source.text.split("\n"), start=1):
        reading.take(physical.rstrip("\r"), at)
        if reading.problem:
            return Ini(problem=reading.problem, line=number)
        at += len(physical) + 1
    return Ini(sections=reading.sections)


@dataclass(slots=True)
class _Reading:
    sections: dict[str, dict[str, Option]] = field(default_factory=dict)
    section: dict[str, Option] | None = None
    option: Option | None = None
    indent: int = 0
    problem: str | None = None

    def take(self, physical: str, at: int) -> None:
        text = physical.strip()
        if not text or text.startswith(("#", ";")):
            return
        blanks = len(physical) - len(physical.lstrip())
        if self.option is not None and blanks > self.indent:
            self.option.lines.append(Line(text, at + blanks, at + len(physical), physical[:blanks]))
            return
        self.indent = blanks
        if text.startswith("[") and text.rfind("]") > 1:
            self._enter(text[1 : text.rindex("]")])
        elif self.section is None:
            self.problem = "a line before the first section"
        else:
            self._begin(physical, blanks, at)

    def _enter(self, name: str) -> None:
        if name in self.sections:
            self.problem = f"the section {name[:80]} is there twice"
        self.section = self.sections.setdefault(name, {})
        self.option = None

    def _begin(self, physical: str, blanks: int, at: int) -> None:
        cut = min((place for sign in "=:" if (place := physical.find(sign)) >= 0), default=-1)
        name = physical[blanks:cut].rstrip() if cut >= 0 else ""
        if not name:
            self.problem = "neither a section nor an option"
            return
        if self.section is None or name in self.section:
            self.problem = f"the option {name[:80]} is there twice"
            return
        value = physical[cut + 1 :]
        begins = at + cut + 1 + len(value) - len(value.lstrip())
        self.option = Option(name, at + blanks, [Line(value.strip(), begins, at + len(physical))])
        self.section[name] = self.option
