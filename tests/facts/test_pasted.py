"""What a stated version may mean."""

import pytest

from compat.facts.pasted import SAID, Line, Stated


def stated(value):
    return Stated(name="tensorflow", value=value, how=SAID, line=Line(number=1, text=""))


@pytest.mark.parametrize("value", ["2.18.0", "2.16.0rc0", "2.22.0rc1", "2.15.0.post1", "1.15.0.1"])
def test_a_whole_release_is_exact(value):
    assert stated(value).is_exact
    assert stated(value).specifier == f"=={value}"


@pytest.mark.parametrize("value, specifier", [("2.18", "==2.18.*"), ("2", "==2.*"), ("", "")])
def test_anything_shorter_is_a_range(value, specifier):
    assert not stated(value).is_exact
    assert stated(value).specifier == specifier
