"""``tfcompat explain``: a rule or a known issue in full."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer

from compat.cli import output
from compat.errors import UsageError
from compat.matrix.model import Issue


def explain(
    what: Annotated[str, typer.Argument(metavar="ID", help="A rule id (BIN401) or an issue id (ISS001).")],
) -> None:
    """Explain a rule or a known issue: cause, evidence, remedy."""
    text = rule_page(what.upper()) or issue_page(what.upper())
    if text is None:
        raise UsageError(
            f"{what!r} is neither a rule nor a known issue",
            hint="list the rules with `tfcompat doctor --list-checks`",
        )
    output.emit(text)


def rule_page(rule_id: str) -> str | None:
    """Return a rule's own documentation, None where there is no such rule."""
    from compat.verdict.rules import RULES

    rule = next((rule for rule in RULES if rule.id == rule_id), None)
    if rule is None:
        return None
    page = f"{rule.id}  {rule.title}\n\n{inspect.cleandoc(rule.__doc__ or '')}\n"
    issues = [f"  {issue.id}  {issue.title}" for issue in _issues() if issue.rule == rule_id and not issue.withdrawn]
    return page + ("\nknown issues it finds:\n" + "\n".join(issues) + "\n" if issues else "")


def issue_page(issue_id: str) -> str | None:
    """Return a known issue with its sources, None where there is no such issue."""
    issue = next((issue for issue in _issues() if issue.id == issue_id), None)
    if issue is None:
        return None
    lines = [f"{issue.id}  {issue.title}", "", issue.symptom, "", f"do: {issue.remedy}"]
    lines += [f"    $ {command}" for command in issue.commands]
    lines += [f"then: {issue.verify}"] if issue.verify else []
    lines += [f"withdrawn: {issue.withdrawn}"] if issue.withdrawn else []
    lines += ["", *(f"source: {source.url} ({source.kind}, read {source.day})" for source in issue.sources)]
    return "\n".join(lines) + "\n"


def _issues() -> tuple[Issue, ...]:
    from compat.matrix.load import load

    return load().issues()
