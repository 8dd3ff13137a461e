"""``tfcompat fix --bundle DIR``: the plan is what the bundle holds, its pins and its files are the bundle's."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from compat.errors import CannotAct, UsageError
from compat.facts.capture import Facts
from compat.facts.known import known
from compat.matrix.load import Matrix
from compat.matrix.model import Lock, LockEntry
from compat.matrix.versions import order
from compat.plan import bundled
from compat.plan.bundled import Manifest
from compat.plan.candidates import candidates
from compat.plan.model import Candidate, Decision, Plan, Refusal, Wish
from compat.plan.resolve import decide
from compat.report.planned import BUILD

if TYPE_CHECKING:
    from compat.builder.uv import Uv


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A bundle that is for this machine."""

    folder: Path
    manifest: Manifest

    @property
    def command(self) -> str:
        """What builds it."""
        return f"{BUILD} --bundle {shlex.quote(str(self.folder))}"

    def verify(self) -> None:
        """Read every file whole and hold it against its sha256. Raises CannotAct."""
        from compat.builder.bundle_read import verify

        verify(self.folder, self.manifest)

    def supply(self, uv: Uv) -> None:
        """Let uv take wheels and interpreters from the bundle, and nothing from anywhere else."""
        from compat.builder.uv import python_list

        uv.offline = True
        uv.wheels = self.folder / bundled.WHEELS
        archive = self.manifest.interpreter
        if archive is not None:
            sha256 = next(file.sha256 for file in self.manifest.files if file.path == archive.path)
            uv.pythons = python_list(archive, self.folder, self.manifest.platform, sha256)


class BundledMatrix(Matrix):
    """The matrix at hand, in which the bundle's own pins stand for a lock."""

    def __init__(self, matrix: Matrix, lock: Lock) -> None:
        super().__init__(matrix.root, matrix.place)
        self._lock = lock

    def lock(self, entry: LockEntry) -> Lock:
        """Return the bundle's pins where they are asked for, else a shipped lock."""
        return self._lock if entry == self._lock.entry else super().lock(entry)


def check(folder: Path | None, others: Mapping[str, object]) -> None:
    """Raise UsageError for what does not go with a bundle."""
    for name in (name for name, value in others.items() if value and folder is not None and name != "--create-venv"):
        raise UsageError(f"--bundle names a whole environment, {name} asks for another", hint=f"leave out {name}")


def opened(folder: Path, facts: Facts, *, kernel: str | None) -> Bundle:
    """Return a bundle, read but not verified yet.

    Raises CannotAct for one that is broken, UsageError for one that is not for this machine or wish.
    """
    from compat.builder.bundle_read import read

    absolute = folder.absolute()
    manifest = read(absolute)
    _must_be_for(manifest, facts, folder)
    if kernel and "ipykernel" not in {package.name for package in manifest.packages}:
        raise UsageError(
            f"--kernel needs ipykernel, which is not in the bundle {folder}",
            hint="make the bundle with a requirements file that names it: tfcompat bundle DIR --with FILE",
        )
    return Bundle(folder=absolute, manifest=manifest)


def plan_of(bundle: Bundle, facts: Facts, matrix: Matrix) -> tuple[Decision, Matrix]:
    """Return the plan to build what the bundle holds, with the matrix its pins are in.

    A refusal where the matrix knows why this machine cannot have it. Raises CannotAct where it knows nothing of it.
    """
    manifest = bundle.manifest
    wish = Wish(gpu=manifest.gpu, tensorflow=f"=={manifest.tensorflow}", python=manifest.python)
    candidate = next((one for one in candidates(wish, facts, matrix) if one.title == manifest.candidate), None)
    if candidate is None:
        return _refused(bundle, wish, facts, matrix), matrix
    lock = bundled.lock_of(manifest)
    made = f"it is what the bundle {bundle.folder} holds, made by {manifest.made_by} on {manifest.day}"
    best: Candidate = replace(candidate, lock=lock.entry)
    return Plan(best=best, fallbacks=(), reasons=(made,)), BundledMatrix(matrix, lock)


def _refused(bundle: Bundle, wish: Wish, facts: Facts, matrix: Matrix) -> Refusal:
    decision = decide(wish, facts, matrix)
    if isinstance(decision, Refusal):
        return decision
    raise CannotAct(
        f"{bundle.folder} holds {bundle.manifest.candidate!r}, which this tfcompat's matrix does not know",
        hint="use the tfcompat that made the bundle",
    )


def _must_be_for(manifest: Manifest, facts: Facts, folder: Path) -> None:
    machine = facts.machine
    if machine.platform != manifest.platform:
        raise UsageError(
            f"{folder} is for {manifest.platform}, this machine is {machine.platform or 'unknown'}",
            hint=f"make one for it: tfcompat bundle DIR --for {machine.platform or 'PLATFORM'}",
        )
    here = {"macOS": (known(machine.os_version), manifest.minimum_macos)}
    here["glibc"] = (known(machine.glibc), manifest.minimum_glibc)
    for name, (version, minimum) in here.items():
        if version is not None and minimum is not None and order(version) < order(minimum):
            raise UsageError(
                f"{folder} needs {name} {minimum} or newer, this machine has {version}",
                hint="make one with an older TensorFlow: tfcompat bundle DIR --tensorflow SET",
            )
