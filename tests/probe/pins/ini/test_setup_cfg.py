import pytest
from hypothesis import given

from compat.probe.pins.ini.setup_cfg import read
from compat.probe.pins.source import Source
from tests.probe.pins.reading import assert_read, mutated, named, rows, source, takes_another_behind_each

TEXT = """\
[metadata]
name = tensorflow
[options]
python_requires = >=3.9,<3.12
install_requires =
    numpy<2
    # tensorflow-macos
    tensorflow>=2.13; sys_platform != "darwin"  # elsewhere
setup_requires = setuptools; wheel
[options.extras_require]
metal =
    tensorflow-metal ==1.1.0
[tool:pytest]
addopts =
    tensorflow
"""


def test_requirements_are_told_with_their_groups():
    file = read(source("setup.cfg", TEXT))

    assert rows(file) == [
        (6, 5, "numpy", "<2", ""),
        (8, 5, "tensorflow", ">=2.13", 'sys_platform != "darwin"'),
        (9, 18, "setuptools", "", ""),
        (9, 30, "wheel", "", ""),
        (12, 5, "tensorflow-metal", "==1.1.0", ""),
    ]
    assert [pin.group for pin in file.pins] == ["", "", "build", "build", "extra metal"]
    assert file.requires_python == ">=3.9,<3.12"


def test_files_named_for_requirements_are_read(tmp_path):
    (tmp_path / "base.txt").write_text("numpy<2\n")
    (tmp_path / "ml.txt").write_text("keras\n")
    text = "[options]\ninstall_requires = file: base.txt\n[options.extras_require]\nml = file: ml.txt, none.txt\n"

    file = read(Source(tmp_path / "setup.cfg", text))

    assert [(one.line, one.column, [pin.name for pin in one.file.pins]) for one in file.included] == [
        (2, 26, ["numpy"]),
        (4, 12, ["keras"]),
    ]
    assert [(one.line, one.text) for one in file.unread] == [(4, "none.txt")]


def test_a_broken_file_says_where():
    file = read(source("setup.cfg", "[options]\nnonsense\n"))

    assert (file.problem, file.problem_line) == ("neither a section nor an option", 2)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        "[options]\ninstall_requires = numpy<2",
        "[options]\ninstall_requires = numpy; keras<3\n",
        "[options]\ninstall_requires = numpy\n  keras<3 # c\n",
    ],
    ids=["lines", "CRLF", "one", "semicolons", "both"],
)
def test_another_requirement_can_follow_each(text):
    assert takes_another_behind_each(read, "setup.cfg", text) >= 1


def test_the_specifier_is_where_it_is_written():
    writing = named(read(source("setup.cfg", TEXT)), "tensorflow-metal").writing

    assert TEXT[writing.specifier.start : writing.specifier.end] == "==1.1.0"


@given(mutated(TEXT))
def test_no_text_raises(text):
    assert_read(read, "setup.cfg", text)
