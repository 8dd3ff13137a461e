"""A requirements file is read as pip reads it, includes and all; what is no requirement is seen and said."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.requirements import InvalidRequirement, Requirement

from compat.facts.pins import Pin
from compat.probe.pins.pip.requirements import LIMIT_DEPTH, read
from compat.probe.pins.requirement import parse
from compat.probe.pins.source import Source

GOOD = """\
# tools
tensorflow[and-cuda] >= 2.16, < 2.17 ; sys_platform == "linux"  # why
-r no-such-file.txt
numpy==1.26.4 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
demo @ https://example.org/demo-1.2-py3-none-any.whl
--extra-index-url https://example.org/simple
"""


def of(text, path="/nowhere/requirements.txt"):
    return read(Source(Path(path), text))


def named(file):
    return [(pin.name, pin.specifier, pin.line, pin.column) for pin in file.pins]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tensorflow==2.18.1\n", [("tensorflow", "==2.18.1", 1, 1)]),
        ("# a comment\n\n  TensorFlow_Metal == 1.2.0  # why\n", [("tensorflow-metal", "==1.2.0", 3, 3)]),
        ("a==1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nb==2\n", [("a", "==1", 1, 1), ("b", "==2", 4, 1)]),
        ("a \\\n  >=1\r\n", [("a", ">=1", 1, 1)]),
        ("a==1\r\nb==2\r\n", [("a", "==1", 1, 1), ("b", "==2", 2, 1)]),
        ("a#b==1\n", []),
        ("a>=1,!= 2.1\n", [("a", ">=1,!=2.1", 1, 1)]),
        ("a\\", [("a", "", 1, 1)]),
        ("-e git+https://example.org/x.git#egg=tensorflow\n", [("tensorflow", "", 1, 4)]),
        ("https://example.org/keras-3.1.0-py3-none-any.whl\n", [("keras", "==3.1.0", 1, 1)]),
        ("a==1 --config-settings x=y\n", [("a", "==1", 1, 1)]),
        ("# \\\na==1\n", [("a", "==1", 2, 1)]),
        ("tensorflow==${TF}\n", [("tensorflow", "==${TF}", 1, 1)]),
        ("b (>=2)\n", [("b", ">=2", 1, 1)]),
    ],
)
def test_lines_are_read_as_pip_reads_them(text, expected):
    assert named(of(text)) == expected


@pytest.mark.parametrize(
    "text, why",
    [
        ("docker compose up\n", "not a requirement"),
        ("./wheels/local\n", "a path or an address: its versions are not known"),
        ("a==1; python_version < '3.9' < '3.10'\n", "its marker is not valid (PEP 508)"),
        ("a==1;\n", "its marker is not valid (PEP 508)"),
        ("a>=1.x\n", "its version set is not valid (PEP 440)"),
        ("-r https://example.org/r.txt\n", "an address is not fetched"),
        ("-r absent.txt\n", "the file it includes is not there"),
        ("-r ${DIR}/r.txt\n", "its name holds a variable"),
        ("a" * 30_000 + "\n", "longer than any requirement"),
        ("a;" + "(" * 5_000 + "\n", "its marker is not valid (PEP 508)"),
    ],
)
def test_what_is_no_requirement_says_why(text, why):
    file = of(text)

    assert ([row.why for row in file.unread], file.pins) == ([why], ())


@pytest.mark.parametrize(
    "option, origin",
    [
        ("--index-url https://packages.example.org/simple", "private"),
        ("-i https://packages.example.org/simple", "private"),
        ("--index-url=https://pypi.org/simple", "index"),
        ("-i https://pypi.tuna.tsinghua.edu.cn/simple", "index"),
        ("--extra-index-url https://packages.example.org/simple", "index"),
        ("--no-index", "private"),
    ],
)
def test_an_index_in_place_of_pypi_makes_every_pin_private(option, origin):
    assert [pin.origin for pin in of(f"a==1\n{option}\nb==2\n").pins] == [origin, origin]


def test_includes_are_read_beside_the_file_that_names_them(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "more.txt").write_text("b==2\n-c limits.txt\n")
    (tmp_path / "sub" / "limits.txt").write_text("c<3\n")
    file = of("a==1\n  -rsub/more.txt\n", tmp_path / "requirements.txt")

    (more,) = file.included
    assert (more.line, more.column, named(more.file)) == (2, 5, [("b", "==2", 1, 1)])
    (limits,) = more.file.included
    assert [(pin.name, pin.constraint) for pin in limits.file.pins] == [("c", True)]


def test_a_loop_of_includes_ends_and_is_said(tmp_path):
    (tmp_path / "a.txt").write_text("-r b.txt\n")
    (tmp_path / "b.txt").write_text("-r a.txt\n-r b.txt\nx==1\n")
    file = of((tmp_path / "a.txt").read_text(), tmp_path / "a.txt")

    (inner,) = file.included
    assert [row.why for row in inner.file.unread] == ["includes itself", "includes itself"]
    assert named(inner.file) == [("x", "==1", 3, 1)]


def test_a_file_included_on_two_ways_is_read_once(tmp_path):
    (tmp_path / "b.txt").write_text("-r d.txt\n")
    (tmp_path / "c.txt").write_text("-r d.txt\n")
    (tmp_path / "d.txt").write_text("x==1\n")
    file = of("-r b.txt\n-r c.txt\n", tmp_path / "a.txt")

    assert [len(row.file.included) for row in file.included] == [1, 0]


def test_a_long_chain_of_includes_is_cut(tmp_path):
    for number in range(LIMIT_DEPTH + 5):
        (tmp_path / f"{number}.txt").write_text(f"-r {number + 1}.txt\n")
    file, depth = of("-r 0.txt\n", tmp_path / "top.txt"), 0
    while file.included:
        file, depth = file.included[0].file, depth + 1

    assert (depth, [row.why for row in file.unread]) == (LIMIT_DEPTH, [f"included more than {LIMIT_DEPTH} deep"])


def test_an_included_file_that_is_not_text_is_a_problem_of_its_own(tmp_path):
    (tmp_path / "b.txt").write_bytes(b"\xfa\xfb\xfc")
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    file = of("-r b.txt\n-r loop.txt\na==1\n", tmp_path / "a.txt")

    assert [row.file.problem is not None for row in file.included] == [True, True]
    assert named(file) == [("a", "==1", 3, 1)]


def test_a_comment_of_silence_in_an_included_file_is_kept(tmp_path):
    (tmp_path / "b.txt").write_text("x==1  # tfcompat: ignore[PIN501]\n")

    assert of("-r b.txt\n", tmp_path / "a.txt").included[0].file.ignores[0].ids == ("PIN501",)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "row", ["tensorflow==2.16.2", "  a >= 1 , < 2 ; sys_platform == 'darwin'  # why", "b", "c \\\n  ==1"]
)
def test_an_edit_at_the_place_told_changes_nothing_else(row, end):
    text = f"first==1{end}{row}{end}last==2{end}"
    pin = of(text).pins[1]
    writing = pin.writing

    replaced = text[: writing.specifier.start] + "==9" + text[writing.specifier.end :]
    more = text[: writing.entry_end] + writing.joint + "numpy<2" + text[writing.entry_end :]

    assert [(p.name, p.specifier) for p in of(replaced).pins] == [("first", "==1"), (pin.name, "==9"), ("last", "==2")]
    assert [p.name for p in of(more).pins] == ["first", pin.name, "numpy", "last"]
    assert more.count(end) == text.count(end) + 1


def test_hashed_and_compiled_lines_are_not_edited():
    assert of("a==1 --hash=sha256:aa\n").pins[0].writing is None
    assert of("# This file is autogenerated by pip-compile with Python 3.9\na==1\n").pins[0].writing is None


@settings(deadline=None)
@given(st.text(alphabet="ab1.=<>!~,;[]() '\"#-_@\\\n", max_size=40))
def test_the_quick_way_agrees_with_packaging(text):
    found = parse(text, 0, Source(Path("r.txt"), text))
    try:
        wanted = Requirement(text.strip())
    except InvalidRequirement:
        wanted = None

    if wanted is not None and wanted.url is None:
        assert isinstance(found, Pin)
        assert set(found.extras) == wanted.extras
        assert Requirement(f"x{found.specifier.strip('()')}").specifier == wanted.specifier
    elif wanted is None and isinstance(found, Pin):
        assert found.admits == () or found.origin != "index"


@settings(deadline=None)
@given(st.integers(0, len(GOOD)), st.text(max_size=8), st.integers(0, len(GOOD)))
def test_a_mutilated_file_is_read_without_raising(cut, put, at):
    text = GOOD[:at] + put + GOOD[at:cut]

    assert all(1 <= pin.line <= text.count("\n") + 1 for pin in of(text).pins)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_without_raising(text):
    assert len(of(text).pins) <= len(text)
