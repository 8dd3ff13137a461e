"""An Intel Python or conda on Apple silicon, of texts that name no versions."""

import pytest

from tests.verdict.diagnose.telling import told, top

CHANNELS = "  - https://repo.anaconda.com/pkgs/main/osx-64\n  - https://repo.anaconda.com/pkgs/main/noarch\n"


@pytest.mark.parametrize(
    "text, name",
    [
        (f"MacBook Pro M2, conda install tensorflow-deps\nCurrent channels:\n{CHANNELS}", "ISS066"),
        ("Apple M1\nconda info\n platform : osx-64\ntensorflow is not found", "ISS066"),
        ("Mac mini M1, import tensorflow\n>>> platform.platform()\n'macOS-13.4-x86_64-i386-64bit'", "ISS011"),
    ],
)
def test_a_tool_that_shows_x86_64_on_an_apple_chip(text, name):
    assert top(text)[:2] == (name, "PY201")


@pytest.mark.parametrize(
    "text",
    [
        f"Intel MacBook Pro, conda install tensorflow-deps\n{CHANNELS}",
        "MacBook Pro M2, conda info\n platform : osx-arm64\ntensorflow is not found",
        "MacBook Pro M2: the tensorflow recipe of conda lists osx-64, osx-arm64 and linux-64",
    ],
)
def test_what_is_native_is_not_blamed(text):
    assert "PY201" not in {cause.rule for cause in told(text).causes}
