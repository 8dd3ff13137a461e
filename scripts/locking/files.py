"""`matrices/files/`: what is known of the single wheels that locks name, said once for all locks.

`urls.toml` holds where the index keeps each (PEP 751 wants a URL, and none can be made from a sha256);
`macos.toml` holds what the binaries of each macOS wheel say. A lock whose binaries need a newer macOS than its head
says gets a new head.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from remote_wheel import BadWheel

from compat.errors import BadBinary
from locking import minimum
from locking.binaries import Measured, Reader, architectures_of, order
from locking.check import read_lock
from locking.index import Index
from locking.records import Lock, LockingError, Package
from locking.text import quoted, write_atomically
from locking.wheels import PLATFORMS

if TYPE_CHECKING:
    import requests

URLS, MACOS = "urls.toml", "macos.toml"
# Where PyPI keeps files: two levels of folders from the BLAKE2b-256 of the file, then the rest of it.
BASE = "https://files.pythonhosted.org/packages"
# No Mac of an architecture runs an older macOS, whatever a universal wheel's tag says for both.
OLDEST = {"arm64": (11, 0), "x86_64": (10, 4)}
_PLACE = re.compile(rf"{re.escape(BASE)}/([0-9a-f]{{2}}/[0-9a-f]{{2}}/[0-9a-f]{{60}})/([^/]+)")
_HEAD = "# Made by `scripts/locks --binaries` for the wheels that matrices/locks name; run it again after locking.\n"


def measure(
    locks: Path, state: Path, out: Path, *, index: Index | None = None, session: requests.Session | None = None
) -> Iterator[str]:
    """Write both tables into `out` and raise the heads of locks; yields what could not be learned.

    `locks` is matrices/locks, `state` keeps pages and answers between runs, `out` is matrices/files.
    """
    import requests

    began, held = time.monotonic(), _locks(locks)
    reader = Reader(session or requests.Session(), state / "binaries")
    look = Look(index=index or Index(state / "index"), reader=reader)
    wheels = {one.file: one for lock in held.values() for one in lock.packages}
    yield from filter(None, (look.at(wheels[file]) for file in sorted(wheels)))
    write_atomically(out / URLS, urls_text(look.folders))
    write_atomically(out / MACOS, macos_text(look.measured))
    total, ever = sum(one.size for one in look.measured), sum(one.fetched for one in look.measured)
    tell(
        f"{len(look.measured)} macOS wheels of {total / 1e9:.2f} GB, {ever / 1e6:.1f} MB of them fetched"
        f" ({reader.fetched / 1e6:.1f} MB in this run, {time.monotonic() - began:.0f} s)"
    )
    raise_heads(held, minimum.read_measured(out / MACOS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was learned so far, wheel by wheel."""

    index: Index
    reader: Reader
    folders: dict[str, str] = field(default_factory=dict)
    measured: list[Measured] = field(default_factory=list)

    def at(self, package: Package) -> str | None:
        """Learn all there is to learn of one wheel; the answer is what could not be."""
        try:
            url = _url(package, self.index)
            self.folders[package.file] = folder(package.file, url)
            if architectures_of(package.file):
                self.measured.append(found := self.reader.read(package.file, package.sha256, package.size, url))
                tell(f"{package.file}: {len(found.binaries)} binaries, {self.reader.fetched / 1e6:.1f} MB so far")
        except (LockingError, BadWheel, BadBinary) as error:
            return f"{package.file}: {error}"
        return None


def folder(file: str, url: str) -> str:
    """The folders of a file of PyPI's. Raises LockingError for any other place."""
    place = _PLACE.fullmatch(url)
    if place is None or place[2] != file:
        raise LockingError(f"{url} is not where PyPI keeps files")
    return place[1]


def urls_text(folders: Mapping[str, str]) -> str:
    """The table of places: what stands between the index's base and the file's name."""
    lines = (f"{quoted(file)} = {quoted(place)}\n" for file, place in folders.items())
    return f"{_HEAD}base = {quoted(BASE)}\n\n[folders]\n{''.join(lines)}"


def macos_text(measured: Iterable[Measured]) -> str:
    """The table of what binaries say: one row a wheel."""
    return _HEAD + "wheels = [\n" + "".join(f"  {_row(one)},\n" for one in measured) + "]\n"


def raise_heads(locks: Mapping[Path, Lock], measured: minimum.Table) -> None:
    """Rewrite `minimum_macos` of the locks whose binaries ask for more than they say."""
    for path, lock in locks.items():
        place = PLATFORMS[lock.target.platform]
        if not place.is_macos or lock.minimum_macos is None:
            continue
        needed = minimum.of_files((one.file for one in lock.packages), place.arch, measured)
        if needed > order(lock.minimum_macos)[:2]:
            text = path.read_text(encoding="utf-8")
            new = f"minimum_macos = {quoted(minimum.text(needed))}"
            write_atomically(path, re.sub(r"(?m)^minimum_macos = .*$", new, text, count=1))
            tell(f"{path.parent.name}/{path.name}: macOS {lock.minimum_macos} -> {minimum.text(needed)}")


def tell(line: str) -> None:
    """Talk goes to stderr."""
    print(line, file=sys.stderr, flush=True)


def _locks(folder: Path) -> dict[Path, Lock]:
    return {path: read_lock(path) for path in sorted(folder.glob("*/*.toml"))}


def _url(package: Package, index: Index) -> str:
    found = index.find(package.name, package.sha256)
    if found is None or not found.url:
        raise LockingError(f"the index's page of {package.name} no longer names it")
    return found.url


def _row(one: Measured) -> str:
    tagged = {
        each: max(OLDEST[each], minimum.tag_minimum(one.file, each) or (0, 0)) for each in architectures_of(one.file)
    }
    most = {each: found for each in tagged if (found := one.asks_most(each))}
    above = [each for each, found in most.items() if order(found.minimum_macos)[:2] > tagged[each]]
    cells = [
        ("file", quoted(one.file)),
        ("sha256", quoted(one.sha256)),
        ("binaries", str(len({each.member for each in one.binaries}))),
        ("minimum", _cells({each: found.minimum_macos or "" for each, found in most.items()})),
        ("asked_by", _cells({each: found.member for each, found in most.items()})),
        *([("above_tag", "[" + ", ".join(map(quoted, above)) + "]")] if above else []),
    ]
    return "{ " + ", ".join(f"{key} = {value}" for key, value in cells) + " }"


def _cells(table: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{key} = {quoted(value)}" for key, value in table.items()) + " }" if table else "{}"
