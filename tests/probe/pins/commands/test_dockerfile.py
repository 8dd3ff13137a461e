"""An image's stages, what it is built on, and what is installed into it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.probe.pins.commands.dockerfile import read
from compat.probe.pins.source import Source

STAGES = """\
# syntax=docker/dockerfile:1
ARG PY=3.11
FROM --platform=linux/amd64 python:${PY}-slim AS base
ARG TF=2.15.0
RUN apt-get update \\
    # a comment; it isn't code

    && pip install "tensorflow==${TF}" numpy
FROM tensorflow/tensorflow:2.13.0-gpu
RUN <<EOF
pip install keras
EOF
RUN ["pip", "install", "h5py==3.1"]
FROM base AS last
COPY <<EOF /x
pip install no
EOF
RUN if [ "$A" ]; then pip install scipy; fi
"""


def of(text):
    return read(Source(Path("/nowhere/Dockerfile"), text))


def test_stages_and_their_pins():
    file = of(STAGES)

    assert [(p.name, p.specifier, p.admits, p.line, p.group) for p in file.pins] == [
        ("tensorflow", "==${TF}", ("==2.15.0",), 8, "stage base"),
        ("numpy", "", None, 8, "stage base"),
        ("tensorflow", "==2.13.0", None, 9, "stage 1"),
        ("keras", "", None, 11, "stage 1"),
        ("h5py", "==3.1", None, 13, "stage 1"),
        ("scipy", "", None, 18, "branch at line 18"),
    ]
    assert ("stage base", "stage last", "branch at line 18") in file.scopes
    assert [(row.version, row.group) for row in file.pythons] == [("3.11", "stage base")]
    assert [(row.name, row.platform, row.cuda) for row in file.images] == [
        ("python:3.11-slim", "linux/amd64", False),
        ("tensorflow/tensorflow:2.13.0-gpu", "", True),
    ]
    assert (file.platforms, file.platforms_why) == (("linux-x86_64",), "a container runs Linux")


@pytest.mark.parametrize(
    "head, platforms",
    [
        ("FROM python:3.11", ("linux-x86_64", "linux-aarch64")),
        ("FROM --platform=linux/arm64 python:3.11", ("linux-aarch64",)),
        ("FROM --platform=$BUILDPLATFORM python:3.11", ("linux-x86_64", "linux-aarch64")),
        ("FROM mcr.microsoft.com/windows/servercore", ("windows-amd64",)),
    ],
)
def test_platforms(head, platforms):
    assert of(f"{head}\nRUN pip install a\n").platforms == platforms


@pytest.mark.parametrize(
    "image, version",
    [
        ("python:3.11-slim", "3.11"),
        ("mcr.microsoft.com/devcontainers/python:1-3.12", "3.12"),
        ("ghcr.io/astral-sh/uv:python3.12-bookworm", "3.12"),
        ("python:3", None),
        ("ubuntu:22.04", None),
    ],
)
def test_the_python_of_an_image(image, version):
    assert [row.version for row in of(f"FROM {image}\n").pythons] == ([version] if version else [])


def test_one_stage_is_no_group_and_can_be_edited():
    text = "FROM python:3.11\r\nRUN pip install \\\r\n    tensorflow==2.9\r\n"
    (pin,) = of(text).pins

    assert pin.group == ""
    assert text[pin.writing.specifier.start : pin.writing.specifier.end] == "tensorflow==2.9"


def test_the_other_escape_character():
    (pin,) = of("# escape=`\nFROM x\nRUN pip install `\n  a==1\n").pins

    assert (pin.name, pin.line) == ("a", 4)


@settings(deadline=None)
@given(st.integers(0, len(STAGES)), st.text(max_size=8))
def test_a_mutilated_file_is_read_without_raising(at, put):
    of(STAGES[:at] + put + STAGES[at + len(put) :])
    of(put + STAGES[at:])
