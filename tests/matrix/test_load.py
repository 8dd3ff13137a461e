"""The loader: TOML or compiled JSON in, the same rows out; what is broken is told with its address."""

from __future__ import annotations

import json
import os
from pathlib import Path

import platformdirs
import pytest

from compat.errors import BadMatrix
from compat.matrix import places
from compat.matrix.compiled import texts
from compat.matrix.files import read_json, read_toml
from compat.matrix.load import Matrix, load
from compat.matrix.model import LockEntry
from tests.ending import ending
from tests.matrix.trees import GOOD, departed, good, write

MAC_LOCK = "locks/macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml"


def compiled(root: Path) -> Path:
    """Compile a tree as ``scripts/compile`` does."""
    return write(root, {f"compiled/{name}.json": text for name, text in texts(root).items()})


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


def test_a_named_folder_is_read_as_toml_whatever_was_compiled_from_it_once(tmp_path, monkeypatch):
    root = compiled(good(tmp_path))
    write(root, {"issues/load.toml": GOOD["issues/load.toml"].replace("ISS001", "ISS009")})
    monkeypatch.setenv("TFCOMPAT_MATRICES", str(root))

    assert [row.id for row in load().issues()] == ["ISS009"]


def test_the_data_of_a_checkout_lies_beside_the_package_and_that_of_a_wheel_inside(tmp_path, monkeypatch):
    monkeypatch.delenv("TFCOMPAT_MATRICES", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "none"))
    monkeypatch.setattr(places, "__file__", str(tmp_path / "compat" / "matrix" / "places.py"))
    (tmp_path / "matrices").mkdir()
    assert load().root == tmp_path / "matrices"

    (tmp_path / "compat" / "matrices").mkdir(parents=True)
    assert load().root == tmp_path / "compat" / "matrices"


def test_the_users_data_folder_is_where_platformdirs_has_it(tmp_path, monkeypatch):
    for home in ("", "relative/place", str(tmp_path / "data")):
        monkeypatch.setenv("XDG_DATA_HOME", home)
        assert str(places.data_folder()) == platformdirs.user_data_dir("tfcompat")
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert str(places.data_folder()) == platformdirs.user_data_dir("tfcompat")


@pytest.fixture
def copies(tmp_path, monkeypatch):
    """A bundled matrix of 2026-11-30, and a function that puts an updated copy of some day beside it."""
    monkeypatch.delenv("TFCOMPAT_MATRICES", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(places, "__file__", str(tmp_path / "program" / "compat" / "matrix" / "places.py"))
    compiled(good(tmp_path / "program" / "matrices"))
    updated = tmp_path / "data" / "tfcompat" / "matrices"

    def put(day):
        write(
            good(updated),
            {name: text.replace("retrieved = 2026-11-30", f"retrieved = {day}") for name, text in GOOD.items()},
        )
        return compiled(updated)

    return put


def test_an_updated_copy_is_used(copies):
    updated = copies("2026-12-24")

    assert (load().root, load().date, load().place.origin) == (updated, "2026-12-24", "updated")


def test_an_updated_copy_of_the_bundled_day_is_used(copies):
    assert load().place.origin == "bundled"
    copies("2026-11-30")
    assert load().place.origin == "updated"


def test_an_updated_copy_older_than_the_bundled_data_is_passed_over_and_that_is_said(copies):
    copies("2026-11-29")

    assert (load().date, load().place.origin) == ("2026-11-30", "bundled")
    assert "is of 2026-11-29, the bundled data of 2026-11-30" in load().place.passed_over


def test_a_named_folder_goes_before_an_updated_copy(copies, tmp_path, monkeypatch):
    copies("2026-12-24")
    monkeypatch.setenv("TFCOMPAT_MATRICES", str(good(tmp_path / "mine")))

    assert (load().root, load().place.origin) == (tmp_path / "mine", "named")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("index", "{"),
        ("index", None),
        ("index", '{"schema": 1, "date": "unknown", "releases": []}'),
        ("index", '{"schema": 1, "date": 3, "releases": []}'),
        ("issues", "{"),
        ("issues", None),
        ("issues", '{"issues": [{}]}'),
        ("links", '{"pairs": [{}]}'),
        ("releases/tensorflow", '{"releases": []}'),
    ],
)
def test_a_broken_updated_copy_is_told_with_the_way_back(copies, file, text):
    path = copies("2026-12-24") / "compiled" / f"{file}.json"
    path.unlink() if text is None else path.write_text(text, "utf-8")

    def read():
        found = load()
        return found.issues(), found.links(), found.releases("tensorflow")

    with pytest.raises(BadMatrix) as caught:
        read()
    assert "tfcompat matrix update --reset" in caught.value.hint


@pytest.mark.parametrize("number", ["2", "99"])
@pytest.mark.parametrize("form", ["toml", "compiled"])
def test_a_matrix_made_for_a_newer_tfcompat_is_refused_before_anything_is_read(tmp_path, number, form):
    root = write(good(tmp_path), {"matrix.toml": f"schema = {number}\n"})
    if form == "compiled":
        compiled(root)

    with pytest.raises(BadMatrix, match=rf"schema {number}, made for a newer tfcompat; this one reads up to 1"):
        load(root)


@pytest.mark.parametrize("number", ["0", "-1", '"1"', "true", "1.0", "[]"])
def test_a_schema_that_is_no_number_is_refused(tmp_path, number):
    with pytest.raises(BadMatrix, match=r"matrix\.toml: the schema is no number"):
        load(write(good(tmp_path), {"matrix.toml": f"schema = {number}\n"}))


def test_a_matrix_that_does_not_say_its_schema_has_the_first(tmp_path):
    assert load(good(tmp_path)).schema == 1


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


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"x = " + b"[" * 100_000, "nested deeper"),
        (b"x = " + b"{a=" * 5_000, "nested deeper"),
        (b"a" + b".a" * 50_000 + b" = 1", "a key of more parts"),
        (b'"a"' + b' . "a"' * 50_000 + b" = 1", "a key of more parts"),
        (b"x = " + b"9" * 5_000, "digits"),
        (b"x = 0x" + b"f" * 5_000, "more than 64 bits"),
        (b"x = 9223372036854775808", "more than 64 bits"),
        (b'x = "' + b"y" * 5_000 + b'"', "more than 4000 characters"),
        (b"\xff\xfe", "utf-8"),
    ],
)
def test_what_would_keep_the_parser_busy_is_refused_at_once(tmp_path, data, told):
    (tmp_path / "a.toml").write_bytes(data)

    with ending(), pytest.raises(BadMatrix, match=told):
        read_toml(tmp_path / "a.toml")


def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.toml")

    with pytest.raises(BadMatrix, match=r"a\.toml: not a file"):
        read_toml(tmp_path / "a.toml")


def test_dots_and_brackets_in_texts_and_comments_are_no_depth(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(f'# {"[" * 99}{"." * 99}\nx = "{"[" * 99}{"." * 99}\\"" # it\'s {"{" * 99}\n', "utf-8")

    assert read_toml(path) == {"x": f'{"[" * 99}{"." * 99}"'}
