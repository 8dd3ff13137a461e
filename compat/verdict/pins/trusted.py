"""Which pairs nobody should be sent to: they load by the binaries, and are known not to run."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from compat.matrix import query
from compat.matrix.applies import affects_these
from compat.matrix.load import Matrix
from compat.matrix.model import Issue
from compat.matrix.versions import contains, minor

_OPEN = (None, "TF317", "NUM603", "NUM607")
"""Rules of ``doctor`` whose problems no rule about pins tells in its own words."""


def problems(matrix: Matrix, packages: dict[str, str], platform: str, python: str | None) -> Iterator[Issue]:
    """Yield the known problems of such versions that no rule about pins tells in its own words."""
    for row in matrix.issues():
        asked = row.affects if row.withdrawn is None and row.rule in _OPEN else ()
        if any(affects_these(part, packages, platform, python, chip=None, macos=None) for part in asked):
            yield row


def is_certain(row: Issue) -> bool:
    """Tell whether a problem ends import or training whatever the chip and the macOS."""
    return row.severity == "error" and not any(part.chips or part.macos for part in row.affects)


@functools.lru_cache(maxsize=1024)
def is_known_bad(matrix: Matrix, body: str, plugin: str, version: str, platform: str) -> bool:
    """Tell whether a pair was seen to fail and never to work, or a known problem ends its training or import."""
    runs = [row for row in query.observations_of(matrix, body, version) if row.plugin == plugin]
    failed = any(row.result in ("fails-to-load", "fails-to-run") for row in runs)
    if failed and not any(row.result == "works" for row in runs) and not is_named(matrix, body, plugin, version):
        return True
    packages = dict.fromkeys(query.TENSORFLOWS, body) | {plugin: version}
    return any(is_certain(row) for row in problems(matrix, packages, platform, None))


def is_named(matrix: Matrix, body: str, plugin: str, version: str) -> bool:
    """Tell whether the vendor names the pair, or the plugin's minor of which this is a patch release."""
    return any(
        row.kind == "claim"
        and row.plugin == plugin
        and minor(row.plugin_version or "") == minor(version)
        and contains(row.tensorflow, body)
        for row in matrix.observed()
    )
