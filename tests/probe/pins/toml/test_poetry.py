"""Poetry's tables, of all its ages."""

from hypothesis import given

from compat.probe.pins.toml.pyproject import read
from tests.probe.pins.toml_hostile import is_sound, pinned, points_at, source, spliced, spoilt

POETRY = """\
[tool.poetry]
name = "tensorflow"

[tool.poetry.dependencies]
python = "^3.9"
tensorflow_macos = { version = "^2.10.0", platform = "darwin" }  # Macs
Tensorflow = {version = ">=2.9,<2.11 || >2.11", markers = "sys_platform == \\"linux\\""}
tensorflow-metal = "~0.6"
numpy = [
    { version = "1.26.*", python = "<3.12" },
    { version = ">=2", python = ">=3.12" },
]
keras = { version = "3.3.3", optional = true }
own = { git = "https://example.org/own.git" }
near = { path = "../near" }
torch = { version = "*", source = "theirs" }
h5py = { version = "3.11", source = "mirror", extras = ["b", "a"] }
bad = 3

[tool.poetry.dependencies.protobuf]
version = "^4"

[tool.poetry.dev-dependencies]
pytest = "^7"

[tool.poetry.group.docs.dependencies]
sphinx = "*"

[tool.poetry.group.slow]
optional = true
[tool.poetry.group.slow.dependencies]
dask.version = "2024.1.0"

[tool.poetry.extras]
tensorflow = ["keras"]
full = ["keras"]

[[tool.poetry.source]]
name = "theirs"
url = "https://example.org/simple"

[[tool.poetry.source]]
name = "mirror"
url = "https://pypi.org/simple/"
"""


def test_each_spelling_is_a_pin():
    file = read(source(POETRY))

    assert pinned(file) == [
        ("tensorflow-macos", "^2.10.0", "sys_platform == 'darwin'", "", "index"),
        ("tensorflow", ">=2.9,<2.11 || >2.11", 'sys_platform == "linux"', "", "index"),
        ("tensorflow-metal", "~0.6", "", "", "index"),
        ("numpy", "1.26.*", 'python_version < "3.12"', "", "index"),
        ("numpy", ">=2", 'python_version >= "3.12"', "", "index"),
        ("keras", "3.3.3", "", "extra full, extra tensorflow", "index"),
        ("own", "", "", "", "vcs"),
        ("near", "", "", "", "path"),
        ("torch", "", "", "", "private"),
        ("h5py", "3.11", "", "", "index"),
        ("protobuf", "^4", "", "", "index"),
        ("pytest", "^7", "", "group dev", "index"),
        ("sphinx", "", "", "group docs", "index"),
        ("dask", "2024.1.0", "", "group slow", "index"),
    ]
    assert [pin.admits for pin in file.pins[:6]] == [
        (">=2.10.0,<3.0.0",),
        (">=2.9,<2.11", ">2.11"),
        (">=0.6,<0.7",),
        ("==1.26.*",),
        None,
        ("==3.3.3",),
    ]
    assert file.requires_python == ">=3.9,<4.0"
    assert [(row.line, row.text) for row in file.unread] == [(18, "bad")]
    assert file.scopes == (("group dev", "group docs"),)


def test_places_are_those_of_the_names():
    for pin in read(source(POETRY)).pins:
        assert points_at(POETRY, pin).lower().replace("_", "-").startswith(pin.name)


def test_another_entry_and_another_set_change_nothing_else():
    rows = list(spliced(read, POETRY, "pyproject.toml"))

    assert len(rows) == 12
    for pin, more, other in rows:
        assert more == ([], [("zzz", "<2")])
        assert other == (
            ([(pin.name, pin.specifier)], [(pin.name, ">=77")])
            if pin.specifier
            else ([(pin.name, "")], [(pin.name, ">=77")])
        )


def test_beside_the_standard_table_it_only_narrows():
    text = (
        '[project]\nname = "x"\nrequires-python = ">=3.10"\ndependencies = ["tensorflow (>=2.16)", "numpy"]\n'
        '[tool.poetry.dependencies]\npython = ">=3.10,<3.12"\ntensorflow = { source = "pypi" }\nnumpy = "<2"\n'
    )
    file = read(source(text))

    assert [(pin.name, pin.specifier, pin.constraint) for pin in file.pins] == [
        ("tensorflow", ">=2.16", False),
        ("numpy", "", False),
        ("numpy", "<2", True),
    ]
    assert file.requires_python == ">=3.10,>=3.10,<3.12"


@given(spoilt(POETRY))
def test_whatever_the_file_holds_it_is_read(text):
    is_sound(read(source(text)), text)
