"""The Python a file names, against the pins of the files beside it."""

from pathlib import Path

import pytest

from compat.probe.pins.formats import read
from compat.probe.pins.source import Source
from compat.verdict.pins.judge import judge
from tests.verdict.pins.judged import MATRIX

PAIR = "tensorflow==2.18.1\ntensorflow-metal==1.2.0\n"


def between(files):
    rows = judge([read(Source(Path(name), text)) for name, text in files.items()], MATRIX)
    return [
        (row.file.path, found.line, found.message) for row in rows for found in row.findings if found.id == "PIN540"
    ]


@pytest.mark.parametrize(
    "files, names",
    [
        (
            {".python-version": "3.13.1\n", "requirements.txt": PAIR},
            ["tensorflow==2.18.1 and tensorflow-metal==1.2.0 have"],
        ),
        ({".python-version": "3.11\n", "requirements.txt": PAIR}, []),
        ({".python-version": "3.11\n3.13\n", "requirements.txt": PAIR}, []),  # pyenv runs the first one
        ({"runtime.txt": "python-3.13.0\n", "requirements.txt": "tensorflow==2.21.0\n"}, []),
        ({"a/.python-version": "3.13\n", "b/requirements.txt": PAIR}, []),
        # nothing has a wheel: that is the pins' own finding
        ({".python-version": "3.13\n", "requirements.txt": "tensorflow==2.70\n"}, []),
        ({".python-version": "3.13\n", "Dockerfile": "FROM python:3.11\nRUN pip install tensorflow==2.18.1\n"}, []),
    ],
)
def test_a_file_that_names_a_python_is_held_against_its_folder(files, names):
    found = between(files)

    assert len(found) == len(names)
    assert all(f"which {name} no wheel" in text for (_, _, text), name in zip(found, names, strict=True))
    assert all((path, line) == (".python-version", 1) for path, line, _ in found)
