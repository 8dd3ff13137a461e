"""What the maintainers' lock tool passes around."""

from __future__ import annotations

from dataclasses import dataclass, field


class LockingError(Exception):
    """A lock that cannot be made; the message names the target and the cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One environment to lock."""

    platform: str
    """A key of `wheels.PLATFORMS`, for example "macos-arm64"."""
    python: str
    """Minor version, for example "3.12"."""
    distribution: str
    """The distribution whose wheel carries TensorFlow's code there."""
    tensorflow: str
    plugin: str | None = None
    plugin_version: str | None = None
    cuda: bool = False
    """With TensorFlow's own `and-cuda` extra."""

    @property
    def name(self) -> str:
        """The stem of the lock's file."""
        flavour = "cuda" if self.cuda else "cpu"
        if self.plugin_version:
            flavour = f"metal-{self.plugin_version}"
        return f"tensorflow-{self.tensorflow}-{flavour}-cp{self.python.replace('.', '')}"

    @property
    def requirements(self) -> tuple[str, ...]:
        """The pins asked for by name, before any repair."""
        extra = "[and-cuda]" if self.cuda else ""
        pins = [f"{self.distribution}{extra}=={self.tensorflow}"]
        if self.plugin:
            pins.append(f"{self.plugin}=={self.plugin_version}")
        return tuple(pins)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A constraint that mends TensorFlow releases whose declared dependencies have drifted."""

    id: str
    requirement: str
    packages: tuple[str, ...]
    versions: str
    """PEP 440 set of TensorFlow releases."""
    python: str
    """PEP 440 set of Pythons; empty where it does not matter."""
    step: str
    adds: bool
    failure: str = ""
    """The line seen without it; empty until measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """One file of the index."""

    file: str
    sha256: str
    size: int
    """Bytes."""
    uploaded: str
    """ISO time, UTC."""
    yanked: bool = False
    url: str = ""
    """Where the index keeps it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One line of a lock: a pin and the one wheel the target takes."""

    name: str
    version: str
    file: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What uv answered for a target."""

    command: str
    """As a shell line that reproduces it anywhere."""
    uv: str
    pins: tuple[tuple[str, str, frozenset[str]], ...]
    """Name, version, and every sha256 uv accepts for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What one environment did when the whole check ran in it."""

    target: Target
    repairs: tuple[str, ...]
    """Requirements that were added to the plain ones."""
    resolved: dict[str, str]
    steps: dict[str, str]
    """Step → "ok", "not supported" or the error line."""
    python: str
    """Full version of the interpreter, for example 3.12.1."""
    day: str
    """ISO day of the run, UTC."""
    pip_check: str
    """What `uv pip check` said, in one word: "compatible" or its first complaint."""

    @property
    def failure(self) -> tuple[str, str] | None:
        """The first step that failed and its line; None where the environment is whole."""
        for step, line in self.steps.items():
            if line not in {"ok", "not supported"}:
                return step, line
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """A whole lock, as its file says it."""

    target: Target
    minimum_macos: str | None
    glibc: str | None
    repairs: tuple[str, ...]
    tier: str
    exclude_newer: str
    """ISO day; the index is read as it was at 00:00 UTC of that day."""
    uv: str
    command: str
    packages: tuple[Package, ...]
    recommended: bool = False
    """The one the extra `tfcompat[metal]` is made from."""
    verified: dict[str, str] = field(default_factory=dict)
    """Empty where nobody ran it; else day, python, command and the steps."""
    plain: dict[str, str] = field(default_factory=dict)
    """What the release gives with the newest dependencies its metadata allows: day, pip_check and the steps."""
    without: dict[str, str] = field(default_factory=dict)
    """Repair → the step and line that fail when this one alone is left out."""
    twin: dict[str, str] = field(default_factory=dict)
    """For a Mac's lock, the same TensorFlow on the same Python that ran whole on Linux: its file, the day it ran, and
    the packages it has in another version. What ran is the twin, not this lock."""
