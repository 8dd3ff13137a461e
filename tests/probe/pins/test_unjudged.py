"""A recipe is recognized and left alone: its ``- tensorflow`` may be an import test."""

from pathlib import Path

from compat.probe.pins import formats
from compat.probe.pins.source import Source


def test_a_recipe_has_no_pins_and_says_so():
    text = "package: {name: tensorflow}\ntest:\n  imports:\n    - tensorflow\nrequirements:\n  run:\n    - numpy\n"
    file = formats.read(Source(Path("/nowhere/recipe/meta.yaml"), text))

    assert (file.kind, file.pins, len(file.unread)) == ("conda-recipe", (), 1)
