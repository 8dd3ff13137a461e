"""PIN500 and PIN560–PIN562: what could not be read or is not judged, and PIN541: images for another architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.pins import PinFile
from compat.verdict.finding import Severity
from compat.verdict.pins.case import Case, finding
from compat.verdict.pins.finding import PinFinding
from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.situation import SUBJECTS

_NEAR = re.compile(r"tensorflow|tf[-_]|keras|numpy|protobuf", re.IGNORECASE)
NOT_THERE = "the file it includes is not there"
LOST = ("includes itself", "nested too deeply")
"""Other ends of a chain of includes."""


class CannotRead(PinRule):
    """Can the file be read?

    A file that is no text, is cut short, or whose format is broken is one finding; the others go on.
    """

    id = "PIN500"
    title = "the file can be read"

    def of_file(self, file: PinFile) -> Iterator[PinFinding]:
        """Yield why it cannot be read."""
        if file.problem is not None:
            yield self.at(file.problem_line, file.problem_column, f"cannot be read: {file.problem}")


class ForAnotherArchitecture(PinRule):
    """Does an image run natively on the Mac that builds it?

    An image asked for as ``linux/amd64`` is emulated on Apple silicon. TensorFlow's x86_64 wheels use AVX, which the
    emulation has not always had: the import then ends with an illegal instruction, and where it runs it is slow. A
    container on a Mac has no Metal in any case.

    Source: issues ISS057 and ISS058 of the matrix.
    """

    id = "PIN541"
    title = "the image is for the Mac's architecture"
    severity = Severity.WARNING

    def of_file(self, file: PinFile) -> Iterator[PinFinding]:
        """Yield each image asked for as linux/amd64 in a file that names TensorFlow, CUDA images apart."""
        if not any(pin.name in SUBJECTS for pin in file.pins):
            return
        for image in file.images:
            if image.platform.startswith("linux/amd64") and not image.cuda:
                text = f"{image.name} is asked for as linux/amd64, which a Mac with Apple silicon emulates: TensorFlow"
                text += " may end with an illegal instruction (AVX); leave the platform out or take linux/arm64"
                yield self.at(image.line, image.column, text)


class NotChecked(PinRule):
    """Are the packages ones whose index the matrix knows?

    conda-forge, the apple channel and private indexes build their own packages; what their builds need is not known
    here, and so they are said to be not checked. The pip section of a conda environment is judged.
    """

    id = "PIN560"
    title = "the index is one the matrix knows"
    severity = Severity.INFO

    def of_file(self, file: PinFile) -> Iterator[PinFinding]:
        """Remark each TensorFlow or plugin that is taken from elsewhere."""
        for pin in file.pins:
            if pin.name in SUBJECTS and pin.origin != "index" and pin.admits != ():
                where = f"the conda channel {pin.channel}" if pin.channel else _WHERE[pin.origin]
                if pin.admits is None or pin.origin in ("conda", "private"):
                    yield self.at(pin.line, pin.column, f"{pin.name} from {where}: not checked")


_WHERE = {
    "conda": "conda's channels",
    "private": "another index than PyPI",
    "url": "an address",
    "vcs": "a repository",
    "path": "a local path",
}


class NotUnderstood(PinRule):
    """Was every piece that may concern TensorFlow understood?

    What cannot be understood is said to be seen and not judged: placeholders, conditions in code, addresses. Pieces
    that name nothing TensorFlow needs are passed over in silence, lines of a requirements file apart.
    """

    id = "PIN561"
    title = "every piece was understood"
    severity = Severity.INFO

    def check(self, case: Case) -> Iterator[PinFinding]:
        """Remark versions that the matrix may not have."""
        told: set[str] = set()
        for outcome in reversed(case.outcomes):
            for row in outcome.refused:
                if row.why == "unknown" and row.wanted.name not in told:
                    told.add(row.wanted.name)
                    text = f"seen, not judged: {row.wanted} is not in the matrix of {case.matrix.date}"
                    yield finding(self.id, self.severity, row.wanted.first, text, case)

    def of_file(self, file: PinFile) -> Iterator[PinFinding]:
        """Remark what was seen and not judged."""
        for row in file.unread:
            if (
                row.why != NOT_THERE
                and not row.why.startswith(LOST)
                and (_NEAR.search(row.text) or (file.kind == "requirements" and "address" not in row.why))
            ):
                yield self.at(row.line, row.column, f"seen, not judged: {row.text[:80]} ({row.why})")
        for pin in file.pins:
            if pin.admits == () and pin.name in SUBJECTS:
                text = f"seen, not judged: the versions of {pin.name} are not in the file ({pin.specifier})"
                yield self.at(pin.line, pin.column, text)


class MissingInclude(PinRule):
    """Is every included file there?

    pip ends with an error where a file that ``-r`` or ``-c`` names is missing.
    Source: https://pip.pypa.io/en/stable/reference/requirements-file-format/
    """

    id = "PIN562"
    title = "every included file is there"
    severity = Severity.WARNING

    def of_file(self, file: PinFile) -> Iterator[PinFinding]:
        """Yield each included file that is not there, cannot be read, or goes round in a circle."""
        yield from self._below(file, "")

    def _below(self, file: PinFile, path: str) -> Iterator[PinFinding]:
        for row in file.unread:
            if row.why == NOT_THERE or row.why.startswith(LOST):
                yield self.at(row.line, row.column, f"{row.text}: {row.why}", path=path)
        for include in file.included:
            if include.file.problem is not None:
                text = f"{include.file.path} cannot be read: {include.file.problem}"
                yield self.at(include.line, include.column, text, path=path)
            else:
                yield from self._below(include.file, include.file.path)


class CouldNotAsk(PinRule):
    """Could every rule be asked?

    A rule that fails at a file of a kind nobody thought of says nothing; the others go on. It is a fault of tfcompat:
    please report it with the file.
    """

    id = "PIN599"
    title = "every rule could be asked"
    severity = Severity.WARNING


RULES: tuple[PinRule, ...] = (
    CannotRead(),
    ForAnotherArchitecture(),
    NotChecked(),
    NotUnderstood(),
    MissingInclude(),
    CouldNotAsk(),
)
