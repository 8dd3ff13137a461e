"""What a shell's test asks of the platform, as a marker: ``[ "$(uname -m)" = arm64 ]``.

Source: uname(1) on macOS and Linux, bash(1) for OSTYPE, PEP 508 for what Python says in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from compat.probe.pins.requirement import both

LIMIT = 1_000
"""Characters of a condition; one that is longer asks for more than the platform."""

_WORDS = (
    (r"\^?(darwin|macosx?|osx|mac)(?![a-z]).*", "sys_platform", "darwin"),
    (r"\^?(linux(-gnu)?|gnu/linux)\b.*", "sys_platform", "linux"),
    (r"\^?(mingw|msys|cygwin|windows|win32|win64).*", "sys_platform", "win32"),
    (r"\^?arm64\b.*", "platform_machine", "arm64"),
    (r"\^?aarch64\b.*", "platform_machine", "aarch64"),
    (r"\^?(x86_64|amd64|x64)\b.*", "platform_machine", "x86_64"),
)
_ASKED = re.compile(r"uname|ostype|arch|platform|machine|system|kernel|\bos\b|_os\b|\bos_|cpu|runner", re.IGNORECASE)
_COMPARED = re.compile(r"(\S.*?)\s*(==|=~|!=|=)\s*(\S+)")
_FOUND = re.compile(r"(.*?)\|\s*e?grep\s+(?:-\w+\s+)*(\S+)")
_ATOM = re.compile(r"darwin|macos|linux|arm64|aarch64|x86_64|amd64|\*|[-_ /:]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Atom:
    """One comparison of a marker."""

    variable: str
    value: str
    equal: bool = True

    def __str__(self) -> str:
        return f"{self.variable} {'==' if self.equal else '!='} '{self.value}'"


@dataclass(frozen=True, slots=True)
class Condition:
    """What is known to hold where a branch is taken."""

    atoms: tuple[Atom, ...] = ()
    every: bool = True
    """All atoms hold, not one of them."""
    whole: bool = False
    """The condition asks for nothing else: where it fails, the opposite holds."""

    @property
    def marker(self) -> str:
        """The marker that holds in the branch."""
        return (" and " if self.every else " or ").join(map(str, self.atoms))

    @property
    def otherwise(self) -> str:
        """The marker that holds where the branch is not taken; empty where that is not known."""
        if not self.whole:
            return ""
        opposite = tuple(Atom(atom.variable, atom.value, not atom.equal) for atom in self.atoms)
        return Condition(opposite, not self.every).marker

    def implies_not(self, other: Condition) -> bool:
        """Whether this one says already that the other does not hold: Linux is no Mac."""
        if not self.every or len(other.atoms) != 1 or not other.atoms[0].equal:
            return False
        asked = other.atoms[0]
        return any(atom.equal and atom.variable == asked.variable and atom.value != asked.value for atom in self.atoms)


UNKNOWN = Condition()


def condition(text: str) -> Condition:
    """Return what a test asks of the platform."""
    if len(text) > LIMIT or not text.strip():
        return UNKNOWN
    either = re.split(r"\|\||\s-o\s", text)
    parts = either if len(either) > 1 else re.split(r"&&" if "grep" in text else r"&&|\s-a\s", text)
    if len(either) > 1 and "&&" in text:
        return UNKNOWN
    atoms = [_atom(part) for part in parts]
    known = tuple(atom for atom in atoms if atom is not None)
    if len(either) > 1:
        return Condition(known, every=False, whole=True) if len(known) == len(atoms) else UNKNOWN
    return Condition(known, whole=len(known) == len(atoms)) if known else UNKNOWN


def pattern(text: str, subject: str) -> Condition:
    """Return what a pattern of ``case`` asks: ``Darwin-arm64``, ``Linux*``, ``darwin|macos``."""
    if len(text) > LIMIT or _ASKED.search(subject) is None:
        return UNKNOWN
    choices = [_whole_pattern(part.strip(" \"'(")) for part in text.split("|")]
    if len(choices) == 1:
        return choices[0]
    shared = tuple(atom for atom in choices[0].atoms if all(atom in other.atoms for other in choices))
    if shared:
        return Condition(shared, whole=len({choice.atoms for choice in choices}) == 1)
    return Condition(tuple(c.atoms[0] for c in choices), every=False, whole=True) if _simple(choices) else UNKNOWN


def joined(markers: Iterable[str]) -> str:
    """Return the marker that holds where all of these do."""
    found = ""
    for marker in dict.fromkeys(markers):
        found = both(found, marker)
    return found


def _simple(choices: list[Condition]) -> bool:
    return all(choice.whole and len(choice.atoms) == 1 for choice in choices)


def _whole_pattern(text: str) -> Condition:
    if not text or _ATOM.sub("", text):
        word = _word(text)
        return Condition((word,), whole=True) if word else UNKNOWN
    pieces = [_word(piece) for piece in _ATOM.findall(text)]
    atoms = tuple(piece for piece in pieces if piece)
    return Condition(atoms, whole=True) if atoms else UNKNOWN


def _atom(text: str) -> Atom | None:
    text = text.strip().strip(";").strip()
    opposite = text.startswith("!")
    text = re.sub(r"^(?:!|\[|\(|test\b|\s)+|(?:\]|\)(?=\s*$)|\s)+$", "", text)
    compared = _COMPARED.fullmatch(text) or _FOUND.fullmatch(text)
    if compared is None:
        return None
    left, right = compared[1].strip(" \"'"), compared[compared.lastindex or 2]
    sign = compared[2] if compared.re is _COMPARED else "=="
    atom = _word(right.strip(" \"'*$"))
    if atom is None or _ASKED.search(left) is None:
        return None
    return Atom(atom.variable, atom.value, (sign != "!=") is not opposite)


def _word(text: str) -> Atom | None:
    lower = text.lower().strip(" \"'*")
    return next((Atom(variable, value) for regex, variable, value in _WORDS if re.fullmatch(regex, lower)), None)
