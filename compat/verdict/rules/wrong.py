"""What wrong numbers have in common: the pattern over modes, the known problem they look like, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.facts.numerics import Check, Numerics
from compat.matrix.applies import issue_applies
from compat.matrix.load import Matrix
from compat.matrix.model import Issue
from compat.verdict.finding import Evidence, Remedy
from compat.verdict.rule import MissingFactError
from compat.verdict.rules import remedies
from compat.verdict.rules.installed import body_of, target_of
from compat.verdict.rules.measured import HIDE_GPU

COMPILED = {"graph", "predict", "fit"}
WORDS = {
    "relu": ("relu", "dense"),
    "convolution": ("conv",),
    "top_k": ("sort", "topk", "top_k"),
    "random": ("random", "dropout"),
    "training": ("train/", " fit"),
}
"""A word in the title of a known problem, and what the ids or operations of its checks contain."""
BEYOND = re.compile(r"more than (\d+)")


def simplest_first(wrong: Sequence[Check]) -> list[Check]:
    """Return the checks so that the operation to blame comes first: one expression before a program, short before long.

    A wrong product shows in every layer that multiplies; the shortest expression that is wrong has the fewest suspects.
    """
    return sorted(wrong, key=lambda check: (not check.code, len(check.code)))


def worst_of_each(wrong: Sequence[Check]) -> list[Check]:
    """Return the worst check of each operation and mode, in the given order; infinitely wrong is worst."""
    worst: dict[tuple[str, str], Check] = {}
    for check in wrong:
        kept = worst.get((check.op, check.mode))
        if kept is None or _size(check) > _size(kept):
            worst[check.op, check.mode] = check
    return list(worst.values())


def _size(check: Check) -> float:
    return float("inf") if check.error_in_bounds is None else check.error_in_bounds


def pattern(wrong: Sequence[Check], numerics: Numerics) -> Iterator[Evidence]:
    """Yield, for each operation, that only its compiled form is wrong where its eager form was right."""
    for op in dict.fromkeys(check.op for check in wrong):
        modes = {check.mode for check in wrong if check.op == op}
        ids = {check.id for check in wrong if check.op == op}
        eagerly = [check for check in numerics.checks if check.id in ids and check.mode == "eager"]
        right = any(check.status == "passes" and check.device == wrong[0].device for check in eagerly)
        if modes <= COMPILED and right:
            where = ", ".join(sorted(modes))
            text = f"{op}: wrong only when compiled ({where}), right eagerly: a fused or rewritten graph"
            yield Evidence(fact=text, source="measured here")


def place(device: str, numerics: Numerics, facts: Facts) -> Evidence:
    """Say what computed: the device as its driver calls it, chip, system, TensorFlow and plugin."""
    environment = known(facts.environment)
    plugin = environment.version("tensorflow-metal") if environment else None
    driver = next((item.description for item in numerics.devices if item.name == device), "")
    parts = [
        f"{device}{f' ({driver})' if driver else ''}",
        known(facts.machine.chip),
        f"{facts.machine.os} {known(facts.machine.os_version) or ''}".strip(),
        f"TensorFlow {numerics.tensorflow}" if numerics.tensorflow else None,
        f"tensorflow-metal {plugin}" if plugin else None,
    ]
    return Evidence(fact=", ".join(part for part in parts if part), source="measured here")


def known_issue(rule: str, wrong: Sequence[Check], facts: Facts, matrix: Matrix) -> Issue | None:
    """Return the first known problem of this pair and machine that speaks of an operation that failed."""
    environment = known(facts.environment)
    tensorflow = body_of(facts, matrix) if environment is not None else None
    if environment is None or tensorflow is None:
        return None
    try:
        target = target_of(facts)
    except MissingFactError:
        return None
    plugin = environment.version("tensorflow-metal")
    rows = [row for row in matrix.issues() if row.rule == rule]
    mine = [row for row in rows if issue_applies(row, tensorflow.version, plugin, target, facts.machine)]
    return next((row for row in mine if any(speaks_of(row, check) for check in wrong)), None)


def speaks_of(issue: Issue, check: Check) -> bool:
    """Tell whether a known problem, by the words of its title, is about the operation of a check."""
    title, operation = issue.title.lower(), f"{check.id} {check.op} {check.mode}".lower()
    word = next((word for word in WORDS if word in title), None)
    if word is None or not any(piece in operation for piece in WORDS[word]):
        return False
    beyond = BEYOND.search(title)
    if beyond:
        return any(int(number) > int(beyond[1]) for number in re.findall(r"\d+", check.shape))
    return not ("compiled" in title or "fused" in title) or check.mode in COMPILED


def remedy(issue: Issue | None) -> Remedy:
    """Return the ways out, the surest first: the CPU, the workaround others found, a pair that passes here."""
    workaround = f"; or, as {issue.id} says: {issue.remedy}" if issue else ""
    return remedies.new_environment(
        f"{HIDE_GPU}; or build an environment whose pair passes on this machine{workaround}"
    )
