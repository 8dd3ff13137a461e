"""Which Python a text speaks of."""

import pytest

from compat.probe.pasted.interpreters import interpreters
from tests.probe.pasted.stating import stated


@pytest.mark.parametrize(
    "text, expected",
    [
        ("/Users/me/.venv/lib/python3.11/site-packages/x.py", ("3.11", "seen")),
        ("/Library/Frameworks/Python.framework/Versions/3.10/bin/python", ("3.10", "seen")),
        ("_pywrap.cpython-39-darwin.so", ("3.9", "seen")),
        (r"C:\Users\me\Python311\Lib\x.py", ("3.11", "seen")),
        ("3.11.4 (main, Jun  6 2023, 22:16:12)", ("3.11.4", "seen")),
        ("Python 3.9.16 | packaged by conda-forge", ("3.9.16", "seen")),
        ("pip 21.2.4 from /x (python 3.9)", ("3.9", "seen")),
        ("  Downloading x-1.0-cp312-cp312-macosx_12_0_arm64.whl", ("3.12", "seen")),
        ("Python 3.11.4", ("3.11.4", "said")),
        ("- Python version: 3.9", ("3.9", "said")),
        ("### Python version\n\n3.11.8\n", ("3.11.8", "said")),
        ("Python version (e.g. 3.7): 3.10.2", ("3.10.2", "said")),
        ("Python 3.15.0a1", ("3.15.0", "said")),
        ("Python on Anaconda: 3.6", ("3.6", "said")),
        ("Python from Homebrew 3.12.1", ("3.12.1", "said")),
        ("conda create -n tf python=3.10", ("3.10", "asked")),
    ],
)
def test_a_python_is_read(text, expected):
    assert expected in stated(interpreters, text).get("python", set())


@pytest.mark.parametrize(
    "text",
    [
        "Requires-Python >=3.7,<3.11",
        "Python 3.8-3.11 are supported",
        "Python 3.9 or newer",
        "With Python 3.10 it works fine.",
        "x-1.0-cp312-cp312-macosx_12_0_arm64.whl is not a supported wheel on this platform",
    ],
)
def test_a_range_or_a_foreign_wheel_is_no_python(text):
    assert stated(interpreters, text) == {}
