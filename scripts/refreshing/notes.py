"""Two runs compared, in lines that read like release notes."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from packaging.version import InvalidVersion, Version

from refreshing.failure import RefreshError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EN_DASH = "\u2013"

Table = dict[str, Any]
Wheels = dict[tuple[str, str], Table]
"""By tag and build tag."""
Run = dict[str, Table]
"""Distribution -> version -> release, each release with its wheels' dependencies spelled out under `needs`."""

_PLATFORMS = (
    (re.compile(r"macosx_\d+_\d+_(\w+)"), "macOS"),
    (re.compile(r"manylinux\w*?_(x86_64|aarch64)"), "Linux"),
    (re.compile(r"win_(amd64)"), "Windows"),
)


def read_run(path: Path) -> Run:
    """Read a folder of release files, or one such file. RefreshError where it is neither."""
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    run = {}
    for file in files:
        try:
            name, releases = read_text(file.read_text(encoding="utf-8"))
        except OSError as failure:
            raise RefreshError(f"{file}: cannot be read ({failure.strerror})") from failure
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, InvalidVersion):
            raise RefreshError(f"{file}: not a release file", hint="scripts/refresh writes it anew") from None
        run[name] = releases
    return run


def read_text(text: str) -> tuple[str, Table]:
    """Name and releases of one file."""
    document = tomllib.loads(text)
    lists = [frozenset(each) for each in document.get("requires", [])]
    releases = {}
    for release in document["releases"]:
        Version(release["version"])
        for wheel in release["wheels"]:
            wheel["needs"] = lists[wheel["requires"]] if "requires" in wheel else None
        sdist = release.get("sdist", {})
        release["sdist_needs"] = lists[sdist["requires"]] if "requires" in sdist else None
        releases[release["version"]] = release
    return str(document["name"]), releases


def differences(old: Run, new: Run) -> Iterator[str]:
    """One line per change: distributions by name, releases newest first."""
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield f"{name}: no longer followed"
        elif name not in old:
            newest = max(new[name], key=Version)
            yield f"{name}: followed from now on; {len(new[name])} releases, newest {newest}"
        else:
            yield from _distribution(name, old[name], new[name])


def _distribution(name: str, old: Table, new: Table) -> Iterator[str]:
    for version in sorted(old.keys() | new.keys(), key=Version, reverse=True):
        if version not in new:
            yield f"{name} {version}: gone from the index"
        elif version not in old:
            yield f"{name} {version}: {'; '.join(_arrival(new[version]))}"
        else:
            yield from (f"{name} {version}: {change}" for change in _changes(old[version], new[version]))


def _arrival(release: Table) -> Iterator[str]:
    yield "new"
    tags = [wheel["tag"] for wheel in release["wheels"]]
    if tags:
        yield f"wheels for {_platforms(tags)}"
    else:
        yield "no wheels"
    if release.get("requires_python"):
        yield f"Python {release['requires_python']}"
    if "yanked" in release:
        yield f"yanked ({release['yanked']})"


def _changes(old: Table, new: Table) -> Iterator[str]:
    before, after = _wheels(old), _wheels(new)
    added, gone = after.keys() - before.keys(), before.keys() - after.keys()
    if added:
        yield f"more wheels, for {_platforms([tag for tag, _ in added])}"
    if gone:
        yield f"wheels gone, for {_platforms([tag for tag, _ in gone])}"
    yield from _replaced(before, after)
    yield from _stands(old, new)
    if old.get("requires_python") != new.get("requires_python"):
        yield f"Python {new.get('requires_python') or 'any'}, was {old.get('requires_python') or 'any'}"
    yield from _sdists(old, new)


def _sdists(old: Table, new: Table) -> Iterator[str]:
    before, after = old.get("sdist"), new.get("sdist")
    if before is None or after is None:
        if before is not after:
            yield f"sdist {'added' if after else 'gone'}"
        return
    if before.get("file") != after.get("file"):
        yield "sdist replaced by one of another name"
    elif before.get("sha256") != after.get("sha256"):
        yield "OTHER BYTES UNDER THE SAME NAME, for the sdist"
    if old["sdist_needs"] != new["sdist_needs"]:
        yield f"dependencies differ, for the sdist: {_change(old['sdist_needs'], new['sdist_needs'])}"
    if "yanked" in after and "yanked" not in before:
        yield "sdist yanked"


def _replaced(before: Wheels, after: Wheels) -> Iterator[str]:
    """Tell of wheels that kept their name; other bytes under it mean that something is wrong."""
    shared = sorted(before.keys() & after.keys())
    other = [key for key in shared if before[key].get("sha256") != after[key].get("sha256")]
    if other:
        yield f"OTHER BYTES UNDER THE SAME NAME, for {_platforms([tag for tag, _ in other])}"
    withdrawn = [key for key in shared if "yanked" in after[key] and "yanked" not in before[key]]
    if withdrawn:
        yield f"wheels yanked, for {_platforms([tag for tag, _ in withdrawn])}"
    needs: dict[str, list[str]] = {}
    for key in shared:
        was, now = before[key]["needs"], after[key]["needs"]
        if (was or frozenset()) != (now or frozenset()):
            needs.setdefault(_change(was, now), []).append(key[0])
    for words, tags in needs.items():
        yield f"dependencies differ, for {_platforms(tags)}: {words}"


def _change(was: frozenset[str] | None, now: frozenset[str] | None) -> str:
    was, now = was or frozenset(), now or frozenset()
    return ", ".join([*(f"+ {each}" for each in sorted(now - was)), *(f"- {each}" for each in sorted(was - now))])


def _stands(old: Table, new: Table) -> Iterator[str]:
    if "yanked" in new and old.get("yanked") != new["yanked"]:
        yield f"yanked ({new['yanked']})"
    if "yanked" in old and "yanked" not in new:
        yield "no longer yanked"


def _wheels(release: Table) -> Wheels:
    return {(wheel["tag"], wheel.get("build", "")): wheel for wheel in release["wheels"]}


def _platforms(tags: list[str]) -> str:
    """Platforms by name, each with its Pythons, as in "macOS arm64 cp310-cp314, any py3"."""
    grouped: dict[str, set[tuple[str, int]]] = {}
    for tag in tags:
        interpreters, abi, platforms = tag.split("-")
        for place in {_place(each) for each in platforms.split(".")}:
            for interpreter in interpreters.split("."):
                kind = f"{interpreter[:3]}{{}}{' abi3' if abi == 'abi3' else ''}"
                grouped.setdefault(place, set()).add((kind, int(interpreter[3:] or -1)))
    return ", ".join(f"{place} {_pythons(grouped[place])}" for place in sorted(grouped))


def _place(platform: str) -> str:
    for pattern, system in _PLATFORMS:
        found = pattern.fullmatch(platform)
        if found:
            return f"{system} {found[1]}"
    return platform


def _pythons(pythons: set[tuple[str, int]]) -> str:
    """Write a run without a gap by its ends, the others one by one."""
    runs: list[list[tuple[str, int]]] = []
    for kind, minor in sorted(pythons):
        if runs and runs[-1][-1] == (kind, minor - 1):
            runs[-1].append((kind, minor))
        else:
            runs.append([(kind, minor)])
    return " ".join(_run(run) for run in runs)


def _run(run: list[tuple[str, int]]) -> str:
    names = [kind.format(minor if minor >= 0 else "") for kind, minor in (run[0], run[-1])]
    return names[0] if len(run) == 1 else EN_DASH.join(names)
