"""The extra `tfcompat[metal]`, from the locks: the recommended pair where it can run, plain TensorFlow elsewhere.

The pair is the lock marked `recommended`. Everywhere else the same TensorFlow without a plugin, unless that release
has no wheel there: Intel Macs take the newest lock of theirs, Pythons above the pair's the newest lock for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.version import Version

from locking.check import read_lock
from locking.records import Lock, LockingError, Repair, Target
from locking.repairs import for_target

MAC = "sys_platform == 'darwin'"
APPLE_SILICON = f"{MAC} and platform_machine == 'arm64'"
INTEL_MAC = f"{MAC} and platform_machine == 'x86_64'"
ELSEWHERE = "sys_platform != 'darwin'"


def extra_lines(locks: Iterable[Lock], repairs: tuple[Repair, ...]) -> list[str]:
    """The extra's requirements, each with its marker. Raises LockingError where no lock is recommended."""
    known = list(locks)
    pair = next((one.target for one in known if one.recommended), None)
    if pair is None:
        raise LockingError("no lock is marked recommended")
    last = max(_minor(one.target) for one in known if one.target.plugin and one.target.tensorflow == pair.tensorflow)
    older, newer = f"python_version < '3.{last + 1}'", f"python_version >= '3.{last + 1}'"
    above = _newest(known, pair.platform, after=last)
    ceiling = max(_minor(one.target) for one in known if one.target.tensorflow == above.tensorflow)
    until = f"{newer} and python_version < '3.{ceiling + 1}'"
    lines: list[str] = []
    lines += _asked(pair, f"{APPLE_SILICON} and {older}", repairs)
    lines += _asked(above, f"{APPLE_SILICON} and {until}", repairs)
    lines += _asked(_newest(known, "macos-x86_64"), f"{INTEL_MAC} and {older}", repairs)
    lines += _asked(_without_plugin(pair), f"{ELSEWHERE} and {older}", repairs)
    lines += _asked(above, f"{ELSEWHERE} and {until}", repairs)
    return lines


def extra_text(lines: Iterable[str]) -> str:
    """The lines as they stand in pyproject.toml under [project.optional-dependencies]."""
    return "\n".join(["metal = [", *(f'  "{line}",' for line in lines), "]"]) + "\n"


def read_locks(folder: Path) -> tuple[Lock, ...]:
    """Every lock on file. Raises LockingError."""
    return tuple(read_lock(path) for path in sorted(folder.glob("*/*.toml")))


def _asked(target: Target, marker: str, repairs: tuple[Repair, ...]) -> Iterator[str]:
    added = (one.requirement for one in for_target(repairs, target))
    yield from (f"{requirement}; {marker}" for requirement in (*target.requirements, *added))


def _newest(locks: Iterable[Lock], platform: str, after: int = 0) -> Target:
    fitting = [one.target for one in locks if one.target.platform == platform and not one.target.plugin]
    fitting = [one for one in fitting if _minor(one) > after]
    if not fitting:
        raise LockingError(f"no lock without a plugin for {platform} above Python 3.{after}")
    return max(fitting, key=lambda one: (Version(one.tensorflow), _minor(one)))


def _without_plugin(pair: Target) -> Target:
    return Target(
        platform="linux-x86_64", python=pair.python, distribution=pair.distribution, tensorflow=pair.tensorflow
    )


def _minor(target: Target) -> int:
    return int(target.python.split(".")[1])
