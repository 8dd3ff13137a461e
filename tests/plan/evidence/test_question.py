"""What is understood of the words of a question, and what is refused."""

from __future__ import annotations

import pytest

from compat.errors import UsageError
from compat.plan.evidence.question import Part, admitted, parse
from tests.verdict.rules.tiny_matrix import MAC_ARM, pure, release, tiny_matrix, wheels

MATRIX = tiny_matrix(releases={"numpy": pure("numpy", "2.0.2", "1.26.4")})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tensorflow==2.20 tensorflow-metal", ("tensorflow==2.20", "tensorflow-metal", [])),
        ("tensorflow-metal tensorflow == 2.20", ("tensorflow==2.20", "tensorflow-metal", [])),
        ("TensorFlow_Metal==1.2.0", ("tensorflow", "tensorflow-metal==1.2.0", [])),
        ("tensorflow >=2.16, <2.19 numpy<2", ("tensorflow<2.19,>=2.16", "None", ["numpy<2"])),
        ("tensorflow-macos==2.13.0", ("tensorflow-macos==2.13.0", "None", [])),
        ("numpy", ("tensorflow", "None", ["numpy"])),
    ],
)
def test_words_become_a_tensorflow_a_plugin_and_others(words, expected):
    found = parse(words, MATRIX)

    assert (str(found.tensorflow), str(found.plugin), [str(part) for part in found.others]) == expected


@pytest.mark.parametrize(
    ("words", "what", "hint"),
    [
        ("", "nothing was asked", "tensorflow"),
        ("tensorflow=2.18", "'tensorflow=2.18' is not a requirement", "tensorflow==2.20.0"),
        ("tensorflow==two", "is not a requirement", "tensorflow==2.20.0"),
        ("tensorflow[and-cuda]", "more than a name", "tensorflow==2.20.0"),
        ("tensorflow;python_version<'3.9'", "more than a name", "tensorflow==2.20.0"),
        ("tensorflow==2.18.1; python_version>'3'", "more than a name and versions", "tensorflow==2.20.0"),
        ("tensorflow @ https://example.org/t.whl", "more than a name and versions", "tensorflow==2.20.0"),
        ("tensroflow", "called tensroflow", "tensorflow"),
        ("tensorflow-metl", "called tensorflow-metl", "tensorflow-metal"),
        ("zzz", "called zzz", "numpy"),
        ("tensorflow tensorflow-macos", "more than one TensorFlow", "name one"),
        ("tensorflow==2.18 tensorflow==2.19", "more than one TensorFlow", "name one"),
        ("tensorflow-metal tensorflow-metal-plugin", "more than one plugin", "ISS007"),
        ("numpy<2 numpy>1", "numpy<2 and numpy>1", "name one"),
    ],
)
def test_what_is_no_question_is_told_with_what_is_near(words, what, hint):
    with pytest.raises(UsageError) as caught:
        parse(words, MATRIX)

    assert what in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("==2.20", ["2.20.0"]),  # PEP 440: 2.20 equals 2.20.0 and nothing else
        ("==2.20.*", ["2.20.0"]),
        ("==2.18", []),
        (">=2.19", ["2.21.0", "2.20.0", "2.19.1"]),
        ("==2.22.0rc0", ["2.22.0rc0"]),
        (">=2.21.0rc0", ["2.22.0rc0", "2.21.0"]),
        (">2.21", ["2.22.0rc0"]),  # nothing but a pre-release is admitted
        ("==9", []),
    ],
)
def test_a_set_means_what_pep_440_says(specifier, expected):
    assert list(admitted(Part(name="tensorflow", specifier=specifier), ("tensorflow",), MATRIX)) == expected


@pytest.mark.parametrize(("specifier", "found"), [("==1.0", ("1.0",)), ("==1.*", ()), (">=1", ()), ("", ())])
def test_a_yanked_release_is_meant_only_where_it_is_pinned(specifier, found):
    matrix = tiny_matrix(releases={"numpy": [release("numpy", "1.0", wheels([9], MAC_ARM), yanked="broken")]})

    assert admitted(Part(name="numpy", specifier=specifier), ("numpy",), matrix) == found
