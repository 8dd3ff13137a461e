"""PIN550: files of one project that contradict each other, and PIN570: comments that silence nothing."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from compat.facts.pins import Pin, PinFile
from compat.matrix import requires
from compat.matrix.query import PYTHONS
from compat.matrix.versions import contains
from compat.verdict.finding import Severity
from compat.verdict.pins.case import wording
from compat.verdict.pins.finding import PinFinding
from compat.verdict.pins.offers import PLUGINS
from compat.verdict.pins.project import Project
from compat.verdict.pins.rule import PinRule
from compat.verdict.pins.situation import FIRST
from compat.verdict.pins.wanted import sets_of

SAME = frozenset(("tensorflow", "tensorflow-macos", *PLUGINS, "keras", "tf-keras", "numpy"))
"""Names whose contradiction between files matters to TensorFlow."""

MANIFESTS = ("pyproject", "setup.cfg", "setup.py", "Pipfile", "pixi.toml", "requirements", "conda")
"""Kinds that say what the project needs; of the last two only the file with the plain name."""
_PLAIN = frozenset(("requirements.txt", "environment.yml", "environment.yaml"))


class Contradiction(PinRule):
    """Do the files of one project admit a version in common?

    Where a lock file, ``requirements.txt``, ``pyproject.toml``, ``environment.yml`` or ``setup.cfg`` of one folder
    admit no common version of TensorFlow, the plugin, Keras or NumPy on Apple silicon, whoever installs from one does
    not have what the other says. Files whose name says that they are for something else (``requirements-linux.txt``)
    are not compared, nor are extras and groups.
    """

    id = "PIN550"
    title = "the files of one project agree"
    severity = Severity.WARNING

    def of_project(self, project: Project) -> Iterator[PinFinding]:
        """Yield each name that two files of one folder pin apart, at the second one."""
        for files in project.folders():
            chosen = [file for file in files if _is_plain(file)]
            for at, file in enumerate(chosen):
                for other in chosen[:at]:
                    yield from self._between(other, file)

    def _between(self, left: PinFile, right: PinFile) -> Iterator[PinFinding]:
        for pin in right.pins:
            if pin.name not in SAME or pin.group or not _on_a_mac(pin):
                continue
            for other in left.pins:
                if other.name == pin.name and not other.group and _on_a_mac(other) and _apart(other, pin):
                    text = f"{wording(pin)} contradicts {wording(other)} of {left.path}, line {other.line}"
                    yield self.at(pin.line, pin.column, text, path=right.path)
                    break


def _is_plain(file: PinFile) -> bool:
    if file.is_lock:
        return True
    name = posixpath.basename(file.path)
    return file.kind in MANIFESTS and (file.kind not in ("requirements", "conda") or name in _PLAIN)


def _on_a_mac(pin: Pin) -> bool:
    return not pin.marker or any(requires.holds(pin.marker, FIRST, python) is not False for python in PYTHONS)


def _apart(left: Pin, right: Pin) -> bool:
    """Whether an exact pin of one is outside what the other admits; two ranges are not compared."""
    for exact, other in ((left, right), (right, left)):
        version = _exact(exact)
        if version is not None and sets_of(other) and other.origin == exact.origin:
            return not any(not part or contains(part, version) for part in sets_of(other))
    return False


def _exact(pin: Pin) -> str | None:
    sets = sets_of(pin)
    if len(sets) == 1 and sets[0].startswith("==") and "*" not in sets[0] and "," not in sets[0]:
        return sets[0][2:].strip()
    return None


RULES: tuple[PinRule, ...] = (Contradiction(),)
