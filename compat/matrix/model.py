"""What a row of the matrix is: claims with their evidence, nothing else.

A row is read from ``matrices/`` (the loader's business) and never changed. Versions stay text in the rows, because rows
are compared with what files say; ``compat.matrix.versions`` parses them where an order is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

TIERS = ("installs", "links", "imports", "runs", "agrees")
"""Evidence for a set of versions on a platform, lowest first."""

PLATFORMS = ("macos-arm64", "macos-x86_64", "linux-x86_64", "linux-aarch64", "windows-amd64")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What wheels must fit: a platform, a Python, and the floor the system gives."""

    platform: str
    python: str
    """``3.12``."""
    macos: str | None = None
    """None: any macOS the wheels ask for."""
    glibc: str | None = None


class Wheel(NamedTuple):
    """One wheel of a release; several tags where the file name carries a compressed set.

    A tuple and no dataclass: there are five thousand, and they are made in a quarter of the time.
    """

    tag: str
    size: int
    """Bytes; 0 where the matrix does not keep it."""
    requires: tuple[str, ...] | None = None
    """Requires-Dist of this very wheel (they differ per platform); None where it is not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One release of a distribution on the index."""

    name: str
    version: str
    uploaded: str
    """ISO day."""
    wheels: tuple[Wheel, ...]
    requires_python: str | None = None
    yanked: str | None = None
    has_sdist: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRow:
    """Whether one plugin release finds in one TensorFlow release everything it needs, from the wheels' binaries."""

    distribution: str
    tensorflow: str
    plugin: str
    plugin_version: str
    arch: str
    loads: bool | None
    """None: not judged, ``reason`` says why."""
    layer: int = 0
    """0 loads; 1 a library is missing; 2 a two-level symbol; 3 a flat-namespace symbol."""
    missing: tuple[str, ...] = ()
    reason: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginBinary:
    """What the plugin's own Mach-O file says of one release."""

    plugin: str
    version: str
    arch: str
    minimum_macos: str | None = None
    sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a claim comes from."""

    url: str
    day: str
    """ISO day on which it was read."""
    kind: str = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A run someone saw on a real machine, or a vendor's claim (``kind``)."""

    id: str
    kind: str
    """``run`` or ``claim``."""
    tensorflow: str
    """A version, or a PEP 440 set for claims."""
    result: str
    """``works``, ``fails-to-load``, ``fails-to-run`` or ``wrong-numbers``."""
    tier: str
    """The tier at which it worked or failed."""
    sources: tuple[Source, ...]
    plugin: str | None = None
    """None: a run without one, on the CPU."""
    plugin_version: str | None = None
    python: str | None = None
    chip: str | None = None
    macos: str | None = None
    what: str = ""
    contradicted_by: tuple[str, ...] = ()
    """For claims: rows of ours that say otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Affects:
    """One condition set under which an issue applies; absent parts do not restrict."""

    package: str | None = None
    versions: str | None = None
    """PEP 440 set."""
    with_package: str | None = None
    with_versions: str | None = None
    platforms: tuple[str, ...] = ()
    chips: tuple[str, ...] = ()
    """Prefixes of the brand string (``Apple M5``)."""
    macos: str | None = None
    """PEP 440 set over macOS versions."""
    python: str | None = None
    """PEP 440 set over Python versions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """A known problem; withdrawn rather than deleted, its id never used again."""

    id: str
    title: str
    symptom: str
    severity: str
    """``error``, ``warning`` or ``info``."""
    affects: tuple[Affects, ...]
    remedy: str
    sources: tuple[Source, ...]
    commands: tuple[str, ...] = ()
    verify: str = ""
    signatures: tuple[str, ...] = ()
    """Literal pieces of error text that point at it."""
    rule: str | None = None
    """The rule that detects it by facts, where one does (its finding then carries the issue)."""
    withdrawn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The run in which a repair was seen to be needed."""

    day: str
    platform: str
    environment: str
    """What was installed, and on which interpreter."""
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A constraint that mends releases whose declared dependencies have drifted."""

    id: str
    requirement: str
    packages: tuple[str, ...]
    versions: str
    step: str
    """What fails without it: ``import``, ``fit``, ``save`` or ``tensorboard``."""
    failure: str
    python: str | None = None
    adds: bool = False
    measured: Measured | None = None
    seen_on: tuple[str, ...] = ()
    """Combinations on which it was seen to be needed, and to help."""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedPackage:
    """One pin of a lock with the very file it selects."""

    name: str
    version: str
    file: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LockEntry:
    """The head of a lock: what it is for and how well it is known; the pins are read on demand."""

    file: str
    """Below ``matrices/locks``: ``macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml``."""
    platform: str
    python: str
    distribution: str
    tensorflow: str
    tier: str
    exclude_newer: str
    plugin: str | None = None
    plugin_version: str | None = None
    minimum_macos: str | None = None
    glibc: str | None = None
    cuda: bool = False
    repairs: tuple[str, ...] = ()
    download_bytes: int = 0
    verified_day: str | None = None
    recommended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """A whole pinned environment with hashes."""

    entry: LockEntry
    packages: tuple[LockedPackage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MacOS:
    """A macOS major version rows may name."""

    version: str
    name: str
    darwin: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A chip family rows may name, and the oldest and newest macOS its Macs can run."""

    name: str
    architecture: str
    oldest_macos: str
    newest_macos: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonBuild:
    """Where a Python of one minor comes from as a build for Apple silicon: one row a minor and maker."""

    version: str
    """The minor: ``3.12``."""
    origin: str
    """``python.org``, ``uv`` (python-build-standalone), ``homebrew``, ``conda-forge`` or ``xcode``."""
    binary: str
    """``arm64``, ``universal2``, or ``none`` where the maker has no such build for Apple silicon."""
    sources: tuple[Source, ...]
    first: str | None = None
    """The first release with that build; None: not known."""
    last: str | None = None
    """The newest one, where the minor has ended or was read on the sources' day; None: not known."""
    what: str = ""
