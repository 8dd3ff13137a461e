"""Files of one project against each other."""

from pathlib import Path

import pytest

from compat.probe.pins.formats import read
from compat.probe.pins.source import Source
from compat.verdict.pins.judge import judge
from tests.verdict.pins.judged import MATRIX

PYPROJECT = '[project]\nname = "x"\nversion = "1"\ndependencies = ["tensorflow{set}"]\n'


def between(files):
    rows = judge([read(Source(Path(name), text)) for name, text in files.items()], MATRIX)
    return [(row.file.path, found.line) for row in rows for found in row.findings if found.id == "PIN550"]


@pytest.mark.parametrize(
    "files, expected",
    [
        (
            {"pyproject.toml": PYPROJECT.format(set=">=2.19"), "requirements.txt": "tensorflow==2.18.1\n"},
            [("requirements.txt", 1)],
        ),
        ({"pyproject.toml": PYPROJECT.format(set=">=2.18"), "requirements.txt": "tensorflow==2.18.1\n"}, []),
        ({"a/pyproject.toml": PYPROJECT.format(set=">=2.19"), "b/requirements.txt": "tensorflow==2.18.1\n"}, []),
        ({"pyproject.toml": PYPROJECT.format(set=">=2.19"), "requirements-linux.txt": "tensorflow==2.18.1\n"}, []),
        (
            {
                "pyproject.toml": PYPROJECT.format(set=">=2.19"),
                "requirements.txt": "tensorflow==2.18.1; sys_platform == 'linux'\n",
            },
            [],
        ),
    ],
)
def test_contradictions(files, expected):
    assert between(files) == expected
