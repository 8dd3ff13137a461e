"""What must hold of the tree as a whole: links cover the releases, locks rest on links, the compiled form is fresh."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from compat.errors import BadMatrix
from compat.matrix import compiled
from compat.matrix.lint.across import link_reference
from compat.matrix.lint.problem import Problem
from compat.matrix.lint.shapes import ReleaseRow
from compat.matrix.lint.tree import Tree
from compat.matrix.model import LinkRow
from compat.matrix.query import SHELL_BYTES
from compat.matrix.versions import contains, order

_FIRST_WITH_PLUGINS = "2.5"
"""The release that brought PluggableDevice (https://github.com/tensorflow/community/pull/262)."""

_JUDGED = ("tensorflow", "tensorflow-macos")
"""What an Apple plugin can be loaded by on a Mac."""


_CLAIMED = "arm64"


def whole(tree: Tree) -> Iterator[Problem]:
    """Yield the problems of the tree."""
    yield from _coverage(tree)
    yield from _linked_releases(tree)
    yield from _locks(tree)
    yield from _claims(tree)
    yield from compiled_form(tree)


def _releases(tree: Tree) -> dict[str, dict[str, ReleaseRow]]:
    found: dict[str, dict[str, ReleaseRow]] = {}
    for row in tree.of("releases"):
        found.setdefault(row.record.name, {})[row.record.row.version] = row.record.row
    return found


def _coverage(tree: Tree) -> Iterator[Problem]:
    """Every release of a plugin with a wheel for a Mac is judged against every TensorFlow that could load it."""
    releases = _releases(tree)
    for (plugin, arch), pairs in _pairs(tree).items():
        plugins = [version for version, row in releases.get(plugin, {}).items() if _bodied(row, arch, 1)]
        for name in _JUDGED:
            for version, row in releases.get(name, {}).items():
                if order(version) < order(_FIRST_WITH_PLUGINS) or not _bodied(row, arch, SHELL_BYTES):
                    continue
                lacking = [one for one in plugins if (name, version, one) not in pairs]
                if lacking:
                    said = f"{name} {version} is not judged with {', '.join(lacking)}"
                    yield Problem(address=f"links/{plugin}.{arch}.toml: pairs", check="link-missing", text=said)


def _pairs(tree: Tree) -> dict[tuple[str, str], set[tuple[str, str, str]]]:
    found: dict[tuple[str, str], set[tuple[str, str, str]]] = {}
    for row in tree.of("links"):
        link: LinkRow = row.record
        found.setdefault((link.plugin, link.arch), set()).add((link.distribution, link.tensorflow, link.plugin_version))
    return found


def _bodied(row: ReleaseRow, arch: str, least: int) -> bool:
    """Tell whether a release has a Mac wheel with something in it for that architecture."""
    return any(
        "macosx" in wheel.tag and wheel.tag.endswith((arch, "universal2")) and wheel.size >= least
        for wheel in row.wheels
    )


def _linked_releases(tree: Tree) -> Iterator[Problem]:
    releases = _releases(tree)
    for row in tree.of("links"):
        link: LinkRow = row.record
        for name, version in ((link.distribution, link.tensorflow), (link.plugin, link.plugin_version)):
            if name in releases and version not in releases[name]:
                said = f"releases/ has no {name} {version}"
                yield Problem(address=row.at, check="link-unknown-release", text=said)


def _locks(tree: Tree) -> Iterator[Problem]:
    releases = _releases(tree)
    loading = {
        (link.plugin, link.plugin_version, link.tensorflow, link.arch)
        for link in (row.record for row in tree.of("links"))
        if link.loads
    }
    for row in tree.of("locks"):
        entry = row.record.entry
        wanted = (entry.plugin, entry.plugin_version, entry.tensorflow, entry.platform.partition("-")[2])
        if entry.plugin is not None and tree.of("links") and wanted not in loading:
            said = "no row of links/ says that this plugin loads on this TensorFlow"
            yield Problem(address=f"{row.at}plugin", check="lock-unproved", text=said)
        for pin in row.record.packages:
            if pin.name in releases and pin.version not in releases[pin.name]:
                said = f"releases/ has no {pin.name} {pin.version}"
                yield Problem(address=f"{row.at}packages.{pin.name}", check="lock-unknown-release", text=said)


def _claims(tree: Tree) -> Iterator[Problem]:
    """A vendor's claim that the binaries contradict says so; this is how its errors are told from ours.

    Held against Apple silicon alone, and a version counts as loading where any distribution of it does: in its early
    years TensorFlow for these Macs was called tensorflow-macos.
    """
    links = [row.record for row in tree.of("links") if row.record.arch == _CLAIMED and row.record.loads is not None]
    loading = {(link.plugin, link.plugin_version, link.tensorflow) for link in links if link.loads}
    failing = {(link.plugin, link.plugin_version, link.tensorflow): link for link in links if not link.loads}
    for row in tree.of("observed"):
        claim = row.record
        if claim.kind != "claim" or claim.result != "works" or claim.contradicted_by:
            continue
        for key in sorted(failing.keys() - loading):
            if key[:2] == (claim.plugin, claim.plugin_version) and contains(claim.tensorflow, key[2]):
                said = f"no row is named, but {link_reference(failing[key])} says it does not load"
                yield Problem(address=f"{row.at}.contradicted_by", check="claim-uncontradicted", text=said)
                break


def compiled_form(tree: Tree) -> Iterator[Problem]:
    """Hold the compiled form, where there is one, to the TOML files; it is what everybody reads."""
    folder = tree.root / "compiled"
    if not folder.is_dir() or any(raw is None for raw in tree.raw.values()):
        return
    yield from _dropped(tree, folder)
    for name in compiled.sections(tree.root):
        try:
            wanted = compiled.text(compiled.packed(name, compiled.section(tree.root, name, tree.read)))
        except BadMatrix:
            continue  # told of the TOML file itself
        yield from _held(folder / f"{name}.json", f"compiled/{name}.json", wanted)
    known = {folder / f"{name}.json" for name in compiled.sections(tree.root)}
    for path in sorted(set(folder.rglob("*.json")) - known):
        at = path.relative_to(tree.root).as_posix()
        yield Problem(address=at, check="compiled-stale", text="compiled from nothing there is", fixable=True)


def _held(path: Path, at: str, wanted: str) -> Iterator[Problem]:
    try:
        text = path.read_text("utf-8")
        json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        said = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        yield Problem(address=at, check="compiled-broken", text=said, fixable=True)
        return
    if text != wanted:
        yield Problem(address=at, check="compiled-stale", text="not what the TOML files say", fixable=True)


def _dropped(tree: Tree, folder: Path) -> Iterator[Problem]:
    """An id that was published is never used again, so its row stays, withdrawn."""
    for kind in ("issues", "observed", "repairs"):
        try:
            rows = json.loads((folder / f"{kind}.json").read_bytes())[kind]
            before = [row["id"] for row in rows if isinstance(row["id"], str)]
        except (OSError, ValueError, RecursionError, LookupError, TypeError):
            continue  # told as a broken file
        have = {row.record.id for row in tree.of(kind)}
        if not any(problem.address.startswith(f"{kind}/") for problem in tree.problems):
            for one in before:
                if one not in have:
                    said = "was there when the compiled form was made: a row is withdrawn, never deleted"
                    yield Problem(address=f"{kind}: {one}", check="id-dropped", text=said)
