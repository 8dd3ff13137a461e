"""Whole texts, written from what dyld, pip and Python are known to print: the cause, how surely, and what is missing."""

import dataclasses

import pytest

from compat.facts.pasted import Line
from compat.verdict.diagnose.cause import HIGH, LOW, MEDIUM, Cause
from compat.verdict.diagnose.diagnosis import _folded, _merged, _not_torn
from tests.verdict.diagnose.telling import MATRIX, told, top
from tests.verdict.diagnose.test_fingerprint import list_of

SITE = "/Users/ann/.venv/lib/python3.11/site-packages"
PLUGIN = f"{SITE}/tensorflow-plugins/libmetal_plugin.dylib"
LOG_MESSAGE = f"""tensorflow.python.framework.errors_impl.NotFoundError: dlopen({PLUGIN}, 0x0006): Symbol not found: __ZN3tsl8internal10LogMessageC1EPKcii
  Referenced from: <D2EF42E3> {PLUGIN}
  Expected in:     <2814A58E> {SITE}/tensorflow/python/_pywrap_tensorflow_internal.so
"""


@pytest.mark.parametrize(
    "text, name, confidence",
    [
        (f"macOS 15.2, Apple M2 Max, tensorflow 2.18, tensorflow-metal 1.1.0\n{LOG_MESSAGE}", "ISS001", HIGH),
        (f"macOS 15.2, Apple M2 Max, tensorflow 2.18, tensorflow-metal 1.0.1\n{LOG_MESSAGE}", "ISS002", HIGH),
        (LOG_MESSAGE, "ISS001", MEDIUM),
        ("tensorflow 2.20.0 and tensorflow-metal 1.2.0 on an Apple M1, nothing works", "ISS003", HIGH),
        ("TypeError: Descriptors cannot be created directly.\ntensorflow 2.9.0, protobuf 4.21.1", "ISS028", HIGH),
        (
            "Python 3.13.1, Apple M4\nERROR: Could not find a version that satisfies the requirement tensorflow-metal (from versions: none)",
            "ISS018",
            HIGH,
        ),
        ("zsh: illegal hardware instruction  python -c 'import tensorflow'\nMacBook Air M1", "ISS011", MEDIUM),
        ("Python 3.12, Ubuntu 24.04\nNo matching distribution found for tensorflow==2.15.0", "PY204", HIGH),
    ],
)
def test_a_text_and_its_cause(text, name, confidence):
    found = top(text)

    assert found is not None
    assert (name in found[:2], found[2]) == (True, confidence)


@pytest.mark.parametrize(
    "text",
    [
        "hello, my code fails with KeyError: 'a'",
        "tensorflow 2.18.0 on macOS 15 is slow today",
        "Python 3.12, tensorflow 2.18.0, tensorflow-metal 1.2.0, Apple M1\nSegmentation fault: 11",
        "2024-01-01 10:00:00.0: I tsl/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.\nValueError: x",
        "The weather is fine.",
    ],
)
def test_nothing_known_is_unknown_and_says_what_to_send(text):
    found = told(text)

    assert found.causes == ()
    assert "tfcompat facts" in found.send
    assert found.missing_facts or "error" in text.lower() or "fault" in text


def test_every_wrapping_gives_the_same_answer():
    plain = f"tensorflow 2.18.0, tensorflow-metal 1.1.0\n{LOG_MESSAGE}"
    wrapped = [
        plain.replace("\n", "\r\n"),
        "\n".join("> " + line for line in plain.splitlines()),
        "\n".join(f"│ {line} │" for line in plain.splitlines()),
        f"\x1b[31m{plain}\x1b[0m",
        plain.replace(": Symbol not", ":\n    Symbol\n    not"),
        "10%\r20%\r" + plain,
    ]

    assert {top(text) for text in (plain, *wrapped)} == {top(plain)}


def test_an_issue_that_the_stated_versions_exclude_is_not_sure():
    found = told(f"tensorflow 2.17.0, tensorflow-metal 1.2.0\n{LOG_MESSAGE}")

    assert all(cause.confidence != HIGH for cause in found.causes)


def test_a_plugin_seen_at_work_was_loaded():
    found = told("Metal device set to: Apple M1\ntensorflow 2.18.0, tensorflow-metal 1.1.0\nValueError: x")

    assert all(cause.confidence == LOW for cause in found.causes if cause.rule == "BIN401")


def test_a_pair_that_no_issue_names_is_still_named_by_the_links():
    row = next(row for row in MATRIX.links() if row.loads is False and row.layer == 3 and row.plugin_version == "0.6.0")
    text = f"{row.distribution} {row.tensorflow}\ntensorflow-metal 0.6.0\ndlopen({PLUGIN}, 6): symbol not found in flat namespace '{row.missing[0]}'"
    cause = told(text).causes[0]

    assert (cause.rule, cause.confidence) == ("BIN401", HIGH)
    assert any(row.missing[0] in seen.fact for seen in cause.evidence)


def test_a_symbol_that_no_pair_misses_is_a_guess_and_says_so():
    cause = told(f"dlopen({PLUGIN}, 6): Symbol not found: _TF_NeverHeardOf\n  Referenced from: {PLUGIN}").causes[0]

    assert (cause.rule, cause.confidence) == ("BIN401", LOW)
    assert told(f"dlopen({PLUGIN}, 6): Symbol not found: _TF_NeverHeardOf").missing_facts


def test_another_library_that_misses_a_symbol_is_no_plugin():
    text = "dlopen(/x/site-packages/grpc/_cython/cygrpc.so, 6): Symbol not found: _TF_AssignVariable\n  Referenced from: /x/cygrpc.so"

    assert all(cause.rule != "BIN401" or cause.confidence == LOW for cause in told(text).causes)


def test_the_line_is_numbered_and_without_the_home_folder():
    line = told(f"tensorflow 2.18.0\ntensorflow-metal 1.1.0\n\n{LOG_MESSAGE}").causes[0].line

    assert line.number == 4
    assert "ann" not in line.text
    assert "Symbol not found" in line.text


def test_the_general_problem_folds_under_the_particular_one():
    causes = told(f"tensorflow 2.18.0, tensorflow-metal 1.1.0\n{LOG_MESSAGE}").causes

    assert [cause.rule for cause in causes].count("BIN401") == 1


def test_apple_silicon_that_is_offered_an_intel_list_runs_an_intel_python():
    intel = ", ".join(list_of("tensorflow", "macos-x86_64", "3.9"))
    complaint = f"Could not find a version that satisfies the requirement tensorflow==2.18.0 (from versions: {intel})"
    cause = told(f"MacBook Pro M1, Python 3.9\n{complaint}").causes[0]

    assert (cause.rule, cause.confidence) == ("PY201", HIGH)


def test_a_list_that_either_architecture_may_have_been_shown_is_not_sure():
    versions = "0.5.0, 0.5.1, 0.6.0, 0.7.0, 0.7.1, 0.8.0, 1.0.0"
    complaint = f"the requirement tensorflow-metal==1.2.0 (from versions: {versions})"
    found = told(f"MacBook Pro M1, Python 3.10\nCould not find a version that satisfies {complaint}").causes

    assert (found[0].rule, found[0].confidence) == ("PY201", MEDIUM)


def test_loss_and_accuracy_in_words_suggest_and_prove_nothing():
    text = (
        "I train an image classifier on my M1 with Python 3.11, TensorFlow 2.13 and tensorflow-metal 1.0.1. The loss "
        "climbs to 200 trillion and accuracy stays at chance. The same script converges to 0.05 on WSL2."
    )

    assert top(text)[0] == "ISS042"
    assert top(text)[2] != HIGH


def cause(name, confidence, **changes):
    healthy = {"title": name, "line": Line(number=1, text="x"), "rule": name}
    return Cause(id=name, confidence=confidence, **{**healthy, **changes})


def test_two_ways_to_one_problem_support_each_other():
    (one,) = _merged([cause("ISS001", LOW, line=None), cause("ISS001", HIGH, is_final=True)])

    assert (one.confidence, one.is_final, one.missing) == (HIGH, True, ())


def test_a_consequence_is_named_under_its_cause():
    (root,) = _folded([cause("PY201", HIGH), cause("PY204", MEDIUM, line=Line(number=9, text="y"))])

    assert root.consequences == ("PY204",)


def test_of_several_sure_causes_those_that_words_alone_show_are_not():
    two = [cause("ISS034", HIGH, rule=None), cause("ISS001", HIGH, is_proved=True)]

    assert {row.id: row.confidence for row in _not_torn(two)} == {"ISS001": HIGH, "ISS034": MEDIUM}
    assert _not_torn(two[:1]) == two[:1]


def test_causes_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        cause("X", LOW).id = "Y"


def test_a_library_named_without_its_folder_is_found_among_the_links():
    cause = told("after the upgrade _pywrap_tensorflow_internal.so is missing").causes[0]

    assert (cause.id, cause.rule) == ("ISS003", "BIN401")


NONE = "ERROR: Could not find a version that satisfies the requirement {} (from versions: none)"


@pytest.mark.parametrize(
    "name", ["tensorflow", "tensorflow==2.18.0", "tensorflow==2.12.0", "tensorflow-macos", "tensorflow-metal"]
)
def test_an_empty_list_without_python_or_architecture_is_a_guess_and_asks(name):
    found = told(f"MacBook M2\n{NONE.format(name)}")

    assert found.causes[0].confidence == LOW
    assert {"the Python version", "the version of pip"} <= set(found.missing_facts)


def test_an_empty_list_on_a_mac_of_no_stated_architecture_asks_for_it():
    found = told(f"Python 3.8.12, macOS 12.2\n{NONE.format('tensorflow')}")

    assert found.causes[0].confidence == LOW
    assert "the architecture Python runs as" in found.missing_facts


def test_an_old_pip_is_blamed_first_for_an_empty_list():
    text = f"macOS 11.4, x86_64 Mac\nx86_64\nPython 3.9, pip 20.1.1\n{NONE.format('tensorflow')}"

    assert top(text)[1:] == ("PY207", MEDIUM)
    assert top(text.replace("20.1.1", "22.0.4"))[1] != "PY207"
    assert top(text.replace("11.4", "10.15"))[1] != "PY207"


def test_a_remark_without_conditions_is_never_sure():
    issue = next(row for row in MATRIX.issues() if row.severity == "warning" and not row.affects and row.signatures)

    assert all(cause.confidence != HIGH for cause in told(issue.signatures[0].replace("…", " x ")).causes)


def test_an_empty_list_that_every_possible_interpreter_is_shown_is_sure_and_named_by_the_facts():
    assert top(f"Intel Mac\n{NONE.format('tensorflow==2.18.0')}") == ("ISS014", "PY204", HIGH)
    assert top(f"Python 3.13, macOS 15\n{NONE.format('tensorflow==2.12.0')}")[::2] == ("ISS019", HIGH)
