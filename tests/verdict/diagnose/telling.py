"""Diagnoses of texts against the committed matrix, for tests."""

import functools

from compat.cli.explaining import diagnose_text
from compat.matrix.load import load
from compat.probe.pasted.look import look
from compat.verdict.diagnose.diagnosis import followed, signatures_of
from compat.verdict.diagnose.picture import picture

MATRIX = load()


@functools.cache
def told(text):
    return diagnose_text(text, MATRIX)


def seen(text):
    return look(text.encode(), signatures_of(MATRIX), followed(MATRIX))


def drawn(text):
    return picture(seen(text), MATRIX)


def top(text):
    """Id, rule and confidence of the likeliest cause; None where there is none."""
    causes = told(text).causes
    return (causes[0].id, causes[0].rule, causes[0].confidence) if causes else None
