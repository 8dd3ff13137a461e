"""Pins of NumPy, protobuf, Keras and add-ons beside TensorFlow's; uv refuses each of the failing sets."""

import pytest

from tests.verdict.pins.judged import ids, judged, told


@pytest.mark.parametrize(
    "text, expected",
    [
        ("tensorflow==2.17.0\nnumpy==2.1.1\n", [("PIN520", "error")]),
        ("tensorflow==2.18.1\nnumpy==2.0.2\n", []),
        ("tensorflow==2.18.1\nprotobuf>=6\n", [("PIN521", "error")]),
        ("tensorflow==2.18.1\nprotobuf>=4\n", []),
        ("tensorflow==2.16.2\nkeras<3\n", [("PIN522", "error")]),
        ("tensorflow==2.15.1\nkeras>=3\n", [("PIN522", "error")]),
        ("tensorflow==2.18.1\ntf-keras==2.16.0\n", [("PIN522", "error")]),
        ("tensorflow==2.18.1\ntf-keras~=2.18.0\n", []),
        ("tensorflow==2.21.0\nh5py==3.16.0\n", [("PIN523", "error")]),
        ("tensorflow==2.20.0\ntensorflow-text==2.18.1\n", [("PIN531", "error")]),
        ("tensorflow==2.18.1\ntensorflow-text==2.18.1\n", []),
        ("tensorflow>=2.16\nnumpy<2\n", []),
    ],
)
def test_couplings(text, expected):
    assert told(text) == expected


def test_the_requirement_that_decides_is_quoted():
    (finding,) = [row for row in judged("tensorflow==2.17.0\nnumpy==2.1.1\n") if row.id == "PIN520"]

    assert finding.line == 2
    assert "tensorflow 2.17.0 requires numpy" in finding.message


def test_a_range_is_judged_by_what_goes_with_the_other_pins():
    # NumPy 2.1 leaves 2.18 and newer; of these the plugin loads on 2.18 and 2.19
    (finding,) = [row for row in judged("tensorflow\nnumpy>=2.1,<2.2\ntensorflow-metal\n") if row.id == "PIN502"]

    assert "2.19.1 with 1.2.0 can" in finding.message


def test_optimizers_by_name_are_remarked_where_it_matters():
    assert "PIN524" in ids("tensorflow==2.15.1\ntensorflow-metal==1.1.0\n")
    assert "PIN524" not in ids("tensorflow==2.13.0\ntensorflow-metal==1.0.1\n")
    assert "PIN524" not in ids("tensorflow==2.15.1\n")


@pytest.mark.parametrize(
    "text, name, expected",
    [
        # the newest below what was pinned, else the oldest: whoever pinned it meant one like it
        ("tensorflow==2.17.0\nnumpy==2.1.1\n", "numpy", "==1.26.4"),
        (
            "tensorflow==2.18.1\nprotobuf>=6\n",
            "protobuf",
            "!=4.21.0,!=4.21.1,!=4.21.2,!=4.21.3,!=4.21.4,!=4.21.5,<6.0.0dev,>=3.20.3",
        ),
        ("tensorflow==2.16.2\nkeras==2.15.0\n", "keras", "==3.0.0"),
        ("tensorflow==2.18.1\ntensorflow-text==2.16.1\n", "tensorflow-text", "==2.18.1"),  # 2.18.0 has no cp312
        ("tensorflow==2.18.1\ntf-keras==2.16.0\n", "tf-keras", "==2.18.0"),
    ],
)
def test_the_cure_is_what_tensorflow_takes(text, name, expected):
    (row, *_) = [row for row in judged(text) if row.severity.value == "error"]

    assert [(cure.pin.name, cure.specifier) for cure in row.cures] == [(name, expected)]


def test_an_add_on_that_names_its_tensorflow_under_an_extra():
    found = [row for row in judged("tensorflow==2.16.1\ntensorflow-addons==0.23.0\n") if row.id == "PIN531"]

    assert [row.severity.value for row in found] == ["warning"]
    assert not [row for row in judged("tensorflow==2.15.1\ntensorflow-addons==0.23.0\n") if row.id == "PIN531"]


def test_what_tensorflow_brings_itself_is_no_add_on():
    # `uv pip compile` for TensorFlow 2.15.1 pins it beside, whatever window its extras name
    text = "tensorflow==2.15.1\ntensorflow-io-gcs-filesystem==0.37.1\n"

    assert not [row for row in judged(text) if row.id == "PIN531"]
