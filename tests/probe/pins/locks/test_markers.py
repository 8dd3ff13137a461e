"""Markers joined and limited say the same as before, in fewer words, and never less."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.markers import Marker

from compat.probe.pins.locks import markers

PYTHONS = ("3.9.1", "3.10.0", "3.11.4", "3.11.5", "3.12.2", "3.13.0")
WORLDS = [
    {
        "python_version": full.rsplit(".", 1)[0],
        "python_full_version": full,
        "sys_platform": system,
        "platform_machine": machine,
    }
    for full, system, machine in itertools.product(PYTHONS, ("darwin", "linux", "win32"), ("arm64", "x86_64"))
]
atoms = st.sampled_from(
    [
        "sys_platform == 'darwin'",
        "sys_platform != 'darwin'",
        "sys_platform == 'linux'",
        "platform_machine == 'arm64'",
        "python_full_version >= '3.11'",
        "python_full_version < '3.11.5'",
        "python_full_version == '3.11.*'",
        "python_full_version == '3.11.4'",
        "python_version >= '3.12'",
        "python_version < '3.12'",
        "python_version == '3.12'",
        "python_version > '3.10'",
    ]
)
rows = st.lists(atoms, min_size=1, max_size=3).map(" and ".join)
written = st.lists(rows, min_size=1, max_size=4).map(lambda parts: " or ".join(f"({part})" for part in parts))


def worlds(marker):
    parsed = Marker(marker) if marker else None
    return [number for number, world in enumerate(WORLDS) if parsed is None or parsed.evaluate(world)]


def told(reach):
    return [] if reach == markers.NEVER else worlds(markers.text(reach))


@given(written)
def test_a_marker_keeps_its_meaning(marker):
    reach = markers.parsed(marker)

    assert told(reach) == (
        worlds(marker) if markers.text(reach) or reach in {markers.ALWAYS, markers.NEVER} else list(range(len(WORLDS)))
    )


@settings(deadline=None)  # the first answers parse markers
@given(written, written)
def test_joined_and_limited_never_say_less(left, right):
    either = markers.either(markers.parsed(left), markers.parsed(right))
    both = markers.both(markers.parsed(left), markers.parsed(right))

    assert set(told(either)) >= {*worlds(left), *worlds(right)}
    assert set(told(both)) >= set(worlds(left)) & set(worlds(right))


@pytest.mark.parametrize(
    "marker, expected",
    [
        ("", ""),
        ("sys_platform == 'darwin' or sys_platform != 'darwin'", ""),
        ("python_full_version < '3.11' or python_full_version >= '3.11'", ""),
        (
            "(python_full_version >= '3.11' and sys_platform == 'a') or (python_full_version >= '3.11' and sys_platform != 'a')",
            "python_full_version >= '3.11'",
        ),
        ("extra == 'x' and sys_platform == 'darwin'", "sys_platform == 'darwin'"),
        ("sys_platform == 'darwin' and extra != 'extra-4-demo-old'", "sys_platform == 'darwin'"),
        ("'ml' in extras", ""),
        ("python_version == '3.11'", "python_full_version < '3.12' and python_full_version >= '3.11'"),
        ("a == 'x' and (b == 'y' or c == 'z')", "(b == 'y' or c == 'z') and a == 'x'"),
        (" or ".join(f"platform_release == '{number}'" for number in range(20)), ""),
    ],
)
def test_fewer_words(marker, expected):
    assert markers.text(markers.parsed(marker)) == expected


def test_extras_and_groups_are_told_apart():
    assert markers.groups("extra == 'ml' and os_name == 'nt' or 'dev' in dependency_groups or 'x' in extras") == {
        "extra ml",
        "extra x",
        "group dev",
    }


@given(st.text("()'\" andorextr=<>3.1_ython", max_size=60))
def test_any_text_is_taken(marker):
    markers.text(markers.parsed(marker))
    markers.groups(marker)
