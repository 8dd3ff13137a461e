"""The compiled form says what the TOML files say, and refuses what does not hold together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compat.errors import BadMatrix
from compat.matrix.compiled import packed, section, sections, texts
from compat.matrix.load import load
from tests.matrix.trees import GOOD, departed, good, write

LINKS = "links/tensorflow-metal.arm64.toml"
RELEASES = "releases/tensorflow.toml"


def test_the_sections_are_the_loaders_and_one_for_each_release_table(tmp_path):
    assert sections(good(tmp_path)) == (
        "index",
        "links",
        "observed",
        "issues",
        "repairs",
        "locks",
        "platforms",
        "releases/tensorflow-metal",
        "releases/tensorflow",
    )


def test_every_section_is_json(tmp_path):
    root = good(tmp_path)

    for name in sections(root):
        assert json.loads(json.dumps(section(root, name))) == section(root, name)


def test_wheels_are_rows_of_three_and_requirement_lists_stand_once(tmp_path):
    found = section(good(tmp_path), "releases/tensorflow")

    assert found["name"] == "tensorflow"
    assert found["requires"] == [["numpy<2.1.0,>=1.26.0"]]
    assert found["releases"][0]["wheels"] == [
        ["cp312-cp312-macosx_12_0_arm64", 240000000, 0],
        ["cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64", 615000000, None],
    ]


def test_a_release_table_without_a_name_is_called_by_its_file(tmp_path):
    root = departed(tmp_path, RELEASES, 'name = "tensorflow"\n', "")

    assert section(root, "releases/tensorflow")["name"] == "tensorflow"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "requires = 0",
            "requires = 1",
            r"releases/tensorflow\.toml: releases\[0\]\.wheels\[0\]\.requires: there is no",
        ),
        ("requires = 0", "requires = -1", r"there is no list number -1"),
        ("requires = 0", 'requires = "0"', r"there is no list number 0"),
        ('tag = "cp312-cp312-macosx_12_0_arm64", size = 240000000, requires', "requires", r"wheels\[0\]\.tag: missing"),
        ('version = "2.18.1"', 'number = "2.18.1"', r"releases/tensorflow\.toml: releases is not a list"),
        ('[[releases]]\nversion = "2.18.1"', 'releases = 3\n[other]\nversion = "2.18.1"', r"."),
    ],
)
def test_a_release_table_that_does_not_hold_together_is_refused(tmp_path, old, new, told):
    root = departed(tmp_path, RELEASES, old, new)

    with pytest.raises(BadMatrix, match=told):
        section(root, "releases/tensorflow")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("requires = 3\n", "requires is not a list of lists"),
        ('requires = ["numpy"]\n', "requires is not a list of lists"),
        ('[[releases]]\nversion = "1"\nwheels = 3\n', "wheels is not a list of tables"),
        ('[[releases]]\nversion = "1"\nwheels = [3]\n', "wheels is not a list of tables"),
    ],
)
def test_a_release_table_of_other_types_is_refused(tmp_path, text, told):
    with pytest.raises(BadMatrix, match=told):
        section(write(tmp_path, {RELEASES: text}), "releases/tensorflow")


@pytest.mark.parametrize(
    ("name", "text"), [("issues", "[issues]"), ("observed", "observed = 3"), ("platforms", 'macos = "15"')]
)
def test_rows_that_are_no_list_are_refused(tmp_path, name, text):
    with pytest.raises(BadMatrix, match=rf"{name}/a\.toml: \w+ is not a list of tables"):
        section(write(tmp_path, {f"{name}/a.toml": text}), name)


def test_releases_that_are_no_list_are_refused(tmp_path):
    with pytest.raises(BadMatrix, match="is not a list of tables"):
        section(write(tmp_path, {RELEASES: "releases = 3\n"}), "releases/tensorflow")


def test_a_pair_carries_the_names_its_missing_set_stands_for(tmp_path):
    pairs = section(good(tmp_path), "links")["pairs"]

    assert pairs[0]["missing"] == ["__ZN3tsl8internal10LogMessageC1EPKcii"]
    assert (pairs[0]["plugin"], pairs[0]["arch"], pairs[0]["loads"]) == ("tensorflow-metal", "arm64", False)
    assert pairs[1]["missing"] == []
    assert (pairs[2]["loads"], pairs[2]["reason"]) == (None, "a shell of a few KB")


def test_a_missing_set_nobody_defined_is_refused(tmp_path):
    root = departed(tmp_path, LINKS, 'missing = "log"', 'missing = "lgo"')

    with pytest.raises(BadMatrix, match=r"links/tensorflow-metal\.arm64\.toml: missing set 'lgo'"):
        section(root, "links")


@pytest.mark.parametrize("key", ["distribution", "tensorflow", "plugin_version", "loads"])
def test_a_pair_without_a_part_is_told_by_the_loader(tmp_path, key):
    row = {"distribution": '"tensorflow"', "tensorflow": '"2.18.1"', "plugin_version": '"1.2.0"', "loads": "true"}
    text = ", ".join(f"{name} = {value}" for name, value in row.items() if name != key)
    head = 'plugin = "tensorflow-metal"\narchitecture = "arm64"\n'

    with pytest.raises(BadMatrix, match=rf"links: pairs\[0\]: {key}: missing"):
        load(write(tmp_path, {"links/a.toml": f"{head}pairs = [{{ {text} }}]\n"})).links()


def test_a_plugin_without_a_version_is_told_by_the_loader(tmp_path):
    text = 'plugin = "tensorflow-metal"\narchitecture = "arm64"\nplugins = [{ minimum_macos = "12.1" }]\n'

    with pytest.raises(BadMatrix, match=r"links: binaries\[0\]: version: missing"):
        load(write(tmp_path, {"links/a.toml": text})).plugin_binaries()


@pytest.mark.parametrize("text", ["pairs = 3", 'pairs = ["2.18.1"]', "plugins = 3", "plugins = [3]"])
def test_link_rows_that_are_no_tables_are_refused(tmp_path, text):
    with pytest.raises(BadMatrix, match=r"links/a\.toml: (pairs|plugins) is not a list of tables"):
        section(write(tmp_path, {"links/a.toml": text}), "links")


@pytest.mark.parametrize("text", ["missing = 3", "missing = 3\npairs = []"])
def test_missing_sets_that_are_no_table_are_refused(tmp_path, text):
    with pytest.raises(BadMatrix, match=r"links/a\.toml: missing is not a table"):
        section(write(tmp_path, {"links/a.toml": text}), "links")


def test_the_index_carries_the_schema_of_the_tree(tmp_path):
    assert section(write(good(tmp_path), {"matrix.toml": "schema = 7\n"}), "index")["schema"] == 7


def test_a_text_is_one_line_and_the_same_for_the_same_data(tmp_path):
    found = texts(good(tmp_path))

    assert set(found) == set(sections(tmp_path))
    assert found == texts(tmp_path)
    assert all(one.count("\n") == 1 and one.endswith("\n") for one in found.values())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("packages = 3", "packages is not a list of tables"),
        ('packages = [{ size = "12" }]', "the size of a package is not a number"),
    ],
)
def test_pins_that_are_no_pins_are_refused(tmp_path, text, told):
    with pytest.raises(BadMatrix, match=rf"locks/linux-x86_64/a\.toml: {told}"):
        section(write(tmp_path, {"locks/linux-x86_64/a.toml": text}), "locks")


def test_a_record_of_verification_that_is_no_table_verifies_nothing(tmp_path):
    heads = section(write(tmp_path, {"locks/a.toml": 'verified = "yes"'}), "locks")["locks"]

    assert heads[0]["verified_day"] is None


def test_a_lock_head_counts_the_bytes_of_its_pins(tmp_path):
    heads = section(good(tmp_path), "locks")["locks"]

    assert [(head["file"], head["download_bytes"], head["verified_day"]) for head in heads] == [
        ("linux-x86_64/tensorflow-2.18.1-cpu-cp312.toml", 230, "2026-11-30"),
        ("macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml", 242, None),
    ]
    assert "packages" not in heads[0]


def test_the_files_of_a_folder_are_joined_in_their_order(tmp_path):
    root = write(
        tmp_path,
        {**GOOD, "issues/a.toml": 'note = "kept out"\n' + GOOD["issues/load.toml"].replace("ISS001", "ISS002")},
    )

    found = section(root, "issues")

    assert [row["id"] for row in found["issues"]] == ["ISS002", "ISS001"]
    assert list(found) == ["issues"]


def test_a_matrix_without_releases_has_no_date(tmp_path):
    assert section(tmp_path, "index") == {"schema": 1, "date": "unknown", "releases": []}


def test_the_committed_compiled_files_are_fresh():
    root = Path(__file__).resolve().parents[2] / "matrices"
    stale = [
        name
        for name in sections(root)
        if json.loads((root / "compiled" / f"{name}.json").read_text("utf-8")) != packed(name, section(root, name))
    ]

    assert stale == []
