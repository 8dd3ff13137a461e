"""Smoke results told as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from compat.errors import one_line
from compat.facts.codec import encode
from compat.facts.numerics import Check, Numerics
from compat.report import json
from compat.report.document import SCHEMA_VERSION
from compat.report.style import Style


def passed(numerics: Numerics) -> bool:
    """Tell whether the battery ran and no check failed."""
    return numerics.outcome == "ran" and not any(check.status in ("fails", "crashed") for check in numerics.checks)


def as_json(numerics: Numerics) -> str:
    """Return ``smoke --format json``."""
    devices = list(dict.fromkeys(check.device for check in numerics.checks))
    return json.text(
        {
            "schema_version": SCHEMA_VERSION,
            "outcome": numerics.outcome,
            "device": devices[-1] if devices else None,
            "devices": devices,
            "ok": passed(numerics),
            "checks": [encode(check) for check in numerics.checks],
            "numerics": {key: value for key, value in encode(numerics).items() if key != "checks"},
        }
    )


def as_text(numerics: Numerics, style: Style) -> str:
    """Return the results, failing checks first, one line each; passing ones with -v."""
    return "\n".join(_lines(numerics, style)) + "\n"


def _lines(numerics: Numerics, style: Style) -> Iterator[str]:
    if numerics.outcome != "ran":
        why = numerics.key_line or numerics.error
        yield f"{style.sign('fails')} the battery did not run: {numerics.outcome}{f' ({one_line(why)})' if why else ''}"
        yield from (f"    {one_line(line)}" for line in numerics.stderr_tail[-8:])
        return
    bad = [check for check in numerics.checks if check.status in ("fails", "crashed")]
    rest = [check for check in numerics.checks if check.status not in ("fails", "crashed")]
    for check in [*bad, *(rest if style.verbose else [c for c in rest if c.status == "skipped"])]:
        yield _line(check, style)
    good = sum(check.status == "passes" for check in numerics.checks)
    devices = ", ".join(dict.fromkeys(check.device for check in numerics.checks))
    if bad:
        yield style.paint(f"{len(bad)} of {good + len(bad)} checks failed on {devices}", "1;31")
    else:
        yield style.paint(f"no numerical fault found by {good} checks on {devices}", "1;32")


def _line(check: Check, style: Style) -> str:
    error = "" if check.error_in_bounds is None else f"  error {check.error_in_bounds:.3g} of its bound"
    detail = f"  {one_line(check.detail)}" if check.detail else ""
    return f"{style.sign(check.status)} {check.device:<6} {check.mode:<7} {check.id}{error}{detail}"
