"""The difference of two matrices reads like release notes."""

from __future__ import annotations

import json

import pytest

from compat.matrix.diff import Change, Difference, FieldChange, Kind, diff
from compat.matrix.model import LinkRow
from compat.matrix.trees import tree
from compat.report.changes import as_json, as_markdown, as_text
from compat.report.style import Style
from tests.matrix.trees import GOOD, departed, good, write

ISSUES, RUNS = "issues/load.toml", "observed/runs.toml"
RELEASES, PAIRS = "releases/tensorflow.toml", "links/tensorflow-metal.arm64.toml"
LOCK = "locks/macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml"
LINUX = "locks/linux-x86_64/tensorflow-2.18.1-cpu-cp312.toml"

NEWER = """
[[releases]]
version = "2.22.0"
uploaded = 2026-12-01
wheels = [
  { tag = "cp310-cp310-macosx_12_0_arm64", size = 1 }, { tag = "cp311-cp311-macosx_12_0_arm64", size = 1 },
  { tag = "cp312-cp312-macosx_12_0_arm64", size = 1 }, { tag = "cp313-cp313-macosx_12_0_arm64", size = 1 },
  { tag = "cp314-cp314-macosx_12_0_arm64", size = 1 },
]
"""


def notes(root, files, *, style=None):
    difference = diff(tree(good(root / "old")), tree(write(root / "new", {**GOOD, **files})))
    return as_text(difference, style or Style()).splitlines()


def note(root, name, old, new):
    difference = diff(tree(good(root / "old")), tree(departed(root / "new", name, old, new)))
    return [line.strip() for line in as_text(difference, Style()).splitlines()[3:]]


def test_identical_trees_say_so(tmp_path):
    assert notes(tmp_path, {}) == ["no fact differs (both matrices of 2026-11-30)"]


def test_it_reads_by_section_under_the_days_and_the_number_of_changes(tmp_path):
    newer = GOOD[RELEASES].replace("retrieved = 2026-11-29", "retrieved = 2026-12-02") + NEWER
    issue = GOOD[ISSUES] + GOOD[ISSUES].replace("ISS001", "ISS062").replace("A plugin beside the wrong", "Another")

    assert notes(tmp_path, {RELEASES: newer, ISSUES: issue}) == [
        "matrix of 2026-11-30 → 2026-12-02: 2 changes",
        "",
        "Releases",
        "  tensorflow 2.22.0 released (cp310–cp314; macOS arm64; 2026-12-01)",
        "",
        "Known problems",
        "  issue ISS062 added: Another TensorFlow",
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        (PAIRS, 'loads = false, layer = 2, missing = "log"', "loads = true", "tensorflow-metal 1.1.0 now loads on tensorflow 2.18.0 (arm64)"),
        (PAIRS, '"2.18.1", plugin_version = "1.2.0", loads = true', '"2.18.1", plugin_version = "1.2.0", loads = false, layer = 2, missing = "log"', "tensorflow-metal 1.2.0 no longer loads on tensorflow 2.18.1 (arm64): layer 2, __ZN3tsl8internal10LogMessageC1EPKcii"),
        (PAIRS, 'judged = false, reason = "a shell of a few KB"', "loads = true", "tensorflow-metal 1.2.0 now loads on tensorflow-macos 2.16.2 (arm64)"),
        (PAIRS, '"2.18.1", plugin_version = "1.2.0", loads = true', '"2.18.1", plugin_version = "1.2.0", judged = false, reason = "gone"', "tensorflow-metal 1.2.0 is not judged on tensorflow 2.18.1 (arm64): gone"),
        (PAIRS, "loads = false, layer = 2", "loads = false, layer = 3", "tensorflow-metal 1.1.0 on tensorflow 2.18.0 (arm64): layer 2 → 3"),
        (PAIRS, 'minimum_macos = "12.1"', 'minimum_macos = "13.0"', "tensorflow-metal 1.2.0 (arm64): minimum macos 12.1 → 13.0"),
        (RELEASES, 'yanked = "for the test"\n', "", "tensorflow 2.18.0 is no longer yanked"),
        (RELEASES, "uploaded = 2023-07-05", 'uploaded = 2023-07-05\nyanked = "broken"', "tensorflow 2.13.0 was yanked: broken"),
        (RELEASES, '  { tag = "cp312-cp312-macosx_12_0_arm64", size = 240000000, requires = 0 },\n', "", "tensorflow 2.18.1 has lost wheels (cp312; macOS arm64)"),
        (RELEASES, 'tag = "cp311-cp311-macosx_12_0_arm64", size = 2000 }', 'tag = "cp311-cp311-macosx_12_0_arm64", size = 2000 }, { tag = "cp311-cp311-win_amd64", size = 1 }', "tensorflow 2.13.0 has new wheels (cp311; Windows)"),
        (RELEASES, 'requires_python = ">=3.9"', 'requires_python = ">=3.10"', "tensorflow 2.18.1: requires python >=3.9 → >=3.10"),
        (RELEASES, "numpy<2.1.0,>=1.26.0", "numpy<3", "tensorflow 2.18.1: requires + numpy<3, − numpy<2.1.0,>=1.26.0"),
        (ISSUES, 'id = "ISS001"', 'id = "ISS001"\nwithdrawn = "it was the cable"', "issue ISS001 withdrawn: it was the cable"),
        (ISSUES, 'title = "A plugin beside the wrong TensorFlow"', 'title = "Other"', "issue ISS001: title A plugin beside the wrong TensorFlow → Other"),
        (ISSUES, '["Apple M1"]', '["Apple M4"]', None),
        (RUNS, 'result = "fails-to-load"', 'result = "works"', "OBS001: result fails-to-load → works"),
        (LINUX, 'tier = "runs"', 'tier = "imports"', "lock linux-x86_64/tensorflow-2.18.1-cpu-cp312 now known up to tier imports"),
        (LINUX, "day = 2026-11-30", "day = 2026-12-05", "lock linux-x86_64/tensorflow-2.18.1-cpu-cp312 now runs whole (2026-12-05)"),
        (LOCK, 'name = "tensorflow-metal", version = "1.2.0"', 'name = "tensorflow-metal", version = "1.3.0"', "lock macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312: pins + tensorflow-metal==1.3.0, − tensorflow-metal==1.2.0"),
        (LOCK, 'repairs = ["numpy-2"]', "repairs = []", "lock macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312: repairs − numpy-2"),
        ("repairs/repairs.toml", 'versions = "<2.12"', 'versions = "<2.11"', "repair numpy-2: versions <2.12 → <2.11"),
        ("platforms/macos.toml", 'name = "Sequoia"', 'name = "Other"', "macOS 15: name Sequoia → Other"),
    ],
    ids=lambda value: value.split("/")[0] if isinstance(value, str) and value.endswith(".toml") else "",
)  # fmt: skip
def test_a_change_is_told_in_one_line(tmp_path, name, old, new, expected):
    told = note(tmp_path, name, old, new)

    assert len(told) == 1
    if expected is None:  # conditions are told by their parts
        assert "affects + package tensorflow-metal" in told[0]
        assert "chips Apple M4" in told[0]
    else:
        assert told == [expected]


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        (ISSUES, 'id = "ISS001"', 'id = "ISS002"', ["issue ISS001 is gone (ids are withdrawn, not deleted)", "issue ISS002 added: A plugin beside the wrong TensorFlow"]),
        (RUNS, 'id = "OBS001"', 'id = "OBS050"', ["OBS001 is gone", "OBS050 added, a run: tensorflow 2.18.0 with tensorflow-metal 1.1.0 on Apple M2 Max: fails to load"]),
        ("observed/table.toml", 'id = "CLM001"', 'id = "CLM002"', ["CLM001 is gone", "CLM002 added, a claim: tensorflow >=2.14,<2.19 with tensorflow-metal 1.1.0: works"]),
        ("repairs/repairs.toml", 'id = "numpy-2"', 'id = "numpy-3"', ["repair numpy-2 is gone", "repair numpy-3 added: numpy<2 for tensorflow, tensorflow-macos <2.12 (import)"]),
        ("platforms/macos.toml", 'version = "15"', 'version = "28"', ["macOS 15 is gone", "macOS 28 added: Sequoia"]),
        ("platforms/chips.toml", 'name = "Apple M1"', 'name = "Apple M9"', ["chip Apple M1 is gone", "chip Apple M9 added"]),
        (RELEASES, 'version = "2.13.0"', 'version = "2.13.1"', ["tensorflow 2.13.1 released (cp311; macOS arm64; 2023-07-05)", "tensorflow 2.13.0 is no longer on the index"]),
        (PAIRS, '{ version = "1.1.0" }', '{ version = "1.1.1", minimum_macos = "11.3" }', ["tensorflow-metal 1.1.1 (arm64) was read, minimum macOS 11.3", "tensorflow-metal 1.1.0 (arm64) is gone"]),
        (PAIRS, '"2.18.1", plugin_version = "1.2.0"', '"2.19.1", plugin_version = "1.2.0"', ["tensorflow-metal 1.2.0 loads on tensorflow 2.19.1 (arm64)", "tensorflow-metal 1.2.0 on tensorflow 2.18.1 (arm64) is no longer judged"]),
    ],
    ids=lambda value: value.split("/")[0] if isinstance(value, str) and value.endswith(".toml") else "",
)  # fmt: skip
def test_what_came_and_went_is_told(tmp_path, name, old, new, expected):
    assert note(tmp_path, name, old, new) == expected


def test_a_lock_that_came_says_how_well_it_is_known(tmp_path):
    told = notes(tmp_path, {LINUX.replace("2.18.1", "2.19.1"): GOOD[LINUX], LOCK.replace("1.2.0", "1.3.0"): GOOD[LOCK]})

    assert [line.strip() for line in told[3:]] == [
        "lock linux-x86_64/tensorflow-2.19.1-cpu-cp312 added: runs whole (2026-11-30)",
        "lock macos-arm64/tensorflow-2.18.1-metal-1.3.0-cp312 added: known up to tier links",
    ]


def judged(tensorflow, metal, loads=True):
    row = LinkRow(
        distribution="tensorflow", tensorflow=tensorflow, plugin="tensorflow-metal", plugin_version=metal, arch="arm64",
        loads=loads, layer=0 if loads else 1, missing=() if loads else ("_x",), reason="",
    )  # fmt: skip
    return Change(section="links", key=(metal, tensorflow), kind=Kind.ADDED, new=row)


def told_links(*changes):
    difference = Difference(old_date="2026-11-30", new_date="2026-12-01", changes=changes)
    return [line.strip() for line in as_text(difference, Style()).splitlines()[3:]]


METALS = ("1.2.0", "1.1.0", "1.0.1", "1.0.0", "0.10.0")


def test_a_new_tensorflow_judged_against_every_plugin_is_one_line_for_each_answer():
    changes = [judged("2.23.0", metal, loads=metal == "1.2.0") for metal in METALS]

    assert told_links(*changes) == [
        "tensorflow-metal 1.2.0 loads on tensorflow 2.23.0 (arm64)",
        "4 releases of tensorflow-metal (0.10.0 to 1.1.0) cannot load on tensorflow 2.23.0 (arm64)",
    ]


def test_a_new_plugin_judged_against_every_tensorflow_is_one_line_for_each_answer():
    changes = [
        judged(version, "1.3.0", loads=version == "2.22.0") for version in ("2.22.0", "2.21.0", "2.20.0", "2.19.1")
    ]

    assert told_links(*changes) == [
        "tensorflow-metal 1.3.0 loads on tensorflow 2.22.0 (arm64)",
        "tensorflow-metal 1.3.0 cannot load on TensorFlow 2.19.1, 2.20.0, 2.21.0 (arm64)",
    ]


def test_several_that_load_and_several_unjudged_are_told_in_good_words():
    assert told_links(judged("2.23.0", "1.2.0"), judged("2.23.0", "1.1.0")) == [
        "tensorflow-metal 1.1.0, 1.2.0 load on tensorflow 2.23.0 (arm64)"
    ]
    assert told_links(judged("2.22.0", "1.3.0"), judged("2.23.0", "1.3.0")) == [
        "tensorflow-metal 1.3.0 loads on TensorFlow 2.22.0, 2.23.0 (arm64)"
    ]
    assert told_links(judged("2.22.0", "1.3.0", None), judged("2.23.0", "1.3.0", None)) == [
        "tensorflow-metal 1.3.0 was not judged on TensorFlow 2.22.0, 2.23.0 (arm64)"
    ]


def test_distributions_that_came_and_went_are_told(tmp_path):
    more = {"releases/keras.toml": GOOD["releases/tensorflow-metal.toml"].replace("tensorflow-metal", "keras")}
    old, new = tree(good(tmp_path / "old")), tree(write(tmp_path / "new", {**GOOD, **more}))

    assert "  keras is followed now" in as_text(diff(old, new), Style()).splitlines()
    assert "  keras is followed no longer" in as_text(diff(new, old), Style()).splitlines()


def test_a_narrow_encoding_gets_plain_signs(tmp_path):
    plain = notes(tmp_path, {RELEASES: GOOD[RELEASES] + NEWER}, style=Style(unicode=False))

    assert "\n".join(plain).isascii()
    assert "  tensorflow 2.22.0 released (cp310-cp314; macOS arm64; 2026-12-01)" in plain
    assert all("?" not in line for line in plain)


def test_as_markdown_it_is_a_list_under_headings(tmp_path):
    difference = diff(
        tree(good(tmp_path / "old")),
        tree(departed(tmp_path / "new", ISSUES, 'severity = "error"', 'severity = "info"')),
    )

    assert as_markdown(difference).splitlines() == [
        "### both matrices of 2026-11-30: 1 change",
        "",
        "#### Known problems",
        "",
        "- issue ISS001: severity error → info",
    ]


def test_as_json_every_change_has_its_key_kind_and_fields(tmp_path):
    difference = diff(
        tree(good(tmp_path / "old")),
        tree(departed(tmp_path / "new", ISSUES, 'severity = "error"', 'severity = "info"')),
    )
    value = json.loads(as_json(difference))

    assert (value["schema_version"], value["identical"], value["old_date"]) == (1, False, "2026-11-30")
    assert value["changes"] == [
        {
            "section": "issues",
            "key": ["ISS001"],
            "kind": "changed",
            "text": "issue ISS001: severity error → info",
            "fields": [{"name": "severity", "old": "error", "new": "info"}],
        }
    ]
    assert json.loads(as_json(diff(tree(good(tmp_path / "old")), tree(tmp_path / "old"))))["identical"] is True


def test_a_text_with_line_breaks_stays_one_note():
    field = FieldChange(name="what", old="a", new="b\n\x1b[31mc")
    change = Change(
        section="macos", key=("15",), kind=Kind.CHANGED, new=tree_macos(), old=tree_macos(), fields=(field,)
    )

    lines = as_text(Difference(old_date="d", new_date="d", changes=(change,)), Style()).splitlines()
    assert len(lines) == 4
    assert "\x1b" not in lines[3]


def tree_macos():
    from compat.matrix.model import MacOS

    return MacOS(version="15", name="Sequoia", darwin=24)


def test_a_maker_of_pythons_is_named_with_the_python(tmp_path):
    row = '[[pythons]]\nversion = "3.12"\norigin = "uv"\nbinary = "{}"\nsources = [{{ url = "https://astral.sh", day = 2026-11-30, kind = "vendor" }}]\n'
    files = {"platforms/pythons.toml": row.format("arm64")}

    assert notes(tmp_path / "added", files)[2:] == [
        "Where Pythons come from",
        "  Python 3.12 from uv added: arm64",
    ]
    changed = {"platforms/pythons.toml": row.format("none")}
    old = tree(write(tmp_path / "old", {**GOOD, **files}))
    new = tree(write(tmp_path / "new", {**GOOD, **changed}))
    assert "Python 3.12 from uv: binary arm64 → none" in as_text(diff(old, new), Style())
