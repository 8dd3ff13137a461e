"""Pipfile.lock."""

import pytest
from hypothesis import given

from compat.probe.pins.locks.json_locks import read
from tests.probe.pins.toml_hostile import is_sound, pinned, points_at, source, spoilt

LOCK = """\
{
    "_meta": {
        "hash": {"sha256": "00"},
        "requires": {"python_version": "3.11"},
        "sources": [
            {"name": "pypi", "url": "https://pypi.org/simple", "verify_ssl": true},
            {"name": "theirs", "url": "https://example.org/simple"}
        ]
    },
    "default": {
        "colorama": {
            "markers": "sys_platform == 'win32'",
            "version": "*"
        },
        "tensorflow": {
            "hashes": ["sha256:00"],
            "index": "pypi",
            "markers": "python_version >= '3.9'",
            "version": "==2.18.1"
        },
        "torch": {
            "index": "theirs",
            "version": "==2.4.0"
        },
        "own": {
            "git": "https://example.org/own.git",
            "ref": "00"
        }
    },
    "develop": {
        "pytest": {
            "version": "==8.3.4"
        }
    }
}
"""


def test_packages_and_their_places():
    file = read(source(LOCK, "Pipfile.lock"))

    assert pinned(file) == [
        ("colorama", "", "sys_platform == 'win32'", "", "index"),
        ("tensorflow", "==2.18.1", "python_version >= '3.9'", "", "index"),
        ("torch", "==2.4.0", "", "", "private"),
        ("own", "", "", "", "vcs"),
        ("pytest", "==8.3.4", "", "group dev", "index"),
    ]
    assert all(
        points_at(LOCK, pin).startswith(pin.name + '"') and pin.locked and pin.writing is None for pin in file.pins
    )
    assert (file.requires_python, file.is_lock, file.relock) == ("==3.11.*", True, "pipenv lock")


@pytest.mark.parametrize(
    "text", ["", "[]", "[" * 200_000, '{"a":' * 200_000, '{"_meta":' + "9" * 5000 + "}", '{"default": {"a": 3}, ']
)
def test_what_is_none_says_so(text):
    assert read(source(text, "Pipfile.lock")).problem


@pytest.mark.parametrize("text", ["{}", '{"_meta": 3, "default": 3}', '{"default": {"a": 3, "b": {"version": 3}}}'])
def test_a_file_of_another_shape_has_no_pins(text):
    file = read(source(text, "Pipfile.lock"))

    assert (file.pins, file.problem) == ((), None)


@given(spoilt(LOCK))
def test_whatever_the_file_holds_it_is_read(text):
    is_sound(read(source(text, "Pipfile.lock")), text)
