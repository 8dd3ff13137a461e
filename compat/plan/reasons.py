"""Why this: the reasons behind a plan, one line each."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.matrix import query
from compat.matrix.applies import issue_applies
from compat.matrix.load import Matrix
from compat.matrix.model import LinkRow, Target
from compat.matrix.versions import is_final, newest, order, ranges
from compat.plan.candidates import target_of
from compat.plan.model import Candidate, Wish

_ANY_PYTHON = "3.11"
"""Stands in where a reason does not depend on the Python."""


def reasons(best: Candidate, wish: Wish, facts: Facts, matrix: Matrix) -> tuple[str, ...]:
    """Return why this candidate stands first, each reason one line."""
    return (
        *_current_pair(facts, matrix),
        *_platform_end(best, matrix),
        *_python(best, wish, facts, matrix),
        *_evidence(best),
    )


def _current_pair(facts: Facts, matrix: Matrix) -> Iterator[str]:
    """What is wrong with what is installed now, where facts say."""
    environment, interpreter = known(facts.environment), known(facts.interpreter)
    if environment is None or interpreter is None:
        return
    tensorflow = next((v for name in query.TENSORFLOWS if (v := environment.version(name))), None)
    plugin = environment.version(query.APPLE_PLUGIN)
    target = target_of(facts.machine, ".".join((known(interpreter.version) or _ANY_PYTHON).split(".")[:2]))
    if tensorflow is None or target is None:
        return
    arch = target.platform.partition("-")[2]
    row = query.link(matrix, tensorflow, query.APPLE_PLUGIN, plugin, arch) if plugin else None
    if row is not None and row.loads is False:
        yield f"now: tensorflow-metal {plugin} cannot load on TensorFlow {tensorflow} ({first_missing(row)})"
    for issue in matrix.issues():
        if issue.severity != "info" and issue_applies(issue, tensorflow, plugin, target, facts.machine):
            yield f"now: {issue.title} ({issue.id})"


def _platform_end(best: Candidate, matrix: Matrix) -> Iterator[str]:
    """That the platform's wheels stopped, or the plugin's reach did."""
    platform = best.target.platform
    last = newest(row.version for row in matrix.releases("tensorflow") if is_final(row.version))
    intel = Target(platform="macos-x86_64", python=best.python)
    if platform == intel.platform and last and best.tensorflow in query.versions_for(matrix, "tensorflow", intel)[:1]:
        yield f"{best.tensorflow} is the last TensorFlow with wheels for Intel Macs; {last} has none"
    if best.accelerator and best.accelerator.kind == "plugin" and last and order(best.tensorflow) < order(last):
        fitting = query.loadable_plugins(matrix, last, platform.partition("-")[2])
        if not fitting:
            yield f"no tensorflow-metal release can load on TensorFlow {last}"


def _python(best: Candidate, wish: Wish, facts: Facts, matrix: Matrix) -> Iterator[str]:
    interpreter = known(facts.interpreter)
    current = ".".join((known(interpreter.version) or "").split(".")[:2]) if interpreter else ""
    if wish.python or not current or current == best.python:
        return
    distribution = best.accelerator.distribution if best.accelerator else best.distribution
    if best.accelerator and best.accelerator.kind == "plugin":
        version = best.accelerator.version
        pythons = query.pythons_for(matrix, distribution, version, best.target)
        if current not in pythons:
            yield f"Python {current} has no {distribution} {version} wheel (it has for {ranges(pythons)})"
            return
    pythons = query.pythons_for(matrix, best.distribution, best.tensorflow, best.target)
    if current not in pythons:
        yield f"Python {current} has no wheel of TensorFlow {best.tensorflow} (it has for {ranges(pythons)})"


def _evidence(best: Candidate) -> Iterator[str]:
    seen, tier = best.evidence.reports, best.evidence.tier
    if seen:
        here = f", {best.evidence.on_this_chip} of them on this chip" if best.evidence.on_this_chip else ""
        yield f"evidence: tier {tier}, {seen} public report{'s' if seen > 1 else ''} of this pair working{here}"
    else:
        yield f"evidence: tier {tier}" + (", no public report of this very pair" if best.accelerator else "")
    if best.evidence.errors:
        yield f"known to fail here: {', '.join(best.evidence.errors)}; nothing better is known"
    if best.evidence.warnings:
        yield f"known warnings: {', '.join(best.evidence.warnings)}; the smoke test measures them before you get it"
    if best.lock and best.lock.verified_day:
        yield f"these pins were installed and run whole on {best.lock.verified_day}"
    if best.lock is None:
        yield "no pins are shipped for this combination: they are resolved when it is built"


def first_missing(row: LinkRow) -> str:
    """Return the first thing a plugin looks for and does not find, in words."""
    kinds = {1: "the library", 2: "the symbol", 3: "the symbol"}
    return f"{kinds.get(row.layer, '')} {row.missing[0]}".strip() if row.missing else "something that is not there"
