"""Wheel tags in a few words."""

from __future__ import annotations

import pytest

from compat.report.wheels import told


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ([], "source only"),
        (["py3-none-any"], "py3; any system"),
        (["py2.py3-none-any"], "py2, py3; any system"),
        (["cp312-cp312-macosx_12_0_arm64"], "cp312; macOS arm64"),
        ([f"cp3{n}-cp3{n}-macosx_12_0_arm64" for n in (14, 10, 11, 12, 13)], "cp310–cp314; macOS arm64"),
        (["cp39-cp39-macosx_12_0_arm64", "cp310-cp310-macosx_12_0_arm64", "cp313-cp313t-win_amd64"], "cp39–cp310, cp313; Windows, macOS arm64"),
        (["cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64"], "cp312; Linux x86_64"),
        (["cp312-cp312-manylinux_2_17_aarch64", "cp312-cp312-musllinux_1_2_x86_64"], "cp312; Linux (musl) x86_64, Linux aarch64"),
        (["cp39-abi3-macosx_10_9_universal2", "cp39-abi3-win32"], "cp39; Windows 32-bit, macOS universal2"),
        (["cp312-cp312-win_arm64"], "cp312; Windows arm64"),
        (["cp312-cp312-plan9"], "cp312; plan9"),
    ],
)  # fmt: skip
def test_interpreters_then_systems(tags, expected):
    assert told(tags) == expected
