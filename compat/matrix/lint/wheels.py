"""What must hold of ``files/``: where the index keeps the wheels that locks name, and what their binaries ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compat.errors import BadMatrix
from compat.matrix.lint import rows
from compat.matrix.lint.problem import Problem
from compat.matrix.lint.tree import Tree
from compat.matrix.wheel_urls import TABLE, wheel_urls

FACTS = "files/macos.toml"


def wheel_files(tree: Tree) -> Iterator[Problem]:
    """Yield the problems of both tables; a matrix may do without them."""
    if tree.raw.get(TABLE.as_posix()) is not None:
        try:
            wheel_urls(tree.root)
        except BadMatrix as error:
            said = error.message.removeprefix(f"{TABLE.as_posix()}: ")
            yield Problem(address=TABLE.as_posix(), check="wrong-type", text=said)
    raw = tree.raw.get(FACTS)
    if raw is not None:
        yield from _facts(raw)


def _facts(raw: dict[str, Any]) -> Iterator[Problem]:
    listed = raw.get("wheels", [])
    if not isinstance(listed, list):
        yield Problem(address=f"{FACTS}: wheels", check="wrong-type", text="expected a list of tables")
        return
    for index, row in enumerate(listed):
        at = f"{FACTS}: wheels[{index}]"
        if not isinstance(row, dict) or not isinstance(row.get("file"), str):
            yield Problem(address=at, check="wrong-type", text="expected a table with the name of a file")
        elif not isinstance(row.get("sha256"), str) or not rows.is_sha256(row["sha256"]):
            yield Problem(address=f"{at}.sha256", check="lock-pin", text=f"no SHA-256 of {row['file']}")
