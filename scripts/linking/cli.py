"""The command line of ``scripts/links``."""

from __future__ import annotations

import argparse
import datetime as dt
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import requests
from packaging.version import InvalidVersion, Version
from refreshing.failure import RefreshError
from refreshing.web import web
from remote_wheel import BadWheel

from compat.errors import CannotLook, TfcompatError
from linking.binaries import Binaries
from linking.derive import Judged, judge_wheels, note_sources
from linking.index import PYPI, File, judged_tensorflows, list_files
from linking.table import StaleTable, Table, table_of, write

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Sequence

    from refreshing.web import Web

MATRIX = Path(__file__).resolve().parents[2] / "matrices" / "links"
PLUGIN, SOURCE_PLUGIN = "tensorflow-metal", "tensorflow-metal-plugin"
TENSORFLOWS = ("tensorflow", "tensorflow-macos")
ARCHITECTURES = ("arm64", "x86_64")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; the exit code is 0 when done, 2 for wrong usage, 3 where the index or a wheel could not be read."""
    options = _parser().parse_args(arguments)
    try:
        options.cache.mkdir(parents=True, exist_ok=True)
        _run(options)
    except (TfcompatError, BadWheel, StaleTable, RefreshError, requests.RequestException, OSError) as error:
        _tell(f"links: {' '.join(str(error).split())}")
        return 3
    except KeyboardInterrupt:
        _tell("links: interrupted; what was read is kept in the cache")
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/links", description="Derive matrices/links from the wheels' binaries."
    )
    parser.add_argument(
        "--cache", type=Path, required=True, help="folder of earlier answers, a few MB; makes runs resume"
    )
    parser.add_argument("--output", type=Path, default=MATRIX, help="folder to write (default: matrices/links)")
    parser.add_argument("--tensorflow", type=_version, action="append", help="judge only this release, and merge")
    parser.add_argument("--arch", choices=ARCHITECTURES, action="append", help="only this architecture")
    parser.add_argument("--index", default=PYPI, metavar="URL", help="a simple index (default: %(default)s)")
    parser.add_argument(
        "--as-of", type=_day, metavar="DAY", help="leave out files uploaded after this day (UTC), and write it"
    )
    parser.add_argument("--computed", type=_day, metavar="DAY", help="day to write (default: --as-of, or today)")
    parser.add_argument("--jobs", type=_positive, default=2, help="wheels read at a time (default: 2)")
    return parser


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a day like 2026-11-30: {text}") from None


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"not a number of wheels: {text}")
    return int(text)


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _run(options: argparse.Namespace) -> None:
    computed = options.computed or options.as_of or dt.datetime.now(dt.timezone.utc).date()
    with web() as connection:

        def listed(name: str) -> tuple[File, ...]:
            return list_files(connection, name, index=options.index, as_of=options.as_of)

        files = [file for name in TENSORFLOWS for file in listed(name)]
        if options.tensorflow and not any(_chosen(files, each, options.tensorflow) for each in ARCHITECTURES):
            raise CannotLook(f"no macOS wheels for TensorFlow {', '.join(map(str, options.tensorflow))} on the index")
        binaries = Binaries(connection.session, options.cache)
        for architecture in options.arch or ARCHITECTURES:
            _judge(options, binaries, listed(PLUGIN), files, architecture, computed)
        if "arm64" in (options.arch or ARCHITECTURES):
            sources = [file for file in listed(SOURCE_PLUGIN) if not file.python]
            _note(options, connection, sources, files, computed)


def _judge(
    options: argparse.Namespace,
    binaries: Binaries,
    plugins: Sequence[File],
    files: Sequence[File],
    architecture: str,
    computed: dt.date,
) -> None:
    path = options.output / f"{PLUGIN}.{architecture}.toml"
    wheels = [file for file in plugins if file.architecture == architecture]
    tensorflows = _chosen(files, architecture, options.tensorflow)
    if tensorflows and wheels:
        began = time.monotonic()
        judged = judge_wheels(binaries, wheels, tensorflows, computed, options.index, options.jobs, _tell)
        _finish(judged, path, merge=bool(options.tensorflow), seconds=time.monotonic() - began)


def _note(
    options: argparse.Namespace, connection: Web, sources: Sequence[File], files: Sequence[File], computed: dt.date
) -> None:
    """Name the pairs of the plugin that has no binaries; a new TensorFlow gives it new ones too."""
    if sources:
        releases = [(file.distribution, str(file.version)) for file in judged_tensorflows(files, "arm64")]
        path = options.output / f"{SOURCE_PLUGIN}.arm64.toml"
        table = note_sources(connection, sources, releases, "arm64", computed, options.index)
        _tell(f"{path}: {'written' if write(table, path, _read(path)) else 'unchanged'}")


def _chosen(files: Sequence[File], architecture: str, only: Sequence[Version] | None) -> list[File]:
    if not only:
        return list(judged_tensorflows(files, architecture))
    # Among these alone, so that a pre-release is judged when asked for by name, whatever came after it.
    asked = [file for file in files if file.version in only]
    return list(judged_tensorflows(asked, architecture))


def _finish(judged: Judged, path: Path, *, merge: bool, seconds: float) -> None:
    table, older = judged.table, _read(path)
    loading = sum(row["loads"] is True for row in table.pairs)
    _tell(f"{path.name}: {len(table.pairs)} pairs, {loading} load; {seconds:.0f} s")
    _tell(
        f"  bytes fetched for these answers: {judged.fetched:,} of {judged.size:,} ({judged.fetched / judged.size:.0%})"
    )
    if merge:
        for row in table.pairs:
            print(f"{row['distribution']} {row['tensorflow']} + {table.plugin} {row['plugin_version']}:", _words(row))
        if older is None:
            _tell(f"  not written: no table at {path} to merge with")
            return
        table.merge(older)
    _tell(f"  {path}: {'written' if write(table, path, older) else 'unchanged'}")


def _words(row: dict[str, str | int | bool]) -> str:
    return "loads" if row["loads"] else f"does not load: layer {row['layer']}, {row['missing']}"


def _read(path: Path) -> Table | None:
    """The table as it stands; None where there is none, or none that can be read."""
    try:
        return table_of(tomllib.loads(path.read_text()))
    except (OSError, ValueError, KeyError):
        return None


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
