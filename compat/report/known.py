"""What the matrix knows of pairs, told as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compat.matrix.model import LinkRow, Observation
from compat.matrix.versions import order
from compat.report import json

_SIGNS = {None: "?", True: "links", False: "-"}


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
    lines = []
    for row in rows:
        answer = {True: "loads", False: f"cannot load, layer {row.layer}", None: f"not judged: {row.reason}"}[row.loads]
        more = f" and {len(row.missing) - 1} more" if len(row.missing) > 1 else ""
        first = f": {row.missing[0]}{more}" if row.missing else ""
        pair = f"{row.distribution} {row.tensorflow} + {row.plugin} {row.plugin_version}"
        lines.append(f"{pair}: {answer}{first}")
    return "\n".join(lines) + "\n"


def grid_text(rows: Sequence[LinkRow], observed: Sequence[Observation]) -> str:
    """Return a grid: a line a TensorFlow, a column a plugin release, in each cell the tier reached."""
    plugins = sorted({row.plugin_version for row in rows if row.plugin == "tensorflow-metal"}, key=order)
    versions = sorted({row.tensorflow for row in rows}, key=order, reverse=True)
    runs = {
        (row.tensorflow, row.plugin_version): row for row in observed if row.kind == "run" and row.result == "works"
    }
    loads = {(row.tensorflow, row.plugin_version): row.loads for row in rows if row.plugin == "tensorflow-metal"}
    lines = ["tensorflow  " + "".join(f"{plugin:>7}" for plugin in plugins)]
    for version in versions:
        cells = ("runs" if (version, p) in runs else _SIGNS[loads.get((version, p))] for p in plugins)
        lines.append(f"{version:<12}" + "".join(f"{cell:>7}" for cell in cells))
    legend = "runs: somebody ran it; links: the binaries fit; -: cannot load; ?: not judged"
    return "\n".join((*lines, "", legend)) + "\n"
