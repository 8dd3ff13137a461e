"""Read the locks on file again and say what is wrong with them; no network, nothing installed, nothing believed."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version

from locking import minimum
from locking.records import Lock, LockingError, Package, Repair, Target
from locking.repairs import for_target, read_repairs, read_toml
from locking.text import TABLES
from locking.verify import FINE, STEPS
from locking.wheels import GLIBC, PLATFORMS, fits, glibc, minimum_macos, parse, tags

TIERS = ("installs", "links", "imports", "runs", "agrees")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def problems(locks: Path, repairs: Path) -> Iterator[str]:
    """One line for each thing that is wrong, in the order of the files."""
    known = read_repairs(repairs)
    files = sorted(locks.glob("*/*.toml"))
    if not files:
        yield f"no lock under {locks}"
    try:
        about = WheelFacts.read(locks.parent / "files")
    except LockingError as error:
        yield f"files/{error}: run `scripts/locks --binaries`"
        about = None
    for path in files:
        where = f"{path.parent.name}/{path.name}"
        try:
            lock = read_lock(path)
        except LockingError as error:
            yield str(error)
            continue
        if (lock.target.platform, lock.target.name) != (path.parent.name, path.stem):
            yield f"{where}: its own words call it {lock.target.platform}/{lock.target.name}.toml"
        yield from (f"{where}: {one}" for one in lock_problems(lock, known))
        if about is not None:
            yield from (f"{where}: {one}" for one in about.problems(lock))


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelFacts:
    """`matrices/files/`: what every wheel that a lock names must be known by."""

    urls: Container[str]
    hashes: Mapping[str, str]
    """Of the macOS wheels whose binaries were measured."""
    minimums: minimum.Table

    @classmethod
    def read(cls, folder: Path) -> WheelFacts:
        """Both tables. Raises LockingError where one is missing or broken."""
        measured = folder / "macos.toml"
        try:
            urls = read_toml(folder / "urls.toml")["folders"]
            hashes = {row["file"]: row["sha256"] for row in read_toml(measured)["wheels"]}
        except (KeyError, TypeError) as error:
            raise LockingError(f"{folder.name}: {error!r}") from error
        return cls(urls=urls, hashes=hashes, minimums=minimum.read_measured(measured))

    def problems(self, lock: Lock) -> Iterator[str]:
        """Wheels of the lock nobody looked into, and a head that promises less than its binaries need."""
        for one in lock.packages:
            if one.file not in self.urls:
                yield f"{one.file} is not in files/urls.toml"
            if "macosx_" in one.file and self.hashes.get(one.file) != one.sha256:
                yield f"{one.file} is not measured in files/macos.toml"
        if not PLATFORMS[lock.target.platform].is_macos or lock.minimum_macos is None:
            return
        arch = PLATFORMS[lock.target.platform].arch
        needed = minimum.of_files((one.file for one in lock.packages), arch, self.minimums)
        if needed > parse(lock.minimum_macos):
            yield f"a binary needs macOS {minimum.text(needed)}, the lock says {lock.minimum_macos}"


def read_lock(path: Path) -> Lock:
    """A lock as its file says it. Raises LockingError where a key is missing or the document is broken."""
    document = read_toml(path)
    try:
        return _lock(document)
    except (KeyError, TypeError) as error:
        raise LockingError(f"{path.parent.name}/{path.name}: {error!r}") from error


def lock_problems(lock: Lock, repairs: tuple[Repair, ...]) -> Iterator[str]:
    """What is wrong with one lock."""
    if lock.target.platform not in PLATFORMS:
        yield f"unknown platform {lock.target.platform}"
        return
    if PLATFORMS[lock.target.platform].is_macos and lock.minimum_macos is None:
        yield "minimum_macos is missing"
        return
    yield from _package_problems(lock)
    yield from _pin_problems(lock)
    yield from _floor_problems(lock)
    yield from _repair_problems(lock, repairs)
    yield from _run_problems(lock)


def _package_problems(lock: Lock) -> Iterator[str]:
    place = PLATFORMS[lock.target.platform]
    ranked = set(tags(lock.target.platform, lock.target.python, lock.minimum_macos if place.is_macos else None))
    names = [one.name for one in lock.packages]
    if names != sorted(set(names)):
        yield "packages are not sorted by name, or one stands twice"
    for one in lock.packages:
        try:
            name, version, _, _ = parse_wheel_filename(one.file)
        except InvalidWheelFilename as error:
            yield f"{one.name}: {error}"
            continue
        if (name, str(version)) != (canonicalize_name(one.name), one.version):
            yield f"{one.name} {one.version}: {one.file} is another release"
        if not fits(one.file, ranked):
            yield f"{one.file} does not fit {lock.target.platform}, Python {lock.target.python}, {lock.minimum_macos}"
        if not _SHA256.fullmatch(one.sha256) or one.size <= 0:
            yield f"{one.name}: no sha256 or no size"


def _pin_problems(lock: Lock) -> Iterator[str]:
    pins = {one.name: one.version for one in lock.packages}
    wanted = {lock.target.distribution: lock.target.tensorflow}
    if lock.target.plugin:
        wanted[lock.target.plugin] = lock.target.plugin_version or ""
    for name, version in wanted.items():
        if pins.get(name) != version:
            yield f"named for {name} {version}, but pins {pins.get(name)}"
    if not lock.target.plugin and "tensorflow-metal" in pins:
        yield "has a plugin that its name does not"


def _floor_problems(lock: Lock) -> Iterator[str]:
    place = PLATFORMS[lock.target.platform]
    files = [one.file for one in lock.packages]
    if not place.is_macos:
        floor = glibc(files)
        if lock.glibc is None or floor != parse(lock.glibc) or floor > GLIBC:
            yield f"glibc says {lock.glibc}, the wheels say {floor}"
        return
    if lock.minimum_macos and (minimum_macos(files, place.arch) or (0, 0)) > parse(lock.minimum_macos):
        yield f"a wheel's tag asks for more than macOS {lock.minimum_macos}"


def _repair_problems(lock: Lock, repairs: tuple[Repair, ...]) -> Iterator[str]:
    from packaging.requirements import Requirement

    meant = for_target(repairs, lock.target)
    if sorted(one.id for one in meant) != list(lock.repairs):
        yield f"repairs are {list(lock.repairs)}, the repairs on file ask for {[one.id for one in meant]}"
    pins = {canonicalize_name(one.name): one.version for one in lock.packages}
    for one in meant:
        requirement = Requirement(one.requirement)
        pin = pins.get(canonicalize_name(requirement.name))
        if (pin is None and one.adds) or (pin is not None and Version(pin) not in requirement.specifier):
            yield f"{one.id} asks for {one.requirement}, the lock has {pin}"


def _run_problems(lock: Lock) -> Iterator[str]:
    place = PLATFORMS[lock.target.platform]
    if lock.tier not in TIERS or (place.is_macos and TIERS.index(lock.tier) > TIERS.index("links")):
        yield f"tier {lock.tier} is not one this platform was seen to reach"
    if lock.tier == "links" and not lock.target.plugin:
        yield "tier links without a plugin that could"
    whole = bool(lock.verified) and all(lock.verified.get(step) in FINE for step in STEPS)
    if whole and set(lock.without) != set(lock.repairs):
        yield f"repairs {list(lock.repairs)}, but seen to be needed: {sorted(lock.without)}"
    if whole and not lock.plain:
        yield "ran, but nobody looked what a plain installation gives"
    if (lock.tier == "runs") != whole:
        yield f"tier {lock.tier}, but the run it records is {'whole' if whole else 'not whole'}"


def _lock(document: dict[str, Any]) -> Lock:
    target = Target(
        platform=document["platform"],
        python=document["python"],
        distribution=document["distribution"],
        tensorflow=document["tensorflow"],
        plugin=document.get("plugin"),
        plugin_version=document.get("plugin_version"),
        cuda=document.get("cuda", False),
    )
    return Lock(
        target=target,
        minimum_macos=document.get("minimum_macos"),
        glibc=document.get("glibc"),
        repairs=tuple(document["repairs"]),
        tier=document["tier"],
        exclude_newer=document["exclude_newer"].isoformat(),
        uv=document["uv"],
        command=document["command"],
        packages=tuple(Package(**one) for one in document["packages"]),
        recommended=document.get("recommended", False),
        **{key: {name: str(value) for name, value in document.get(key, {}).items()} for key in TABLES},
    )
