"""Versions with their outcome, told in one line."""

import pytest

from compat.probe.pasted.outcomes import outcomes, unloadable


@pytest.mark.parametrize(
    "text, failed, good",
    [
        ("2.16.2 ok, 2.17.1 broken", ["2.17.1"], ["2.16.2"]),
        ("2.12.1 hangs; 2.11.0, 2.10.1 fine", ["2.12.1"], ["2.11.0", "2.10.1"]),
        ("fails on 2.14 and 2.15 but works with 2.13.1", ["2.14", "2.15"], ["2.13.1"]),
        (">=3.4 wrong, <=3.3 right", [">=3.4"], ["<=3.3"]),
        ("v2.20.x does not load, v2.19.0 loads", ["2.20"], ["2.19.0"]),
        ("2.18.0 and nothing else", [], []),
        ("broken. 2.18.0 is installed", [], []),
    ],
)
def test_each_version_has_the_outcome_told_of_it(text, failed, good):
    told = outcomes(text)

    assert [version for version, bad in told if bad] == failed
    assert [version for version, bad in told if not bad] == good


def test_a_plugin_that_does_not_load_on_a_range_is_a_pair():
    assert unloadable("1.1.0 fails to load with TensorFlow >= 2.18") == ("1.1.0", ">=2.18")
    assert unloadable("1.0.1 does not work on 2.14.x") == ("1.0.1", "2.14")
    assert unloadable("1.1.0 loads with 2.17.0") is None
    assert unloadable("3.1.0 does not load on 2.17.0") is None
