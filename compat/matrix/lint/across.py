"""What must hold between the rows of all files: names are used once, and every name that a row says exists."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

from compat.matrix.lint.problem import Problem
from compat.matrix.lint.tree import Tree
from compat.matrix.model import LinkRow, Observation
from compat.matrix.versions import order


def across(tree: Tree) -> Iterator[Problem]:
    """Yield the problems between rows."""
    yield from _names(tree)
    yield from _signatures(tree)
    yield from _chips(tree)
    yield from _machines(tree)
    yield from _references(tree)
    yield from _repairs(tree)


def link_reference(row: LinkRow) -> str:
    """Return how other rows name a judged pair: ``links/tensorflow-metal.arm64: tensorflow 2.18.0 + 1.1.0``."""
    return f"links/{row.plugin}.{row.arch}: {row.distribution} {row.tensorflow} + {row.plugin_version}"


def _names(tree: Tree) -> Iterator[Problem]:
    yield from _unique("id", ((row.at, row.record.id) for row in tree.of("issues")))
    yield from _unique("id", ((row.at, row.record.id) for row in tree.of("observed")))
    yield from _unique("id", ((row.at, row.record.id) for row in tree.of("repairs")))
    yield from _unique("version", ((row.at, row.record.version) for row in tree.of("macos")))
    yield from _unique("darwin", ((row.at, str(row.record.darwin)) for row in tree.of("macos")))
    yield from _unique("name", ((row.at, row.record.name) for row in tree.of("chips")))
    builds = ((row.at, f"{row.record.version} {row.record.origin}") for row in tree.of("pythons"))
    yield from _unique("origin", builds)
    yield from _unique("", ((row.at, link_reference(row.record)) for row in tree.of("links")))
    releases = ((row.at, f"{row.record.name} {row.record.row.version}") for row in tree.of("releases"))
    yield from _unique("version", releases)


def _unique(field: str, names: Iterable[tuple[str, str]]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for at, name in names:
        if name in seen:
            address = f"{at}.{field}" if field else at
            yield Problem(
                address=address, check="duplicate-id", text=f"{name} stands there again: first at {seen[name]}"
            )
        seen.setdefault(name, at)


def _signatures(tree: Tree) -> Iterator[Problem]:
    """One text points at one problem, unless the versions installed tell two apart."""
    seen: dict[tuple[Any, ...], str] = {}
    for row in tree.of("issues"):
        for index, text in enumerate(row.record.signatures):
            key = (text, frozenset(row.record.affects))
            at = f"{row.at}.signatures[{index}]"
            if key in seen:
                said = f"{text!r} is also a signature of {seen[key]}, for the same versions"
                yield Problem(address=at, check="duplicate-signature", text=said)
            seen.setdefault(key, row.record.id)


def _chips(tree: Tree) -> Iterator[Problem]:
    names = sorted(row.record.name for row in tree.of("chips"))
    for row in tree.of("issues"):
        for index, condition in enumerate(row.record.affects):
            for prefix in condition.chips:
                first = bisect_left(names, prefix)
                if first == len(names) or not names[first].startswith(prefix):
                    said = f"no chip of platforms/ begins with {prefix!r}"
                    yield Problem(address=f"{row.at}.affects[{index}].chips", check="unknown-chip", text=said)
    known = {row.record.version for row in tree.of("macos")}
    for row in tree.of("chips"):
        for field in ("oldest_macos", "newest_macos"):
            version = getattr(row.record, field)
            if version is not None and version not in known:
                yield Problem(address=f"{row.at}.{field}", check="unknown-macos", text=_no_macos(version))


def _machines(tree: Tree) -> Iterator[Problem]:
    chips = {row.record.name: row.record for row in tree.of("chips")}
    known = {row.record.version for row in tree.of("macos")}
    for row in tree.of("observed"):
        seen: Observation = row.record
        if seen.chip is not None and seen.chip not in chips:
            yield Problem(address=f"{row.at}.chip", check="unknown-chip", text=f"{seen.chip!r} is not in platforms/")
        if seen.kind != "run" or seen.macos is None:
            continue
        major, chip = seen.macos.split(".", maxsplit=1)[0], chips.get(seen.chip or "")
        if major not in known:
            yield Problem(address=f"{row.at}.macos", check="unknown-macos", text=_no_macos(major))
        elif chip is not None and order(major) < order(chip.oldest_macos):
            said = f"Macs with {chip.name} run {chip.oldest_macos} and newer"
            yield Problem(address=f"{row.at}.macos", check="impossible-macos", text=said)


def _no_macos(version: str) -> str:
    return f"{version!r} is not in platforms/"


def _references(tree: Tree) -> Iterator[Problem]:
    known = {row.record.id for row in tree.of("observed")} | {link_reference(row.record) for row in tree.of("links")}
    for row in tree.of("observed"):
        for index, reference in enumerate(row.record.contradicted_by):
            if reference not in known:
                at = f"{row.at}.contradicted_by[{index}]"
                yield Problem(address=at, check="unknown-reference", text=f"there is no row {reference!r}")


def _repairs(tree: Tree) -> Iterator[Problem]:
    known = {row.record.id for row in tree.of("repairs")}
    for row in tree.of("locks"):
        for index, repair in enumerate(row.record.entry.repairs):
            if repair not in known:
                at = f"{row.at}repairs[{index}]"
                yield Problem(address=at, check="unknown-repair", text=f"there is no repair {repair!r}")
