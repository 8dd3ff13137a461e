"""Lint of a whole matrix, file by file, row by row, across rows and as a tree; and what of it can be mended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from compat.errors import BadMatrix
from compat.matrix import compiled
from compat.matrix.files import HEAD, known_schema
from compat.matrix.lint import derived, issues, observations, rows, text
from compat.matrix.lint.across import across
from compat.matrix.lint.excused import excused
from compat.matrix.lint.problem import Complaint, Problem
from compat.matrix.lint.text import Fix
from compat.matrix.lint.tree import Tree, read_tree
from compat.matrix.lint.wheels import wheel_files
from compat.matrix.lint.whole import compiled_form, whole


def lint(root: Path, *, today: str | None = None) -> tuple[Problem, ...]:
    """Return every problem of the matrix in ``root``; ``today`` (an ISO day) makes days to come a problem.

    Problems are told all at once, in the order of their addresses. Nothing here knows the clock.
    """
    tree = read_tree(root)
    problems = [
        *tree.problems,
        *_files(tree, today),
        *_rows(tree, today),
        *across(tree),
        *wheel_files(tree),
        *whole(tree),
    ]
    return tuple(sorted(excused(tree, problems, today), key=lambda problem: problem.address))


def fixes(root: Path) -> tuple[Fix, ...]:
    """Return the files of a matrix as they should be, where a machine can tell without changing what they say.

    The compiled form is made anew only from files that can all be read, and not while a published id is missing: it
    is the only one that still knows it.
    """
    tree = read_tree(root)
    return tuple(sorted((*text.restyled(tree), *_compiled(tree)), key=lambda fix: fix.file))


def _compiled(tree: Tree) -> Iterator[Fix]:
    told = [*compiled_form(tree)]
    if not told or any(problem.check == "id-dropped" for problem in told):
        return
    try:
        wanted = compiled.texts(tree.root, tree.read)
    except BadMatrix:
        return
    for problem in told:
        name = problem.address.removeprefix("compiled/").removesuffix(".json")
        yield Fix(file=problem.address, text=wanted.get(name), what=problem.check)


def _files(tree: Tree, today: str | None) -> Iterator[Problem]:
    try:
        known_schema((tree.raw.get(HEAD) or {}).get("schema", 1), HEAD)
    except BadMatrix as error:
        yield Problem(address=HEAD, check="schema-version", text=error.message.removeprefix(f"{HEAD}: "))
    yield from text.style(tree)
    for name, raw in tree.raw.items():
        if name.startswith("releases/") and raw is not None and isinstance(raw.get("retrieved"), str):
            yield from rows.told(f"{name}: ", rows.day(raw["retrieved"], "retrieved", today))


def _rows(tree: Tree, today: str | None) -> Iterator[Problem]:
    checks: dict[str, Callable[[Any], Iterator[Complaint]]] = {
        "issues": lambda row: issues.issue(row, today),
        "observed": lambda row: observations.observation(row, today),
        "macos": observations.macos,
        "chips": observations.chip,
        "pythons": lambda row: observations.python_build(row, today),
        "links": derived.link,
        "repairs": derived.repair,
        "locks": lambda row: chain(derived.lock_head(row.entry, today), derived.pins(row.entry, row.packages)),
        "releases": lambda row: derived.release(row.row, row.lists, today),
    }
    for kind, check in checks.items():
        for row in tree.of(kind):
            yield from rows.told(row.at, check(row.record))
