"""``tfcompat fix --export``: which lock is meant, in which formats, and where it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from compat.cli import output
from compat.errors import CannotAct, Refused, UsageError
from compat.facts.capture import Facts
from compat.matrix.load import Matrix
from compat.matrix.model import LockEntry
from compat.plan import export
from compat.plan.model import Decision, Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What was asked for."""

    formats: tuple[str, ...]
    directory: Path | None
    """None: one format, to stdout."""
    lock: str | None
    platform: str | None
    force: bool


def asked(
    formats: str | None, *, directory: Path | None, lock: str | None, platform: str | None, force: bool
) -> Export | None:
    """Return what to export; None where nobody asked. Raises UsageError for words that make no sense."""
    if formats is None:
        given = {"--output": directory, "--lock": lock, "--platform": platform, "--force": force or None}
        for option in (name for name, value in given.items() if value is not None):
            raise UsageError(f"{option} says what --export writes", hint="add --export pylock")
        return None
    names = tuple(dict.fromkeys(name.strip() for name in formats.split(",")))
    for name in names:
        if name not in export.FILES:
            known = ",".join(export.FILES)
            raise UsageError(f"--export {name or repr(name)} is no format", hint=f"one or more of {known}")
    if platform is not None and platform not in export.MARKERS:
        raise UsageError(f"no lock is for {platform}", hint=f"one of {', '.join(export.MARKERS)}")
    where = directory if directory is not None or len(names) == 1 else Path()
    return Export(formats=names, directory=where, lock=lock, platform=platform, force=force)


def check(wanted: Export | None, options: Mapping[str, object], choosing: Mapping[str, object]) -> None:
    """Raise UsageError for what an export does not heed: ``options`` ever, ``choosing`` beside a lock's name."""
    if wanted is None:
        return
    for name in (name for name, value in options.items() if value):
        raise UsageError(f"--export writes a lock as it is, {name} is about building one", hint=f"leave out {name}")
    for name in (name for name, value in choosing.items() if value and wanted.lock):
        raise UsageError(f"--lock names a whole environment, {name} chooses one", hint="give one of them")


def named(wanted: Export, matrix: Matrix, look: Callable[[], Facts]) -> LockEntry:
    """Return the lock that --lock names; of several platforms' --platform's, or this machine's. Raises UsageError."""
    from compat.plan import naming

    locks = [lock for lock in matrix.locks() if wanted.platform in (None, lock.platform)]
    found = naming.named(wanted.lock or "", locks)
    if len(found) == 1:
        return found[0]
    here = [lock for lock in found if lock.platform == look().machine.platform]
    if not here:
        platforms = ", ".join(sorted(lock.platform for lock in found))
        raise UsageError(f"several platforms have a lock {wanted.lock}", hint=f"add --platform: one of {platforms}")
    return here[0]


def machine_of(platform: str, facts_file: Path | None) -> Facts:
    """Return what a platform's name alone says, for a plan for another machine. Raises UsageError beside a capture."""
    from compat.probe.environment import target_machine

    if facts_file is not None:
        raise UsageError("--platform and --facts both name a machine", hint="give one of them")
    return Facts(machine=target_machine(platform), origin=f"nothing but its name: {platform}")


def lock_of(plan: Decision, told: Callable[[], str]) -> LockEntry:
    """Return the lock of the plan's best. Raises Refused where there is no plan, CannotAct where no lock was made.

    A refusal is told on stderr, because stdout is for the lock and most likely a file.
    """
    if isinstance(plan, Refusal):
        output.talk(told().rstrip())
        raise Refused("nothing was exported", hint="give up one of the wishes, or name a lock with --lock")
    if plan.best.lock is None:
        raise CannotAct(
            f"there is no lock for {plan.best.title}: its pins are resolved when it is built",
            hint="tfcompat fix --create-venv builds it and leaves its hashed requirements beside it",
        )
    return plan.best.lock


def write(entry: LockEntry, wanted: Export, matrix: Matrix) -> None:
    """Print the lock or write its files. Raises UsageError where one is in the way, CannotAct, BadMatrix."""
    from compat.builder import disk

    texts = dict(_texts(entry, wanted.formats, matrix))
    if wanted.directory is not None:
        _make_room(wanted.directory, texts, force=wanted.force)
    output.talk(f"lock: {entry.file}")
    if wanted.directory is None:
        output.emit(next(iter(texts.values())))
        return
    for name, text in texts.items():
        disk.write(wanted.directory / name, text)
    output.emit("".join(f"{wanted.directory / name}\n" for name in texts))


def _texts(entry: LockEntry, formats: tuple[str, ...], matrix: Matrix) -> Iterator[tuple[str, str]]:
    """File names and what goes into them, all made before anything is written."""
    lock = matrix.lock(entry)
    for name in formats:
        if name == "pylock":
            from compat.matrix.wheel_urls import wheel_urls

            text = export.pylock(lock, wheel_urls(matrix.root))
        else:
            text = export.requirements(lock) if name == "requirements" else export.environment_yml(lock)
        yield export.FILES[name], text


def _make_room(directory: Path, names: Mapping[str, str], *, force: bool) -> None:
    """Make the folder; raise UsageError where that or a file stands in the way, CannotAct where it cannot be made."""
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory} is no folder", hint="--output names the folder to write into")
    there = [name for name in names if (directory / name).exists() or (directory / name).is_symlink()]
    folders = [name for name in there if (directory / name).is_dir()]
    if folders:
        raise UsageError(f"{directory / folders[0]} is a folder", hint="name another folder with --output")
    if there and not force:
        raise UsageError(f"{directory / there[0]} is already there", hint="add --force to replace it")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotAct(f"cannot make {directory}: {error.strerror or error}") from error
