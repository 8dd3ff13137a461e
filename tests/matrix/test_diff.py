"""Which facts two matrices differ in."""

from __future__ import annotations

import pytest

from compat.matrix.diff import Kind, diff
from compat.matrix.trees import tree
from tests.matrix.trees import GOOD, departed, good, write

ISSUES, RUNS = "issues/load.toml", "observed/runs.toml"
RELEASES, PAIRS = "releases/tensorflow.toml", "links/tensorflow-metal.arm64.toml"
LOCK = "locks/macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml"


def between(root, name, old, new):
    """The difference that one replaced text makes."""
    return diff(tree(good(root / "old")), tree(departed(root / "new", name, old, new)))


def told(difference):
    return [(change.section, change.key, change.kind.value) for change in difference.changes]


def fields(difference):
    return {field.name: (field.old, field.new) for field in difference.changes[0].fields}


def test_the_same_tree_twice_differs_in_nothing(tmp_path):
    found = diff(tree(good(tmp_path / "old")), tree(good(tmp_path / "new")))

    assert (found.changes, found.followed, found.dropped) == ((), (), ())
    assert found.old_date == found.new_date == "2026-11-30"


def test_rows_in_another_order_are_the_same_rows(tmp_path):
    rows = GOOD[PAIRS].splitlines(keepends=True)
    moved = "".join([*rows[:5], rows[6], rows[5], *rows[7:]])
    assert moved != GOOD[PAIRS]

    assert diff(tree(good(tmp_path / "old")), tree(write(tmp_path / "new", {**GOOD, PAIRS: moved}))).changes == ()


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        (RELEASES, 'version = "2.13.0"', 'version = "2.13.1"', [("releases", ("tensorflow", "2.13.1"), "added"), ("releases", ("tensorflow", "2.13.0"), "removed")]),
        (RELEASES, 'yanked = "for the test"\n', "", [("releases", ("tensorflow", "2.18.0"), "changed")]),
        (PAIRS, 'loads = false, layer = 2, missing = "log"', "loads = true", [("links", ("tensorflow-metal", "1.1.0", "arm64", "tensorflow", "2.18.0"), "changed")]),
        (PAIRS, 'minimum_macos = "12.1"', 'minimum_macos = "13.0"', [("binaries", ("tensorflow-metal", "1.2.0", "arm64"), "changed")]),
        (ISSUES, 'id = "ISS001"', 'id = "ISS002"', [("issues", ("ISS001",), "removed"), ("issues", ("ISS002",), "added")]),
        (RUNS, 'result = "fails-to-load"', 'result = "works"', [("observed", ("OBS001",), "changed")]),
        ("repairs/repairs.toml", 'versions = "<2.12"', 'versions = "<2.11"', [("repairs", ("numpy-2",), "changed")]),
        ("platforms/macos.toml", 'name = "Sequoia"', 'name = "Other"', [("macos", ("15",), "changed")]),
        ("platforms/chips.toml", 'name = "Apple M1"', 'name = "Apple M9"', [("chips", ("Apple M1",), "removed"), ("chips", ("Apple M9",), "added")]),
        (LOCK, 'tier = "links"', 'tier = "imports"', [("locks", ("macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml",), "changed")]),
    ],
    ids=lambda value: value if isinstance(value, str) and "/" in value else "",
)  # fmt: skip
def test_each_folder_is_compared_by_what_its_rows_are_about(tmp_path, name, old, new, expected):
    assert told(between(tmp_path, name, old, new)) == expected


PYTHON = """\
[[pythons]]
version = "3.12"
origin = "uv"
binary = "arm64"
first = "3.12.0"
sources = [{ url = "https://github.com/astral-sh/python-build-standalone", day = 2026-11-30, kind = "vendor" }]
"""


def test_where_pythons_come_from_is_compared_too(tmp_path):
    name = "platforms/pythons.toml"
    old = write(tmp_path / "old", {**GOOD, name: PYTHON})
    new = write(tmp_path / "new", {**GOOD, name: PYTHON.replace("3.12.0", "3.12.1")})

    found = diff(tree(old), tree(new))

    assert told(found) == [("pythons", ("3.12", "uv"), "changed")]
    assert fields(found) == {"first": ("3.12.0", "3.12.1")}


def test_a_changed_row_tells_each_field_from_old_to_new(tmp_path):
    found = between(tmp_path, ISSUES, 'severity = "error"', 'severity = "warning"')

    assert fields(found) == {"severity": ("error", "warning")}


def test_a_withdrawn_row_is_a_changed_row(tmp_path):
    found = between(tmp_path, ISSUES, 'id = "ISS001"', 'id = "ISS001"\nwithdrawn = "it was the cable"')

    assert told(found) == [("issues", ("ISS001",), "changed")]
    assert fields(found) == {"withdrawn": (None, "it was the cable")}


def test_a_list_tells_what_it_gained_and_lost(tmp_path):
    found = between(tmp_path, ISSUES, "issues/84167", "issues/1")

    field = found.changes[0].fields[0]
    assert (field.name, field.gained, field.lost) == (
        "sources",
        ("https://github.com/tensorflow/tensorflow/issues/1",),
        ("https://github.com/tensorflow/tensorflow/issues/84167",),
    )


def test_wheels_are_compared_by_tag_and_their_requirements_once(tmp_path):
    tag = "cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64"
    lost = between(tmp_path / "a", RELEASES, f'  {{ tag = "{tag}", size = 615000000 }},\n', "").changes[0].fields[0]
    assert (lost.name, lost.gained, lost.lost) == ("wheels", (), (tag,))

    other = between(tmp_path / "b", RELEASES, "numpy<2.1.0,>=1.26.0", "numpy<3").changes[0].fields[0]
    assert (other.name, other.gained, other.lost) == ("requires", ("numpy<3",), ("numpy<2.1.0,>=1.26.0",))

    size = between(tmp_path / "c", RELEASES, "615000000", "615000001").changes[0].fields[0]
    assert (size.name, size.new) == ("sizes", {tag: 615000001})


def test_pins_that_moved_are_told_of_locks_whose_head_is_the_same(tmp_path):
    old = 'name = "tensorflow-metal", version = "1.2.0"'
    found = between(tmp_path, LOCK, old, old.replace("1.2.0", "1.3.0"))

    assert told(found) == [("locks", ("macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml",), "changed")]
    pins = found.changes[0].fields[0]
    assert (pins.name, pins.gained, pins.lost) == ("pins", ("tensorflow-metal==1.3.0",), ("tensorflow-metal==1.2.0",))


def test_where_head_and_pins_both_differ_one_change_tells_both(tmp_path):
    text = (
        GOOD[LOCK]
        .replace('tier = "links"', 'tier = "imports"')
        .replace('version = "1.2.0", file', 'version = "1.3.0", file')
    )
    found = diff(tree(good(tmp_path / "old")), tree(write(tmp_path / "new", {**GOOD, LOCK: text})))

    assert [[field.name for field in change.fields] for change in found.changes] == [["tier", "pins"]]


def test_a_distribution_followed_anew_is_told_without_its_releases(tmp_path):
    more = {"releases/keras.toml": GOOD["releases/tensorflow-metal.toml"].replace("tensorflow-metal", "keras")}
    old, new = tree(good(tmp_path / "old")), tree(write(tmp_path / "new", {**GOOD, **more}))

    assert (diff(old, new).followed, diff(old, new).changes) == (("keras",), ())
    assert diff(new, old).dropped == ("keras",)


def test_added_and_removed_are_each_others_mirror(tmp_path):
    old = tree(good(tmp_path / "old"))
    new = tree(departed(tmp_path / "new", RELEASES, 'version = "2.13.0"', 'version = "2.13.1"'))
    mirror = {Kind.ADDED: Kind.REMOVED, Kind.REMOVED: Kind.ADDED}

    there = {(change.key, change.kind) for change in diff(old, new).changes}
    back = {(change.key, mirror[change.kind]) for change in diff(new, old).changes}
    assert there == back


def test_releases_stand_newest_first_and_ids_in_their_order(tmp_path):
    text = GOOD[RELEASES] + "".join(
        f'[[releases]]\nversion = "{version}"\nuploaded = 2026-01-01\nwheels = []\n'
        for version in ("2.9.0", "2.22.0", "2.10.0")
    )
    ids = GOOD[ISSUES] + "".join(GOOD[ISSUES].replace("ISS001", name) for name in ("ISS003", "ISS002"))
    files = {**GOOD, RELEASES: text, ISSUES: ids}
    found = diff(tree(good(tmp_path / "old")), tree(write(tmp_path / "new", files)))

    assert [change.key[-1] for change in found.changes] == ["2.22.0", "2.10.0", "2.9.0", "ISS002", "ISS003"]
