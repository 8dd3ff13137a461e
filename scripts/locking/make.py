"""One target to one lock: repairs, resolution, the wheel of each pin, the run where it can be run here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from locking import minimum, uv, verify
from locking.index import Index
from locking.records import Lock, LockingError, Observation, Package, Repair, Resolution, Target
from locking.repairs import for_target
from locking.state import State
from locking.targets import RECOMMENDED
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

    def lock(self, target: Target, repairs: Iterable[Repair], *, run: bool) -> Lock:
        """The lock of a target; run and recorded where asked.

        Raises LockingError where it cannot be resolved, a pin has no wheel, or the environment is not whole.
        """
        mended = for_target(repairs, target)
        resolved = self.resolved(target, [*(one.requirement for one in mended), *EVERYWHERE])
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
            recommended=(target.tensorflow, target.plugin_version, target.python) == RECOMMENDED,
        )
        return self._run(lock) if run else lock

    def resolved(self, target: Target, repairs: Iterable[str]) -> Resolution:
        """The target's pins with these repair requirements added."""
        asked = [*target.requirements, *sorted(repairs)]
        floor = minimum.resolution_minimum(target, self.links)
        return self.state.resolution(
            target, [*asked, self.day, str(floor)], lambda: uv.resolve(self.uv, target, asked, self.day, floor)
        )

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

    @contextmanager
    def looking(self, target: Target) -> Iterator[Callable[[Target, tuple[str, ...]], Observation]]:
        """Look what the target's environment does with given repairs, in one environment that each look changes."""
        with ExitStack() as stack:
            made: list[Path] = []

            def look(resolved: Resolution, repairs: tuple[str, ...]) -> Observation:
                if not made:
                    place = verify.environment(self.uv, self._folder(target), self.interpreter(target.python))
                    made.append(stack.enter_context(place))
                return verify.observe(self.uv, made[0], target, resolved, repairs, self.script)

            def observe(_: Target, repairs: tuple[str, ...]) -> Observation:
                resolved = self.resolved(target, repairs)
                asked = [*target.requirements, *repairs, self.day]
                return self.state.observation(target, asked, lambda: look(resolved, repairs))

            yield observe

    def interpreter(self, python: str) -> str:
        """The newest CPython of a minor version in the folder of interpreters.

        Raises LockingError where there is none.
        """
        found = sorted(self.pythons.glob(f"{python}.*/bin/python"), key=lambda one: int(one.parts[-3].split(".")[2]))
        if not found:
            raise LockingError(f"no CPython {python} under {self.pythons}")
        return str(found[-1])

    def _run(self, lock: Lock) -> Lock:
        hashes = [one.sha256 for one in lock.packages]

        def run() -> dict[str, str]:
            with verify.environment(self.uv, self._folder(lock.target), self.interpreter(lock.target.python)) as python:
                return verify.run_lock(self.uv, python, lock, self.script)

        answers = self.state.verification(lock.target, [*hashes, self.day], run)
        broken = {step: line for step, line in answers.items() if step in verify.STEPS and line not in verify.FINE}
        if broken or answers["pip_check"] != "compatible":
            raise LockingError(f"{lock.target.name} is not whole: {broken or answers['pip_check']}")
        head = {"day": answers.pop("day"), "python": answers.pop("python"), "command": verify.HASH_CHECKED}
        return replace(lock, tier="runs", verified={**head, **answers})

    def _folder(self, target: Target) -> Path:
        return self.state.folder / "environments" / target.name
