"""Lines of a healthy start, which people quote beside what they complain of: they are not what is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from compat.facts.pasted import Pasted
from compat.matrix.load import Matrix
from compat.verdict.diagnose.cause import LOW, Cause

HEALTHY = frozenset({"ISS128", "ISS129"})
"""The known problems that are none: what a start prints where nothing is wrong."""
_COMPLAINTS = frozenset(
    {"slow", "slower", "slowly", "slowest", "hang", "hangs", "hanging", "stuck", "freezes", "frozen", "crash",
     "crashes", "crashed", "unused", "idle"}
)  # fmt: skip


def complains(pasted: Pasted) -> bool:
    """Tell whether the text says in words that something goes badly."""
    return pasted.no_gpu is not None or bool(_COMPLAINTS & pasted.words)


def without_remarks(pasted: Pasted, matrix: Matrix) -> Pasted:
    """Return the text without the signatures of a healthy start: they are no fault's own words."""
    signs = {sign for issue in matrix.issues() if issue.id in HEALTHY for sign in issue.signatures}
    return replace(pasted, hits=tuple(hit for hit in pasted.hits if hit.signature not in signs))


def heard(causes: Iterable[Cause], pasted: Pasted) -> list[Cause]:
    """Return the causes; beside a complaint, a healthy start is hardly the answer."""
    if not complains(pasted):
        return list(causes)
    return [
        replace(cause, confidence=LOW, is_final=False, weight=0.0) if cause.id in HEALTHY else cause for cause in causes
    ]
