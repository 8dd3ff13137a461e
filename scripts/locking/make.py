"""One target to one lock: repairs, resolution, the wheel of each pin, the run where it can be run here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from locking import minimum, uv, verify
from locking.index import Index
from locking.place import place
from locking.records import Lock, LockingError, Package, Repair, Resolution, Target
from locking.repairs import for_target
from locking.state import State
from locking.targets import HELD_BACK, RECOMMENDED
from locking.twins import twin
from locking.wheels import choose, glibc, tags

# People expect pip in an environment; pinned and hashed like the rest, it needs no second installer.
EVERYWHERE = ("pip",)


class Maker:
    """Makes locks with one uv, one state folder, one day of the index."""

    def __init__(self, *, uv_path: str, state: Path, day: str, pythons: Path, root: Path, index: Index) -> None:
        self.uv, self.day, self.pythons, self.index = uv_path, day, pythons, index
        self.state = State(state)
        self.script = root / "compat" / "smoke" / "scripts" / "whole.py"
        self.links = root / "matrices" / "links"
        self.linux = root / "matrices" / "locks" / "linux-x86_64"

    def lock(self, target: Target, repairs: Iterable[Repair], *, run: bool) -> Lock:
        """The lock of a target; run and recorded where asked.

        Raises LockingError where it cannot be resolved, a pin has no wheel, or the environment is not whole.
        """
        mended = for_target(repairs, target)
        resolved = self._held_back(target, [*(one.requirement for one in mended), *EVERYWHERE])
        packages = self.packages(target, resolved)
        files = [one.file for one in packages]
        floor = glibc(files)
        lock = Lock(
            target=target,
            minimum_macos=minimum.lock_minimum(target, files, self.links),
            glibc=minimum.text(floor) if floor and target.platform.startswith("linux") else None,
            repairs=tuple(sorted(one.id for one in mended)),
            tier="links" if target.plugin and minimum.loads(target, self.links) else "installs",
            exclude_newer=self.day,
            uv=resolved.uv,
            command=resolved.command,
            packages=packages,
            twin=twin(target, packages, self.linux),
            recommended=(target.tensorflow, target.plugin_version, target.python) == RECOMMENDED,
        )
        return self._run(lock, mended) if run else lock

    def resolved(self, target: Target, repairs: Iterable[str]) -> Resolution:
        """The target's pins with these repair requirements added."""
        asked = [*target.requirements, *sorted(repairs)]
        floor = minimum.resolution_minimum(target, self.links)
        return self.state.resolution(
            target, [*asked, self.day, str(floor)], lambda: uv.resolve(self.uv, target, asked, self.day, floor)
        )

    def _held_back(self, target: Target, wishes: Sequence[str]) -> Resolution:
        """The target's pins; libraries built for a newer macOS than their wheels say give way to older ones."""
        resolved = self.resolved(target, wishes)
        held = HELD_BACK.get(target.platform, {})
        older = [held[name] for name, _, _ in resolved.pins if name in held]
        return self.resolved(target, [*wishes, *older]) if older else resolved

    def packages(self, target: Target, resolved: Resolution) -> tuple[Package, ...]:
        """The one wheel of each pin that the target takes."""
        ranked = tags(target.platform, target.python, minimum.resolution_minimum(target, self.links))
        found = []
        for name, version, hashes in sorted(resolved.pins, key=lambda pin: pin[0]):
            wheel = choose(self.index.wheels(name, self.day), version, ranked)
            if wheel.sha256 not in hashes:
                raise LockingError(f"{target.name}: uv does not accept {wheel.file}")
            found.append(Package(name=name, version=version, file=wheel.file, sha256=wheel.sha256, size=wheel.size))
        return tuple(found)

    def interpreter(self, python: str) -> str:
        """The newest CPython of a minor version in the folder of interpreters.

        Raises LockingError where there is none.
        """
        found = sorted(self.pythons.glob(f"{python}.*/bin/python"), key=lambda one: int(one.parts[-3].split(".")[2]))
        if not found:
            raise LockingError(f"no CPython {python} under {self.pythons}")
        return str(found[-1])

    def _run(self, lock: Lock, mended: Sequence[Repair]) -> Lock:
        with place(self, lock.target) as here:
            plain = here.observe(lock.target, ())
            without = here.needed(mended)
            answers = dict(here.verify(lock))
        head = {"day": answers.pop("day"), "python": answers.pop("python"), "command": verify.HASH_CHECKED}
        return replace(
            lock,
            tier="runs",
            verified={**head, **answers},
            plain={"day": plain.day, "pip_check": plain.pip_check, **plain.steps},
            without=without,
        )
