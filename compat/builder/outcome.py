"""How a build went: what was tried, what failed and where, what was handed over."""

from __future__ import annotations

from dataclasses import dataclass

from compat.plan.model import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What a finished environment showed before it was handed over."""

    ok: bool
    stage: str
    """The stage that decided: ``files``, ``dependencies``, ``imports``, ``numerics``, ``whole`` or ``complete``."""
    message: str
    seconds: float = 0.0
    numeric_failure: bool = False
    """Gradients or values were seen to be wrong on the GPU: other releases of the same plugin are skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One candidate that was tried."""

    candidate: Candidate
    step: str
    """``create``, ``resolve``, ``install``, ``verify``, ``numerics`` or ``done``."""
    message: str
    seconds: float = 0.0
    uv_seconds: float = 0.0
    """Of that, inside uv's processes."""
    verify_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """An environment that passed."""

    path: str
    interpreter: str
    lock_file: str
    candidate: Candidate
    verification: Verification
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingBuilt:
    """Every candidate failed; the folder is as it was."""

    attempts: tuple[Attempt, ...]


Outcome = Built | NothingBuilt
