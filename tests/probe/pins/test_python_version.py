"""Files that name the Python to run."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.probe.pins.python_version import read
from compat.probe.pins.source import Source


def of(text, name):
    return read(Source(Path("/nowhere") / name, text))


@pytest.mark.parametrize(
    "name, text, expected",
    [
        (".python-version", "3.11.2\n", [("3.11.2", 1, 1)]),
        (".python-version", "# why\n3.12  # x\n3.10.1 3.9\n", [("3.12", 2, 1), ("3.10.1", 3, 1), ("3.9", 3, 8)]),
        (".python-version", "cpython-3.11.4\n", [("3.11.4", 1, 9)]),
        (".python-version", "cpython-3.11.4-macos-aarch64-none\r\n", [("3.11.4", 1, 9)]),
        ("runtime.txt", "python-3.11.4\n", [("3.11.4", 1, 8)]),
        (".tool-versions", "nodejs 20.1\npython 3.11.4 3.10.2\n", [("3.11.4", 2, 8), ("3.10.2", 2, 15)]),
        (".python-version", "", []),
    ],
)
def test_versions(name, text, expected):
    assert [(row.version, row.line, row.column) for row in of(text, name).pythons] == expected


@pytest.mark.parametrize("word", ["pypy3.10-7.3", "system", "3", "my-env"])
def test_another_python_is_seen_not_judged(word):
    file = of(word + "\n", ".python-version")

    assert ([row.text for row in file.unread], file.pythons) == ([word], ())


@settings(deadline=None)
@given(st.text(max_size=100), st.sampled_from([".python-version", "runtime.txt", ".tool-versions"]))
def test_any_text_is_read_without_raising(text, name):
    assert of(text, name).problem is None
