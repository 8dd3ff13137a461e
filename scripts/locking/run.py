"""The command line of `scripts/locks`."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from itertools import count
from pathlib import Path

from locking import check, files
from locking.again import differences
from locking.cures import Cure
from locking.extra import read_locks
from locking.index import Index
from locking.make import Maker
from locking.mend import mend
from locking.place import place
from locking.records import LockingError, Observation, Target
from locking.repairs import read_repairs, repairs_text
from locking.targets import linux, measured, targets
from locking.text import lock_text, write_atomically
from locking.uv import forget
from locking.verify import today
from locking.wheels import PLATFORMS

ROOT = Path(__file__).resolve().parents[2]
REPAIRS = Path("matrices/repairs/repairs.toml")
LOCKS = Path("matrices/locks")
FILES = Path("matrices/files")
# Unpacked TensorFlows of about 1 GB that the cache may hold; cleaning costs 20 s in which no other uv can work.
KEPT_WHEELS = 6


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where everything asked for was made, or everything on file is sound; else 1 and one line for each problem."""
    asked = parser().parse_args(arguments)
    try:
        return carried_out(asked)
    except LockingError as error:
        return say([str(error)])


def carried_out(asked: argparse.Namespace) -> int:
    """Do the one thing asked for. Raises LockingError where it cannot even begin."""
    if asked.check:
        return say(check.problems(asked.out / LOCKS, asked.out / REPAIRS))
    if asked.binaries:
        return say(files.measure(asked.out / LOCKS, asked.state, asked.out / FILES))
    # Its own cache, so that cleaning it takes nothing from anyone.
    os.environ["UV_CACHE_DIR"] = str(asked.state.resolve() / "uv-cache")
    maker = Maker(
        uv_path=asked.uv,
        state=asked.state,
        day=asked.day,
        pythons=asked.pythons,
        root=ROOT,
        index=Index(asked.state / "index"),
    )
    if asked.again:
        every = sorted((asked.out / LOCKS).glob("*/*.toml"))
        wanted = [one for one in every if not asked.platform or one.parent.name in asked.platform]
        tell(f"{len(wanted)} locks to resolve again")
        return say(differences(maker, wanted, read_repairs(asked.out / REPAIRS)))
    return say(derive(maker, asked) if asked.derive else make(maker, asked))


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = argparse.ArgumentParser(
        prog="scripts/locks", description="Make, verify and check matrices/locks and repairs."
    )
    options.add_argument("--check", action="store_true", help="read every lock on file again; no network")
    options.add_argument("--derive", action="store_true", help="measure the drift and write the repairs")
    options.add_argument("--binaries", action="store_true", help="measure the macOS that each wheel's binaries need")
    options.add_argument("--again", action="store_true", help="resolve the locks on file anew and say what differs")
    options.add_argument("--only", action="append", metavar="VERSION", help="this TensorFlow release (repeatable)")
    options.add_argument("--platform", action="append", choices=sorted(PLATFORMS), help="this platform (repeatable)")
    options.add_argument("--no-run", action="store_true", help="resolve only; environments are not run")
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="environments run at one time (1)")
    options.add_argument(
        "--day", type=iso_day, default=today(), help="the index as of this day, 00:00 UTC (YYYY-MM-DD)"
    )
    options.add_argument(
        "--state",
        type=Path,
        default=Path(tempfile.gettempdir()) / "tfcompat-locks",
        metavar="DIR",
        help="where a run keeps what it has learned, and resumes (a folder of the temporary one)",
    )
    options.add_argument("--out", type=Path, default=ROOT, metavar="DIR", help="the tree to write into")
    options.add_argument("--uv", default=shutil.which("uv") or "uv", help="the uv to use")
    options.add_argument(
        "--pythons",
        type=Path,
        default=Path.home() / ".pyenv" / "versions",
        metavar="DIR",
        help="folder of CPython installations named by version",
    )
    return options


def iso_day(text: str) -> str:
    """A day as uv and TOML take it. Raises ValueError for anything else."""
    return date.fromisoformat(text).isoformat()


def make(maker: Maker, asked: argparse.Namespace) -> Iterator[str]:
    """Write every lock asked for; yields what could not be made."""
    repairs = read_repairs(asked.out / REPAIRS)
    runnable = {target.name for target in linux()}
    ran = count(1)

    def one(target: Target) -> str | None:
        run = target.platform == "linux-x86_64" and target.name in runnable and not asked.no_run
        try:
            lock = maker.lock(target, repairs, run=run)
        except LockingError as error:
            return f"{target.platform} {target.name}: {error}"
        finally:
            if run and next(ran) % KEPT_WHEELS == 0:
                forget(maker.uv, target.distribution)
        write_atomically(asked.out / LOCKS / target.platform / f"{target.name}.toml", lock_text(lock))
        tell(f"{target.platform} {target.name}: {lock.tier}, {len(lock.packages)} packages, {list(lock.repairs)}")
        return None

    with ThreadPoolExecutor(asked.jobs) as workers:
        yield from filter(None, workers.map(one, chosen(targets(), asked)))


def derive(maker: Maker, asked: argparse.Namespace) -> Iterator[str]:
    """Measure the combinations and, where all were measured, write the repairs; yields what could not be mended."""
    seen: list[tuple[Cure, Observation]] = []
    failed = False
    for target in chosen(measured(), asked):
        try:
            with place(maker, target) as here:
                needed = mend(target, here.observe)
        except LockingError as error:
            failed = True
            yield str(error)
            continue
        seen += needed
        tell(f"{target.name}: {[cure.repair.requirement for cure, _ in needed] or 'whole as it is'}")
    if not failed and not asked.only:
        write_atomically(asked.out / REPAIRS, repairs_text(seen, maker.day, read_locks(asked.out / LOCKS)))


def chosen(every: Iterable[Target], asked: argparse.Namespace) -> Iterator[Target]:
    """The targets the options leave."""
    for target in every:
        if (not asked.only or target.tensorflow in asked.only) and (
            not asked.platform or target.platform in asked.platform
        ):
            yield target


def say(problems: Iterable[str]) -> int:
    """Print each problem as it comes; 1 where there was one."""
    code = 0
    for problem in problems:
        tell(f"error: {problem}")
        code = 1
    return code


def tell(line: str) -> None:
    """Talk goes to stderr."""
    print(line, file=sys.stderr, flush=True)
