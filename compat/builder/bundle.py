"""Make a bundle: gather beside its name, check it as its reader will, let it appear whole."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from compat.builder import bundle_extras, bundle_read, disk, transaction, wheelhouse
from compat.builder.fetch import Limits
from compat.builder.pages import LIMITS, indexes, is_own
from compat.builder.resolving import Wanted, pins
from compat.builder.shelf import Shelf, sha256_of
from compat.builder.uv import Elsewhere, Uv
from compat.builder.wheelhouse import Pin
from compat.errors import CannotAct, UsageError
from compat.facts.codec import encode
from compat.matrix.load import Matrix
from compat.matrix.model import LockedPackage, Target
from compat.matrix.versions import order
from compat.matrix.wheel_urls import wheel_urls
from compat.plan import bundled
from compat.plan.bundled import Archive, File, Manifest, Missing
from compat.plan.model import Candidate

FLOOR_MACOS = "13.0"
"""What pins are resolved for where no lock says more: the macOS uv itself takes for a Mac that is elsewhere."""
FLOOR_GLIBC = "2.28"
"""RHEL 8 and Debian 10, which uv's ``manylinux_2_28`` means."""

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to put together, and by what means."""

    directory: Path
    candidate: Candidate
    uv: Uv
    """Its ``elsewhere`` is set while this works."""
    matrix: Matrix
    shelf: Shelf
    say: Callable[[str], None]
    readme: Callable[[Manifest], str]
    variables: Mapping[str, str]
    """Where the indexes are said."""
    tool_version: str
    day: str
    files: tuple[Path, ...] = ()
    """The user's own requirement files, resolved together with the pair."""
    replace: bool = False
    limits: Limits = LIMITS
    """Of an index's page."""


def make(job: Job) -> Manifest:
    """Put a bundle together and let it appear under its name.

    Raises UsageError where the folder is not ours to replace, CannotAct where anything is not to be had or another run
    is at work there. Whatever happens, the folder is either as it was or whole.
    """
    check_folder(job.directory, replace=job.replace)
    with transaction.opened(job.directory, "tfcompat bundle") as work:
        job.uv.held = work.handle
        building = work.start(job.candidate.title)
        try:
            tree = building / "bundle"
            tree.mkdir()
            manifest = _gathered(tree, building, job)
            job.say("checking it as its reader will")
            bundle_read.verify(tree, bundle_read.read(tree))
            disk.flush(tree)
            check_folder(job.directory, replace=job.replace)  # an hour may have passed
            work.place(tree, f"the bundle of {job.candidate.title}")
        finally:
            work.drop(building)
    job.shelf.clear(frozenset(file.sha256 for file in manifest.files))
    return manifest


def check_folder(directory: Path, *, replace: bool) -> None:
    """Refuse to touch what is no bundle of ours. Raises UsageError."""
    if not os.path.lexists(directory):
        return
    if not bundle_read.is_bundle(directory):
        raise UsageError(f"{directory} exists and is no bundle", hint="name another folder: tfcompat bundle DIR")
    if not replace:
        raise UsageError(f"{directory} exists already", hint="add --yes to replace it once the new one is whole")
    others = list(bundle_read.others(directory))
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        raise UsageError(
            f"{directory} holds more than a bundle: {others[0]}{more}",
            hint="move that elsewhere, or name another folder",
        )


def target_of(candidate: Candidate) -> Target:
    """Return the oldest system that what is resolved for a candidate must install on."""
    target = candidate.target
    if target.platform.startswith("macos"):
        asked = candidate.lock.minimum_macos if candidate.lock and candidate.lock.minimum_macos else FLOOR_MACOS
        return replace(target, macos=max(asked, FLOOR_MACOS, key=order))
    return replace(target, glibc=FLOOR_GLIBC)


def _gathered(tree: Path, building: Path, job: Job) -> Manifest:
    candidate, target = job.candidate, target_of(job.candidate)
    job.uv.elsewhere = Elsewhere(platform=target.platform, macos=target.macos)
    chosen = tuple(_pins(building, target, job))
    (tree / bundled.WHEELS).mkdir()
    packages = tuple(wheelhouse.fetched(chosen, tree / bundled.WHEELS, job.shelf, job.say))
    disk.write(tree / bundled.LOCK, bundled.lock_text(packages, candidate.title))
    archive, missing = _extras(tree, building, target, job)
    macos, glibc = _minimums(packages, candidate)
    manifest = Manifest(
        schema_version=bundled.SCHEMA,
        kind=bundled.KIND,
        made_by=f"tfcompat {job.tool_version}, uv {job.uv.version}",
        day=job.day,
        platform=target.platform,
        python=candidate.python,
        candidate=candidate.title,
        distribution=candidate.distribution,
        tensorflow=candidate.tensorflow,
        gpu=candidate.accelerator is not None,
        lock=candidate.lock.file if candidate.lock and not job.files else None,
        minimum_macos=macos,
        minimum_glibc=glibc,
        packages=packages,
        files=tuple(_files(tree)),
        interpreter=archive,
        missing=missing,
    )
    manifest = replace(manifest, run=bundled.run_line(manifest, job.directory.name))
    disk.write(tree / bundled.README, job.readme(manifest))
    manifest = replace(manifest, files=tuple(_files(tree)))
    disk.write(tree / bundled.MANIFEST, json.dumps(encode(manifest), indent=1) + "\n")
    return manifest


def _pins(building: Path, target: Target, job: Job) -> Iterator[Pin]:
    """The shipped pins as they are, or a resolution of the pair with what the user wants besides."""
    known = indexes(job.variables)
    lock = job.matrix.lock(job.candidate.lock) if job.candidate.lock else None
    if lock is not None and not job.files:
        urls = {} if is_own(job.variables) else wheel_urls(job.matrix.root)
        yield from wheelhouse.of_lock(lock, urls, known, job.limits)
        return
    text = pins(job.candidate, building, target.python, Wanted(files=job.files), job).read_text("utf-8")
    yield from wheelhouse.of_text(text, target, known, job.limits)


def _extras(tree: Path, building: Path, target: Target, job: Job) -> tuple[Archive | None, tuple[Missing, ...]]:
    """The interpreter and tfcompat itself: a bundle without them is still worth having, and says so."""
    interpreter, tool = tree / bundled.INTERPRETER, tree / bundled.TOOL
    archive, why = _as_far_as_possible(interpreter, lambda: bundle_extras.interpreter(interpreter, target, job))
    missing = [Missing(what=f"the interpreter, Python {target.python}", why=why)] if why else []
    _, why = _as_far_as_possible(tool, lambda: bundle_extras.tool(tool, building, target, job))
    missing += [Missing(what="tfcompat itself", why=why)] if why else []
    return archive, tuple(missing)


def _as_far_as_possible(folder: Path, fill: Callable[[], R]) -> tuple[R | None, str]:
    """Return what came of it, or why nothing did; the folder is gone then. Raises CannotAct where the disk is full."""
    folder.mkdir()
    try:
        return fill(), ""
    except CannotAct as error:
        if "disk space" in error.hint:
            raise
        disk.discard(folder)
        return None, error.message


def _minimums(packages: tuple[LockedPackage, ...], candidate: Candidate) -> tuple[str | None, str | None]:
    """Of macOS and glibc: what the wheels' tags ask for, and what the lock knows of their binaries."""
    files, platform = [package.file for package in packages], candidate.target.platform
    if platform.startswith("macos"):
        asked = wheelhouse.minimum_macos(files, platform)
        known = [candidate.lock.minimum_macos] if candidate.lock and candidate.lock.minimum_macos else []
        known += [f"{asked[0]}.{asked[1]}"] if asked else []
        return max(known, key=order, default=None), None
    glibc = wheelhouse.minimum_glibc(files, platform)
    return None, f"{glibc[0]}.{glibc[1]}" if glibc else None


def _files(tree: Path) -> Iterator[File]:
    for path in sorted(tree.rglob("*")):
        if path.is_file():
            place = path.relative_to(tree).as_posix()
            yield File(path=place, sha256=sha256_of(path), size=path.stat().st_size)
