"""Problems without an error line: the words of the symptom and the stated versions together."""

from compat.verdict.diagnose.symptoms import from_symptoms
from tests.verdict.diagnose.telling import MATRIX, drawn, seen, top

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


def test_the_line_that_names_ml_dtypes_outweighs_the_one_that_numpy_2_shares_with_it():
    named = "AttributeError: module 'ml_dtypes' has no attribute 'float8_e4m3b11'"
    shared = "TypeError: Unable to convert function return value to a Python type! The signature was"

    assert top(f"tensorflow 2.14.0\n{named}\n{shared}")[0] == "ISS031"
    assert top(f"tensorflow 2.14.0, numpy 2.0.1\n{shared}")[::2] == ("ISS026", "high")
    assert top(f"tensorflow 2.14.0\n{shared}")[::2] == ("ISS026", "medium")


def test_a_dll_that_does_not_load_has_several_causes_so_none_is_sure():
    line = (
        "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module was not found."
    )

    assert top(line)[::2] == ("ISS105", "low")
    assert top(f"Windows 11, x86_64, tensorflow 2.18.0, Python 3.11\n{line}")[::2] == ("ISS105", "low")
