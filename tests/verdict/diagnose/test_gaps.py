"""Nothing to install, in a person's words: the known problem that pip's own complaint would lead to, if the wheels agree."""

import pytest

from compat.matrix.model import Target
from compat.matrix.tags import has_wheel
from tests.verdict.diagnose.telling import MATRIX, told, top


@pytest.mark.parametrize(
    "text, names",
    [
        ("MacBook Pro M3, Python 3.11\nthere is no wheel of tensorflow-text 2.13.0", {"ISS053", "TF316"}),
        ("Intel MacBook, Python 3.12\ntensorflow 2.18.0 cannot be installed", {"ISS014"}),
        ("Intel Mac, macOS 14\nI can't install tensorflow 2.19", {"ISS014"}),
        ("macOS arm64\ncannot install tensorflow 2.10.0", {"ISS069"}),
        ("M2 Mac mini\npip rejects tensorflow==2.9.1", {"ISS069"}),
        ("the Metal plugin does not support Python 3.14", {"ISS018"}),
        ("tensorflow-cpu 2.14.0 has no wheel\nApple M1, Python 3.9", {"ISS023"}),
        ("Windows 11\nno version 2.13.0 of tensorflow-gpu\ntensorflow-gpu 2.13.0 wanted", {"ISS074", "ISS061"}),
        ("Ubuntu 22.04, Python 3.12\ntensorflow 2.15.0: no wheel", {"ISS071", "PY204"}),
        ("TensorFlow 2.13.0 has no Python 3.12 wheel", {"PY204"}),
        ("Python 3.13 on a Mac M3\ntensorflow 2.20.0 is there but tensorflow-metal cannot be installed", {"ISS018"}),
        ("tensorflow-io-gcs-filesystem 0.26.0\nMac M1\nnothing found", {"ISS055"}),
    ],
)
def test_what_the_wheels_bear_out_is_likely(text, names):
    name, rule, confidence = top(text)

    assert {name, rule} & names
    assert confidence == "medium"


@pytest.mark.parametrize(
    "text",
    [
        "MacBook M2, Python 3.11\nno wheel of tensorflow 2.16.1",
        "Linux x86_64 Ubuntu, Python 3.11\ncannot install tensorflow 2.15.0",
        "keras cannot be installed\nApple M1",
        "nothing found\nApple M1, Python 3.11, tensorflow 2.16.1",
    ],
)
def test_what_has_a_wheel_is_not_lacking(text):
    assert told(text).causes == ()


def test_a_name_without_a_version_is_a_guess_and_asks():
    found = told("Apple M2\npip3 install tf-text\nnothing found")

    assert (found.causes[0].id, found.causes[0].confidence) == ("ISS053", "low")
    assert "the version of tensorflow-text" in found.missing_facts


def test_what_only_one_of_two_possible_platforms_lacks_is_not_concluded():
    target = Target(platform="macos-x86_64", python="3.10")

    assert any(has_wheel(row, target) for row in MATRIX.releases("tensorflow-text") if row.version == "2.12.0")
    found = told("macOS 12, Python 3.10\nno wheel of tensorflow-text 2.12.0").causes
    assert all(not cause.title.startswith("no wheel of") for cause in found)
    assert top("macOS 12, Python 3.13\nno wheel of tensorflow-text 2.12.0")[2] == "medium"


def test_the_same_release_by_another_name_is_said():
    text = told("macOS arm64\ncannot install tensorflow 2.10.0").causes[0].remedy.text

    assert "tensorflow-macos==2.10.0 has wheels for Python 3.8" in text


def test_installed_packages_lack_no_wheel():
    table = "Package Version\n------- -----\ntensorflow-text 2.13.0\n"

    found = told(f"{table}\nApple M1\nno wheel").causes

    assert all(not cause.title.startswith("no wheel of") for cause in found)


def test_a_text_that_ends_with_an_error_is_not_about_the_gap_first_of_all():
    text = "Intel Mac, Python 3.12\ntensorflow 2.18.0 cannot be installed\nValueError: x"

    assert top(text)[2] == "low"


def test_a_refused_wheel_is_an_old_pip_only_from_macos_11_on():
    refused = "ERROR: my.whl is not a supported wheel on this platform."

    assert top(f"macOS 12.1\n{refused}")[1:] == ("PY207", "low")
    assert top(f"macOS 12.1, pip 20.1\n{refused}")[1:] == ("PY207", "medium")
    assert told(f"macOS 10.15\n{refused}").causes == ()


def test_a_system_called_too_old_where_programs_are_told_10_16_is_hidden():
    text = "MacBook, macOS 12.3\nsw_vers ProductVersion: 10.16\nit says macOS is too old"

    assert top(text)[1:] == ("MAC102", "medium")
    assert told(text.replace("10.16", "12.3")).causes == ()


def test_other_problems_of_the_same_release_are_no_answer():
    fitting = {issue.id for issue in MATRIX.issues() for row in issue.affects if row.package == "tensorflow-macos"}
    found = told("tensorflow-macos 2.12.0 has no wheel\nApple M1, Python 3.12").causes

    assert len(fitting) > 3
    assert (found[0].id in {"ISS070", "PY204"}, found[0].confidence) == (True, "medium")
