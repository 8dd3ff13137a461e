"""TF317: known problems of the matrix that apply to these versions, this chip and this macOS."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.known import Known, NotApplicable, Unknown, is_known, known
from compat.matrix.load import Matrix
from compat.matrix.model import Affects, Issue
from compat.matrix.versions import contains
from compat.verdict.finding import Evidence, Finding, Remedy, Severity, Status
from compat.verdict.rule import MissingFactError, Rule, environment_of
from compat.verdict.rules import remedies
from compat.verdict.rules.installed import body_of, target_of

_PIP = re.compile(r"\bpython3? -m pip (install|uninstall)\b")
_PYTHON = re.compile(r"(?<![\w/.-])python3?(?= )")


class KnownIssue(Rule):
    """Does a known problem of the matrix apply to this pair, chip and macOS?

    Every issue row names what it affects: packages and their versions, what stands beside them, platform, chips, macOS
    and Python. A row whose every condition holds is told with its symptom, remedy and sources. Rows that another rule
    detects by its own facts are left to that rule, and numeric faults to the smoke test where it ran: what is measured
    here outranks what others reported. Where the smoke test did not run, they are told as reported.

    Remedy: the row's own.
    Source: ``matrices/issues/``, each row with its links.
    """

    id = "TF317"
    title = "no known problem of these versions on this machine"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield each issue that applies; unknown where one turns on an unknown fact."""
        environment_of(facts)
        measured = is_known(facts.numerics)
        for issue in matrix.issues():
            if issue.withdrawn is None and _is_ours(issue, measured=measured):
                answer = applies(issue, facts, matrix)
                if answer == "":
                    yield self._finding(issue, facts)
                elif answer is not None:
                    told = f"whether {issue.id} ({issue.title}) applies is unknown: so is {answer}"
                    yield self.says(Status.UNKNOWN, told)

    def _finding(self, issue: Issue, facts: Facts) -> Finding:
        return self.fails(
            f"known problem {issue.id}: {issue.title}",
            severity=Severity(issue.severity),
            evidence=[Evidence(fact=issue.symptom, source=source.url) for source in issue.sources],
            remedy=Remedy(text=issue.remedy, commands=_commands(issue, facts)),
            verify=_here(issue.verify, facts),
            issue=issue.id,
            matrix_used=True,
        )


def _is_ours(issue: Issue, *, measured: bool) -> bool:
    if issue.rule is None or issue.rule == KnownIssue.id:
        return True
    return issue.rule.startswith("NUM") and not measured


def issue_of(rule: str, facts: Facts, matrix: Matrix) -> Issue | None:
    """Return the first issue that a rule's failure here is an instance of."""
    rows = (row for row in matrix.issues() if row.rule == rule and row.withdrawn is None)
    return next((row for row in rows if applies(row, facts, matrix) == ""), None)


def applies(issue: Issue, facts: Facts, matrix: Matrix) -> str | None:
    """Tell whether an issue applies: empty for yes, None for no, else the name of the fact it turns on."""
    answers = [_affected(conditions, facts, matrix) for conditions in issue.affects]
    if "" in answers:
        return ""
    return next((answer for answer in answers if answer is not None), None)


def _affected(conditions: Affects, facts: Facts, matrix: Matrix) -> str | None:
    """As ``applies``, of one set of conditions: any no is a no, then any unknown."""
    if not _installed(conditions.package, conditions.versions, facts, matrix):
        return None
    if not _installed(conditions.with_package, conditions.with_versions, facts, matrix):
        return None
    answers = [_platform(conditions, facts), _chip(conditions, facts), *_versions(conditions, facts)]
    return None if None in answers else next((answer for answer in answers if answer), "")


def _installed(package: str | None, versions: str | None, facts: Facts, matrix: Matrix) -> bool:
    if package is None:
        return True
    version = environment_of(facts).version(package)
    if version is None and package == "tensorflow" and (body := body_of(facts, matrix)):
        version = body.version
    return version is not None and (versions is None or contains(versions, version))


def _platform(conditions: Affects, facts: Facts) -> str | None:
    if not conditions.platforms:
        return ""
    try:
        platform = target_of(facts).platform
    except MissingFactError as missing:
        return missing.what
    return "" if platform in conditions.platforms else None


def _chip(conditions: Affects, facts: Facts) -> str | None:
    if not conditions.chips:
        return ""
    chip = known(facts.machine.chip)
    if chip is None:
        return "the chip"
    return "" if any(_is_family(chip, prefix) for prefix in conditions.chips) else None


def _is_family(chip: str, prefix: str) -> bool:
    """``Apple M1`` names M1, M1 Pro…, not an M10."""
    return chip.startswith(prefix) and not chip[len(prefix) :][:1].isdigit()


def _versions(conditions: Affects, facts: Facts) -> tuple[str | None, str | None]:
    interpreter = known(facts.interpreter)
    python = interpreter.version if interpreter else Unknown()
    elsewhere = known(facts.machine.os) not in {None, "macos"}
    macos = NotApplicable() if elsewhere else facts.machine.os_version
    return (
        _within(conditions.macos, macos, "the macOS version"),
        _within(conditions.python, python, "the interpreter's version"),
    )


def _within(versions: str | None, given: Known[str], what: str) -> str | None:
    if versions is None:
        return ""
    if isinstance(given, Unknown):
        return what
    return "" if isinstance(given, str) and contains(versions, given) else None


def _commands(issue: Issue, facts: Facts) -> tuple[str, ...]:
    """Return the row's commands for this very interpreter; where pip must not be used, those without it."""
    allowed = [command for command in issue.commands if not _PIP.search(command) or remedies.may_install(facts)]
    return tuple(_here(command, facts) for command in allowed)


def _here(command: str, facts: Facts) -> str:
    path = remedies.python_of(facts)
    if path is None:
        return command
    return _PYTHON.sub(lambda _: path, _PIP.sub(lambda found: f"uv pip {found[1]} --python {path}", command))


RULES: tuple[Rule, ...] = (KnownIssue(),)
