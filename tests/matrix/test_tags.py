"""What tags are for, held to packaging's own answer for every tag of the matrix."""

import pytest

from compat.matrix.load import load
from compat.matrix.model import PLATFORMS, Target, Wheel
from compat.matrix.query import fits
from compat.matrix.tags import takes

TARGETS = [
    (platform, python, macos)
    for platform in PLATFORMS
    for python in ("3.7", "3.9", "3.12", "3.14")
    for macos in ((None, "11.0") if platform.startswith("macos") else (None,))
]


@pytest.mark.parametrize("platform, python, macos", TARGETS)
def test_a_tag_is_for_the_targets_that_packaging_says(platform, python, macos):
    matrix = load()
    tags = {wheel.tag for name in matrix.distributions for row in matrix.releases(name) for wheel in row.wheels}
    target = Target(platform=platform, python=python, macos=macos)

    assert len(tags) > 100
    assert {tag for tag in tags if takes(tag, platform, python, macos)} == {
        tag for tag in tags if fits(Wheel(tag=tag, size=0), target)
    }
