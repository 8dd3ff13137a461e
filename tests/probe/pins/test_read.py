"""Dependency files become pins with their places; what is not understood is seen, not judged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat.probe.pins.read import decoded, read, requirements


def names(text):
    return [(pin.name, pin.specifier, pin.line, pin.column) for pin in requirements(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tensorflow==2.18.1\n", [("tensorflow", "==2.18.1", 1, 1)]),
        ("# a comment\n\n  TensorFlow_Metal == 1.2.0  # why\n", [("tensorflow-metal", "==1.2.0", 3, 3)]),
        ("a==1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nb==2\n", [("a", "==1", 1, 1), ("b", "==2", 4, 1)]),
        ("-r other.txt\n--index-url https://x\n-e .\n", []),
        ("demo @ https://example.org/demo.whl\n./local\n", []),
        ("not a requirement !!\n", []),
        ("a==1\r\nb==2\r\n", [("a", "==1", 1, 1), ("b", "==2", 2, 1)]),
        ("a\\", [("a", "", 1, 1)]),
    ],
)
def test_requirements_as_pip_reads_them(text, expected):
    assert names(text) == expected


def test_markers_and_extras_are_kept():
    (pin,) = requirements('tensorflow[and-cuda]>=2.16; sys_platform == "linux"')

    assert (pin.extras, pin.specifier, pin.marker) == (("and-cuda",), ">=2.16", 'sys_platform == "linux"')


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_byte_order_marks_decide_the_encoding(encoding):
    raw = "tensorflow==2.18.1".encode(encoding)
    if encoding == "utf-16-le":
        raw = b"\xff\xfe" + raw

    assert names(decoded(raw).lstrip("\ufeff")) == [("tensorflow", "==2.18.1", 1, 1)]


def test_pep_621_dependencies_are_found_at_their_line(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[project]\nrequires-python = ">=3.10"\ndependencies = [\n  "tensorflow==2.18.1",\n]\n'
        '[project.optional-dependencies]\nmac = ["tensorflow-metal==1.2.0"]\n'
    )
    file = read(path)

    assert file.requires_python == ">=3.10"
    assert [(pin.name, pin.line, pin.column) for pin in file.pins] == [("tensorflow", 4, 4), ("tensorflow-metal", 7, 9)]


@pytest.mark.parametrize(
    "content",
    ["project = 3\n", "[project]\ndependencies = 'x'\noptional-dependencies = 3\nrequires-python = 3\n", "[tool]\n"],
)
def test_a_pyproject_of_another_shape_has_no_pins(tmp_path, content):
    path = tmp_path / "pyproject.toml"
    path.write_text(content)

    assert (read(path).pins, read(path).problem) == ((), None)


def test_broken_toml_is_a_problem_not_a_crash(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text("[project\n")

    assert read(path).problem


def test_what_cannot_be_read_says_why(tmp_path):
    assert "No such file" in read(tmp_path / "absent.txt").problem
    assert "directory" in read(tmp_path).problem
    (tmp_path / "requirements.txt").write_bytes(b"\xfa\xfb\xfc")
    assert read(tmp_path / "requirements.txt").problem == "not text"


def test_other_formats_are_seen_not_judged(tmp_path):
    path = tmp_path / "poetry.lock"
    path.write_text("x")

    assert (read(path).kind, read(path).problem) == ("unknown", None)


@given(st.text(max_size=200))
def test_any_text_is_read_without_raising(text):
    for pin in requirements(text):
        assert pin.line >= 1
