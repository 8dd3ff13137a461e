"""What README says of the locks: how many combinations work whole, with a lock and without one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from packaging.version import Version

from locking.records import Lock
from locking.targets import OLDEST_LINUX, WITHOUT_WHEELS, combinations
from locking.verify import FINE, STEPS

Row = list[str]
HEAD = [
    "TensorFlow on Linux x86_64",
    "combinations",
    "plain uv: whole",
    "plain uv breaks at",
    "its lock: whole",
    "repairs",
]
PLATFORM_HEAD = ["platform", "locks", "TensorFlow", "ran whole here", "Linux twin ran whole", "plugin proved to load"]
_SAID = {"imports": "import", "fit": "fit", "tensorboard_callback": "TensorBoard", "tensorboard_cli": "TensorBoard"}


def whole_rows(locks: Sequence[Lock]) -> list[Row]:
    """A row a TensorFlow minor, the newest first, and the sum."""
    linux = [one for one in locks if one.target.platform == "linux-x86_64" and not one.target.cuda]
    every = combinations("tensorflow-cpu", "linux", "x86_64", OLDEST_LINUX)
    minors = sorted({_minor(tensorflow) for tensorflow, _ in every}, key=Version, reverse=True)
    rows = [_row(name, [one for one in every if _minor(one[0]) == name], _of(linux, name)) for name in minors]
    return [*rows, _row("all", every, linux)]


def platform_rows(locks: Sequence[Lock]) -> list[Row]:
    """A row a platform."""
    return [_platform(name, [one for one in locks if one.target.platform == name]) for name in _platforms(locks)]


def lock_rows(locks: Iterable[Lock]) -> list[Row]:
    """A row a lock: platform, TensorFlow, GPU, Python, macOS or glibc, tier, repairs, what plain uv gives."""
    return [
        [
            one.target.platform,
            one.target.tensorflow,
            _gpu(one),
            one.target.python,
            f"macOS {one.minimum_macos}" if one.minimum_macos else f"glibc {one.glibc}",
            one.tier + (", twin ran whole" if one.twin else ""),
            ", ".join(one.repairs),
            _plain(one),
        ]
        for one in sorted(locks, key=_order)
    ]


def without_lock() -> list[Row]:
    """Combinations that cannot be made from wheels, and why."""
    return [[tensorflow, python, why] for (tensorflow, python), why in sorted(WITHOUT_WHEELS.items())]


def _row(name: str, every: Sequence[tuple[str, str]], locks: Sequence[Lock]) -> Row:
    looked = [one for one in locks if one.plain]
    plain = [one for one in looked if _is_whole(one.plain)]
    breaks = Counter(_SAID.get(_first(one.plain), _first(one.plain)) for one in looked if one not in plain)
    repairs = sorted({identity for one in locks for identity in one.without})
    return [
        name,
        str(len(every)),
        f"{len(plain)} of {len(looked)}",
        ", ".join(f"{step} {number}" for step, number in sorted(breaks.items())),
        str(sum(one.tier == "runs" for one in locks)),
        ", ".join(repairs),
    ]


def _platform(name: str, locks: Sequence[Lock]) -> Row:
    versions = sorted({Version(one.target.tensorflow) for one in locks})
    with_plugin = [one for one in locks if one.target.plugin]
    return [
        name,
        str(len(locks)),
        f"{versions[0]} to {versions[-1]}",
        str(sum(one.tier == "runs" for one in locks)),
        str(sum(bool(one.twin) for one in locks)),
        f"{sum(one.tier == 'links' for one in with_plugin)} of {len(with_plugin)}" if with_plugin else "",
    ]


def _plain(lock: Lock) -> str:
    if not lock.plain:
        return ""
    return "whole" if _is_whole(lock.plain) else f"breaks at {_SAID.get(_first(lock.plain), _first(lock.plain))}"


def _is_whole(plain: dict[str, str]) -> bool:
    return all(plain[step] in FINE for step in STEPS)


def _first(plain: dict[str, str]) -> str:
    return next(step for step in STEPS if plain[step] not in FINE)


def _gpu(lock: Lock) -> str:
    if lock.target.plugin:
        return f"{lock.target.plugin} {lock.target.plugin_version}"
    return "CUDA" if lock.target.cuda else "CPU"


def _of(locks: Iterable[Lock], minor: str) -> list[Lock]:
    return [one for one in locks if _minor(one.target.tensorflow) == minor]


def _minor(tensorflow: str) -> str:
    return ".".join(map(str, Version(tensorflow).release[:2]))


def _platforms(locks: Iterable[Lock]) -> list[str]:
    return sorted({one.target.platform for one in locks}, key=lambda name: (not name.startswith("macos"), name))


def _order(lock: Lock) -> tuple[str, Version, str, Version]:
    return lock.target.platform, Version(lock.target.tensorflow), _gpu(lock), Version(lock.target.python)
