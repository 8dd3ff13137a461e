"""``matrix diff OLD NEW``: release notes of the data; the exit code does not depend on them."""

import json

import pytest

from tests.cli.running import refused
from tests.matrix.trees import departed, good, write

ISSUES = "issues/load.toml"


@pytest.fixture
def trees(tmp_path):
    old = good(tmp_path / "old")
    new = departed(tmp_path / "new", ISSUES, 'id = "ISS001"', 'id = "ISS001"\nwithdrawn = "it was the cable"')
    return old, new


def test_it_tells_what_changed_and_ends_well(told, trees):
    assert told("matrix", "diff", *trees) == (
        0,
        "both matrices of 2026-11-30: 1 change\n\nKnown problems\n  issue ISS001 withdrawn: it was the cable\n",
        [],
    )


def test_identical_trees_say_so(told, trees):
    assert told("matrix", "diff", trees[0], trees[0]) == (0, "no fact differs (both matrices of 2026-11-30)\n", [])


def test_the_same_is_told_as_json_and_markdown(told, trees):
    code, out, _ = told("matrix", "diff", *trees, "--format", "json")
    assert (code, json.loads(out)["changes"][0]["text"]) == (0, "issue ISS001 withdrawn: it was the cable")
    assert "- issue ISS001 withdrawn: it was the cable\n" in told("matrix", "diff", *trees, "--format", "markdown")[1]


def test_a_compiled_folder_is_compared_like_the_files_it_was_made_of(told, trees):
    from compat.matrix.compiled import texts

    old, new = trees
    write(new, {f"compiled/{name}.json": text for name, text in texts(new).items()})

    assert told("matrix", "diff", new / "compiled", new)[1] == "no fact differs (both matrices of 2026-11-30)\n"
    assert "ISS001 withdrawn" in told("matrix", "diff", old, new / "compiled")[1]


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda root: None, "is no folder"),
        (lambda root: root.write_text("x"), "is no folder"),
        (lambda root: root.mkdir(), "holds no releases"),
        (lambda root: write(good(root), {ISSUES: "[[issues"}), "load.toml"),
        (lambda root: write(good(root), {ISSUES: "issues = 3"}), "issues"),
        (lambda root: write(good(root), {"releases/tensorflow.toml": "releases = [1]"}), "tensorflow"),
    ],
    ids=["missing", "file", "empty", "broken", "no-list", "no-rows"],
)
def test_what_is_no_matrix_is_refused_in_one_line(told, tmp_path, trees, make, what):
    make(tmp_path / "bad")

    refused(told("matrix", "diff", trees[0], tmp_path / "bad"), 3, what)
    refused(told("matrix", "diff", tmp_path / "bad", trees[0]), 3, what)


def test_one_folder_alone_is_no_comparison(told, trees):
    refused(told("matrix", "diff", trees[0]), 2, "missing argument")
