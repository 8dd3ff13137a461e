"""Whether a known issue applies to a set of versions on a machine: every named condition must hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from compat.facts.known import known
from compat.matrix.model import Affects, Issue, Target
from compat.matrix.query import APPLE_PLUGIN, TENSORFLOWS
from compat.matrix.versions import contains

if TYPE_CHECKING:
    from compat.facts.machine import Machine  # the hook asks about pins and never about a machine


def issue_applies(issue: Issue, tensorflow: str, plugin: str | None, target: Target, machine: Machine) -> bool:
    """Tell whether an issue is known for a TensorFlow (and Apple plugin) on a target and machine.

    An issue that names other packages than these two is not about a pair and never applies here.
    """
    packages = dict.fromkeys(TENSORFLOWS, tensorflow)
    if plugin is not None:
        packages[APPLE_PLUGIN] = plugin
    chip, macos = known(machine.chip), known(machine.os_version)
    return issue.withdrawn is None and any(
        affects_these(row, packages, target.platform, target.python, chip=chip, macos=macos) for row in issue.affects
    )


def affects_these(
    row: Affects,
    packages: Mapping[str, str],
    platform: str | None,
    python: str | None,
    *,
    chip: str | None,
    macos: str | None,
) -> bool:
    """Tell whether every condition of one row holds for installed packages on a platform.

    A condition on a fact that is not known does not hold: silence never reads as a fault.
    """
    return (
        _package(row.package, row.versions, packages)
        and _package(row.with_package, row.with_versions, packages)
        and (not row.platforms or platform in row.platforms)
        and (not row.chips or (chip is not None and chip.startswith(row.chips)))
        and (row.macos is None or (macos is not None and contains(row.macos, macos)))
        and (row.python is None or (python is not None and contains(row.python, python)))
    )


def _package(name: str | None, versions: str | None, packages: Mapping[str, str]) -> bool:
    if name is None:
        return True
    if name not in packages:
        return False
    return versions is None or contains(versions, packages[name])
