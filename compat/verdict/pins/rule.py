"""What a rule about pins is: one small class whose docstring is the page ``explain`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from compat.facts.pins import PinFile
from compat.verdict.finding import Severity
from compat.verdict.pins.case import Case
from compat.verdict.pins.finding import PinFinding
from compat.verdict.pins.project import Project


class PinRule:
    """One question about pins; ``ends`` means that what follows from it need not be asked where it fails."""

    id: ClassVar[str]
    title: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    ends: ClassVar[bool] = False

    def check(self, case: Case) -> Iterator[PinFinding]:  # noqa: ARG002
        """Yield what is wrong with one situation."""
        yield from ()

    def of_file(self, file: PinFile) -> Iterator[PinFinding]:  # noqa: ARG002
        """Yield what is wrong with a file, whatever is installed together."""
        yield from ()

    def of_project(self, project: Project) -> Iterator[PinFinding]:  # noqa: ARG002
        """Yield what is wrong between the files of one project."""
        yield from ()

    def at(self, line: int, column: int, message: str, severity: Severity | None = None, path: str = "") -> PinFinding:
        """Return a finding at a place that is no pin."""
        return PinFinding(
            id=self.id, severity=severity or self.severity, path=path, line=line, column=column, message=message
        )
