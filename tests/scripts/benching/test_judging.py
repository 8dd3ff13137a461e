"""What counts as found: the rule is the same for all tools, and no tool gets or loses a point by accident."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

from benching.judging import Rule, Said, changed, judge, masked, naming, report_of, shown, without_folder  # noqa: E402
from benching.planted import PLANTED  # noqa: E402

RULES = {planted.id: planted.rule for planted in PLANTED}
VERDICTS = frozenset({0, 1, 2})

PIP_FORCED = "tensorflow-cpu 2.15.1 has requirement numpy<2.0.0,>=1.23.5, but you have numpy 2.2.6.\n"
UV_FORCED = (
    "Using Python 3.11.7 environment at: env\nChecked 43 packages in 2ms\nFound 1 incompatibility\n"
    "The package `tensorflow-cpu` requires `numpy>=1.23.5,<2.0.0`, but `2.2.6` is installed\n"
)
UV_WELL = "Checked 39 packages in 1ms\nAll installed packages are compatible\n"
PIP_FOREIGN = (
    "tensorflow 2.20.0 is not supported on this platform\nnumpy 2.5.5 is not supported on this platform\n"
    "tensorflow-metal 1.2.0 is not supported on this platform\n"
)
RIGSOLVE_WELL = "[ok] No known incompatibility found among applicable facts; unknown axes remain unverified.\n"
MLENVDOCTOR = (
    "│ PyTorch Installation │ [X] FAIL - Not installed                     │ CRITICAL │ pip install torch │\n"
    "│ TensorFlow           │ [OK] PASS - 2.18.1                           │ INFO     │                   │\n"
)
ENV_DOCTOR_IMPORT = (
    '    "issues": [\n      "Failed to import tensorflow: Unable to convert function return value to a Python type!"\n'
)
TFCOMPAT_BOARD = (
    "! TF315  tensorflow-cpu 2.18.1 needs setuptools<82 for tensorboard, and the environment has setuptools 82.0.1\n"
)
TFCOMPAT_PAIR = "✗ BIN401  tensorflow-metal 1.2.0 cannot load with tensorflow 2.20.0: no library of this TensorFlow\n"
TFCOMPAT_X86 = "✗ PY201  this Python is an x86_64 program under Rosetta: no Metal GPU, and TensorFlow ends at 2.16.2\n"
LISTS = (
    "numpy 2.2.6\nsetuptools 82.0.1\ntensorflow-metal 1.2.0\npython      CPython 3.8.12, x86_64\n"
    "machine     Apple M1, macOS 12.6, arm64\ntensorflow  tensorflow 2.20.0 + tensorflow-metal 1.2.0\n"
    "Found imports for: tensorflow, tensorboard, numpy, setuptools\n"
)


@pytest.mark.parametrize(
    ("environment", "code", "report", "expected"),
    [
        pytest.param("healthy", 0, UV_WELL, "no alarm", id="healthy and quiet"),
        pytest.param("healthy", 2, MLENVDOCTOR, "false alarm", id="healthy and failing, whatever it says"),
        pytest.param("numpy-forced", 1, PIP_FORCED, "found", id="pip names both sides"),
        pytest.param("numpy-forced", 1, UV_FORCED, "found", id="uv names both sides"),
        pytest.param("numpy-drift", 0, UV_WELL, "nothing", id="uv sees nothing"),
        pytest.param("numpy-drift", 2, ENV_DOCTOR_IMPORT, "something else", id="the consequence is not the cause"),
        pytest.param("numpy-drift", 2, MLENVDOCTOR, "something else", id="another alarm"),
        pytest.param("tensorboard-drift", 0, TFCOMPAT_BOARD, "named", id="a warning does not fail"),
        pytest.param("tensorboard-drift", 1, TFCOMPAT_BOARD, "found", id="the same words and a failing exit"),
        pytest.param("wrong-pair", 1, TFCOMPAT_PAIR, "found", id="the pair and why"),
        pytest.param(
            "wrong-pair", 1, PIP_FOREIGN, "something else", id="every wheel of a Mac is foreign to pip on Linux"
        ),
        pytest.param("wrong-pair", 0, RIGSOLVE_WELL, "nothing", id="all is well says nothing"),
        pytest.param("x86-python", 1, TFCOMPAT_X86, "found", id="the Python of the wrong processor"),
    ],
)
def test_a_report_is_judged_by_its_words_and_its_exit_code(environment, code, report, expected):
    assert judge(Said(code=code, report=report, answers=VERDICTS), RULES[environment]) == expected


@pytest.mark.parametrize("environment", [name for name, rule in RULES.items() if rule.groups])
def test_a_bare_list_of_what_is_installed_names_no_cause(environment):
    assert naming(LISTS, RULES[environment]) == []


@pytest.mark.parametrize("mark", ["[ok] ", "✓ ", "✅  ", "│ NumPy │ [OK] PASS - ", "  ok  "])
def test_a_line_that_says_all_is_well_names_no_cause(mark):
    words = "numpy 2.2.6 is what tensorflow requires"

    assert naming(words, RULES["numpy-drift"]) == [words]
    assert naming(mark + words, RULES["numpy-drift"]) == []


@pytest.mark.parametrize("code", [3, 64, 70, -11, None])
@pytest.mark.parametrize("environment", ["healthy", "numpy-forced"])
def test_an_exit_code_that_is_no_verdict_is_no_answer(environment, code):
    assert judge(Said(code=code, report=PIP_FORCED, answers=VERDICTS), RULES[environment]) == "no answer"


def test_words_on_different_lines_do_not_add_up():
    assert naming("tensorflow is fine\nnumpy is fine", RULES["numpy-drift"]) == []


def test_every_planted_cause_but_the_first_has_a_rule_in_lower_case():
    assert [planted.id for planted in PLANTED if not planted.rule.groups] == ["healthy"]
    for planted in PLANTED:
        for group in planted.rule.groups:
            assert group
            assert [word.lower() for word in group] == list(group)


def test_a_tool_that_writes_its_report_to_stderr_is_heard():
    assert report_of("\n", UV_FORCED) == UV_FORCED


def test_what_a_library_prints_to_stderr_is_not_the_tools_word():
    assert (
        report_of(MLENVDOCTOR, "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.2.6") == MLENVDOCTOR
    )


def test_no_place_and_no_name_of_the_machine_is_kept():
    masks = {"/home/eve": "~", "/home/eve/dir": "DIR", "frodo": "HOST", "": "never"}
    text = '/home/eve/dir/env /home/eve/.cache on frodo, "machine_id": "6a94-7f"'

    assert masked(text, masks) == 'DIR/env ~/.cache on HOST, "machine_id": "…"'


def test_the_name_of_an_environments_folder_says_nothing():
    report = "at: /x/dir/numpy-drift-needs\nuv --python '/x/dir/numpy-drift-needs/bin/python' /x/directory/a\n"

    told = without_folder(report, "/x/dir")

    assert naming(report, RULES["numpy-drift"])
    assert naming(told, RULES["numpy-drift"]) == []
    assert told == "at: ENVIRONMENT\nuv --python 'ENVIRONMENT/bin/python' /x/directory/a\n"


def test_the_line_that_names_the_cause_is_kept_however_far_down_it_stands():
    report = "Using Python\n" + "nothing here\n" * 100 + PIP_FORCED

    kept = shown(report, RULES["numpy-forced"], {})

    assert kept["begins"] == report[:400]
    assert kept["lines"] == [PIP_FORCED.strip()]


def test_lines_about_tensorflow_are_kept_where_none_names_the_cause():
    kept = shown(ENV_DOCTOR_IMPORT + "torch is missing\n", RULES["tensorboard-drift"], {})

    assert len(kept["lines"]) == 1
    assert "Failed to import tensorflow" in kept["lines"][0]


def test_lines_about_the_packages_of_the_cause_are_kept_too():
    kept = shown("setuptools 82.0.1\ntorch is missing\n", RULES["tensorboard-drift"], {})

    assert kept["lines"] == ["setuptools 82.0.1"]


def test_what_an_installation_replaced_is_said():
    before = ["numpy==2.2.6", "packaging==26.4", "pip @ file:///x", "six==1.17.0"]
    after = ["numpy==2.2.6", "packaging==25.0", "rich==14.0", "pip @ file:///x"]

    assert changed(before, after) == ["packaging 26.4 to 25.0", "six 1.17.0 to none"]


def test_a_rule_without_words_names_nothing():
    assert naming(PIP_FORCED, Rule()) == []
