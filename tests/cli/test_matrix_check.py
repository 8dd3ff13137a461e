"""``tfcompat matrix check``: problems by line or as JSON, what is mended, and folders that are no matrix."""

import json
import os

import pytest

from tests.cli.running import refused
from tests.matrix.test_lint import ISSUES, SOUND, with_compiled
from tests.matrix.trees import write


@pytest.fixture
def root(tmp_path):
    return write(tmp_path / "matrix", SOUND)


def test_a_sound_matrix_says_so(told, root):
    assert told("matrix", "check", root) == (0, "the matrix is sound\n", [])


def test_a_problem_is_a_line_and_exit_code_one(told, root):
    write(root, {ISSUES: SOUND[ISSUES].replace('"BIN401"', '"BIN4"')})

    assert told("matrix", "check", root) == (
        1,
        "issues/load.toml: ISS001.rule: 'BIN4' is not a rule id [rule-id]\n",
        [],
    )


def test_json_says_the_same_in_fields(told, root):
    write(root, {ISSUES: SOUND[ISSUES].replace('"BIN401"', '"BIN4"')})
    code, out, _ = told("matrix", "check", root, "--format", "json")

    assert (code, json.loads(out)) == (
        1,
        {
            "schema_version": 1,
            "ok": False,
            "problems": [
                {
                    "address": "issues/load.toml: ISS001.rule",
                    "check": "rule-id",
                    "scope": "row",
                    "text": "'BIN4' is not a rule id",
                    "fixable": False,
                }
            ],
        },
    )
    write(root, SOUND)
    assert json.loads(told("matrix", "check", root, "--format", "json")[1])["ok"] is True


def test_a_stale_compiled_form_is_a_problem_and_fix_makes_it_anew(told, root):
    with_compiled(root)
    write(root, {ISSUES: SOUND[ISSUES].replace("The import fails", "The import ends"), "compiled/links.json": "{"})

    code, out, _ = told("matrix", "check", root)
    assert code == 1
    assert [line.split(":")[0] for line in out.splitlines()] == ["compiled/issues.json", "compiled/links.json"]
    assert all(line.endswith(", fixable]") for line in out.splitlines())

    assert told("matrix", "check", root, "--fix") == (
        0,
        "the matrix is sound\n",
        ["fixed compiled/issues.json: compiled-stale", "fixed compiled/links.json: compiled-broken"],
    )
    assert "The import ends" in (root / "compiled" / "issues.json").read_text("utf-8")
    assert told("matrix", "check", root, "--fix") == (0, "the matrix is sound\n", [])


def test_fix_says_what_it_mended_and_tells_the_rest(told, root):
    (root / ISSUES).write_bytes((SOUND[ISSUES].replace('"BIN401"', '"BIN4"').rstrip() + "  ").encode())
    code, out, lines = told("matrix", "check", root, "--fix")

    assert (code, lines) == (1, [f"fixed {ISSUES}: trailing-whitespace, final-newline"])
    assert out.endswith("[rule-id]\n")
    assert out.count("\n") == 1
    assert (root / ISSUES).read_text("utf-8").endswith("}]\n")
    assert sorted(path.name for path in (root / "issues").iterdir()) == ["load.toml"]


def test_fix_that_may_not_write_says_so_and_leaves_the_file(told, root, monkeypatch):
    (root / ISSUES).write_text(SOUND[ISSUES].rstrip(), "utf-8")

    def refusing(*_names):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refusing)
    refused(told("matrix", "check", root, "--fix"), 3, "load.toml: Permission denied")
    assert [path.name for path in (root / "issues").iterdir()] == ["load.toml"]


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda root: None, "is not there"),
        (lambda root: root.write_text("x"), "is a file"),
        (lambda root: root.mkdir(), "holds no releases"),
        (lambda root: write(root, {"issues/a.toml": "x = ["}), "holds no releases"),
        (lambda root: write(root, {**SOUND, "matrix.toml": "schema = 2"}), "schema 2, made for a newer tfcompat"),
    ],
    ids=["absent", "file", "empty", "other", "newer"],
)
def test_what_is_no_matrix_is_told_in_one_line(told, tmp_path, make, what):
    make(tmp_path / "x")

    refused(told("matrix", "check", tmp_path / "x"), 3, what)


@pytest.mark.parametrize(
    "words", [["explain", "ISS001"], ["pins", "x.txt"], ["matrix", "check"], ["matrix", "show"]], ids=str
)
def test_a_named_matrix_for_a_newer_tfcompat_is_told_everywhere(told, root, monkeypatch, words):
    write(root, {"matrix.toml": "schema = 2"})
    monkeypatch.setenv("TFCOMPAT_MATRICES", str(root))

    refused(told(*words), 3, "schema 2, made for a newer tfcompat; this one reads up to 1")


@pytest.mark.parametrize("name", sorted(name for name in SOUND if not name.startswith(("matrix.", "files/"))))
def test_any_broken_file_of_a_named_matrix_is_told_by_name(told, root, monkeypatch, name):
    (root / name).write_bytes(b"\xff")
    monkeypatch.setenv("TFCOMPAT_MATRICES", str(root))
    (root / "requirements.txt").write_text("tensorflow==2.18.1\n")

    result = told("pins", root / "requirements.txt")
    refused(result, 3, name.split("/")[-1])
    assert "TFCOMPAT_MATRICES" in result[2][1]
