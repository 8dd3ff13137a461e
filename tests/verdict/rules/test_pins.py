"""Pins of one file judged for Apple silicon; the answers are those of the plugin's own releases."""

import pytest

from compat.facts.pins import PinFile
from compat.matrix.load import load
from compat.probe.pins.read import requirements
from compat.verdict.finding import Severity
from compat.verdict.rules.pins import judge_file


def judged(text, **rest):
    file = PinFile(path="requirements.txt", kind="requirements", pins=tuple(requirements(text)), **rest)
    return judge_file(file, load())


@pytest.mark.parametrize(
    "text, rules",
    [
        ("tensorflow==2.18.1\ntensorflow-metal==1.2.0\n", []),
        ("tensorflow==2.18.1\ntensorflow-metal==1.1.0\n", ["PIN501"]),
        ("tensorflow==2.20.0\ntensorflow-metal\n", ["PIN501"]),
        ("tensorflow>=2.16\ntensorflow-metal\n", ["PIN502"]),
        ("tensorflow-macos==2.13.0\ntensorflow-metal==1.0.0\n", []),
        ("tensorflow-metal==1.2.0\n", ["PIN504"]),
        ("numpy<2\n", []),
        ("tensorflow==2.12.0\n", ["PIN503"]),
        ("tensorflow==2.20.0; sys_platform == 'linux'\ntensorflow-metal==1.2.0; sys_platform == 'linux'\n", []),
        ("tensorflow==2.21.0\n", []),
        ("tensorflow==99\ntensorflow-metal==1.2.0\n", []),
    ],
)
def test_pairs(text, rules):
    assert [finding.id for finding in judged(text)] == rules


def test_a_pair_that_cannot_load_names_the_missing_symbol_and_the_release_that_can():
    (finding,) = judged("tensorflow==2.18.1\ntensorflow-metal==1.1.0\n")

    assert (finding.severity, finding.line) == (Severity.ERROR, 2)
    assert "__ZN3tsl8internal10LogMessageC1EPKcii" in finding.message
    assert "tensorflow-metal 1.2.0 can" in finding.message


def test_an_open_bound_names_the_bound_to_add():
    (finding,) = judged("tensorflow>=2.16\ntensorflow-metal>=1.1\n")

    assert finding.severity is Severity.WARNING
    assert "add tensorflow<=2.19.1" in finding.message


def test_requires_python_narrows_the_wheels():
    assert [f.id for f in judged("tensorflow-metal==1.1.0\ntensorflow==2.17.0\n", requires_python=">=3.12")] == [
        "PIN503"
    ]
    assert judged("tensorflow-metal==1.1.0\ntensorflow==2.17.0\n", requires_python=">=3.9") == ()


def test_a_file_that_cannot_be_read_is_one_finding():
    (finding,) = judge_file(PinFile(path="x", kind="unknown", problem="not text"), load())

    assert (finding.id, finding.severity) == ("PIN500", Severity.ERROR)
