"""The picture as facts that the rules of doctor can judge: one capture for each way it may be meant."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment
from compat.facts.interpreter import Interpreter
from compat.facts.known import NOT_APPLICABLE, Known, Unknown
from compat.facts.machine import Machine
from compat.facts.pasted import Stated
from compat.matrix.load import Matrix
from compat.matrix.query import APPLE_PLUGIN, TENSORFLOWS
from compat.verdict.diagnose.picture import Picture, releases_of

MOST = 12
"""Ways that are judged; a text that leaves more open says too little."""
NOT_STATED = Unknown("not stated in the text")


def scenarios(picture: Picture, matrix: Matrix) -> tuple[Facts, ...]:
    """Return the ways the stated facts may be meant, as captures; none where no package is known to be installed."""
    named = {name: rows for name, rows in picture.packages.items() if _has_version(rows)}
    if any(name in named for name in TENSORFLOWS[1:]) and any(
        row.how in ("failed", "said") for row in named.get("tensorflow", ())
    ):
        del named["tensorflow"]  # prose says TensorFlow for whichever distribution it is
    if not named or (APPLE_PLUGIN in picture.packages and APPLE_PLUGIN not in named and len(named) == 0):
        return ()
    ways = [[(name, version) for version in _ends(rows, matrix)] for name, rows in sorted(named.items())]
    found = itertools.islice(itertools.product(*ways), MOST + 1)
    chosen = tuple(found)
    return () if len(chosen) > MOST else tuple(_facts(dict(way), picture) for way in chosen)


def _has_version(rows: tuple[Stated, ...]) -> bool:
    return any(row.value for row in rows)


def _ends(rows: tuple[Stated, ...], matrix: Matrix) -> Iterator[str]:
    """Yield the newest and the oldest release of each statement: rules are about ranges."""
    for row in rows:
        found = releases_of(row, matrix)
        yield from dict.fromkeys((found[0], found[-1])) if found else ()


def _facts(versions: dict[str, str], picture: Picture) -> Facts:
    distributions = tuple(Distribution(name=name, version=version, location="") for name, version in versions.items())
    return Facts(
        machine=_machine(picture),
        interpreter=_interpreter(picture),
        environment=Environment(kind="stated", path="the pasted text", distributions=distributions),
        origin="stated in the text",
    )


def _one(values: tuple[str, ...]) -> Known[str]:
    if len(values) == 1:
        return values[0]
    return NOT_STATED if not values else Unknown(f"stated as {' and as '.join(values)}")


def _machine(picture: Picture) -> Machine:
    os = _one(picture.os)
    mac = os == "macos"
    architecture = _one(picture.hardware or (() if mac else picture.process))
    return Machine(
        os=os,
        os_version=_one(picture.macos) if mac else NOT_STATED,
        os_reported="10.16" if picture.shim else NOT_STATED,
        architecture=architecture,
        chip=_one(picture.chip),
        wsl=int(picture.wsl) if picture.wsl in ("1", "2") else NOT_APPLICABLE if mac else NOT_STATED,
        glibc=picture.glibc or (NOT_APPLICABLE if mac else NOT_STATED),
        translated=NOT_STATED,
    )


def _interpreter(picture: Picture) -> Known[Interpreter]:
    if not picture.python and not picture.process:
        return NOT_STATED
    version = _one(picture.python)
    return Interpreter(path="python", version=version, machine=_one(picture.process), translated=NOT_STATED)
