"""Cures into edits: the smallest ones, and none where a file must not be edited."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat.plan.amend import Edit, amendment, applied, for_finding
from compat.probe.pins import read
from compat.probe.pins.source import Source
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import Cure, JudgedFile, PinFinding


def opened(text, name="requirements.txt"):
    return read.parse(Source(Path(name), text))


def finding(*cures, rule="PIN501"):
    return PinFinding(id=rule, severity=Severity.ERROR, line=1, column=1, message="m", cures=cures)


def cure(file, of, **rest):
    pin = next(pin for pin in file.pins if pin.name == of)
    return Cure(path=file.path, pin=pin, **rest)


def plan(text, *findings, name="requirements.txt"):
    """Carry out findings, each made from the file as it is read."""
    file = opened(text, name)
    made = tuple(one(file) for one in findings)
    return amendment([JudgedFile(file=file, findings=made)], {file.path: text})


def mended(text, *findings, name="requirements.txt"):
    found = plan(text, *findings, name=name)
    assert found.refusals == ()
    return applied(text, found.edits)


def bound(name, specifier):
    return lambda file: finding(cure(file, name, specifier=specifier))


def beside(name, requirement):
    return lambda file: finding(cure(file, name, add=requirement))


def test_a_bound_is_added_and_everything_else_stays():
    text = "# pins\r\ntensorflow>=2.16   # the model\r\nnumpy\r\n"

    assert mended(text, bound("tensorflow", ">=2.16,<2.20")) == text.replace(">=2.16", ">=2.16,<2.20")


def test_a_bound_that_is_added_is_an_edit_of_that_alone():
    (edit,) = plan("tensorflow>=2.16\n", bound("tensorflow", ">=2.16,<2.20")).edits

    assert (edit.start, edit.end, edit.text) == (16, 16, ",<2.20")


def test_an_entry_is_added_below():
    assert mended("tensorflow==2.16.2", beside("tensorflow", "numpy<2")) == "tensorflow==2.16.2\nnumpy<2"
    assert mended("a\r\ntensorflow\r\nb\r\n", beside("tensorflow", "numpy<2")) == "a\r\ntensorflow\r\nnumpy<2\r\nb\r\n"


def test_an_entry_comes_behind_the_bound_that_is_added_at_the_same_place():
    found = mended("tensorflow\n", beside("tensorflow", "numpy<2"), bound("tensorflow", "<2.20"))

    assert found == "tensorflow<2.20\nnumpy<2\n"


def test_the_same_edit_asked_for_twice_is_made_once():
    assert (
        mended(
            "tensorflow\n",
            beside("tensorflow", "numpy<2"),
            beside("tensorflow", "numpy<2"),
            bound("tensorflow", "<2.20"),
            bound("tensorflow", "<2.20"),
        )
        == "tensorflow<2.20\nnumpy<2\n"
    )


def test_two_different_entries_may_follow_one_another():
    found = mended("tensorflow\n", beside("tensorflow", "numpy<2"), beside("tensorflow", "protobuf<5"))

    assert found == "tensorflow\nnumpy<2\nprotobuf<5\n"


@pytest.mark.parametrize(
    "first, second",
    [
        (bound("tensorflow", "==2.16.2"), bound("tensorflow", "==2.18.1")),
        (beside("tensorflow", "numpy<2"), beside("tensorflow", "numpy<1.24")),
    ],
)
def test_of_two_cures_that_contradict_the_first_is_carried_out(first, second):
    found = plan("tensorflow==2.15.1\n", first, second)

    assert found.edits == plan("tensorflow==2.15.1\n", first).edits
    assert [row.why for row in found.refusals] == ["another edit of the same place comes first: run it again"]


def test_half_a_cure_is_not_carried_out():
    def both(file):
        locked = replace(next(pin for pin in file.pins if pin.name == "keras"), writing=None)
        return finding(
            cure(file, "tensorflow", specifier="==2.16.2"), Cure(path=file.path, pin=locked, specifier="==3")
        )

    found = plan("tensorflow==2.15.1\nkeras==2\n", both)

    assert found.edits == ()
    assert [(row.line, row.id) for row in found.refusals] == [(2, "PIN501")]


def test_a_name_is_replaced_where_it_stands():
    text = "numpy\nTensorFlow_macOS == 2.15.1 ; python_version > '3.9'\n"

    def shell(file):
        return finding(cure(file, "tensorflow-macos", name="tensorflow", specifier="==2.15.1"))

    assert mended(text, shell) == text.replace("TensorFlow_macOS", "tensorflow")


def test_a_line_with_hashes_is_not_edited():
    text = "tensorflow==2.15.1 \\\n    --hash=sha256:" + "0" * 64 + "\nnumpy\n"
    found = plan(text, bound("tensorflow", "==2.16.2"))

    assert found.edits == ()
    assert "its hashes would no longer fit" in found.refusals[0].why
    assert "pip-compile --generate-hashes" in found.refusals[0].why


def test_hashes_of_the_next_requirement_are_not_this_ones():
    text = "numpy\ntensorflow==2.15.1 \\\n    --hash=sha256:" + "0" * 64 + "\n"

    assert mended(text, bound("numpy", "<2")).startswith("numpy<2\n")


def test_a_lock_file_is_not_edited_and_the_command_that_locks_again_is_named():
    file = replace(opened("tensorflow==2.15.1\n"), is_lock=True, relock="uv lock --upgrade-package tensorflow")
    row = JudgedFile(file=file, findings=(finding(cure(file, "tensorflow", specifier="==2.16.2")),))

    found = amendment([row], {file.path: "tensorflow==2.15.1\n"})
    assert found.edits == ()
    assert "uv lock --upgrade-package tensorflow" in found.refusals[0].why


def test_an_included_file_is_edited_where_the_pin_stands(tmp_path):
    (tmp_path / "base.txt").write_text("tensorflow==2.15.1\n")
    text = "-r ./base.txt\n"
    file = read.parse(Source(tmp_path / "requirements.txt", text))
    base = file.included[0].file
    row = JudgedFile(file=file, findings=(finding(cure(base, "tensorflow", specifier="==2.16.2")),))

    (edit,) = amendment([row], {str(tmp_path / "base.txt"): "tensorflow==2.15.1\n"}).edits
    assert (edit.path, edit.text) == (str(tmp_path / "base.txt"), "==2.16.2")


def test_a_file_whose_text_is_not_known_is_not_edited():
    file = opened("tensorflow\n")
    row = JudgedFile(file=file, findings=(finding(cure(file, "tensorflow", specifier="<2.20")),))

    assert amendment([row], {}).edits == ()
    assert for_finding(row.findings[0], {file.path: file}, {}) == ()


POETRY = """[tool.poetry.dependencies]
python = ">=3.9,<3.12"
tensorflow = { version = "2.9.0", markers = "sys_platform != 'darwin'" }
tensorflow-macos = { version = "2.9.0", markers = "sys_platform == 'darwin'" }
"""


def test_a_table_does_not_get_a_key_twice():
    found = plan(
        POETRY,
        beside("tensorflow-macos", "numpy<2; sys_platform == 'darwin'"),
        beside("tensorflow", "numpy<2; sys_platform != 'darwin'"),
        shelled,
        name="pyproject.toml",
    )

    assert applied(POETRY, found.edits) == POETRY + (
        """numpy = { version = "<2", markers = 'sys_platform == "darwin"' }\n"""
    )
    assert [row.line for row in found.refusals] == [3, 3]


def shelled(file):
    return finding(cure(file, "tensorflow", name="tensorflow-macos"))


NOT_SILICON = "; sys_platform != 'darwin' or platform_machine != 'arm64'"
SILICON = "; sys_platform == 'darwin' and platform_machine == 'arm64'"


@pytest.mark.parametrize(
    "text, name, expected",
    [
        (
            "tensorflow==2.11.0\n",
            "requirements.txt",
            f"tensorflow==2.11.0{NOT_SILICON}\ntensorflow-macos==2.11.0{SILICON}\n",
        ),
        ("tensorflow==2.11.0\n", "item1.txt", f"tensorflow==2.11.0{NOT_SILICON}\ntensorflow-macos==2.11.0{SILICON}\n"),
        (
            "tensorflow==2.11.0; sys_platform == 'darwin'\n",
            "requirements.txt",
            "tensorflow-macos==2.11.0; sys_platform == 'darwin'\n",
        ),
        ("tensorflow==2.11.0\n", "requirements-m1.txt", "tensorflow-macos==2.11.0\n"),
        ("tensorflow==2.11.0\n", "requirements-arm64.txt", "tensorflow-macos==2.11.0\n"),
        ("tensorflow==2.11.0\ntensorflow-metal\n", "requirements.txt", "tensorflow-macos==2.11.0\ntensorflow-metal\n"),
    ],
)
def test_a_name_only_macs_have_leaves_others_what_they_have(text, name, expected):
    found = plan(text, shelled, name=name)

    assert (applied(text, found.edits), found.refusals) == (expected, ())


def test_a_condition_beside_another_one_is_for_people():
    text = "tensorflow==2.11.0; sys_platform == 'linux'\n"
    found = plan(text, shelled)

    assert found.edits == ()
    assert "by hand" in found.refusals[0].why


def extra(file):
    return finding(
        cure(file, "tensorflow", marker="sys_platform == 'linux'", add="tensorflow; sys_platform != 'linux'")
    )


@pytest.mark.parametrize(
    "text, name, expected",
    [
        (
            "tensorflow[and-cuda]  # gpu\n",
            "requirements.txt",
            "tensorflow[and-cuda]; sys_platform == 'linux'  # gpu\ntensorflow; sys_platform != 'linux'\n",
        ),
        (
            '[project]\nname = "x"\nversion = "1"\ndependencies = ["tensorflow[and-cuda]>=2.16"]\n',
            "pyproject.toml",
            (
                '[project]\nname = "x"\nversion = "1"\ndependencies = '
                "[\"tensorflow[and-cuda]>=2.16; sys_platform == 'linux'\", \"tensorflow; sys_platform != 'linux'\"]\n"
            ),
        ),
        (
            "pip install 'tensorflow[and-cuda]'\n",
            "install.sh",
            "pip install 'tensorflow[and-cuda]; sys_platform == \"linux\"' \"tensorflow; sys_platform != 'linux'\"\n",
        ),
        (
            "pip install tensorflow\n",
            "install.sh",
            "pip install \"tensorflow; sys_platform == 'linux'\" \"tensorflow; sys_platform != 'linux'\"\n",
        ),
    ],
)
def test_a_condition_is_written_in_the_file_s_own_quotes(text, name, expected):
    found = plan(text, extra, name=name)

    assert (applied(text, found.edits), found.refusals) == (expected, ())


def test_edits_are_made_at_their_places_whatever_their_order():
    edits = [
        Edit(path="a", start=4, end=5, text="E"),
        Edit(path="a", start=0, end=1, text="AA"),
        Edit(path="a", start=5, end=5, text="!", entry=True),
        Edit(path="a", start=5, end=5, text="?"),
    ]

    assert applied("abcdef", edits) == "AAbcdE?!f"


NAMES = st.sampled_from(["tensorflow", "TensorFlow_Macos", "tensorflow-metal", "numpy", "keras[tf]", "jax"])
SETS = st.sampled_from(["", "==2.15.1", ">=2.9", " >= 2.9, <3", "~=2.11", "==2.15.*", "(>=2.9)", " != 2.11.1"])
TAILS = st.sampled_from(["", "  # why", "; python_version < '3.12'", ' ; sys_platform == "darwin"   # x', "\t"])
LINES = st.builds("{}{}{}".format, NAMES, SETS, TAILS) | st.sampled_from(
    [
        "",
        "# comment",
        "-r missing.txt",
        "--extra-index-url https://example.org/simple",
        "-e .",
        "git+https://x.org/a",
        "ü ?",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n"])


@given(st.lists(LINES, min_size=1, max_size=8), ENDS, st.booleans(), st.data())
def test_whatever_is_cured_nothing_else_changes(lines, end, last, data):
    text = end.join(lines) + (end if last else "")
    file = opened(text)
    cures = []
    for pin in file.pins:
        wish = data.draw(st.sampled_from(["", "set", "bound", "add"]))
        more = f"{pin.specifier},<2.20" if pin.specifier else "<2.20"
        cures += {
            "": [],
            "set": [Cure(path=file.path, pin=pin, specifier="==2.16.2")],
            "bound": [Cure(path=file.path, pin=pin, specifier=more)],
            "add": [Cure(path=file.path, pin=pin, add="setuptools<82")],
        }[wish]
    row = JudgedFile(file=file, findings=tuple(finding(one) for one in cures))
    found = amendment([row], {file.path: text})
    new = applied(text, found.edits)
    after = opened(new)

    assert found.refusals == ()
    assert _said(after) == [row for pin in file.pins for row in _expected(pin, cures)]
    assert all(_in_its_place(edit, file) for edit in found.edits)
    assert applied(new, amendment([JudgedFile(file=after, findings=())], {after.path: new}).edits) == new


def _expected(pin, cures):
    """The pin as it should read afterwards, and the entry that should follow it."""
    mine = [one for one in cures if one.pin is pin]
    specifier = next((one.specifier for one in mine if one.specifier is not None), pin.specifier)
    yield pin.name, sorted(specifier.split(",")), pin.marker, pin.extras
    for one in mine:
        if one.add:
            yield "setuptools", ["<82"], "", ()


def _said(file):
    return [(pin.name, sorted(pin.specifier.split(",")), pin.marker, pin.extras) for pin in file.pins]


def _in_its_place(edit, file):
    """Tell whether an edit lies within one pin's version set, or is an entry between two lines."""
    if edit.entry:
        return edit.start == edit.end and edit.start in {pin.writing.entry_end for pin in file.pins}
    spans = [pin.writing.specifier for pin in file.pins]
    return any(span.start <= edit.start <= edit.end <= span.end for span in spans)
