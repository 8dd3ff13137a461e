"""The loader: TOML or compiled JSON in, the same rows out; what is broken is told with its address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compat.errors import BadMatrix
from compat.matrix import load as loader
from compat.matrix.compiled import section, sections
from compat.matrix.files import read_json, read_toml
from compat.matrix.load import Matrix, load
from compat.matrix.model import LockEntry
from tests.matrix.trees import GOOD, departed, good, write

MAC_LOCK = "locks/macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml"


def compiled(root: Path) -> Path:
    """Compile a tree as ``scripts/compile`` does."""
    return write(root, {f"compiled/{name}.json": json.dumps(section(root, name)) for name in sections(root)})


@pytest.fixture(params=["toml", "compiled"])
def matrix(request, tmp_path) -> Matrix:
    root = good(tmp_path)
    return load(root if request.param == "toml" else compiled(root))


def test_the_date_is_that_of_the_newest_data(matrix):
    assert matrix.date == "2026-11-30"
    assert matrix.distributions == ("tensorflow", "tensorflow-metal")


def test_the_rows_of_every_section_are_records(matrix):
    assert [row.id for row in matrix.issues()] == ["ISS001"]
    assert matrix.issues()[0].sources[0].day == "2026-11-30"
    assert matrix.issues()[0].sources[0].kind == "report"
    assert [row.id for row in matrix.observed()] == ["OBS001", "CLM001"]
    assert [row.id for row in matrix.repairs()] == ["numpy-2", "old-python-only"]
    assert [row.darwin for row in matrix.macos()] == [21, 24]
    assert [row.newest_macos for row in matrix.chips()] == [None, "15"]
    assert {row.version: row.minimum_macos for row in matrix.plugin_binaries()} == {"1.2.0": "12.1", "1.1.0": None}
    assert [row.loads for row in matrix.links()] == [False, True, None, True]


def test_a_release_has_the_requirements_of_each_wheel(matrix):
    newest = matrix.releases("tensorflow")[0]

    assert (newest.version, newest.uploaded, newest.requires_python) == ("2.18.1", "2025-03-12", ">=3.9")
    assert [wheel.requires for wheel in newest.wheels] == [("numpy<2.1.0,>=1.26.0",), None]
    assert [row.has_sdist for row in matrix.releases("tensorflow")] == [False, True, False, False]
    assert matrix.releases("tensorflow")[1].yanked == "for the test"


def test_a_distribution_nobody_follows_has_no_releases(matrix):
    assert matrix.releases("left-pad") == ()


def test_a_lock_is_its_head_and_its_pins(matrix):
    heads = {head.file: head for head in matrix.locks()}
    head = heads["macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml"]

    assert (head.tier, head.exclude_newer, head.download_bytes, head.verified_day) == ("links", "2026-11-30", 242, None)
    assert heads["linux-x86_64/tensorflow-2.18.1-cpu-cp312.toml"].verified_day == "2026-11-30"
    assert [(pin.name, pin.sha256) for pin in matrix.lock(head).packages] == [
        ("tensorflow", "a" * 64),
        ("tensorflow-metal", "b" * 64),
    ]


def test_what_was_read_is_kept(tmp_path):
    root = good(tmp_path)
    matrix = load(root)
    first = (matrix.issues(), matrix.releases("tensorflow"), matrix.date)
    for name in GOOD:
        (root / name).unlink()

    assert (matrix.issues(), matrix.releases("tensorflow"), matrix.date) == first


def test_a_section_is_read_only_when_asked_for(tmp_path):
    matrix = load(departed(tmp_path, "issues/load.toml", "[[issues]]", "[[issues"))

    assert matrix.repairs()
    with pytest.raises(BadMatrix, match=r"issues/load\.toml"):
        matrix.issues()


def test_an_empty_folder_is_a_matrix_that_knows_nothing(tmp_path):
    matrix = load(tmp_path)

    assert (matrix.date, matrix.distributions, matrix.issues(), matrix.links()) == ("unknown", (), (), ())
    assert matrix.root == tmp_path


def test_no_folder_is_no_matrix(tmp_path):
    with pytest.raises(BadMatrix, match="no matrix data"):
        load(tmp_path / "gone")


def test_the_user_may_name_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TFCOMPAT_MATRICES", str(good(tmp_path)))

    assert load().root == tmp_path


def test_the_data_of_a_checkout_lies_beside_the_package_and_that_of_a_wheel_inside(tmp_path, monkeypatch):
    monkeypatch.delenv("TFCOMPAT_MATRICES", raising=False)
    monkeypatch.setattr(loader, "__file__", str(tmp_path / "compat" / "matrix" / "load.py"))
    (tmp_path / "matrices").mkdir()
    assert load().root == tmp_path / "matrices"

    (tmp_path / "compat" / "matrices").mkdir(parents=True)
    assert load().root == tmp_path / "compat" / "matrices"


@pytest.mark.parametrize(
    ("name", "old", "new", "asked", "told"),
    [
        ("issues/load.toml", '"error"', "1", "issues", r"issues: issues\[0\]: severity: expected str"),
        ("issues/load.toml", "day = 2026-11-30", "when = 1", "issues", r"issues\[0\]: sources\[0\]\.day: missing"),
        ("observed/runs.toml", '"imports"', "true", "observed", r"observed: observed\[0\]: tier: expected str"),
        ("platforms/macos.toml", "darwin = 24", "darwin = 24.5", "macos", r"platforms: macos\[1\]: darwin"),
        ("links/tensorflow-metal.arm64.toml", "layer = 2", 'layer = "2"', "links", r"links: pairs\[0\]: layer"),
    ],
)
def test_a_value_that_does_not_fit_is_told_with_its_address(tmp_path, name, old, new, asked, told):
    matrix = load(departed(tmp_path, name, old, new))

    with pytest.raises(BadMatrix, match=told):
        getattr(matrix, asked)()


def test_a_pin_that_does_not_fit_is_told_with_its_address(tmp_path):
    matrix = load(departed(tmp_path, MAC_LOCK, "size = 12", 'size = "12"'))
    head = LockEntry(
        file=MAC_LOCK.removeprefix("locks/"),
        platform="macos-arm64",
        python="3.12",
        distribution="tensorflow",
        tensorflow="2.18.1",
        tier="links",
        exclude_newer="2026-11-30",
    )

    with pytest.raises(BadMatrix, match=r"cp312\.toml: packages\[1\]: size: expected int"):
        matrix.lock(head)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "compiled/issues.json"),
        ("[]", "compiled/issues.json: not a table"),
        ('{"issues": [{}]}', r"issues: issues\[0\]: id: missing"),
    ],
)
def test_a_broken_compiled_file_is_told_with_its_name(tmp_path, text, told):
    root = write(compiled(good(tmp_path)), {"compiled/issues.json": text})

    with pytest.raises(BadMatrix, match=told):
        load(root).issues()


def test_a_missing_compiled_file_is_told_with_its_name(tmp_path):
    root = compiled(good(tmp_path))
    (root / "compiled" / "issues.json").unlink()

    with pytest.raises(BadMatrix, match=r"issues\.json: No such file"):
        load(root).issues()


@pytest.mark.parametrize(
    "broken",
    [
        {"releases": []},
        {"requires": [], "releases": [{"version": "1"}], "name": "tensorflow"},
        {"requires": [], "releases": [{"version": "1", "wheels": [["tag", 1]]}], "name": "tensorflow"},
        {"requires": [], "releases": [{"version": "1", "wheels": [["tag", 1, 4]]}], "name": "tensorflow"},
        {"requires": None, "releases": [], "name": "tensorflow"},
    ],
)
def test_broken_compiled_releases_are_told_with_their_name(tmp_path, broken):
    root = write(compiled(good(tmp_path)), {"compiled/releases/tensorflow.json": json.dumps(broken)})

    with pytest.raises(BadMatrix, match="releases/tensorflow: "):
        load(root).releases("tensorflow")


def test_toml_that_is_none_is_told_with_folder_and_file(tmp_path):
    bad = tmp_path / "issues" / "x.toml"
    bad.parent.mkdir()
    bad.write_bytes(b"\xff")
    with pytest.raises(BadMatrix, match=r"issues/x\.toml: "):
        read_toml(bad)
    with pytest.raises(BadMatrix, match=r"gone\.toml: No such file"):
        read_toml(tmp_path / "gone.toml")


def test_dates_inside_tables_and_lists_become_iso_text(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("day = 2026-11-30\nlist = [2026-11-30, { at = 2026-11-30 }]\nnumber = 3\n", "utf-8")

    assert read_toml(path) == {"day": "2026-11-30", "list": ["2026-11-30", {"at": "2026-11-30"}], "number": 3}


def test_json_that_is_a_table_is_returned(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": 1}', "utf-8")

    assert read_json(path) == {"a": 1}
