"""Link proofs as text, JSON and Markdown, and the grid as JSON."""

from __future__ import annotations

import json

import pytest

from compat.matrix.load import load
from compat.plan.evidence.grid import grid
from compat.plan.evidence.standing import Place
from compat.report import known
from tests.plan.evidence.test_ground import lock, run
from tests.verdict.rules.tiny_matrix import tiny_matrix

ROWS = [row for row in load().links() if row.arch == "arm64"]


def test_link_rows_as_json_have_the_keys_others_build_on():
    rows = json.loads(known.links_json(ROWS))

    assert {"distribution", "tensorflow", "plugin", "plugin_version", "arch", "loads", "layer", "missing"} <= set(
        rows[0]
    )
    assert len(rows) == len(ROWS)


LINES = [
    "tensorflow 2.18.1 + tensorflow-metal 1.2.0: loads",
    "tensorflow 2.18.1 + tensorflow-metal 1.1.0: cannot load, layer 2: __ZN3tsl8internal10LogMessageC1EPKcii",
    "tensorflow 2.20.0 + tensorflow-metal 1.2.0: cannot load, layer 1: @rpath/_pywrap_tensorflow_internal.so",
    "not judged: source distribution only",
]


@pytest.mark.parametrize("line", LINES)
def test_link_rows_as_text(line):
    assert line in known.links_text(ROWS)


def test_more_missing_names_than_one_are_counted():
    row = next(row for row in ROWS if (row.tensorflow, row.plugin_version) == ("2.14.0", "1.0.1"))

    assert len(row.missing) == 2  # constructor and destructor of TensorShapeProto
    assert known.links_text([row]).endswith(f"{row.missing[0]} and 1 more\n")


def test_link_rows_as_markdown_are_a_table_that_shows_names_as_they_are():
    lines = known.links_markdown(ROWS).splitlines()

    assert len(lines) == len(ROWS) + 2
    assert r"\_\_ZN3tsl8internal10LogMessageC1EPKcii" in "\n".join(lines)


def test_the_grid_as_json_has_the_place_each_row_and_what_is_known_of_each_pair():
    runs = [run("2.18.1", "1.2.0", "works", "runs"), run("2.18.1", "1.2.0", "wrong-numbers", "agrees", "OBS002")]
    place = Place(platform="macos-arm64", python="3.12", macos="14.5", chip="Apple M1")
    value = json.loads(known.grid_json(grid(place, tiny_matrix(observed=runs, locks=[lock()]))))

    assert value["schema_version"] == 1
    assert value["place"] == {
        "platform": "macos-arm64",
        "python": "3.12",
        "macos": "14.5",
        "chip": "Apple M1",
        "glibc": None,
    }
    row = next(row for row in value["rows"] if row["tensorflow"] == "2.18.1")
    assert row["locks"] == ["a.toml"]
    assert row["without_plugin"]["reached"] == "links"
    cells = {cell["plugin_version"]: cell for cell in row["plugins"]}
    assert (cells["1.2.0"]["reached"], cells["1.2.0"]["failed"], cells["1.2.0"]["contradicted"]) == (
        "runs",
        "agrees",
        True,
    )
    assert cells["1.2.0"]["observed"] == ["OBS001", "OBS002"]
    assert (cells["1.1.0"]["failed"], cells["1.1.0"]["pythons"]) == ("installs", [])


def test_a_place_is_told_as_far_as_it_is_said():
    assert known.place_words(Place(platform="linux-x86_64", glibc="2.36")) == "linux-x86_64, glibc 2.36"
    assert (
        known.place_words(Place(platform="macos-arm64", macos="14.5", chip="Apple M1", python="3.12"))
        == "macos-arm64, macOS 14.5, Apple M1, Python 3.12"
    )
