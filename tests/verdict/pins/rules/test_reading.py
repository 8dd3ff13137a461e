"""What could not be read, is not judged, or is for another architecture."""

import pytest

from compat.facts.pins import Image, Included, Pin, PinFile, Unread
from compat.verdict.pins.judge import judge
from tests.verdict.pins.judged import MATRIX, judged


def of(file):
    (row,) = judge([file], MATRIX)
    return [(finding.id, finding.severity.value, finding.line, finding.column) for finding in row.findings]


def test_a_file_that_cannot_be_read_is_one_finding():
    assert of(PinFile(path="x", kind="unknown", problem="not text", problem_line=3, problem_column=2)) == [
        ("PIN500", "error", 3, 2)
    ]


def test_a_file_of_no_known_format_is_judged_by_nobody():
    assert of(PinFile(path="x", kind="unknown")) == []


@pytest.mark.parametrize(
    "image, expected",
    [
        (Image(name="python:3.11", line=1, column=1, platform="linux/amd64"), [("PIN541", "warning", 1, 1)]),
        (Image(name="python:3.11", line=1, column=1), []),
        (Image(name="nvidia/cuda:12.3", line=1, column=1, platform="linux/amd64", cuda=True), []),
    ],
)
def test_an_image_for_another_architecture(image, expected):
    pin = Pin(name="tensorflow", specifier="==2.21.0", marker="", line=2, column=9)
    file = PinFile(path="Dockerfile", kind="dockerfile", pins=(pin,), images=(image,), platforms=("linux-x86_64",))

    assert of(file) == expected


def test_an_image_without_tensorflow_is_nobody_s_business():
    image = Image(name="python:3.11", line=1, column=1, platform="linux/amd64")

    assert of(PinFile(path="Dockerfile", kind="dockerfile", images=(image,))) == []


@pytest.mark.parametrize("origin, channel", [("conda", "conda-forge"), ("conda", ""), ("private", ""), ("vcs", "")])
def test_what_comes_from_elsewhere_is_said_to_be_not_checked(origin, channel):
    pin = Pin(name="tensorflow", specifier="", marker="", line=4, column=5, origin=origin, channel=channel)

    assert of(PinFile(path="environment.yml", kind="conda", pins=(pin,))) == [("PIN560", "info", 4, 5)]


def test_a_placeholder_is_seen_and_not_judged():
    rows = judged("tensorflow==${TF}\ntensorflow-metal==1.2.0\n")

    assert [(row.id, row.line) for row in rows] == [("PIN561", 1)]


@pytest.mark.parametrize(
    "row, expected",
    [
        (
            Unread(line=2, column=1, text="-r other.txt", why="the file it includes is not there"),
            [("PIN562", "warning", 2, 1)],
        ),
        (Unread(line=2, column=1, text="docker compose up", why="not a requirement"), [("PIN561", "info", 2, 1)]),
        (Unread(line=2, column=1, text="./mine", why="a path or an address: its versions are not known"), []),
    ],
)
def test_pieces_that_were_not_understood(row, expected):
    assert of(PinFile(path="requirements.txt", kind="requirements", unread=(row,))) == expected


def test_an_included_file_that_cannot_be_read():
    inner = PinFile(path="b.txt", kind="unknown", problem="not text")

    assert of(PinFile(path="a.txt", kind="requirements", included=(Included(file=inner, line=1, column=4),))) == [
        ("PIN562", "warning", 1, 4)
    ]


def test_the_end_of_a_chain_of_includes_is_told_where_it_is():
    lost = Unread(line=3, column=4, text="c.txt", why="the file it includes is not there")
    inner = PinFile(path="b.txt", kind="requirements", unread=(lost,))
    outer = PinFile(path="a.txt", kind="requirements", included=(Included(file=inner, line=1, column=4),))
    (row,) = judge([outer], MATRIX)

    assert [(found.id, found.path, found.line) for found in row.findings] == [("PIN562", "b.txt", 3)]


def test_a_file_that_includes_itself():
    round_ = Unread(line=1, column=4, text="a.txt", why="includes itself")

    assert of(PinFile(path="a.txt", kind="requirements", unread=(round_,))) == [("PIN562", "warning", 1, 4)]
