"""Wires the verbs: look, then judge; slow looks run while the judging side is being loaded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from compat import __version__
from compat.errors import CannotLook, UsageError
from compat.facts.capture import Facts
from compat.facts.interpreter import FoundInterpreter
from compat.facts.known import Known, Unknown, known
from compat.matrix.query import TENSORFLOWS
from compat.probe import machine as machine_probe
from compat.probe import replay
from compat.report.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Which environment to look at, and how."""

    python: str | None = None
    venv: Path | None = None
    facts_file: Path | None = None
    target: Path | None = None
    platform: str | None = None
    python_version: str | None = None

    def check(self) -> None:
        """Raise UsageError where the options contradict each other."""
        if self.python and self.venv:
            raise UsageError("--python and --venv both name the environment", hint="give one of them")
        if self.target and (self.python or self.venv or self.facts_file):
            raise UsageError("--target is looked at by itself", hint="leave out --python, --venv and --facts")
        if self.target and not (self.platform and self.python_version):
            raise UsageError(
                "--target needs to know what it was installed for",
                hint="add --platform macos-arm64 --python-version 3.12",
            )
        if not self.target and (self.platform or self.python_version):
            raise UsageError("--platform and --python-version describe a --target folder", hint="add --target DIR")


def look(subject: Subject, *, found: bool = True, gpus: bool = False) -> Facts:
    """Return everything static about the subject: machine, interpreter, environment.

    Raises CannotLook where the environment that was asked for cannot be read, UsageError where the options clash.
    """
    subject.check()
    if subject.target is not None:
        return _look_at_target(subject.target, subject.platform or "", subject.python_version or "")
    if subject.facts_file is not None:
        return _look_at_capture(subject)
    return _look_here(subject.python, subject.venv, found=found, gpus=gpus)


def _look_here(python: str | None, venv: Path | None, *, found: bool, gpus: bool = False) -> Facts:
    from compat.probe.environment import complete, find_interpreter
    from compat.probe.interrogate import start_interrogation

    path = find_interpreter(python, str(venv) if venv else None)
    asking = start_interrogation(path)  # runs while we look at the machine
    # A Mac takes up to a second to describe its displays, and no rule needs to know: only captures and plans ask.
    machine = machine_probe.look(gpus=gpus or sys.platform != "darwin")
    others: tuple[FoundInterpreter, ...] = ()
    on_path: Known[str] = Unknown("not looked for")
    if found:
        from compat.probe import interpreters

        others, on_path = interpreters.find_all(), interpreters.path_python()
    interpreter, environment = complete(*asking.answer())
    return Facts(machine=machine, interpreter=interpreter, environment=environment, found=others, path_python=on_path)


def look_for_fix() -> Facts:
    """Return the machine with its interpreters, and the environment at hand as far as one answers.

    Never raises for an environment that does not: a broken one is why people come.
    """
    from compat.probe import interpreters

    try:
        return _look_here(None, None, found=True, gpus=True)
    except CannotLook as error:
        return Facts(
            machine=machine_probe.look(gpus=True),
            found=interpreters.find_all(),
            interpreter=Unknown(error.message),
            environment=Unknown(error.message),
        )


def _look_at_target(folder: Path, platform: str, python_version: str) -> Facts:
    from compat.probe.environment import target_environment, target_machine

    interpreter, environment = target_environment(str(folder), platform, python_version)
    return Facts(
        machine=target_machine(platform),
        interpreter=interpreter,
        environment=environment,
        origin=f"{folder}, installed for {platform}, Python {python_version}: static facts only",
    )


def _look_at_capture(subject: Subject) -> Facts:
    """A captured machine; with --python or --venv its environment is looked at here instead."""
    captured = replay.read(subject.facts_file or Path())
    if not (subject.python or subject.venv):
        return captured
    live = _look_here(subject.python, subject.venv, found=False)
    return replace(captured, interpreter=live.interpreter, environment=live.environment, numerics=Unknown("not run"))


def has_tensorflow(facts: Facts) -> bool:
    """Tell whether any distribution of TensorFlow is installed."""
    environment = known(facts.environment)
    return environment is not None and any(environment.distribution(name) for name in TENSORFLOWS)


def measure(facts: Facts, *, level: str, timeout: float, tell: Callable[[str], None] | None = None) -> Facts:
    """Return the facts with the smoke test run in the environment's own interpreter; ``tell`` hears how far it is."""
    from compat.smoke.run import run_smoke

    interpreter = known(facts.interpreter)
    if interpreter is None or not has_tensorflow(facts):
        return replace(facts, numerics=Unknown("there is no TensorFlow to run"))
    numerics = run_smoke(interpreter.path, level=level, timeout=timeout, tell=tell)
    return replace(facts, numerics=numerics)


def judged(facts: Facts, *, select: Sequence[str] = (), ignore: Sequence[str] = (), strict: bool = False) -> Document:
    """Return the judgement of some facts. Raises UsageError for a rule prefix that does not exist."""
    from compat.cli.knowledge import matrix
    from compat.verdict.judge import judge
    from compat.verdict.rule import select as chosen
    from compat.verdict.rules import RULES

    verdict = judge(facts, matrix(), chosen(RULES, select, ignore))
    return Document(facts=facts, verdict=verdict, tool_version=__version__, strict=strict)


def masked(document: Document) -> Document:
    """Return the judgement without the home folder and secrets; commands stay as they are, they are to be pasted."""
    from compat.probe.masking import mask_text

    findings = tuple(
        replace(
            finding,
            message=mask_text(finding.message),
            evidence=tuple(replace(seen, fact=mask_text(seen.fact)) for seen in finding.evidence),
            remedy=replace(finding.remedy, text=mask_text(finding.remedy.text)),
        )
        for finding in document.verdict.findings
    )
    return replace(document, facts=masked_facts(document.facts), verdict=replace(document.verdict, findings=findings))


def masked_facts(facts: Facts) -> Facts:
    """Return the facts without the home folder and secrets."""
    from compat.facts.codec import decode, encode
    from compat.probe.masking import mask_tree

    return decode(Facts, mask_tree(encode(facts)))
