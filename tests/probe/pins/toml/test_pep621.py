"""The standard tables of a pyproject.toml."""

from hypothesis import given
from hypothesis import strategies as st

from compat.probe.pins.toml.pyproject import read
from tests.probe.pins.toml_hostile import is_sound, pinned, points_at, source, spliced, spoilt

STANDARD = """\
[build-system]
requires = ["hatchling", "numpy==2.0"]

[project]
name = "Tensorflow_Demo"
requires-python = ">=3.10"
dependencies = [
  # numbers
  "numpy>=1.26, <2",  # for TensorFlow
  'tensorflow (>=2.16.2) ; sys_platform == "darwin"',
  "keras[x,a]"
]

[project.optional-dependencies]
metal = ["tensorflow-metal==1.2.0; sys_platform == 'darwin'"]
all = ["tensorflow.demo[metal, Extra_Two]", "six"]
extra-two = [
    "scipy; platform_machine == \\"arm64\\"",
    "a @ https://example.org/a-1.0-py3-none-any.whl",
]

[dependency-groups]
test = ["pytest", { include-group = "Lint" }, "tensorflow-demo[metal]"]
lint = ["ruff"]

[tool.ruff.lint.flake8-tidy-imports.banned-api]
tensorflow.msg = "no"

[tool.mypy]
overrides = [{ module = ["tensorflow"] }]
"""


def test_requirements_are_found_with_their_groups():
    file = read(source(STANDARD))

    assert pinned(file) == [
        ("numpy", ">=1.26,<2", "", "", "index"),
        ("tensorflow", ">=2.16.2", 'sys_platform == "darwin"', "", "index"),
        ("keras", "", "", "", "index"),
        ("tensorflow-metal", "==1.2.0", "sys_platform == 'darwin'", "extra metal", "index"),
        ("six", "", "", "extra all", "index"),
        ("scipy", "", 'platform_machine == "arm64"', "extra extra-two", "index"),
        ("a", "", "", "extra extra-two", "url"),
        ("pytest", "", "", "group test", "index"),
        ("ruff", "", "", "group lint", "index"),
    ]
    assert (file.requires_python, file.unread, file.pins[2].extras) == (">=3.10", (), ("a", "x"))
    assert all(points_at(STANDARD, pin).lower().startswith(pin.name) for pin in file.pins)


def test_what_includes_other_groups_is_installed_with_them():
    assert read(source(STANDARD)).scopes == (
        ("extra all", "extra extra-two", "extra metal"),
        ("extra metal", "group lint", "group test"),
    )


def test_another_entry_and_another_set_change_nothing_else():
    rows = list(spliced(read, STANDARD, "pyproject.toml"))

    assert [row[0].name for row in rows] == [
        "numpy", "tensorflow", "keras", "tensorflow-metal", "six", "scipy", "pytest", "ruff",
    ]  # fmt: skip
    for pin, more, other in rows:
        assert more == ([], [("zzz", "<2")])
        assert other == ([(pin.name, pin.specifier)], [(pin.name, ">=77")])


def test_a_comment_stays_on_its_line():
    text = '[project]\ndependencies = [\n  "a==1",  # why a\n  "b==1"  # why b\n]\n'
    one, two = read(source(text)).pins

    def beside(pin):
        entry = f"{pin.writing.joint}{pin.writing.opening}z{pin.writing.closing}"
        return text[: pin.writing.entry_end] + entry + text[pin.writing.entry_end :]

    assert '"a==1",  # why a\n  "z",\n  "b==1"  # why b\n' in beside(one)
    assert '"a==1",  # why a\n  "z",\n  "b==1"  # why b\n' in beside(two)


def test_line_ends_are_kept():
    text = '[project]\r\ndependencies = [\r\n  "a==1",\r\n]\r\n'
    (pin,) = read(source(text)).pins

    assert pin.writing.joint == "\r\n  "
    assert text[: pin.writing.entry_end].endswith('"a==1",')


def test_a_string_with_escapes_is_written_only_before_the_first():
    text = '[project]\ndependencies = ["a==1; os_name == \\"x\\"", "b\\u003d=1", """\na==1"""]\n'
    file = read(source(text))

    assert [(pin.name, pin.specifier, pin.writing is not None) for pin in file.pins] == [
        ("a", "==1", True),
        ("b", "==1", False),
        ("a", "==1", True),
    ]


def test_groups_that_include_each_other_or_nothing_are_told():
    text = '[dependency-groups]\na = [{include-group = "b"}]\nb = [{include-group = "a"}, "x"]\nc = [{include-group = "d"}, 3, {x = 1}]\n'
    file = read(source(text))

    assert [(row.line, row.text, row.why) for row in file.unread] == [
        (4, "d", "no such dependency group"),
        (4, "3", "not a requirement"),
        (4, "{'x': 1}", "not a requirement"),
        (2, "b", "the group includes itself"),
        (3, "a", "the group includes itself"),
    ]
    assert pinned(file) == [("x", "", "", "group b", "index")]


def test_what_builds_the_project_counts_where_it_is_tensorflow():
    text = '[build-system]\nrequires = ["setuptools", "tensorflow==2.18.1"]\n'

    assert pinned(read(source(text))) == [
        ("setuptools", "", "", "build", "index"),
        ("tensorflow", "==2.18.1", "", "build", "index"),
    ]


def test_a_python_spelled_as_poetry_does_is_understood():
    assert read(source('[project]\nrequires-python = "3.12.*"\n')).requires_python == "==3.12.*"
    assert read(source('[project]\nrequires-python = "3.?"\n')).requires_python is None


@given(spoilt(STANDARD) | st.text(max_size=80))
def test_whatever_the_file_holds_it_is_read(text):
    is_sound(read(source(text)), text)
