"""The door: whatever a file is, it comes back as pins, or as one problem."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat.probe.pins import formats
from compat.probe.pins.read import LIMIT_BYTES, ignores, parse, read
from compat.probe.pins.source import Source, decoded


def names(path):
    return [(pin.name, pin.specifier, pin.line, pin.column) for pin in read(path).pins]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_byte_order_marks_decide_the_encoding(tmp_path, encoding):
    marks = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
    path = tmp_path / "requirements.txt"
    path.write_bytes(marks.get(encoding, b"") + "tensorflow==2.18.1\r\n".encode(encoding))

    assert names(path) == [("tensorflow", "==2.18.1", 1, 1)]


@given(st.text(), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
def test_decoding_loses_nothing(text, encoding):
    marks = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
    raw = marks[encoding] + text.encode(encoding, "surrogatepass").replace(b"", b"")
    try:
        found, name, mark = decoded(raw)
    except UnicodeDecodeError:
        return  # a lone surrogate is no text in a file
    assert mark + found.encode(name) == raw


@pytest.mark.parametrize(
    "make, problem",
    [
        (lambda path: path.write_bytes(b"tensorflow\xff\xfe=="), "not text"),
        (lambda path: path.write_bytes(b"a\x00b"), "not text"),
        (lambda path: path.mkdir(), "not a regular file"),
        (os.mkfifo, "not a regular file"),
        (lambda path: path.symlink_to(path), "too many levels of symbolic links"),
        (lambda path: None, "no such file or directory"),
    ],
)
def test_what_cannot_be_read_is_one_problem(tmp_path, make, problem):
    path = tmp_path / "requirements.txt"
    make(path)

    assert read(path).problem == problem


def test_a_file_above_the_limit_is_not_read(tmp_path):
    path = tmp_path / "requirements.txt"
    with path.open("wb") as file:
        file.truncate(LIMIT_BYTES + 1)

    assert read(path).problem == "larger than 50 MB"


def test_a_name_no_system_takes(tmp_path):
    assert read(Path("a\0b")).problem is not None


@pytest.mark.parametrize(
    "line, ids, alone",
    [
        ("tensorflow==2.20  # tfcompat: ignore[PIN501]", ("PIN501",), False),
        ("# tfcompat: ignore[PIN501, pin507]", ("PIN501", "PIN507"), True),
        ("  # tfcompat: ignore", (), True),
        ("tensorflow ; tfcompat: ignore[PIN5]", ("PIN5",), False),
        ("<!-- tfcompat: ignore[PIN502] -->", ("PIN502",), True),
    ],
)
def test_comments_that_ask_for_silence(line, ids, alone):
    (found,) = ignores(Source(Path("x"), f"first\n{line}\n"))

    assert (found.line, found.ids, found.alone) == (2, ids, alone)


@pytest.mark.parametrize("line", ["# tfcompat ignore", "tfcompat: ignore", "# ignore[PIN501]"])
def test_other_comments_ask_for_nothing(line):
    assert list(ignores(Source(Path("x"), line))) == []


@pytest.mark.parametrize(
    "name, text, kind",
    [
        ("requirements-dev.txt", "", "requirements"),
        ("constraints.in", "", "requirements"),
        ("deps.pip", "", "requirements"),
        ("pyproject.toml", "", "pyproject"),
        ("uv.lock", "", "uv.lock"),
        ("poetry.lock", "", "poetry.lock"),
        ("pdm.lock", "", "pdm.lock"),
        ("pylock.dev.toml", "", "pylock"),
        ("Pipfile", "", "Pipfile"),
        ("Pipfile.lock", "", "Pipfile.lock"),
        ("pixi.toml", "", "pixi.toml"),
        ("pixi.lock", "", "pixi.lock"),
        ("conda-lock.yml", "", "conda-lock"),
        ("setup.cfg", "", "setup.cfg"),
        ("setup.py", "", "setup.py"),
        ("noxfile.py", "", "noxfile"),
        ("tool.py", "# /// script\n# dependencies = []\n# ///\n", "script"),
        ("tool.py", "print('hello')\n", None),
        ("tox.ini", "", "tox"),
        ("Dockerfile", "", "dockerfile"),
        ("cuda.Dockerfile", "", "dockerfile"),
        ("Makefile", "", "makefile"),
        ("a.ipynb", "", "notebook"),
        (".github/workflows/ci.yml", "", "workflow"),
        (".python-version", "", "python-version"),
        ("runtime.txt", "", "python-version"),
        (".tool-versions", "", "python-version"),
        ("meta.yaml", "", "conda-recipe"),
        ("env.yaml", "name: x\ndependencies:\n  - python\n", "conda"),
        ("values.yaml", "replicas: 3\n", None),
        ("explicit.txt", "@EXPLICIT\nhttps://x\n", "conda-explicit"),
        ("list.txt", "# packages in environment at /opt:\n", "conda-list"),
        ("install.sh", "", "shell"),
        ("setup", "#!/usr/bin/env bash\n", "shell"),
        ("README.md", "", "markdown"),
        ("photo.png", "", None),
    ],
)
def test_formats_are_known_by_name_and_content(name, text, kind):
    found = formats.of(Path(name), text)

    assert (found.kind if found else None) == kind


def test_every_format_has_a_reader():
    for row in formats.FORMATS:
        assert callable(formats.reader(row)), row


@given(st.sampled_from(sorted({row.kind for row in formats.FORMATS})), st.text(max_size=300))
def test_no_reader_raises_for_any_text(kind, text):
    row = next(row for row in formats.FORMATS if row.kind == kind)

    assert formats.reader(row)(Source(Path("x") / kind, text)).pins is not None


def test_a_reader_that_meets_endless_nesting_is_one_problem(monkeypatch):
    def deep(_):
        raise RecursionError

    monkeypatch.setattr(formats, "read", deep)

    assert parse(Source(Path("x"), "")).problem == "nested too deeply"


@given(st.lists(st.text(alphabet="ab\n\r", max_size=8)))
def test_places_count_lines_and_columns_from_one(parts):
    text = "".join(parts)
    source = Source(Path("x"), text)
    for offset in range(len(text)):
        line, column = source.place(offset)
        assert line == text.count("\n", 0, offset) + 1
        assert source.start_of(line) + column - 1 == offset
