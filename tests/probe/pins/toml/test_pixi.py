"""pixi.toml: conda's and PyPI's packages, targets, features and the environments made of them."""

from hypothesis import given

from compat.probe.pins.toml.pixi import read
from tests.probe.pins.toml_hostile import is_sound, points_at, source, spliced, spoilt

PIXI = """\
[workspace]
name = "tensorflow"
channels = ["conda-forge", { channel = "apple", priority = 1 }]
platforms = ["osx-arm64", "linux-64"]

[dependencies]
python = ">=3.10,<3.13"
numpy = "1.26.*"
protobuf = { version = "=4.25", channel = "apple" }

[pypi-dependencies]
tensorflow = ">=2.18.0, <3"  # PyPI's
own = { path = ".", editable = true }

[target.osx-arm64.pypi-dependencies]
tensorflow = { version = "==2.16.2", extras = ["x"] }

[feature.gpu]
platforms = ["osx-arm64"]
pypi-dependencies = { tensorflow-metal = "*" }

[feature.py311.dependencies]
python = "3.11.*"

[feature.test.dependencies]
pytest = "8.3.4"

[target.moon.dependencies]
x = "1"

[environments]
gpu = { features = ["gpu", "py311"], solve-group = "a" }
test = ["test"]
"""


def test_features_targets_and_origins():
    file = read(source(PIXI, "pixi.toml"))

    mac = "sys_platform == 'darwin' and platform_machine == 'arm64'"
    elsewhere = "(sys_platform != 'darwin' or platform_machine != 'arm64')"
    assert [
        (pin.name, pin.specifier, pin.admits, pin.marker.strip("()"), pin.group, pin.origin) for pin in file.pins
    ] == [
        ("numpy", "1.26.*", ("==1.26.*",), "", "", "conda"),
        ("protobuf", "=4.25", ("==4.25.*",), "", "", "conda"),
        ("tensorflow", ">=2.18.0,<3", None, elsewhere.strip("()"), "", "index"),
        ("own", "", (), "", "", "path"),
        ("tensorflow", "==2.16.2", None, mac, "", "index"),
        ("tensorflow-metal", "", None, mac, "feature gpu", "index"),
        ("pytest", "8.3.4", ("==8.3.4",), "", "feature test", "conda"),
    ]
    assert file.requires_python == ">=3.10,<3.13"
    assert [(row.version, row.group, row.line) for row in file.pythons] == [("3.11", "feature py311", 23)]
    assert file.scopes == (("feature gpu", "feature py311"), ("feature test",))
    assert (file.platforms, file.channels) == (("macos-arm64", "linux-x86_64"), ("conda-forge", "apple"))
    assert [(row.text, row.why) for row in file.unread] == [("moon", "a platform that is not known")]
    assert all(points_at(PIXI, pin).startswith(pin.name) for pin in file.pins)


def test_another_entry_changes_nothing_else():
    rows = list(spliced(read, PIXI, "pixi.toml"))

    assert [row[0].name for row in rows] == [
        "numpy",
        "protobuf",
        "tensorflow",
        "tensorflow",
        "tensorflow-metal",
        "pytest",
    ]
    for pin, more, other in rows:
        assert more == ([], [("zzz", "<2")])
        assert other == ([(pin.name, pin.specifier)], [(pin.name, ">=77")])


@given(spoilt(PIXI))
def test_whatever_the_file_holds_it_is_read(text):
    is_sound(read(source(text, "pixi.toml")), text)
