"""What a pasted text says: the facts stated in it, the faults it shows, each with the line that says so.

Nothing here is judged. A version may be inexact (``2.20``, ``2.20.x``): it then stands for every release of that minor;
or a range (``>=2.20``), as a line of requirements has it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from compat.facts.capture import Facts

SEEN, FAILED, SAID, ASKED = "seen", "failed", "said", "asked"
"""How a fact is stated: printed by a tool, told by a person (``failed``: of the version that failed, beside others), or
asked of an installer (so not known to be there)."""

MACHINE = frozenset(
    {"python", "os", "macos", "chip", "hardware", "process", "shim", "darwin", "wsl", "glibc", "rosetta", "container"}
)
"""Names of facts that are no distributions. ``process`` is what Python runs as, ``shim`` a macOS told as 10.16."""

_EXACT = re.compile(r"\d+\.\d+\.\d+(?:\.\d+)?(?:\.?(?:rc|post|dev|a|b)\d+)?|\d+\.\d+(?:rc|a|b)\d+", re.ASCII)
_NUMBERS = re.compile(r"\d+(?:\.\d+)*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the text, cleaned of escapes, quoting and indentation."""

    number: int
    """Counted from 1, as an editor does; of a notebook: in the text of its outputs."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One fact with the line that states it."""

    name: str
    """A normalized distribution, or one of ``MACHINE``."""
    value: str
    """Empty where only its presence is known."""
    how: str
    line: Line

    @property
    def is_exact(self) -> bool:
        """Whether the value names one release."""
        return _EXACT.fullmatch(self.value) is not None

    @property
    def is_range(self) -> bool:
        """Whether the value compares: ``>=2.20``."""
        return self.value[:1] in tuple("<>=!~")

    @property
    def specifier(self) -> str:
        """Return the PEP 440 set of the releases it may mean; empty: any."""
        if self.is_exact:
            return f"=={self.value}"
        if self.is_range:
            return self.value
        numbers = _NUMBERS.match(self.value)
        return f"=={numbers[0]}.*" if numbers else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A signature found in the text."""

    signature: str
    line: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """A library or symbol that the dynamic loader missed."""

    name: str
    line: Line
    wanted_by: str = ""
    """The file that wanted it, as far as the text says (its last part)."""
    is_library: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """What an installer said it could choose from: pip's ``(from versions: …)``."""

    name: str
    """Normalized."""
    specifier: str
    """What was asked for; empty: any version."""
    versions: tuple[str, ...]
    """Empty for ``none``."""
    line: Line
    is_list: bool = True
    """False where the text names no list (``No matching distribution found``, uv's words)."""


NO_WHEEL, REFUSED, SYSTEM = "wheel", "refused", "system"
"""What a person says: there is no wheel; a wheel file was refused; the system is called too old."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """A line that says in a person's words that there is nothing to install: ``no wheel``, ``has no version 2.17``."""

    line: Line
    name: str = ""
    """Normalized; empty where the line does not say of what."""
    version: str = ""
    python: str = ""
    """The Python that the line itself names."""
    architecture: str = ""
    """``arm64`` or ``x86_64``, where the line itself names it."""
    is_alias: bool = False
    """Whether the text calls it by another name than the index does."""
    kind: str = NO_WHEEL
    """``NO_WHEEL``, ``REFUSED`` or ``SYSTEM``; of the last two the line alone is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pasted:
    """All that a look at a text found."""

    stated: tuple[Stated, ...] = ()
    hits: tuple[Hit, ...] = ()
    unlinked: tuple[Unlinked, ...] = ()
    offered: tuple[Offered, ...] = ()
    lacking: tuple[Lacking, ...] = ()
    no_gpu: Line | None = None
    """A line that says that TensorFlow finds no GPU."""
    errors: tuple[Line, ...] = ()
    """Lines that end a program: exceptions, aborts, an installer's ERROR; in their order."""
    capture: Facts | None = None
    """Where the text is, or holds, a capture of ``tfcompat facts`` or ``doctor``."""
    works: Line | None = None
    """A line that only a TensorFlow which loaded its plugin prints."""
    words: frozenset[str] = frozenset()
    """The words of the text, in small letters (of a long one: of its beginning and end)."""
    bytes_read: int = 0
