"""Complaints about packages written with an underscore or capitals."""

import pytest

from tests.verdict.diagnose.telling import told, top


def complaint(name):
    return (
        f"ERROR: Could not find a version that satisfies the requirement {name} (from versions: none)\n"
        f"ERROR: No matching distribution found for {name}"
    )


@pytest.mark.parametrize("name", ["tensorflow_text", "Tensorflow_Text", "tensorflow.text"])
def test_another_spelling_names_the_same_problem(name):
    assert top(f"MacBook Air M1, macOS Monterey\n{complaint(name)}")[0] == "ISS053"


def test_without_python_it_is_a_guess_and_asks():
    (cause, *_) = told(f"MacBook Air M1\n{complaint('tensorflow_text')}").causes

    assert (cause.confidence, "python" in cause.missing) == ("low", True)


def test_a_package_that_nothing_is_known_of_stays_unknown():
    assert told(f"MacBook Air M1\n{complaint('tensor_board_thing')}").causes == ()
