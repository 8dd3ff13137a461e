"""One environment on disk in which a target's installations are looked at, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from locking import verify
from locking.records import Lock, LockingError, Observation, Repair, Resolution, Target

if TYPE_CHECKING:
    from locking.make import Maker


class Place:
    """Made on first use, changed by every look; answers already in the maker's state need no environment at all."""

    def __init__(self, maker: Maker, target: Target, stack: ExitStack) -> None:
        self._maker, self._target, self._stack = maker, target, stack
        self._made: Path | None = None

    def observe(self, _: Target, repairs: tuple[str, ...]) -> Observation:
        """What the target does with these repair requirements and else the newest its metadata allows."""
        resolved = self._maker.resolved(self._target, repairs)
        asked = [*self._target.requirements, *repairs, self._maker.day]
        return self._maker.state.observation(self._target, asked, lambda: self._look(resolved, repairs))

    def verify(self, lock: Lock) -> dict[str, str]:
        """The answers of the lock's own wheels. Raises LockingError where one of them is no."""
        hashes = [one.sha256 for one in lock.packages]
        answers = self._maker.state.verification(
            lock.target,
            [*hashes, self._maker.day],
            lambda: verify.run_lock(self._maker.uv, self._interpreter, lock, self._maker.script),
        )
        broken = {step: line for step, line in answers.items() if step in verify.STEPS and line not in verify.FINE}
        if broken or answers["pip_check"] != "compatible":
            raise LockingError(f"{lock.target.name} is not whole: {broken or answers['pip_check']}")
        return answers

    def needed(self, repairs: Sequence[Repair]) -> dict[str, str]:
        """Repair → how the environment fails without this one alone. Raises LockingError for one it does not need."""
        return {one.id: self._failure_without(one, repairs) for one in sorted(repairs, key=lambda one: one.id)}

    def _failure_without(self, left_out: Repair, repairs: Iterable[Repair]) -> str:
        others = tuple(sorted(one.requirement for one in repairs if one is not left_out))
        failure = self.observe(self._target, others).failure
        if failure is None:
            raise LockingError(f"{self._target.name} is whole without {left_out.id}: its range is too wide")
        return ": ".join(failure)

    def _look(self, resolved: Resolution, repairs: tuple[str, ...]) -> Observation:
        maker = self._maker
        return verify.observe(maker.uv, self._interpreter, self._target, resolved, repairs, maker.script)

    @property
    def _interpreter(self) -> Path:
        if self._made is None:
            folder = self._maker.state.folder / "environments" / self._target.name
            base = self._maker.interpreter(self._target.python)
            self._made = self._stack.enter_context(verify.environment(self._maker.uv, folder, base))
        return self._made


@contextmanager
def place(maker: Maker, target: Target) -> Iterator[Place]:
    """A place for one target; what was made for it is gone afterwards."""
    with ExitStack() as stack:
        yield Place(maker, target, stack)
