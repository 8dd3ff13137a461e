"""What the matrix knows of pairs: the link proofs as text, JSON and Markdown, and the grid of a place as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from compat.matrix.model import LinkRow
from compat.plan.evidence.grid import Grid, Row
from compat.plan.evidence.standing import Place, Standing
from compat.report import json
from compat.report.document import SCHEMA_VERSION
from compat.report.markdown import escape


def links_json(rows: Iterable[LinkRow]) -> str:
    """Return ``matrix show --links --format json``."""
    return json.text(
        [
            {
                "distribution": row.distribution,
                "tensorflow": row.tensorflow,
                "plugin": row.plugin,
                "plugin_version": row.plugin_version,
                "arch": row.arch,
                "loads": row.loads,
                "layer": row.layer,
                "missing": list(row.missing),
                "reason": row.reason,
            }
            for row in rows
        ]
    )


def links_text(rows: Iterable[LinkRow]) -> str:
    """Return every pair on a line, the first missing name behind those that do not load."""
    return "\n".join(f"{_pair(row)}: {_answer(row)}" for row in rows) + "\n"


def links_markdown(rows: Iterable[LinkRow]) -> str:
    """Return every pair as a row of a table."""
    cells = (f"| {escape(_pair(row))} | {escape(_answer(row))} |" for row in rows)
    return "\n".join(("| pair | by the binaries |", "|---|---|", *cells)) + "\n"


def _pair(row: LinkRow) -> str:
    return f"{row.distribution} {row.tensorflow} + {row.plugin} {row.plugin_version}"


def _answer(row: LinkRow) -> str:
    answer = {True: "loads", False: f"cannot load, layer {row.layer}", None: f"not judged: {row.reason}"}[row.loads]
    more = f" and {len(row.missing) - 1} more" if len(row.missing) > 1 else ""
    return answer + (f": {row.missing[0]}{more}" if row.missing else "")


def grid_json(grid: Grid) -> str:
    """Return ``matrix show --format json``: every pair with the tier it reached and the tier it fails at."""
    return json.text(
        {
            "schema_version": SCHEMA_VERSION,
            "matrix_date": grid.matrix_date,
            "place": place_values(grid.place),
            "rows": [_row_values(row) for row in grid.rows],
            "without_wheels": list(grid.beyond),
        }
    )


def place_words(place: Place) -> str:
    """Return ``macos-arm64, macOS 14.5, Apple M1, Python 3.12``, as far as it is said."""
    words = [place.platform, f"macOS {place.macos}" if place.macos else "", place.chip or ""]
    words += [f"glibc {place.glibc}" if place.glibc else "", f"Python {place.python}" if place.python else ""]
    return ", ".join(filter(None, words))


def place_values(place: Place) -> dict[str, Any]:
    """Return a place as plain values."""
    return {
        "platform": place.platform,
        "python": place.python,
        "macos": place.macos,
        "chip": place.chip,
        "glibc": place.glibc,
    }


def _row_values(row: Row) -> dict[str, Any]:
    return {
        "tensorflow": row.tensorflow,
        "distribution": row.alone.distribution,
        "without_plugin": standing_values(row.alone),
        "plugins": [
            {"plugin": cell.pair.plugin, "plugin_version": cell.pair.plugin_version, **standing_values(cell)}
            for cell in row.cells
        ],
        "locks": [lock.file for lock in row.locks],
    }


def standing_values(cell: Standing) -> dict[str, Any]:
    """Return what is known of a pair as plain values."""
    return {
        "reached": cell.reached,
        "failed": cell.failed,
        "contradicted": cell.mixed,
        "needs_macos": cell.needs_macos,
        "pythons": list(cell.pythons),
        "observed": [row.id for row in cell.seen],
        "issues": [row.id for row in cell.issues],
    }
