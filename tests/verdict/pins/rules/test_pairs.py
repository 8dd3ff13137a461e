"""TensorFlow and the plugin: the answers are those of the releases on the index and of the wheels' binaries."""

from types import SimpleNamespace

import pytest

from compat.verdict.pins.pairing import upper_bound
from tests.verdict.pins.judged import ids, judged, told


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tensorflow==2.18.1\ntensorflow-metal==1.2.0\n", []),
        ("tensorflow==2.18.1\ntensorflow-metal==1.1.0\n", [("PIN501", "error")]),
        ("tensorflow==2.20.0\ntensorflow-metal\n", [("PIN501", "error")]),
        ("tensorflow>=2.20,<3\ntensorflow-metal>=1.1\n", [("PIN501", "error")]),
        ("tensorflow>=2.16\ntensorflow-metal\n", [("PIN502", "warning")]),
        ("tensorflow\ntensorflow-metal\n", [("PIN502", "warning")]),
        ("tensorflow~=2.18.0\ntensorflow-metal\n", []),
        ("tensorflow-macos==2.12.0\ntensorflow-metal==0.8.0\n", []),
        ("tensorflow-metal==1.2.0\n", [("PIN504", "warning")]),
        ("tensorflow-metal==1.2.0\ntensorflow==2.19.1\n", []),
        ("numpy<2\n", []),
        ("tensorflow==2.21.0\n", []),
        ("tensorflow==2.20.0; sys_platform == 'linux'\ntensorflow-metal==1.2.0; sys_platform == 'linux'\n", None),
    ],
)
def test_pairs(text, expected):
    if expected is None:  # a plugin that is only asked for on Linux never fails for the Mac
        assert all(row.targets == ("linux-x86_64",) for row in judged(text))
    else:
        assert told(text) == expected


def test_a_pair_that_cannot_load_names_the_missing_symbol_and_the_release_that_can():
    (finding,) = judged("tensorflow==2.18.1\ntensorflow-metal==1.1.0\n")

    assert finding.line == 2
    assert "__ZN3tsl8internal10LogMessageC1EPKcii" in finding.message
    assert "tensorflow-metal 1.2.0 can" in finding.message
    assert [(cure.pin.name, cure.specifier) for cure in finding.cures] == [("tensorflow-metal", "==1.2.0")]


def test_where_no_plugin_can_the_newest_pair_that_does_is_named():
    (finding,) = judged("tensorflow==2.20.0\ntensorflow-metal\n")

    assert finding.line == 1  # the plugin is open: TensorFlow's pin is what keeps every pair out
    assert "TensorFlow 2.19.1 with 1.2.0" in finding.message
    assert [(cure.pin.name, cure.specifier) for cure in finding.cures] == [("tensorflow", "==2.19.1")]


def test_an_open_bound_says_what_would_be_taken_and_the_bound_to_add():
    (finding,) = judged("tensorflow>=2.16\ntensorflow-metal>=1.1\n")

    assert "today these pins take TensorFlow 2.21.0 and tensorflow-metal 1.2.0" in finding.message
    assert "add tensorflow<2.20" in finding.message
    assert [(cure.pin.name, cure.specifier) for cure in finding.cures] == [("tensorflow", ">=2.16,<2.20")]


@pytest.mark.parametrize("version, bound", [("2.15.0", "<=2.15.0"), ("2.15.1", "<2.16"), ("2.13.1", "<2.14")])
def test_a_bound_leaves_out_later_patch_releases_that_do_not_work(version, bound):
    # tensorflow-macos 2.15.0 holds TensorFlow, 2.15.1 does not: "<2.16" would take that
    offers = SimpleNamespace(installable=lambda *_: ("2.16.2", "2.15.1", "2.15.0", "2.13.1"))
    case = SimpleNamespace(offers=offers, situation=SimpleNamespace(target=lambda python: python))

    assert upper_bound(SimpleNamespace(name="tensorflow-macos"), version, SimpleNamespace(python="3.11"), case) == bound


def test_the_plugin_alone_is_told_which_tensorflow_to_put_beside_it():
    (finding,) = judged("tensorflow-metal==1.0.1; sys_platform == 'darwin'\n")

    assert "add tensorflow==2.13.1" in finding.message or "add tensorflow==2.14.0" in finding.message
    assert finding.cures[0].add.endswith("; sys_platform == 'darwin'")


def test_a_constraint_on_tensorflow_is_a_pin_beside_the_plugin(tmp_path):
    from compat.probe.pins.read import read
    from compat.verdict.pins.judge import judge
    from tests.verdict.pins.judged import MATRIX

    (tmp_path / "constraints.txt").write_text("tensorflow==2.18.1\n")
    (tmp_path / "requirements.txt").write_text("-c constraints.txt\ntensorflow-metal==1.2.0\n")
    (row,) = judge([read(tmp_path / "requirements.txt")], MATRIX)

    assert "PIN504" not in [finding.id for finding in row.findings]


def test_off_the_table_is_a_remark_and_a_patch_release_of_a_named_one_is_none():
    assert "PIN507" in ids("tensorflow==2.16.2\ntensorflow-metal==1.2.0\n")
    assert "PIN507" not in ids("tensorflow==2.16.2\ntensorflow-metal==1.1.0\n")
    assert "PIN507" not in ids("tensorflow-macos==2.13.0\ntensorflow-metal==1.0.1\n")


@pytest.mark.parametrize(
    "text, severity",
    [
        # OBS017: seen to fail in training, and named by nobody
        ("tensorflow-macos==2.9.0\ntensorflow-metal==0.6.0\nnumpy<2\nprotobuf<3.20\n", "error"),
        # OBS047 against the vendor's own table
        ("tensorflow-macos==2.7.0\ntensorflow-metal==0.3.0\nnumpy<2\nprotobuf<3.20\n", "warning"),
        # the loss of 200 trillion
        ("tensorflow==2.13.0\ntensorflow-metal==1.0.1\n", "warning"),
    ],
)
def test_what_people_saw_of_the_very_pair(text, severity):
    (seen,) = [row for row in judged(text) if row.id == "PIN505"]

    assert seen.severity.value == severity


def test_a_pair_that_loads_and_cannot_train_is_an_error():
    rows = judged("tensorflow-macos==2.11.0\ntensorflow-metal==0.7.0\nnumpy<2\n")

    assert [row.severity.value for row in rows if row.id == "PIN506" and "ISS004" in row.message] == ["error"]


def test_a_plugin_beside_an_optional_tensorflow_is_left_to_people():
    text = """[project]
name = "x"
version = "1"
dependencies = ["tensorflow-metal==1.2.0"]
[project.optional-dependencies]
tf = ["tensorflow==2.18.1"]
"""
    (row,) = [row for row in judged(text, "pyproject.toml") if row.id == "PIN504"]

    assert "line 6 pins tensorflow for extra tf" in row.message
    assert row.cures == ()


def test_nobody_is_sent_to_a_pair_that_loads_and_cannot_train():
    # 0.7.x is what loads on 2.11, and it cannot train there (ISS004): 2.10 with 0.6.0 is the newest pair below
    (row,) = [row for row in judged("tensorflow-macos>=2.9,<2.12\ntensorflow-metal<0.8\n") if row.id == "PIN502"]

    assert "2.10.0 with 0.6.0 can" in row.message


@pytest.mark.parametrize(
    "marker, rest",
    [
        ("sys_platform == 'darwin'", "sys_platform != 'darwin'"),
        (
            'sys_platform=="darwin" and platform_machine == "arm64"',
            None,  # written otherwise than people do: the bound then holds for all
        ),
        (
            'sys_platform == "darwin" and platform_machine == "arm64"',
            "sys_platform != 'darwin' or platform_machine != 'arm64'",
        ),
    ],
)
def test_a_plugin_for_macs_only_bounds_tensorflow_for_macs_only(marker, rest):
    (row,) = [row for row in judged(f"tensorflow>=2.16\ntensorflow-metal; {marker}\n") if row.id == "PIN502"]
    (cure,) = row.cures

    if rest is None:
        assert (cure.specifier, cure.marker) == (">=2.16,<2.20", "")
    else:
        assert cure.marker == rest
        assert cure.add == f"tensorflow>=2.16,<2.20; {marker}".replace('"', "'")


def test_two_tensorflows_have_no_pair_of_their_own():
    (row, *_) = judged("tensorflow==2.20.0\ntensorflow-macos\ntensorflow-metal\n")

    assert (row.id, row.severity.value) == ("PIN501", "error")


@pytest.mark.parametrize("line", ["-e .", ".", "./mine", "git+https://example.org/mine"])
def test_a_project_of_one_s_own_may_bring_tensorflow(line):
    assert "PIN504" not in ids(f"{line}\ntensorflow-metal==1.2.0\n")


def test_other_exact_pins_that_keep_the_pair_out_are_said_to():
    (row, *_) = judged("tensorflow==2.20.0\ntensorflow-metal\nprotobuf==6.31.1\n")

    assert "TensorFlow 2.19.1 is the newest that one loads on, and other pins keep it out" in row.message
    assert row.cures == ()
