"""tfcompat: look, know, judge, decide, act, tell.

look    ``probe`` and ``smoke`` read the machine, the environment and the numbers into ``facts``
know    ``matrix`` answers what is known, with its evidence
judge   ``verdict`` turns facts and knowledge into findings
decide  ``plan`` turns a wish into a plan, or a refusal with its causes
act     ``builder`` carries a plan out through uv and undoes what failed
tell    ``report`` renders documents; ``cli`` wires the verbs
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

__version__ = "0.1.0"


def check_pins(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    targets: Sequence[str] = (),
    ignore: Sequence[str] = (),
    select: Sequence[str] = (),
    severity: str | None = None,
    strict: bool = False,
    markdown: bool = False,
) -> dict[str, Any]:
    """Judge the TensorFlow pins of a dependency file or several (or of those in folders).

    The same as ``tfcompat pins --format json``.

    Return that document as plain values: ``ok``, and ``files`` with their ``pins`` and ``findings``. Nothing is
    written, fetched or executed; a file that cannot be read is a finding (PIN500). The settings of the files'
    ``[tool.tfcompat]`` hold; ``targets`` and ``severity`` take their place where given, the others add to them.
    Raises ``compat.errors.TfcompatError`` for settings or ids that cannot be meant, or a broken matrix.
    """
    from os import PathLike
    from pathlib import Path

    from compat.cli.pinned import values
    from compat.cli.pinning import Asked, check

    asked = Asked(
        targets=tuple(targets),
        ignore=tuple(ignore),
        select=tuple(select),
        severity=severity,
        strict=strict,
        markdown=markdown,
    )
    several = [paths] if isinstance(paths, (str, PathLike)) else paths
    return values(check([Path(path) for path in several], asked))
