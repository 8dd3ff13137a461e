"""Which pairs nobody should be sent to: they load by the binaries, and are known not to run."""

from __future__ import annotations

import functools

from compat.matrix import query
from compat.matrix.applies import affects_these
from compat.matrix.load import Matrix
from compat.matrix.versions import contains, minor

_OPEN = (None, "TF317", "NUM603", "NUM607")


@functools.lru_cache(maxsize=1024)
def is_known_bad(matrix: Matrix, body: str, plugin: str, version: str, platform: str) -> bool:
    """Tell whether a pair was seen to fail and never to work, or a known problem ends its training or import."""
    runs = [row for row in query.observations_of(matrix, body, version) if row.plugin == plugin]
    failed = any(row.result in ("fails-to-load", "fails-to-run") for row in runs)
    if failed and not any(row.result == "works" for row in runs) and not is_named(matrix, body, plugin, version):
        return True
    packages = dict.fromkeys(query.TENSORFLOWS, body) | {plugin: version}
    return any(
        issue.withdrawn is None
        and issue.severity == "error"
        and issue.rule in _OPEN
        and any(
            not (part.chips or part.macos) and affects_these(part, packages, platform, None, chip=None, macos=None)
            for part in issue.affects
        )
        for issue in matrix.issues()
    )


def is_named(matrix: Matrix, body: str, plugin: str, version: str) -> bool:
    """Tell whether the vendor names the pair, or the plugin's minor of which this is a patch release."""
    return any(
        row.kind == "claim"
        and row.plugin == plugin
        and minor(row.plugin_version or "") == minor(version)
        and contains(row.tensorflow, body)
        for row in matrix.observed()
    )
