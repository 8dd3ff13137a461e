"""Lint of a whole matrix: every row by itself, ids once, and every name that one row says of another.

It reads the TOML files, never their compiled form, and reports all problems at once, each with its address
(``issues: ISS001.sources[0].url``). Nothing here knows the clock: whoever wants days checked passes today's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from compat.errors import BadFacts, BadMatrix
from compat.facts.codec import decode
from compat.matrix import compiled, row_checks
from compat.matrix.load import Matrix
from compat.matrix.model import (
    PLATFORMS,
    Affects,
    Chip,
    Issue,
    LinkRow,
    Lock,
    LockEntry,
    MacOS,
    Observation,
    Repair,
)
from compat.matrix.versions import order, parse

R = TypeVar("R")

_NUMBER_LENGTH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with the data, and where."""

    address: str
    text: str

    def __str__(self) -> str:
        """Return both on one line."""
        return f"{self.address}: {self.text}"


def lint(root: Path, *, today: str | None = None) -> tuple[Problem, ...]:
    """Return every problem of the matrix in ``root``; ``today`` (an ISO day) makes days to come a problem."""
    return tuple(_Lint(root, today).run())


class _Lint:
    """The rows of one matrix that could be read, and the problems of the rest."""

    def __init__(self, root: Path, today: str | None) -> None:
        self._root, self._today = root, today
        self._unread: list[Problem] = []
        self.issues = self._rows("issues", "issues", Issue)
        self.observed = self._rows("observed", "observed", Observation)
        self.repairs = self._rows("repairs", "repairs", Repair)
        self.links = self._rows("links", "pairs", LinkRow)
        self.locks = self._rows("locks", "locks", LockEntry)
        self.macos = self._rows("platforms", "macos", MacOS)
        self.chips = self._rows("platforms", "chips", Chip)

    def _rows(self, section: str, key: str, record: type[R]) -> tuple[R, ...]:
        try:
            raw = compiled.section(self._root, section).get(key, [])
        except BadMatrix as error:
            self._unread.append(Problem(address=section, text=error.message))
            return ()
        found = (self._decoded(record, row, f"{section}: {key}[{index}]") for index, row in enumerate(raw))
        return tuple(row for row in found if row is not None)

    def _decoded(self, record: type[R], row: object, at: str) -> R | None:
        try:
            return decode(record, row)
        except BadFacts as error:
            self._unread.append(Problem(address=at, text=error.message))
            return None

    def run(self) -> Iterator[Problem]:
        yield from self._unread
        yield from self._issues()
        yield from self._observed()
        yield from self._platforms()
        yield from self._links()
        yield from self._repairs()
        yield from self._locks()
        yield from self._releases()

    def _issues(self) -> Iterator[Problem]:
        yield from _unique("issues", (row.id for row in self.issues))
        for row in self.issues:
            at = f"issues: {row.id}"
            yield from _id(at, row.id, ("ISS",))
            yield from _told(at, row_checks.issue(row, self._today))
            for index, condition in enumerate(row.affects):
                yield from self._chips_named(condition, f"{at}.affects[{index}].chips")

    def _chips_named(self, row: Affects, at: str) -> Iterator[Problem]:
        for prefix in row.chips:
            if not any(chip.name.startswith(prefix) for chip in self.chips):
                yield Problem(address=at, text=f"no chip of platforms/chips.toml begins with {prefix!r}")

    def _observed(self) -> Iterator[Problem]:
        yield from _unique("observed", (row.id for row in self.observed))
        ids = {row.id for row in self.observed}
        pairs = {link_reference(row) for row in self.links}
        for row in self.observed:
            at = f"observed: {row.id}"
            yield from _id(at, row.id, ("OBS",) if row.kind == "run" else ("CLM",))
            yield from _told(at, row_checks.observation(row, self._today))
            yield from self._machine_named(row, at)
            for reference in row.contradicted_by:
                if reference not in ids | pairs:
                    yield Problem(address=f"{at}.contradicted_by", text=f"there is no row {reference!r}")

    def _machine_named(self, row: Observation, at: str) -> Iterator[Problem]:
        chip = next((chip for chip in self.chips if chip.name == row.chip), None)
        if row.chip is not None and chip is None:
            yield Problem(address=f"{at}.chip", text=f"{row.chip!r} is not in platforms/chips.toml")
        if row.kind != "run" or row.macos is None:
            return
        major = row.macos.split(".", maxsplit=1)[0]
        if major not in {version.version for version in self.macos}:
            yield Problem(address=f"{at}.macos", text=f"{major!r} is not in platforms/macos.toml")
        elif chip is not None and order(major) < order(chip.oldest_macos):
            yield Problem(address=f"{at}.macos", text=f"Macs with {chip.name} run {chip.oldest_macos} and newer")

    def _platforms(self) -> Iterator[Problem]:
        yield from _unique("platforms: macos", (row.version for row in self.macos))
        yield from _unique("platforms: macos, darwin", (str(row.darwin) for row in self.macos))
        yield from _unique("platforms: chips", (row.name for row in self.chips))
        known = {row.version for row in self.macos}
        for chip in self.chips:
            at = f"platforms: {chip.name}"
            if f"macos-{chip.architecture}" not in PLATFORMS:
                yield Problem(address=f"{at}.architecture", text=f"no Mac is {chip.architecture!r}")
            for name in ("oldest_macos", "newest_macos"):
                version = getattr(chip, name)
                if version is not None and version not in known:
                    yield Problem(address=f"{at}.{name}", text=f"{version!r} is not in platforms/macos.toml")

    def _links(self) -> Iterator[Problem]:
        yield from _unique("links", map(link_reference, self.links))
        for row in self.links:
            yield from _told(link_reference(row), row_checks.link(row))

    def _repairs(self) -> Iterator[Problem]:
        yield from _unique("repairs", (row.id for row in self.repairs))
        for row in self.repairs:
            yield from _told(f"repairs: {row.id}", row_checks.repair(row))

    def _locks(self) -> Iterator[Problem]:
        known = {row.id for row in self.repairs}
        for row in self.locks:
            at = f"locks/{row.file}"
            yield from _told(at, row_checks.lock_head(row, self._today))
            for repair in row.repairs:
                if repair not in known:
                    yield Problem(address=f"{at}: repairs", text=f"there is no repair {repair!r}")
            yield from self._plugin_links(row, at)
            yield from self._pins(row, at)

    def _plugin_links(self, row: LockEntry, at: str) -> Iterator[Problem]:
        """A lock with a plugin rests on a judged pair that loads."""
        if row.plugin is None or not self.links:
            return
        wanted = (row.plugin, row.plugin_version, row.tensorflow, row.platform.partition("-")[2])
        judged = [pair for pair in self.links if _pair_key(pair) == wanted]
        if not any(pair.loads for pair in judged):
            yield Problem(address=at, text="no row of links/ says that this plugin loads on this TensorFlow")

    def _pins(self, row: LockEntry, at: str) -> Iterator[Problem]:
        try:
            lock = Matrix(self._root).lock(row)
        except BadMatrix as error:
            yield Problem(address=at, text=error.message)
            return
        yield from _unique(at, (pin.name for pin in lock.packages))
        for pin in lock.packages:
            if not row_checks.is_sha256(pin.sha256) or pin.size <= 0:
                yield Problem(address=f"{at}: {pin.name}", text="without a SHA-256 and size of its file")
        yield from _holds(lock, at)

    def _releases(self) -> Iterator[Problem]:
        for name in compiled.sections(self._root):
            if not name.startswith("releases/"):
                continue
            try:
                rows = compiled.section(self._root, name)["releases"]
            except BadMatrix as error:
                yield Problem(address=name, text=error.message)
                continue
            yield from _release_problems(name, rows, self._today)


def link_reference(row: LinkRow) -> str:
    """Return how other rows name a judged pair: ``links/tensorflow-metal.arm64: tensorflow 2.18.0 + 1.1.0``."""
    return f"links/{row.plugin}.{row.arch}: {row.distribution} {row.tensorflow} + {row.plugin_version}"


def _pair_key(row: LinkRow) -> tuple[str, str, str, str]:
    return (row.plugin, row.plugin_version, row.tensorflow, row.arch)


def _holds(lock: Lock, at: str) -> Iterator[Problem]:
    """A lock's pins hold what its head promises."""
    pins = {pin.name: pin.version for pin in lock.packages}
    entry = lock.entry
    promised = [(entry.distribution, entry.tensorflow)]
    if entry.plugin is not None:
        promised.append((entry.plugin, str(entry.plugin_version)))
    for name, version in promised:
        if pins.get(name) != version:
            yield Problem(address=at, text=f"its pins do not hold {name} {version}")


def _release_problems(name: str, rows: Sequence[Mapping[str, Any]], today: str | None) -> Iterator[Problem]:
    yield from _unique(name, (str(row["version"]) for row in rows))
    for row in rows:
        at = f"{name}: {row['version']}"
        if parse(str(row["version"])) is None:
            yield Problem(address=at, text="not a version")
        yield from _told(at, row_checks.day(str(row.get("uploaded", "")), "uploaded", today))


def _id(at: str, text: str, prefixes: Sequence[str]) -> Iterator[Problem]:
    number = text[_NUMBER_LENGTH:]
    if text[:_NUMBER_LENGTH] not in prefixes or len(number) != _NUMBER_LENGTH or not number.isdigit():
        yield Problem(address=at, text=f"its id must be {' or '.join(prefixes)} and three digits")


def _unique(at: str, names: Iterable[str]) -> Iterator[Problem]:
    for name, count in Counter(names).items():
        if count > 1:
            yield Problem(address=at, text=f"{name} stands there {count} times")


def _told(at: str, complaints: Iterable[row_checks.Complaint]) -> Iterator[Problem]:
    return (Problem(address=f"{at}.{where}", text=what) for where, what in complaints)
