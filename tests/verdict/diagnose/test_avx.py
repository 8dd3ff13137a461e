"""The line that misses AVX: what it means turns on the machine."""

import pytest

from tests.verdict.diagnose.telling import drawn, told, top

LINE = "The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine."


@pytest.mark.parametrize(
    "said, name, confidence",
    [
        ("I am on a MacBook Air M2, plain venv", "ISS011", "medium"),
        ("Apple silicon Mac, python 3.9 from python.org", "ISS011", "medium"),
        ("macOS 12.4, no idea which chip", "ISS011", "low"),
        ("Ubuntu 22.04 on an old Pentium", "ISS065", "medium"),
        ("an Intel Mac of 2010, macOS 10.13", "ISS065", "medium"),
    ],
)
def test_outside_a_container_it_is_rosetta_or_the_processor(said, name, confidence):
    found = top(f"{said}\n{LINE}")

    assert (found[0], found[2]) == (name, confidence)


@pytest.mark.parametrize(
    "said",
    [
        "docker run on my Mac M1",
        "FROM --platform=linux/amd64 python, Apple M1",
        "in a podman container on a MacBook Pro M3",
    ],
)
def test_only_where_a_container_is_stated_it_is_the_image(said):
    assert top(f"{said}\n{LINE}")[0] == "ISS058"


def test_a_mac_without_a_container_is_not_told_of_images():
    assert "ISS058" not in {cause.id for cause in told(f"MacBook Air M2\n{LINE}").causes}


def test_only_a_program_for_x86_64_asks_for_avx():
    assert drawn(f"Apple M1\n{LINE}").process == ("x86_64",)
