"""The pages ``tfcompat explain ID`` prints: a rule's own documentation, a known problem with its sources."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from compat.matrix.model import Issue
from compat.report import json
from compat.report.document import SCHEMA_VERSION
from compat.report.markdown import escape
from compat.verdict.pins.rule import PinRule
from compat.verdict.rule import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One id explained."""

    id: str
    kind: str
    """``rule`` or ``issue``."""
    title: str
    text: str
    """All of it but the title, as plain text."""
    remedy: str = ""
    commands: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def told(self, format: str) -> str:
        """Return the page in the wished format."""
        if format == "json":
            return json.text(self._values())
        if format == "markdown":
            body = "\n".join(escape(line) if line.strip() else "" for line in self.text.splitlines())
            return f"### {self.id} {escape(self.title)}\n\n{body}\n"
        return f"{self.id}  {self.title}\n\n{self.text}\n"

    def _values(self) -> dict[str, Any]:
        """As of a text, so that a reader of the shape finds its keys; a page diagnoses nothing."""
        return {
            "schema_version": SCHEMA_VERSION,
            "causes": [],
            "missing_facts": [],
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "text": self.text,
            "remedy": {"commands": list(self.commands), "text": self.remedy},
            "sources": list(self.sources),
        }


def rule_page(rule_id: str) -> Page | None:
    """Return a rule's own documentation, None where there is no such rule."""
    rule = next((rule for rule in _rules() if rule.id == rule_id), None)
    if rule is None:
        return None
    text = inspect.cleandoc(rule.__doc__ or "")
    if rule_id.startswith("PIN"):
        text += "\n\nIt judges pins in dependency files: `tfcompat pins FILE…`, or the pre-commit hook."
    issues = [f"  {issue.id}  {issue.title}" for issue in _issues() if issue.rule == rule_id and not issue.withdrawn]
    found = "\n\nknown issues it finds:\n" + "\n".join(issues) if issues else ""
    return Page(id=rule_id, kind="rule", title=rule.title, text=text + found)


def issue_page(issue_id: str) -> Page | None:
    """Return a known issue with its sources, None where there is no such issue."""
    issue = next((issue for issue in _issues() if issue.id == issue_id), None)
    if issue is None:
        return None
    lines = [issue.symptom, "", f"do: {issue.remedy}"]
    lines += [f"    $ {command}" for command in issue.commands]
    lines += [f"then: {issue.verify}"] if issue.verify else []
    lines += [f"withdrawn: {issue.withdrawn}"] if issue.withdrawn else []
    lines += ["", *(f"source: {source.url} ({source.kind}, read {source.day})" for source in issue.sources)]
    return Page(
        id=issue.id,
        kind="issue",
        title=issue.title,
        text="\n".join(lines),
        remedy=issue.remedy,
        commands=issue.commands,
        sources=tuple(source.url for source in issue.sources),
    )


def ids() -> tuple[str, ...]:
    """Return every id there is a page for."""
    return (*(rule.id for rule in _rules()), *(issue.id for issue in _issues()))


def _rules() -> tuple[Rule | PinRule, ...]:
    from compat.verdict.pins.rules import RULES as ABOUT_PINS
    from compat.verdict.rules import RULES

    return (*RULES, *ABOUT_PINS)


def _issues() -> tuple[Issue, ...]:
    from compat.cli.knowledge import matrix

    return matrix().issues()
