"""Plans, refusals and finished builds, told as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compat.errors import one_line, without_secrets
from compat.facts.codec import encode
from compat.plan.model import Candidate, Decision, Plan, Refusal
from compat.report import json
from compat.report.document import SCHEMA_VERSION
from compat.report.style import Style

Attempts = Sequence[tuple[str, str, str]]
"""Candidate, step reached, message."""

BUILD = "tfcompat fix --create-venv"
_SHOWN_PINS = 6


def as_text(
    decision: Decision,
    pins: Sequence[str],
    *,
    needed_bytes: int | None,
    style: Style,
    command: str | None = BUILD,
    where: str = "to download",
) -> str:
    """Return a plan or a refusal as text for a terminal; ``command`` builds it (None: it is being built)."""
    if isinstance(decision, Refusal):
        return _refusal(decision, style)
    best = decision.best
    lines = [style.paint(f"plan: {best.title}", "1"), ""]
    lines += [f"  because {_said(reason)}" for reason in decision.reasons]
    lines += ["", f"  pins: {', '.join(_leading(best, pins))}{_more(pins)}"]
    lines += _sizes(best, needed_bytes, where)
    lines += [f"  if it fails its own verification: {fallback.title}" for fallback in decision.fallbacks]
    lines += ["", f"build it: {command}"] if command else []
    return "\n".join(lines) + "\n"


def _leading(best: Candidate, pins: Sequence[str]) -> list[str]:
    """The pins people look for first."""
    names = ("tensorflow", "keras", "numpy", "protobuf", "setuptools")
    head = [pin for pin in pins if pin.startswith(names)]
    return (head or list(pins))[: _SHOWN_PINS + len(best.requirements)]


def _more(pins: Sequence[str]) -> str:
    return f" … {len(pins)} in all, hash-checked" if len(pins) > _SHOWN_PINS else ""


def _sizes(best: Candidate, needed_bytes: int | None, where: str) -> list[str]:
    if best.lock is None or not best.lock.download_bytes:
        return ["  size: known once it is resolved"]
    disk = f", about {needed_bytes / 1e9:.1f} GB of disk" if needed_bytes else ""
    return [f"  size: {best.lock.download_bytes / 1e6:.0f} MB {where}{disk}"]


def _refusal(refusal: Refusal, style: Style) -> str:
    lines = [style.paint("this cannot be had", "1;31"), ""]
    lines += [f"  because {_said(cause.text)} ({_said(cause.source)})" for cause in refusal.causes]
    lines += ["", "what can be had:" if refusal.options else "nothing near it can be had on this machine"]
    lines += [f"  {_said(option.text)}" for option in refusal.options]
    return "\n".join(lines) + "\n"


def as_json(decision: Decision, pins: Sequence[str]) -> str:
    """Return ``fix --format json``."""
    if isinstance(decision, Refusal):
        refused = [
            {
                "conflict": list(decision.conflict),
                "causes": [encode(cause) for cause in decision.causes],
                "options": [option.text for option in decision.options],
            }
        ]
        return json.text({"schema_version": SCHEMA_VERSION, "plan": None, "refused": refused})
    plan = plan_values(decision.best, pins, decision.reasons)
    fallbacks = [plan_values(candidate, candidate.requirements, ()) for candidate in decision.fallbacks]
    return json.text({"schema_version": SCHEMA_VERSION, "plan": plan, "fallbacks": fallbacks, "refused": []})


def plan_values(best: Candidate, pins: Sequence[str], reasons: Sequence[str]) -> dict[str, Any]:
    """Return a candidate as plain values."""
    accelerator = best.accelerator
    plugin = f"{accelerator.distribution}=={accelerator.version}" if accelerator else None
    return {
        "platform": best.target.platform,
        "python": best.python,
        "distribution": best.distribution,
        "tensorflow": best.tensorflow,
        "plugin": plugin,
        "tier": best.evidence.tier,
        "reports": best.evidence.reports,
        "known_issues": [*best.evidence.errors, *best.evidence.warnings],
        "lock": best.lock.file if best.lock else None,
        "download_bytes": best.lock.download_bytes if best.lock else None,
        "pins": list(pins),
        "reasons": list(reasons),
    }


def built_text(
    candidate: Candidate, path: str, lock_file: str, message: str, attempts: Attempts, back: str | None = None
) -> str:
    """Return the last words of a successful build: what it is, how it was verified, how to enter it, the way back."""
    lines = [f"{title}: failed at {step}: {_said(text)}" for title, step, text in attempts[:-1]]
    lines += [f"{candidate.title}: {_said(message)}", f"pins: {one_line(lock_file)}"]
    lines += [f"the environment from before is kept; to put it back: {back}"] if back else []
    lines += ["", f"source {_quoted(path)}/bin/activate"]
    return "\n".join(lines) + "\n"


def _quoted(path: str) -> str:
    import shlex

    return one_line(shlex.quote(path))


def _said(text: str) -> str:
    return without_secrets(one_line(text))


def failed_text(attempts: Attempts) -> str:
    """Return what was tried and why each failed."""
    return "".join(f"{title}: failed at {step}: {_said(text)}\n" for title, step, text in attempts)


def built_json(
    plan: Plan, candidate: Candidate, path: str, lock_file: str, attempts: Attempts, timings: dict[str, float]
) -> str:
    """Return a finished build as JSON: the plan that was carried out, where it is, what was tried."""
    return json.text(
        {
            "schema_version": SCHEMA_VERSION,
            "plan": plan_values(candidate, candidate.requirements, plan.reasons),
            "refused": [],
            "environment": path,
            "lock_file": lock_file,
            "attempts": [
                {"candidate": title, "step": step, "message": without_secrets(text)} for title, step, text in attempts
            ],
            "seconds": {name: round(value, 3) for name, value in timings.items()},
        }
    )
