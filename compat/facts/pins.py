"""Requirements with a place: what a dependency file pins and where, and what it says of Python and platform.

A file is read into these records without judging it. Whatever a format spells in its own way is kept as it is written
(``specifier``) and told beside it in the standard's terms (``admits`` in PEP 440, ``marker`` in PEP 508), so that
rules need to know no format.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of a file's decoded text; offsets in characters, the end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How a pin can be rewritten in its file, byte for byte beside everything else."""

    specifier: Span
    """The version part; empty and behind the name where none is written. For ``word`` the word with its quotes."""
    spelling: str
    """``pep440``, ``poetry`` (a constraint; ``*`` for any), ``pipfile`` (PEP 440; ``*`` for any), or ``word`` (a
    requirement as one word of a shell line, quoted as a whole)."""
    entry_end: int
    """Where another entry of the same list can follow."""
    joint: str
    """What stands between two entries there: newline and indentation, a comma and a blank."""
    opening: str = ""
    """What an entry begins with: a quote, ``- ``."""
    closing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One requirement in a file."""

    name: str
    """Normalized (PEP 503)."""
    specifier: str
    """As the file writes it, blanks around it left out; empty where any version is admitted."""
    marker: str
    """PEP 508; a format's own platform and Python keys are told as the marker they stand for."""
    line: int
    """From 1."""
    column: int
    """From 1, of the name's first character."""
    extras: tuple[str, ...] = ()
    admits: tuple[str, ...] | None = None
    """PEP 440 sets, any of which admits a version (a union, as Poetry's ``||``). None: what ``specifier`` says, which
    then is PEP 440. Empty: what it admits cannot be told from the file (a placeholder)."""
    group: str = ""
    """The extra, dependency group, environment, feature, job or stage; empty for what is always installed."""
    origin: str = "index"
    """``index`` (PyPI by default), ``conda``, ``private`` (another index named for it), ``url``, ``vcs``, ``path``."""
    channel: str = ""
    """Conda's, where one is named."""
    locked: bool = False
    constraint: bool = False
    """It limits what is installed and installs nothing itself (``-c``)."""
    writing: Writing | None = None
    """None where it cannot be edited: lock files, code, placeholders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedPython:
    """A Python the file names as the one that runs: a workflow's matrix, an image's tag, ``.python-version``."""

    version: str
    """``3.11`` or ``3.11.4``."""
    line: int
    column: int
    what: str
    """In words: ``the workflow's matrix``, ``the image python:3.13-slim``."""
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A container image a file builds on."""

    name: str
    line: int
    column: int
    platform: str = ""
    """``linux/amd64`` where the file asks for it."""
    cuda: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A piece that was seen and could not be judged."""

    line: int
    column: int
    text: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """A comment ``tfcompat: ignore[PIN501]``; it stands for its own line, alone on a line also for the next one."""

    line: int
    column: int
    ids: tuple[str, ...]
    """Empty: every finding."""
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Included:
    """A file another one names with ``-r`` or ``-c``."""

    file: PinFile
    line: int
    column: int
    constraint: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PinFile:
    """A dependency file as far as it was understood."""

    path: str
    kind: str
    """``requirements``, ``pyproject``, ``poetry.lock`` …, or ``unknown`` (seen, not judged)."""
    pins: tuple[Pin, ...] = ()
    requires_python: str | None = None
    """PEP 440."""
    pythons: tuple[StatedPython, ...] = ()
    platforms: tuple[str, ...] = ()
    """Platforms the whole file is for (``macos-arm64``, ``linux-x86_64`` …); empty: any."""
    platforms_why: str = ""
    """What says so, in words: ``a container runs Linux``, ``CUDA packages``."""
    scopes: tuple[tuple[str, ...], ...] = ()
    """Sets of groups that are installed together, beside what is always installed; empty: each group alone."""
    images: tuple[Image, ...] = ()
    channels: tuple[str, ...] = ()
    """Conda's."""
    included: tuple[Included, ...] = ()
    unread: tuple[Unread, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    is_lock: bool = False
    relock: str = ""
    """The command that makes a lock file anew."""
    problem: str | None = None
    """Why it could not be read."""
    problem_line: int = 1
    problem_column: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PinSettings:
    """What a project or a caller asks of the judgement (``[tool.tfcompat]``)."""

    targets: tuple[str, ...] = ()
    """Platforms to judge for; empty: Apple silicon, and those the file's markers name."""
    ignore: tuple[str, ...] = ()
    """Ids or their beginnings."""
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Pattern (as in .gitignore's simple form, from the folder of the pyproject.toml) and ids."""
    exclude: tuple[str, ...] = ()
    """Patterns of files that are not judged."""
    root: str = ""
    """Folder of the pyproject.toml the settings are from; patterns are relative to it."""
    severity: str = "info"
    """The lowest that is told."""
    strict: bool = False
    """Whether a warning counts as an error does."""
    markdown: bool = False
    """Whether Markdown is read."""
