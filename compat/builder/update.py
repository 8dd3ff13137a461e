"""Another copy of the matrix into the user's data folder: fetched or copied, checked whole, then put in place at once.

Whatever goes wrong, the copy in use stays as it was. The compiled form is made here, from TOML that passed: the one a
source brings along is never looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from compat.builder import disk, fetch, transaction
from compat.builder.transaction import Transaction
from compat.builder.update_changes import Change, Rows, changes, rows_of
from compat.builder.update_unpack import MOST_BYTES, unpack
from compat.errors import BadMatrix, CannotAct
from compat.matrix import compiled
from compat.matrix.files import schema_of
from compat.matrix.lint import CHECKS, SCOPES, lint
from compat.matrix.load import Matrix, load, load_from
from compat.matrix.places import bundled, installed, updated_copy

SECONDS = 120.0
"""For a download of half a megabyte: a slow school network takes ten."""

_WORK = "tfcompat matrix update"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is asked for."""

    source: str
    """A folder, an archive, or an https address."""
    today: str
    """ISO day; data of a later day would pass over every bundled copy to come."""
    allow_older: bool = False
    dry_run: bool = False
    seconds: float = SECONDS
    """A download may take."""

    @property
    def called(self) -> str:
        """The source as it may be shown."""
        return fetch.shown(self.source) if fetch.is_address(self.source) else self.source


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """What came of it."""

    day: str
    before: str
    """Day of the copy that was in use."""
    changes: tuple[Change, ...]
    placed: bool
    """False: a dry run, or nothing new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """A matrix read whole."""

    day: str
    rows: Rows


def update(wish: Wish) -> Updated:
    """Put the matrix of a source into the user's data folder.

    Raises UsageError for an address that is none, CannotAct and BadMatrix for a source that is not to be had or not
    sound; the copy in use is then as it was.
    """
    if fetch.is_address(wish.source):
        fetch.check_address(wish.source)
    with transaction.opened(updated_copy(), _WORK) as work:
        building = work.start(wish.called)
        try:
            return _carried_out(wish, building, work)
        finally:
            work.drop(building)


def reset() -> bool:
    """Return to the bundled data; tell whether there was an updated copy. Raises CannotAct."""
    target = updated_copy()
    if not target.exists() and not target.is_symlink():
        return False
    with transaction.opened(target, _WORK) as work:
        target.rename(work.start("the bundled data") / target.name)
    return True


def _carried_out(wish: Wish, building: Path, work: Transaction) -> Updated:
    before = _current()
    tree = building / work.target.name
    tree.mkdir()
    unpack(_at_hand(wish, building), tree, wish.called)
    after = _checked(tree, wish)
    _not_older(after.day, before.day, wish)
    changed = changes(before.rows, after.rows)
    new = after.day != before.day or any(one.new or one.gone or one.changed for one in changed)
    if new and not wish.dry_run:
        disk.flush(tree)
        work.place(tree, f"the matrix of {after.day}")
    return Updated(day=after.day, before=before.day, changes=changed, placed=new and not wish.dry_run)


def _at_hand(wish: Wish, building: Path) -> Path:
    if not fetch.is_address(wish.source):
        return Path(wish.source)
    download = building / "download"
    fetch.fetch(wish.source, download, fetch.Limits(bytes=MOST_BYTES, seconds=wish.seconds))
    return download


def _checked(tree: Path, wish: Wish) -> _Known:
    """Lint a tree, write its compiled form and read it as doctor will. Raises BadMatrix, CannotAct."""
    try:
        schema_of(tree)
        _sound(tree, wish.today)
        for name, text in compiled.texts(tree).items():
            path = tree / "compiled" / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            disk.write(path, text)
        return _read(load(tree))
    except BadMatrix as error:
        raise BadMatrix(f"{wish.called}: {error.message}", hint=error.hint) from error


def _sound(tree: Path, today: str) -> None:
    """Raise BadMatrix for any problem but how the files are written."""
    problems = [one for one in lint(tree, today=today) if not CHECKS[one.check].cosmetic]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        first = min(
            problems, key=lambda one: SCOPES.index(one.scope)
        )  # what is wrong in a file has consequences elsewhere
        raise BadMatrix(f"{first}{more}", hint="`tfcompat matrix check DIR` lists every problem of a folder")


def _not_older(day: str, before: str, wish: Wish) -> None:
    ours = load(bundled()).date
    if day < ours:
        raise CannotAct(
            f"{wish.called} is of {day}; the bundled data is of {ours} and would stay in use",
            hint="to use it all the same, name its folder in TFCOMPAT_MATRICES",
        )
    if day < before and not wish.allow_older:
        said = f"{wish.called} is of {day}, older than the data in use, of {before}"
        raise CannotAct(said, hint="add --allow-older to go back to it")


def _current() -> _Known:
    """Read the copy an update is compared with: the updated one, or where that is broken, the bundled one."""
    try:
        return _read(load_from(installed()))
    except BadMatrix:
        return _read(load(bundled()))


def _read(matrix: Matrix) -> _Known:
    return _Known(day=matrix.date, rows=rows_of(matrix))
