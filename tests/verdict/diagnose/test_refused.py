"""A wheel file that pip refused, by its name and the stated facts."""

import pytest

from tests.verdict.diagnose.telling import told, top

REFUSED = "{} is not a supported wheel on this platform."


def refused(name, said):
    return f"ERROR: {REFUSED.format(name)}\n{said}"


@pytest.mark.parametrize(
    "name, said",
    [
        ("tensorflow-1.4.0-cp27-cp27m-macosx_10_12_intel.whl", "Python on Anaconda: 3.6"),
        ("tensorflow-2.15.0-cp311-cp311-macosx_10_15_x86_64.whl", "Python 3.9.6, macOS 10.15.7"),
        ("tensorflow-2.15.0-cp311-cp311-manylinux_2_17_x86_64.whl", "Python 3.11, macOS 10.15.7"),
        ("tensorflow-2.15.0-cp311-cp311-macosx_12_0_arm64.whl", "Python 3.11, Intel Mac"),
        ("tensorflow-2.16.1-cp311-cp311-macosx_12_0_arm64.whl", "Python 3.11, Apple M1, macOS 11.6"),
    ],
)
def test_a_name_that_the_stated_facts_contradict(name, said):
    found = top(refused(name, said))

    assert (found[0], found[2]) == ("ISS068", "medium")


def test_what_is_not_stated_is_asked_for():
    (cause, *_) = told(refused("tensorflow-1.4.0-cp27-cp27m-macosx_10_12_intel.whl", "what now?")).causes

    assert (cause.id, cause.confidence, cause.missing) == ("ISS068", "low", ("python", "process"))


def test_a_file_for_the_stated_python_is_no_misfit():
    text = refused("tensorflow-2.3.0-cp38-cp38-macosx_10_11_x86_64.whl", "Python 3.8.5, Intel Mac, macOS 10.15.7")

    assert "ISS068" not in {cause.id for cause in told(text).causes}
