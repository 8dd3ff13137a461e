"""What a failure calls for: each known drift, the line that betrays it, and the releases it can touch.

Nothing here is taken as proved. `mend` adds a cure only to an environment that failed with its line, and
`matrices/repairs/repairs.toml` holds only cures that were seen to be needed and seen to help. The version sets follow
the releases' own Requires-Dist: where a release caps the dependency itself, its cure does not apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet

from locking.records import Repair

PACKAGES = ("tensorflow", "tensorflow-cpu", "tensorflow-macos", "tensorflow-intel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cure:
    """A repair before it is measured."""

    repair: Repair
    signature: str
    """A part of the failing step's line."""
    sources: tuple[str, ...]


def _cure(
    identity: str,
    requirement: str,
    versions: str,
    step: str,
    signature: str,
    sources: Sequence[str],
    **more: str | bool,
) -> Cure:
    return Cure(
        signature=signature,
        sources=tuple(sources),
        repair=Repair(
            id=identity,
            requirement=requirement,
            packages=PACKAGES,
            versions=versions,
            step=step,
            python=str(more.get("python", "")),
            adds=bool(more.get("adds", False)),
        ),
    )


_NUMPY = (
    # An extension module compiled against NumPy 1 cannot run with NumPy 2.
    "https://numpy.org/doc/stable/numpy_2_0_migration_guide.html",
    "https://github.com/tensorflow/tensorflow/releases/tag/v2.18.0",
)
_PROTOBUF = ("https://protobuf.dev/news/2022-05-06/",)
_SETUPTOOLS = (
    "https://setuptools.pypa.io/en/stable/history.html#v82-0-0",
    "https://setuptools.pypa.io/en/latest/pkg_resources.html",
)
_TENSORBOARD = ("https://github.com/tensorflow/tensorflow/releases/tag/v2.21.0",)
_ABI = "Unable to convert function return value to a Python type"
_DESCRIPTORS = "Descriptors cannot be created directly"

# NumPy 2 and setuptools 82 need Python 3.9 themselves, so a Python 3.8 environment never meets them.
CURES = (
    _cure("REP001", "numpy<2", ">=2.7,<2.12", "import", _ABI, _NUMPY, python=">=3.9"),
    _cure("REP002", "numpy<2", "==2.14.0", "import", _ABI, _NUMPY),
    _cure(
        "REP003",
        "setuptools<82",
        ">=2.5,<2.21",
        "tensorboard",
        "No module named 'pkg_resources'",
        _SETUPTOOLS,
        python=">=3.9",
    ),
    _cure(
        "REP004", "tensorboard", ">=2.21,<2.22", "tensorboard", "TensorBoard is not installed", _TENSORBOARD, adds=True
    ),
    _cure("REP005", "protobuf<3.20", ">=2.5,<2.6.5", "import", _DESCRIPTORS, _PROTOBUF),
    _cure("REP006", "protobuf<3.20", ">=2.7,<2.7.3", "import", _DESCRIPTORS, _PROTOBUF),
    _cure("REP007", "protobuf<3.20", ">=2.8,<2.8.2", "import", _DESCRIPTORS, _PROTOBUF),
    _cure("REP008", "protobuf<3.20", "==2.9.0", "import", _DESCRIPTORS, _PROTOBUF),
)


def applies(repair: Repair, distribution: str, tensorflow: str, python: str) -> bool:
    """Whether a repair is meant for this release on this Python."""
    return (
        distribution in repair.packages
        and SpecifierSet(repair.versions).contains(tensorflow)
        and SpecifierSet(repair.python).contains(python)
    )


def find(line: str, distribution: str, tensorflow: str, python: str) -> Cure | None:
    """The cure a failing line calls for; None where the failure is a new one."""
    for cure in CURES:
        if cure.signature in line and applies(cure.repair, distribution, tensorflow, python):
            return cure
    return None
