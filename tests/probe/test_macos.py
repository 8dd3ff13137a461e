"""Versions of macOS against releases of Darwin."""

import pytest

from compat.facts.known import Unknown
from compat.probe.macos import macos_major, true_version


@pytest.mark.parametrize(
    "release, major",
    [("20.6.0", 11), ("21.6.0", 12), ("22.1.0", 13), ("23.0.0", 14), ("24.5.0", 15), ("25.0.0", 26), ("26.0.0", 27), ("19.6.0", None), ("", None)],
)  # fmt: skip
def test_darwin_tells_the_major_version(release, major):
    assert macos_major(release) == major


@pytest.mark.parametrize(
    "product, release, version",
    [
        ("15.6.1", "24.6.0", "15.6.1"),
        ("16.0", "25.0.0", "26.0"),
        ("10.16", "20.6.0", "11"),
        ("16.0", "26.0.0", "27"),
        (None, "25.1.0", "26"),
        ("14.5", "", "14.5"),
        ("10.16", "", Unknown("macOS calls itself 10.16, which old programs are told")),
        (None, "", Unknown("sw_vers gave no version")),
    ],
)
def test_the_true_version_is_found_or_said_to_be_unknown(product, release, version):
    assert true_version(product, release) == version
