import pytest
from hypothesis import given

from compat.probe.pins.code.script import read
from tests.probe.pins.reading import assert_read, mutated, named, rows, source, takes_another_behind_each

TEXT = """\
#!/usr/bin/env -S uv run
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "numpy",
#   "tensorflow-macos==2.15.0; sys_platform == 'darwin'",  # pinned
#   "keras<3" # last
# ]
#
# [tool.uv]
# constraint-dependencies = ["protobuf<5"]
# ///
\"\"\"dependencies = [ \"\"\"
"""


def test_the_headers_requirements_stand_where_the_file_has_them():
    file = read(source("train.py", TEXT))

    assert rows(file) == [
        (5, 6, "numpy", "", ""),
        (6, 6, "tensorflow-macos", "==2.15.0", "sys_platform == 'darwin'"),
        (7, 6, "keras", "<3", ""),
        (11, 31, "protobuf", "<5", ""),
    ]
    assert (file.requires_python, named(file, "protobuf").constraint) == (">=3.11", True)


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n")], ids=["LF", "CRLF"])
def test_another_requirement_can_follow_each_as_a_comment(text):
    assert takes_another_behind_each(read, "train.py", text) == 4


def test_a_header_that_does_not_end_is_none():
    assert read(source("train.py", '# /// script\n# dependencies = ["numpy"]\nx = 1\n# ///\n')).pins == ()


def test_broken_toml_is_a_problem_with_its_place():
    file = read(source("train.py", "#!x\n# /// script\n# dependencies = [\n# a b\n# ///\n"))

    assert file.problem is not None
    assert file.problem_line == 4


@given(mutated(TEXT))
def test_no_text_raises(text):
    assert_read(read, "train.py", text)
