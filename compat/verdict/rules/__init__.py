"""The rules of `tfcompat doctor`: the only list there is, in the order of their ids."""

from __future__ import annotations

from compat.verdict.rule import Rule
from compat.verdict.rules import (
    addons,
    binaries,
    companions,
    conflicts,
    drift,
    hosts,
    interpreter,
    keras,
    known_issues,
    machine,
    numerics,
    nvidia,
    ownership,
    packages,
    pairs,
    plugin_files,
    starting,
    tools,
)

_FAMILIES = (machine, hosts, nvidia, interpreter, tools, packages, pairs, companions, keras, drift, addons)
_MORE = (known_issues, conflicts, ownership, binaries, plugin_files, starting, numerics)
_ORDER = ("MAC", "PY", "TF", "BIN", "NUM")


def _place(rule: Rule) -> tuple[int, str]:
    family = rule.id.rstrip("0123456789")
    return _ORDER.index(family), rule.id


RULES: tuple[Rule, ...] = tuple(sorted((rule for module in (*_FAMILIES, *_MORE) for rule in module.RULES), key=_place))
