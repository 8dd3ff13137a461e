"""Which wheels the matrix speaks of."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from refreshing.choosing import fits


@pytest.mark.parametrize(
    "tag",
    [
        "cp310-cp310-macosx_12_0_arm64",
        "cp36-cp36m-macosx_10_11_x86_64",
        "cp312-cp312-macosx_10_9_universal2",
        "cp37-abi3-macosx_10_9_universal2",
        "cp38-cp38-manylinux2010_x86_64",
        "cp310-cp310-manylinux_2_17_aarch64.manylinux2014_aarch64",
        "cp313-cp313-win_amd64",
        "py3-none-any",
        "py2.py3-none-any",
        "cp310-cp310-macosx_11_0_arm64.macosx_12_0_arm64",
        "py3-none-manylinux_2_27_x86_64",
    ],
)
def test_cpython_on_a_mac_linux_or_64_bit_windows_is_kept(tag):
    assert fits(tag)


@pytest.mark.parametrize(
    "tag",
    [
        "cp310-cp310-win32",
        "cp311-cp311-win_arm64",
        "cp310-cp310-manylinux_2_17_i686.manylinux2014_i686",
        "cp310-cp310-musllinux_1_1_x86_64",
        "cp310-cp310-manylinux_2_17_ppc64le",
        "cp310-cp310-manylinux_2_17_s390x",
        "cp310-cp310-linux_armv7l",
        "pp39-pypy39_pp73-macosx_11_0_arm64",
        "cp313-cp313t-macosx_14_0_arm64",
        "cp27-cp27mu-manylinux2010_x86_64",
        "cp27-cp27m-macosx_10_9_x86_64",
        "py2-none-any",
        "cp313-cp313-ios_13_0_arm64_iphoneos",
    ],
)
def test_everything_else_is_left_out(tag):
    assert not fits(tag)
