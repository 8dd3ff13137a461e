"""What must hold of the rows that scripts make: releases, judged pairs, repairs and locks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from packaging.requirements import InvalidRequirement, Requirement

from compat.matrix.lint import rows, words
from compat.matrix.lint.problem import Complaint
from compat.matrix.lint.shapes import ReleaseRow
from compat.matrix.model import PLATFORMS, TIERS, LinkRow, LockedPackage, LockEntry, Repair
from compat.matrix.versions import specifiers


def release(row: ReleaseRow, lists: int, today: str | None) -> Iterator[Complaint]:
    """Check one release; ``lists`` is how many requirement lists its file has."""
    yield from rows.version(row.version, "version")
    yield from rows.day(row.uploaded, "uploaded", today)
    if row.requires_python is not None and specifiers(row.requires_python) is None:
        yield "requires_python", "version-set", f"{row.requires_python!r} is not a PEP 440 set"
    if row.sdist is not None and row.sdist.requires is not None and not 0 <= row.sdist.requires < lists:
        yield "sdist.requires", "unknown-reference", f"there is no list number {row.sdist.requires}"
    for index, wheel in enumerate(row.wheels):
        at = f"wheels[{index}]"
        if wheel.requires is not None and not 0 <= wheel.requires < lists:
            yield f"{at}.requires", "unknown-reference", f"there is no list number {wheel.requires}"
        if wheel.sha256 and not rows.is_sha256(wheel.sha256):
            yield f"{at}.sha256", "lock-pin", "not a SHA-256"
        yield from rows.size(wheel.size, f"{at}.size", least=0)


def link(row: LinkRow) -> Iterator[Complaint]:
    """Check one judged pair: what it says of loading, of the layer and of what is missing fit together."""
    if row.loads is None and not row.reason:
        yield "reason", "link-shape", "not judged, and nobody says why"
    if row.loads and (row.layer or row.missing):
        yield "layer", "link-shape", "it loads, and yet something is missing"
    if row.loads is False and not (1 <= row.layer <= 3 and row.missing):  # noqa: PLR2004 - dyld's three layers
        yield "layer", "link-shape", "it does not load: layer 1, 2 or 3 and what is missing belong to that"
    for name in ("tensorflow", "plugin_version"):
        yield from rows.version(getattr(row, name), name)


def repair(row: Repair) -> Iterator[Complaint]:
    """Check one constraint that mends drift."""
    try:
        Requirement(row.requirement)
    except InvalidRequirement:
        yield "requirement", "requirement", f"{row.requirement!r} is not a requirement"
    yield from rows.version_set(row.versions, "versions")
    yield from rows.version_set(row.python, "python")
    yield from rows.one_of(row.step, words.STEPS, "step")
    yield from rows.filled(row, ("id", "failure"))
    if not row.packages:
        yield "packages", "empty-field", "a repair of nothing"


def lock_head(row: LockEntry, today: str | None) -> Iterator[Complaint]:
    """Check the head of a lock: known words, days, a name that says its content, no more evidence than there can be."""
    yield from rows.one_of(row.platform, PLATFORMS, "platform")
    yield from rows.one_of(row.tier, TIERS, "tier")
    if row.file != lock_name(row):
        yield "file", "lock-name", f"its content calls for {lock_name(row)!r}"
    claimed = row.tier in TIERS and row.tier not in words.MACOS_LOCK_TIERS
    if row.platform.startswith("macos") and claimed:
        yield "tier", "lock-tier", f"a macOS lock was never run, so it cannot be {row.tier!r}"
    if claimed and row.verified_day is None:
        yield "verified", "lock-tier", f"tier {row.tier!r} without the day and record of a run"
    yield from rows.day(row.exclude_newer, "exclude_newer", today)
    if row.verified_day is not None:
        yield from rows.day(row.verified_day, "verified.day", today)


def lock_name(row: LockEntry) -> str:
    """Return the file a lock belongs in: ``macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml``."""
    flavour = f"metal-{row.plugin_version}" if row.plugin_version else ("cuda" if row.cuda else "cpu")
    return f"{row.platform}/tensorflow-{row.tensorflow}-{flavour}-cp{row.python.replace('.', '')}.toml"


def pins(entry: LockEntry, packages: tuple[LockedPackage, ...]) -> Iterator[Complaint]:
    """Check the pins of a lock: each once, with the hash of its file, and those the head promises among them."""
    for name, count in Counter(pin.name for pin in packages).items():
        if count > 1:
            yield f"packages.{name}", "duplicate-id", f"stands there {count} times"
    for pin in packages:
        if not rows.is_sha256(pin.sha256) or not 0 < pin.size <= words.LARGEST_SIZE:
            yield f"packages.{pin.name}", "lock-pin", "without a SHA-256 and size of its file"
    held = {pin.name: pin.version for pin in packages}
    promised = [(entry.distribution, entry.tensorflow)]
    if entry.plugin is not None:
        promised.append((entry.plugin, str(entry.plugin_version)))
    for name, wanted in promised:
        if held.get(name) != wanted:
            yield "packages", "lock-pin", f"its pins do not hold {name} {wanted}"
