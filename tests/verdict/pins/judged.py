"""A dependency file as text, judged with the matrix that is bundled."""

from pathlib import Path

from compat.facts.pins import PinSettings
from compat.matrix.load import load
from compat.probe.pins.formats import read
from compat.probe.pins.source import Source
from compat.verdict.pins.judge import judge

MATRIX = load()


def judged(text, name="requirements.txt", *, targets=()):
    """Return the findings of one file, root cause first."""
    (row,) = judge([read(Source(Path(name), text))], MATRIX, PinSettings(targets=targets))
    return row.findings


def told(text, name="requirements.txt", **rest):
    """Return ``[("PIN501", "error")]`` of what is more than a remark."""
    return [(row.id, row.severity.value) for row in judged(text, name, **rest) if row.severity.value != "info"]


def ids(text, name="requirements.txt", **rest):
    """Return the ids of all findings."""
    return [row.id for row in judged(text, name, **rest)]
