"""Whether stated facts fit an issue: yes, no, or which fact would tell."""

import pytest

from compat.matrix.model import Affects, Issue, Source
from compat.verdict.diagnose.affected import fit
from tests.verdict.diagnose.telling import MATRIX, drawn


def issue(*affects):
    source = Source(url="https://example.org", day="2026-01-01")
    return Issue(id="ISS999", title="t", symptom="s", severity="error", affects=affects, remedy="r", sources=(source,))


PAIR = Affects(
    package="tensorflow-metal",
    versions="==1.1.0",
    with_package="tensorflow",
    with_versions=">=2.18",
    platforms=("macos-arm64",),
)


@pytest.mark.parametrize(
    "text, possible, missing",
    [
        ("tensorflow-metal 1.1.0, tensorflow 2.18.0", True, ()),
        ("tensorflow-metal 1.1.0, tensorflow 2.18", True, ()),
        ("tensorflow-metal 1.1.0", True, ("tensorflow",)),
        ("tensorflow-metal 1.1.0, tensorflow 2.17.0", False, ()),
        ("tensorflow-metal 1.2.0, tensorflow 2.18.0", False, ()),
        ("tensorflow 2.18.0", True, ("tensorflow-metal", "os")),
    ],
)
def test_a_pair(text, possible, missing):
    found = fit(issue(PAIR), drawn(text), MATRIX)

    assert (found.possible, found.missing) == (possible, missing)


def test_one_condition_set_of_several_is_enough():
    other = Affects(package="tensorflow-metal", versions="==1.0.0")

    assert fit(issue(other, PAIR), drawn("tensorflow-metal 1.1.0, tensorflow 2.18.0"), MATRIX).is_sure


@pytest.mark.parametrize(
    "conditions, text, expected",
    [
        ({"macos": "<12.3"}, "Apple M1, macOS 12.1", True),
        ({"macos": "<12.3"}, "Apple M1, macOS 12", None),
        ({"macos": "<12.3"}, "Apple M1, macOS 13", False),
        ({"chips": ("Apple M1",)}, "Apple M1 Pro", True),
        ({"chips": ("Apple M1",)}, "Apple M2", False),
        ({"chips": ("Apple M1",)}, "macOS 13", None),
        ({"python": ">=3.12"}, "Python 3.12.1", True),
        ({"python": ">=3.12"}, "Python 3.11", False),
        ({"python": ">=3.12"}, "nothing", None),
        ({"platforms": ("linux-x86_64",)}, "macOS 13", False),
    ],
)
def test_a_condition_holds_fails_or_is_open(conditions, text, expected):
    found = fit(issue(Affects(**conditions)), drawn(text), MATRIX)

    assert (None if found.missing else found.possible) is expected


def test_what_is_only_usual_contradicts_nothing():
    rosetta = Affects(chips=("Apple ",), platforms=("macos-x86_64",))
    found = fit(issue(rosetta), drawn("Apple M1"), MATRIX)

    assert (found.possible, found.missing) == (True, ("process",))


def test_an_issue_without_conditions_fits_anything():
    assert fit(issue(), drawn("anything"), MATRIX).is_sure
