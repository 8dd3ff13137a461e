"""What is made of the compiled form without a second look is what the codec makes of it, for every row there is."""

import contextlib
import gc
from pathlib import Path

import pytest

from compat.facts.codec import decode
from compat.matrix.compiled import section
from compat.matrix.model import Chip, Issue, LockEntry, MacOS, Observation, PluginBinary, PythonBuild, Repair
from compat.matrix.trusted import maker, undisturbed

MATRICES = Path(__file__).resolve().parents[2] / "matrices"
KINDS = [
    ("issues", "issues", Issue),
    ("observed", "observed", Observation),
    ("repairs", "repairs", Repair),
    ("locks", "locks", LockEntry),
    ("platforms", "macos", MacOS),
    ("platforms", "chips", Chip),
    ("platforms", "pythons", PythonBuild),
    ("links", "binaries", PluginBinary),
]


@pytest.mark.parametrize("name, key, record", KINDS, ids=[key for _, key, _ in KINDS])
def test_the_quick_way_and_the_checking_way_make_one_record(name, key, record):
    rows = section(MATRICES, name)[key]

    assert rows
    assert [maker(record)(row) for row in rows] == [decode(record, row) for row in rows]


@pytest.mark.parametrize("row", [{"id": "ISS001"}, {"unheard": 1}, {"affects": {}}, {"sources": "x"}, {"sources": [1]}])
def test_what_does_not_fit_is_refused(row):
    with pytest.raises((TypeError, ValueError)):
        maker(Issue)(row)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was_even_by_an_error(enabled):
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with contextlib.suppress(KeyError), undisturbed():
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if before else gc.disable)()
