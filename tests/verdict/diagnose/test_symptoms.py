"""Problems without an error line: the words of the symptom and the stated versions together."""

from compat.verdict.diagnose.symptoms import from_symptoms
from tests.verdict.diagnose.telling import MATRIX, drawn, seen

SLOW = "training takes minutes an epoch, it took seconds before, with the GPU listed, much slower"


def ids(text):
    return {cause.id for cause in from_symptoms(seen(text), drawn(text), MATRIX)}


def test_versions_and_symptom_together_name_it():
    assert "ISS040" in ids(f"tensorflow 2.16.1, tensorflow-metal 1.1.0, Apple M1. {SLOW}")


def test_either_alone_does_not():
    assert ids("tensorflow 2.16.1, tensorflow-metal 1.1.0, Apple M1") == set()
    assert ids(SLOW) == set()


def test_versions_that_exclude_it_do():
    assert "ISS040" not in ids(f"tensorflow 2.15.0, tensorflow-metal 1.1.0, Apple M1. {SLOW}")
