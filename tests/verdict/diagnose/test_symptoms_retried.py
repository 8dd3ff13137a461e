"""An install that goes on with SYSTEM_VERSION_COMPAT=0 tells that macOS was hidden; one that fails with it does not."""

import pytest

from compat.verdict.diagnose.symptoms_retried import from_retry
from tests.verdict.diagnose.telling import MATRIX, drawn, seen, top

REFUSED = """\
ada@mac ~ % {pip} install tensorflow-macos
ERROR: Could not find a version that satisfies the requirement tensorflow-macos (from versions: none)
ERROR: No matching distribution found for tensorflow-macos
"""
RETRY = "ada@mac ~ % SYSTEM_VERSION_COMPAT=0 {pip} install {name}\n"
FETCHED = """\
Collecting {name}
  Downloading {file}-2.9.2-cp39-cp39-macosx_11_0_arm64.whl (199.1 MB)
"""
MAC = "MacBook Air M1, macOS 12.4, Python 3.9\n"


def text(*parts, pip="pip", name="tensorflow-macos"):
    return "".join((MAC, *parts)).format(pip=pip, name=name, file=name.replace("-", "_"))


def found(told):
    return {cause.id: cause.confidence for cause in from_retry(seen(told), drawn(told), MATRIX)}


@pytest.mark.parametrize("pip", ["pip", "pip3", "python -m pip", "/opt/homebrew/bin/python3.9 -m pip"])
def test_the_setting_that_mends_an_install_names_its_cause(pip):
    told = text(REFUSED, RETRY, FETCHED, pip=pip)

    assert found(told) == {"ISS016": "medium"}
    assert top(told)[::2] == ("ISS016", "medium")


def test_a_retry_that_is_refused_too_tells_nothing():
    told = text(REFUSED, RETRY, REFUSED)

    assert found(told) == {}
    assert top(told)[0] != "ISS016"


def test_a_retry_of_which_nothing_is_shown_tells_nothing():
    assert found(text(REFUSED, RETRY)) == {}


def test_a_retry_that_fetches_something_else_tells_nothing():
    assert found(text(REFUSED, RETRY, FETCHED, name="numpy")) == {}


def test_what_went_on_before_the_refusal_tells_nothing():
    assert found(text(FETCHED, REFUSED, RETRY)) == {}


def test_a_list_that_names_versions_was_not_hidden():
    told = text(REFUSED, RETRY, FETCHED).replace("versions: none", "versions: 2.5.0, 2.6.0")

    assert found(told) == {}


def test_other_systems_have_no_such_setting():
    told = text(REFUSED, RETRY, FETCHED).replace(MAC, "Ubuntu 22.04\n").replace("macosx_11_0_arm64", "linux_x86_64")

    assert found(told) == {}


def test_a_retry_without_the_setting_was_mended_by_something_else():
    assert found(text(REFUSED, RETRY, FETCHED).replace("SYSTEM_VERSION_COMPAT=0 ", "")) == {}


def test_an_install_that_is_refused_once_more_was_not_mended():
    assert found(text(REFUSED, RETRY, FETCHED, REFUSED)) == {}
