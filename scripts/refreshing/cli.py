"""The command line of `scripts/refresh`."""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from refreshing.cache import Cache, replace
from refreshing.distributions import FOLLOWED
from refreshing.failure import WRONG_USAGE, RefreshError
from refreshing.notes import differences, read_run, read_text
from refreshing.run import refreshed
from refreshing.web import web

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from refreshing.distributions import Followed
    from refreshing.notes import Run

RELEASES = Path(__file__).resolve().parents[2] / "matrices" / "releases"
PYPI = "https://pypi.org/simple"
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code; see the docstring of `scripts/refresh`."""
    options = _parser().parse_args(arguments)
    try:
        if options.diff:
            old, new = (read_run(Path(each)) for each in options.diff)
            _print_notes(list(differences(old, new)))
        else:
            _refresh(options)
    except RefreshError as failure:
        print(f"refresh: {failure}", file=sys.stderr)
        if failure.hint:
            print(f"hint: {failure.hint}", file=sys.stderr)
        return failure.exit_code
    except KeyboardInterrupt:
        print("refresh: interrupted, no file was changed", file=sys.stderr)
        return INTERRUPTED
    return 0


def _refresh(options: argparse.Namespace) -> None:
    chosen = _chosen(options.only)
    as_of = options.as_of or dt.datetime.now(dt.timezone.utc).date()
    with web(attempts=options.attempts) as connection:
        texts = refreshed(
            connection,
            chosen,
            index=options.index,
            as_of=as_of,
            cache=Cache(folder=options.cache),
            tell=lambda line: print(line, file=sys.stderr),
        )
    before = _standing(options.out, texts)
    for filename, text in texts.items():
        replace(options.out / filename, text.encode())
    _print_notes(list(differences(before, dict(map(read_text, texts.values())))))


def _standing(folder: Path, names: Iterable[str]) -> Run:
    """Read what the run is about to replace; a file that is none is told of, not obeyed."""
    before: Run = {}
    for path in (folder / name for name in names):
        if path.exists():
            try:
                before |= read_run(path)
            except RefreshError as failure:
                print(f"refresh: {failure}; replaced", file=sys.stderr)
    return before


def _chosen(names: Sequence[str] | None) -> tuple[Followed, ...]:
    known = {followed.name: followed for followed in FOLLOWED}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise RefreshError(
            f"not followed: {', '.join(unknown)}", hint=f"choose from {', '.join(known)}", exit_code=WRONG_USAGE
        )
    return tuple(known[name] for name in dict.fromkeys(names)) if names else FOLLOWED


def _print_notes(lines: Sequence[str]) -> None:
    print("\n".join(lines) if lines else "nothing changed")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="refresh", description="Rebuild matrices/releases/ from the package index")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these distributions only")
    parser.add_argument("--index", default=PYPI, metavar="URL", help="a simple index (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=RELEASES, metavar="DIR", help="where to write the files")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep what was read here, and read from here first")
    parser.add_argument("--as-of", type=_day, metavar="DAY", help="leave out files uploaded after this day (UTC)")
    parser.add_argument("--attempts", type=_positive, default=5, metavar="N", help="per request (default: %(default)s)")
    parser.add_argument("--diff", nargs=2, metavar=("OLD", "NEW"), help="print what two runs differ in, then stop")
    return parser


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a day like 2026-11-30: {text}") from None


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"not a number of attempts: {text}")
    return int(text)
