"""Pipfiles."""

import pytest
from hypothesis import given

from compat.probe.pins.toml.pipfile import read, required_python
from tests.probe.pins.toml_hostile import is_sound, pinned, points_at, source, spliced, spoilt

PIPFILE = """\
[[source]]
name = "pypi"
url = "https://pypi.org/simple"
verify_ssl = true

[[source]]
name = "theirs"
url = "https://example.org/simple"

[packages]
TensorFlow_macos = {version = "==2.12.0", sys_platform = "== 'darwin'", markers = "platform_machine == 'arm64'"}
numpy = "*"
"keras" = ">= 2.12, <3"  # why
torch = {version = "*", index = "theirs", extras = ["b", "a"]}
own = {git = "https://example.org/own.git", ref = "main"}
wheel = {file = "https://example.org/wheel-1.0-py3-none-any.whl"}
loose = "1.0"

[dev-packages]
pytest = "~=8.0"

[docs]
sphinx = "*"

[scripts]
tensorflow = "python train.py"

[requires]
python_version = "3.10"
"""


def test_packages_of_all_categories():
    file = read(source(PIPFILE, "Pipfile"))

    assert pinned(file) == [
        ("tensorflow-macos", "==2.12.0", "platform_machine == 'arm64' and sys_platform == 'darwin'", "", "index"),
        ("numpy", "", "", "", "index"),
        ("keras", ">=2.12,<3", "", "", "index"),
        ("torch", "", "", "", "private"),
        ("own", "", "", "", "vcs"),
        ("wheel", "", "", "", "url"),
        ("loose", "1.0", "", "", "index"),
        ("pytest", "~=8.0", "", "group dev", "index"),
        ("sphinx", "", "", "group docs", "index"),
    ]
    assert [pin.admits for pin in file.pins[4:7]] == [(), (), ()]
    assert file.requires_python == "==3.10.*"
    assert all(points_at(PIPFILE, pin).lower().replace("_", "-").startswith(pin.name) for pin in file.pins)


def test_another_entry_and_another_set_change_nothing_else():
    rows = list(spliced(read, PIPFILE, "Pipfile"))

    assert [row[0].name for row in rows] == ["tensorflow-macos", "numpy", "keras", "torch", "pytest", "sphinx"]
    for pin, more, other in rows:
        assert more == ([], [("zzz", "<2")])
        assert other == ([(pin.name, pin.specifier)], [(pin.name, ">=77")])


@pytest.mark.parametrize(
    "table, expected",
    [
        ({"python_version": "3.7"}, "==3.7.*"),
        ({"python_full_version": "3.7.4", "python_version": "3.7"}, "==3.7.4"),
        ({"python_version": "three"}, None),
        ({}, None),
        ({"python_version": 3.7}, None),
    ],
)
def test_the_python_it_requires(table, expected):
    assert required_python(table) == expected


@given(spoilt(PIPFILE))
def test_whatever_the_file_holds_it_is_read(text):
    is_sound(read(source(text, "Pipfile")), text)
