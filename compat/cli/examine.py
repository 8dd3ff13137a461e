"""What ``tfcompat doctor`` does once its words are understood; knows no typer, so that it starts quickly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from compat.cli import output, session
from compat.errors import ExitCode, without_secrets
from compat.facts.capture import Facts
from compat.facts.known import Unknown
from compat.report.document import Document

SMOKE_SECONDS = 300.0
"""A cold import of TensorFlow has taken more than a minute on a busy laptop; longer than this is a hang."""
FULL_SECONDS = 3600.0
"""Level ``full`` computes large shapes and trains until a leak would show: tens of minutes on a small machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """One run of doctor, as asked for."""

    subject: session.Subject = field(default_factory=session.Subject)
    smoke: bool = True
    level: str = "quick"
    timeout: float | None = None
    """Seconds the smoke test may take; None: as long as its level may."""
    format: str = "columns"
    strict: bool = False
    list_checks: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    verbose: int = 0
    quiet: bool = False


def examine(asked: Examination) -> ExitCode:
    """Look, judge, measure, tell; return the exit code. Raises CannotLook, UsageError, BadMatrix."""
    if asked.list_checks:
        output.emit(checks(asked.select, asked.ignore))
        return ExitCode.HEALTHY
    facts = _measured(session.look(asked.subject), asked)
    document = session.judged(facts, select=asked.select, ignore=asked.ignore, strict=asked.strict)
    output.emit(rendered(document, asked))
    return ExitCode.HEALTHY if document.ok else ExitCode.FINDINGS


def _measured(facts: Facts, asked: Examination) -> Facts:
    """Run the smoke test where there is something to run it in."""
    subject = asked.subject
    static = subject.target is not None or (subject.facts_file is not None and not (subject.python or subject.venv))
    if static or not session.has_tensorflow(facts):
        return facts
    if not asked.smoke:
        return replace(facts, numerics=Unknown("switched off by --no-smoke"))
    with output.progress(quiet=asked.quiet) as (_, detail):
        detail("running the numerical smoke test")
        timeout = asked.timeout or (FULL_SECONDS if asked.level == "full" else SMOKE_SECONDS)
        return session.measure(facts, level=asked.level, timeout=timeout, tell=detail)


def rendered(document: Document, asked: Examination) -> str:
    """Return the judgement in the wished format."""
    if asked.format == "json":
        from compat.report.json import doctor as as_json

        return as_json(session.masked(document))
    if asked.format == "markdown":
        from compat.probe.masking import mask_text
        from compat.report.markdown import markdown

        return mask_text(markdown(session.masked(document)))
    from compat.report.columns import columns

    return without_secrets(columns(document, output.style(verbose=asked.verbose, quiet=asked.quiet)))


def checks(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> str:
    """Return the list of checks that would run. Raises UsageError for a rule prefix that does not exist."""
    from compat.verdict.rule import select as chosen
    from compat.verdict.rules import RULES

    return "".join(f"{rule.id}  {rule.title}\n" for rule in chosen(RULES, select, ignore))
