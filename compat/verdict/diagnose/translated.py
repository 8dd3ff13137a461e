"""An x86_64 Python or conda on Apple silicon, where the text shows both and names no version to judge."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.pasted import SEEN, Pasted
from compat.matrix.load import Matrix
from compat.verdict.diagnose.avx import AVX
from compat.verdict.diagnose.cause import MEDIUM, Cause
from compat.verdict.diagnose.picture import Picture
from compat.verdict.finding import Evidence, Remedy

RULE = "PY201"
_CONDAS = frozenset({"conda", "anaconda", "miniconda", "mamba", "miniforge", "packagesnotfounderror"})


def from_machine(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield that Python is an Intel one, where a tool shows x86_64 on a Mac whose chip is Apple's.

    Of a text that names versions the rules of doctor tell it, of one with an installer's list the wheels.
    """
    shown = next((row for row in pasted.stated if row.name == "process" and row.how == SEEN), None)
    both = picture.os == ("macos",) and picture.hardware == ("arm64",) and picture.process == ("x86_64",)
    if shown is None or not both or pasted.offered or not picture.speaks_of_tensorflow or AVX in shown.line.text:
        return
    of_conda = bool(_CONDAS & pasted.words)
    rows = [row for row in matrix.issues() if row.rule == RULE and row.withdrawn is None]
    issue = next((row for row in rows if ("conda" in row.title) == of_conda), None)
    if issue is None or any(row.value for found in picture.packages.values() for row in found):
        return
    yield Cause(
        id=issue.id,
        title=issue.title,
        confidence=MEDIUM,
        line=shown.line,
        remedy=Remedy(text=issue.remedy, commands=issue.commands),
        verify=issue.verify,
        rule=RULE,
        issue=issue.id,
        evidence=(Evidence(fact="the text states an Apple chip, and this line a program for x86_64"),),
        missing=("process",),
        is_proved=True,
    )
