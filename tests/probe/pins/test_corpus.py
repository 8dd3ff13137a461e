"""Real dependency files from public repositories, where a folder of them is at hand (TFCOMPAT_PIN_CORPUS).

Each has a ``meta.json`` with the pins one reader saw, by hand, and a verdict. The files are other people's and are not
part of this project; where the reader and the tool disagree, the reason stands below.
"""

import json
import os
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from compat.cli import amending, pinning
from compat.matrix.load import load
from compat.probe.pins.read import read
from compat.verdict.pins.judge import judge
from compat.verdict.pins.situation import SUBJECTS

if "TFCOMPAT_PIN_CORPUS" not in os.environ:
    pytest.skip("TFCOMPAT_PIN_CORPUS does not name a folder of noted dependency files", allow_module_level=True)
CORPUS = Path(os.environ["TFCOMPAT_PIN_CORPUS"])
NOTED = sorted(CORPUS.glob("*/meta.json"))
MATRIX = load()

PINS_DIFFER: dict[str, str] = {
    "087": "the note leaves out the lock's package for Windows (tensorflow-intel), which its marker keeps off Macs",
    "095": "the note names one line a platform; the lock repeats the packages for each Python",
}
"""Files of which other pins are read than were noted, and why."""

VERDICTS_DIFFER: dict[str, str] = {
    "123": "exported on Windows (its packages say so), so it is no Mac's environment; the note judges it as one",
    "135": "named for CUDA: such files are not judged as Macs; the note does",
    "127": "CUDA builds for linux-64: Linux-only environments are not judged as Macs; the note does",
    "152": "h5py==3.16.0 leaves out what tensorflow 2.21.0 requires (<3.15): uv finds no solution either; overlooked",
}
"""Files that are judged otherwise than was noted, and why."""


def known():
    for path in NOTED:
        meta = json.loads(path.read_text("utf-8"))
        if (path.parent / meta["file"]).is_file():
            yield pytest.param(meta, path.parent / meta["file"], id=f"{meta['id']}-{meta['format']}")


def test_the_folder_holds_the_corpus():
    assert len(list(known())) > 50


@pytest.mark.parametrize("meta, path", list(known()))
def test_the_pins_are_those_noted(meta, path):
    read_here = {_key(pin.line, pin.name, pin.specifier) for pin in read(path).pins if _subject(pin.name)}
    noted = {_key(pin["line"], pin["name"].partition("[")[0], pin["specifier"] or "") for pin in meta["pins"]}

    assert (read_here == noted) is (meta["id"] not in PINS_DIFFER), PINS_DIFFER.get(meta["id"], "")


def _subject(name):
    return name in SUBJECTS or name in ("tensorflow-deps", "tensorflow-base")


def _key(line, name, specifier):
    return (line, canonicalize_name(name), specifier.replace(" ", "").removeprefix("==").removeprefix("*"))


@pytest.mark.parametrize("meta, path", list(known()))
def test_the_verdict_is_the_one_noted(meta, path):
    (row,) = judge([read(path)], MATRIX)
    errors = {found.id for found in row.findings if found.severity.value == "error"}
    warnings = {found.id for found in row.findings if found.severity.value == "warning"}

    assert _agrees(meta, errors, warnings, {found.id for found in row.findings}) is (
        meta["id"] not in VERDICTS_DIFFER
    ), (
        meta["verdict"],
        meta["reason"],
        [(found.line, found.id, found.severity.value, found.message) for found in row.findings],
    )


def _agrees(meta, errors, warnings, found):
    """Whether the findings say what the note says: installable or not, loading or not, on the vendor's table or not."""
    cannot_load = {"PIN501", "PIN502", "PIN511"}
    if meta["verdict"] == "no-pins":
        return not errors
    if meta["verdict"] == "impossible":
        return bool(errors)
    if meta["pair_loads"] == "no":
        return bool(errors or cannot_load & warnings)
    if meta["in_apple_table"] == "no" and meta["pair_loads"] == "yes":
        return "PIN507" in found and not errors
    return not errors and not (cannot_load & warnings and meta["pair_loads"] == "yes")


UNMENDED: dict[str, str] = {
    "007": "NumPy 1.19 has no wheel for Apple silicon: no TensorFlow goes with it from wheels",
    "072": "TensorFlow 2.12 stands in three tables of Poetry under other names for other platforms",
    "091": "a lock file is made again, not edited",
    "146": "nothing has a wheel for Python 3.7 on Apple silicon",
    "147": "nothing has a wheel for Python 3.7 on Apple silicon",
}
"""Files with an error that no edit cures, and why."""


@pytest.mark.parametrize("meta, path", list(known()))
def test_an_editable_file_with_an_error_is_mended(meta, path, tmp_path):
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    before = pinning.check([copy])
    if before.ok:
        return
    amended = amending.amend(before, pinning.Asked())

    assert amended.checked.ok is (meta["id"] not in UNMENDED), [
        (row.id, row.message) for file in amended.checked.files for row in file.findings
    ]
