"""One target folder, from the state it is in to the next, or not at all.

Everything half-made lives in one private folder beside the target, ``.NAME.tfcompat``: the lock, the journal, what is
being built, and an older environment that is kept for a way back. What passed goes to the target by one rename. Whoever
dies at any point leaves the old state or the new one; the journal tells the next run which, and it finishes or undoes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compat.builder import disk, holding, journal
from compat.builder.journal import BUILDING, NEW, PLACING, Entry
from compat.errors import CannotAct, Interrupted

PREVIOUS = journal.PREVIOUS
"""The environment that was replaced, where it is kept."""

_FIX = "tfcompat fix"
_HINTS = (
    ((errno.ENOSPC, errno.EDQUOT), "free some disk space and run it again"),
    ((errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR), "choose a folder you may write to"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What an interrupted run had left, and what became of it."""

    message: str = ""
    finished: Entry | None = None
    """What had passed, where the target is that now."""


@dataclass(slots=True, kw_only=True)
class Transaction:
    """A target that is ours to work on until the block ends."""

    target: Path
    folder: Path
    """Private, beside the target and on its file system."""
    handle: int
    """Of the lock; a child that inherits it keeps others out for as long as it lives."""
    settled: Settled = field(default_factory=Settled)
    _placing: Entry | None = None
    _under_way: bool = False
    """Between the journal's word that something goes to the target and its word that all is done."""

    def start(self, what: str) -> Path:
        """Return a new, empty, private folder to build in. Raises OSError."""
        journal.write(self.folder, Entry(state=BUILDING, what=what))
        return Path(tempfile.mkdtemp(prefix=NEW, dir=self.folder))

    def drop(self, building: Path) -> None:
        """Remove what was being built; what is on its way to the target, or has come from there, stays."""
        if not self._under_way:
            disk.discard(building)

    def place(self, source: Path, what: str, *, keep: bool = False, record: dict[str, Any] | None = None) -> None:
        """Let ``source``, a folder of ours that passed, appear under the target's name.

        What stood there is removed when the block ends, or with ``keep`` stays as the previous one. Raises OSError and
        KeyboardInterrupt; ``state`` says then which of the two the target is. A way back that an interrupted run had
        begun was finished when this one opened: going it again would lead forth.
        """
        folder = source.relative_to(self.folder).as_posix()
        if folder == PREVIOUS and self.settled.finished is not None and self.settled.finished.folder == PREVIOUS:
            return
        entry = Entry(
            state=PLACING,
            folder=folder,
            inode=source.stat().st_ino,
            keep=keep,
            what=what,
            record=record or {},
        )
        disk.flush(source, checked=True)
        try:
            self._carry_out(entry, known=False)
        except BaseException:
            if _inode(source) == entry.inode and not disk.aside(source).exists():
                self._under_way = False  # nothing has moved: what was built is dropped, as the state says
            raise

    def previous(self) -> Path | None:
        """Return the environment that was kept, None where none was."""
        folder = self.folder / PREVIOUS
        return folder if folder.is_dir() and not folder.is_symlink() else None

    def state(self) -> str:
        """Say which of two states the target is in."""
        if self._placing is not None and _inode(self.target) == self._placing.inode:
            return f"{self.target} is {self._placing.what} now"
        return as_it_was(self.target)

    def settle(self) -> None:
        """Finish or undo what an interrupted run left. Raises OSError."""
        entry = journal.read(self.folder)
        what = entry.what if entry is not None and entry.what else "an environment"
        if entry is not None and entry.state == PLACING and self._can_be_finished(entry):
            self._carry_out(entry, known=True)
            self.settled = Settled(message=f"finished what an interrupted run had begun: {what}", finished=entry)
        else:
            self._restore(entry)
            if entry is not None:
                self.settled = Settled(message=f"removed what an interrupted run had half-made: {what}")
        self.close()

    def close(self) -> None:
        """Remove what is no longer needed. Raises OSError."""
        if not self._under_way:
            journal.clear(self.folder)
            for leftover in self.folder.glob(f"{NEW}*"):
                disk.discard(leftover)
            disk.sweep(self.folder)

    def _can_be_finished(self, entry: Entry) -> bool:
        """Whether what passed is there, and nothing stands in its way that was put there since."""
        if _inode(self.target) == entry.inode:
            return True
        source = self.folder / entry.folder
        taken = disk.aside(source).exists() and os.path.lexists(self.target)
        return _inode(source) == entry.inode and not taken

    def _carry_out(self, entry: Entry, *, known: bool) -> None:
        """Every step may be the last one we live to make, and may have been made by a run that is dead."""
        source = self.folder / entry.folder
        if not known:
            journal.write(self.folder, entry)
        self._placing, self._under_way = entry, True
        if _inode(self.target) != entry.inode:
            disk.put(source, self.target)
        _bring_back(disk.aside(source), source)
        if entry.keep and source.exists() and source.name != PREVIOUS:
            self._keep(source)
        put_pins_beside(self.target, self.folder)
        disk.sync(self.folder)
        journal.clear(self.folder)
        self._under_way = False

    def _keep(self, old: Path) -> None:
        """There is one way back, to what was there last; but the user's own environment never goes for one of ours."""
        kept = self.folder / PREVIOUS
        if kept.is_dir() and not journal.is_ours(kept) and journal.is_ours(old):
            return
        disk.discard(kept)
        old.rename(kept)

    def _restore(self, entry: Entry | None) -> None:
        """What was replaced and is to be kept goes back to its name or, where somebody has taken that, is kept.

        Where names cannot be exchanged, a death between two renames has left the target's old folder aside.
        """
        keeps = entry is not None and entry.keep and entry.folder != PREVIOUS
        replaced = _asides(self.folder)
        if entry is not None and keeps and _inode(self.folder / entry.folder) != entry.inode:
            replaced.append(self.folder / entry.folder)
        for old in replaced:
            _bring_back(old, self.target)
            if keeps and old.exists():
                self._keep(old)
            _bring_back(old, self.folder / PREVIOUS)


@contextmanager
def opened(target: Path, work: str = _FIX) -> Iterator[Transaction]:
    """Hold a target, with what an interrupted run left finished or undone; ``work`` is told to those who come second.

    Raises CannotAct where another run holds it or the system refuses, Interrupted: both say which state it is in.
    """
    folder = folder_of(target)
    transaction: Transaction | None = None
    try:
        with holding.held(folder, work) as handle:
            transaction = Transaction(target=target, folder=folder, handle=handle)
            transaction.settle()
            try:
                yield transaction
            finally:
                transaction.close()
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {_state(transaction, target)}") from None
    except CannotAct as error:
        if transaction is None or error.message.endswith((transaction.state(), as_it_was(target))):
            raise
        raise CannotAct(f"{error.message}; {transaction.state()}", hint=error.hint) from error
    except OSError as error:
        raise _refused(error, target, transaction) from error


def settle(target: Path) -> Settled:
    """Finish or undo what an interrupted run left; nothing is made where there is nothing. Raises CannotAct."""
    if not os.path.lexists(folder_of(target)):
        return Settled()
    with opened(target) as transaction:
        return transaction.settled


def put_back(target: Path) -> None:
    """Give an empty name its old folder back, so that it can be looked at; ``settle`` does the rest. Raises CannotAct.

    Where names cannot be exchanged, a death between two renames has left it empty.
    """
    folder = folder_of(target)
    if os.path.lexists(target) or not folder.is_dir():
        return
    try:
        with holding.held(folder, _FIX):
            for old in _asides(folder):
                _bring_back(old, target)
    except OSError as error:
        raise _refused(error, target, None) from error


def folder_of(target: Path) -> Path:
    """Return where everything half-made of a target lives."""
    return target.with_name(f".{target.name}.tfcompat")


def pins_beside(target: Path) -> Path:
    """Return where the pins of an environment stand for people to read."""
    return target.with_name(f"{target.name}.requirements.txt")


def put_pins_beside(target: Path, scratch: Path) -> None:
    """Write them there, as they stand in the environment; take ours away where it has none. Raises OSError.

    What bears that name and is not ours stays: people put files there between two runs.
    """
    inside, outside = target / journal.PINS, pins_beside(target)
    if os.path.lexists(outside) and not journal.is_our_pins(outside):
        return
    if inside.is_file():
        disk.replace(outside, inside.read_text("utf-8"), scratch=scratch)
    else:
        outside.unlink(missing_ok=True)


def as_it_was(target: Path) -> str:
    """Say that nothing has changed."""
    return f"{target} is as it was" if os.path.lexists(target) else f"{target} was not made"


def _state(transaction: Transaction | None, target: Path) -> str:
    return transaction.state() if transaction is not None else as_it_was(target)


def _refused(error: OSError, target: Path, transaction: Transaction | None) -> CannotAct:
    """Say where and why the system refused, and which state that leaves."""
    place = error.filename.decode("utf-8", "replace") if isinstance(error.filename, bytes) else error.filename
    where = f"cannot write beside {target}" if transaction is None else str(place or target)
    hint = next((hint for codes, hint in _HINTS if error.errno in codes), "run it again once that is mended")
    return CannotAct(f"{where}: {error.strerror or error}; {_state(transaction, target)}", hint=hint)


def _asides(folder: Path) -> list[Path]:
    return [*folder.glob(f"{NEW}*/*.aside"), *folder.glob(f"{PREVIOUS}.aside")]


def _bring_back(old: Path, where: Path) -> None:
    if old.is_dir() and not old.is_symlink() and not os.path.lexists(where):
        old.rename(where)


def _inode(folder: Path) -> int:
    """The number of a folder, which stays when it is renamed; -1 where there is none."""
    with contextlib.suppress(OSError):
        return folder.lstat().st_ino
    return -1
