"""What uv, PDM, Hatch, setuptools and Pixi add to a pyproject.toml, and files that are none."""

import pytest
from hypothesis import given

from compat.facts.pins import StatedPython
from compat.probe.pins.read import read as read_path
from compat.probe.pins.toml.pyproject import read
from tests.ending import ending
from tests.probe.pins.toml_hostile import is_sound, pinned, source, spliced, spoilt

UV = """\
[project]
name = "x"
dependencies = ["tensorflow", "numpy>=2", "keras", "torch", "near"]
[tool.uv]
dev-dependencies = ["pytest>=8"]
constraint-dependencies = ["protobuf<5"]
override-dependencies = ["numpy<2"]
environments = ["sys_platform == 'darwin' and platform_machine == 'arm64'", "sys_platform == 'linux'"]
[tool.uv.sources]
tensorflow = { index = "theirs", marker = "sys_platform == 'linux'" }
Torch = [{ index = "theirs", marker = "sys_platform == 'darwin'" }, { index = "mirror" }]
keras = { git = "https://example.org/keras" }
near = { workspace = true }
[[tool.uv.index]]
name = "theirs"
url = "https://example.org/simple"
[[tool.uv.index]]
name = "mirror"
url = "https://pypi.org/simple"
"""

HATCH = """\
[project]
dependencies = ["tensorflow"]
[project.optional-dependencies]
ml = ["keras<3"]
[tool.hatch.envs.default]
dependencies = ["numpy<2"]
[tool.hatch.envs.test]
extra-dependencies = ["pytest"]
features = ["ml"]
python = "3.11"
[[tool.hatch.envs.test.matrix]]
python = ["3.9", "3.12.1", "pypy"]
[tool.hatch.envs.docs]
detached = true
dependencies = ["sphinx"]
"""

PDM = """\
[tool.pdm.dev-dependencies]
test = ["pytest>=8", "-e ./near"]
[tool.pdm.resolution.overrides]
numpy = "1.26.4"
own = "https://example.org/own-1.0-py3-none-any.whl"
"""


def test_uv_tells_sources_constraints_and_overrides():
    file = read(source(UV))

    assert pinned(file) == [
        ("tensorflow", "", "", "", "index"),
        ("numpy", ">=2", "", "", "index"),
        ("keras", "", "", "", "vcs"),
        ("torch", "", "", "", "private"),
        ("near", "", "", "", "path"),
        ("pytest", ">=8", "", "group dev", "index"),
        ("protobuf", "<5", "", "", "index"),
        ("numpy", "<2", "", "", "index"),
    ]
    assert [pin.constraint for pin in file.pins] == [False] * 6 + [True] * 2
    assert file.platforms == ("macos-arm64", "linux-x86_64", "linux-aarch64")
    assert file.platforms_why == "the environments of tool.uv"


def test_what_uv_overrides_asks_for_nothing_itself():
    first = read(source(UV)).pins[1]

    assert (first.admits, first.writing) == (("",), None)


def test_hatch_environments_inherit_the_default_one():
    file = read(source(HATCH))

    assert [(pin.name, pin.group) for pin in file.pins] == [
        ("tensorflow", ""),
        ("keras", "extra ml"),
        ("numpy", "env default"),
        ("pytest", "env test"),
        ("sphinx", "env docs"),
    ]
    assert file.scopes == (("env default", "env test", "extra ml"),)
    assert file.pythons == (
        StatedPython(version="3.11", line=10, column=11, what="Hatch's environment test", group="env test"),
        StatedPython(
            version="3.9", line=12, column=12, what="the matrix of Hatch's environment test", group="env test"
        ),
        StatedPython(
            version="3.12.1", line=12, column=19, what="the matrix of Hatch's environment test", group="env test"
        ),
    )


def test_pdm_tells_groups_and_overrides():
    file = read(source(PDM))

    assert pinned(file) == [("pytest", ">=8", "", "group test", "index"), ("numpy", "1.26.4", "", "", "index")]
    assert (file.pins[1].admits, file.pins[1].constraint) == (("==1.26.4",), True)
    assert [row.line for row in file.unread] == [2, 5]


@pytest.mark.parametrize("text", [UV, HATCH, PDM], ids=["uv", "hatch", "pdm"])
def test_another_entry_changes_nothing_else(text):
    rows = list(spliced(read, text, "pyproject.toml"))

    assert rows
    assert all(more == ([], [("zzz", "<2")]) for _, more, _ in rows)


def test_setuptools_reads_requirements_from_files(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[project]\nname = "x"\ndynamic = ["dependencies"]\n[tool.setuptools.dynamic]\n'
        'dependencies = { file = ["requirements.txt", "absent.txt"] }\n'
        'optional-dependencies.mac = { file = "mac.txt" }\n'
    )
    (tmp_path / "requirements.txt").write_text("tensorflow==2.18.1\n")
    (tmp_path / "mac.txt").write_text("tensorflow-metal==1.2.0\n")
    file = read_path(path)

    assert [(row.line, row.column, pinned(row.file)) for row in file.included] == [
        (5, 27, [("tensorflow", "==2.18.1", "", "", "index")]),
        (6, 39, [("tensorflow-metal", "==1.2.0", "", "extra mac", "index")]),
    ]
    assert [(row.line, row.text) for row in file.unread] == [(5, "absent.txt")]


def test_pixi_adds_conda_packages_to_the_project():
    text = (
        '[project]\nname = "x"\ndependencies = ["tensorflow"]\n[project.optional-dependencies]\nml = ["keras"]\n'
        '[tool.pixi.project]\nchannels = ["conda-forge"]\nplatforms = ["osx-arm64"]\n'
        '[tool.pixi.dependencies]\npython = "3.11.*"\nnumpy = "<2"\n'
        '[tool.pixi.feature.gpu.pypi-dependencies]\ntensorflow-metal = "==1.2.0"\n'
        '[tool.pixi.environments]\nmac = ["ml", "gpu"]\n'
    )
    file = read(source(text))

    assert pinned(file) == [
        ("tensorflow", "", "", "", "index"),
        ("keras", "", "", "extra ml", "index"),
        ("numpy", "<2", "", "", "conda"),
        ("tensorflow-metal", "==1.2.0", "", "feature gpu", "index"),
    ]
    assert (file.requires_python, file.platforms, file.channels) == ("==3.11.*", ("macos-arm64",), ("conda-forge",))
    assert file.scopes == (("feature ml", "feature gpu", "extra ml"),)


@pytest.mark.parametrize(
    "text, line, column",
    [
        ("[project\n", 1, 9),
        ('a = "x\n', 1, 7),
        ("a = 1\na = 2\n", 2, 6),
        ("a = " + "[" * 500, 1, 69),
        ("a = [", 1, 6),
        ("x = " + "9" * 5000, 1, 1),
    ],
)
def test_what_is_no_toml_says_where(text, line, column):
    file = read(source(text))

    assert file.problem
    assert (file.problem_line, file.problem_column, file.pins) == (line, column, ())


@pytest.mark.parametrize(
    "text",
    [
        "project = 3\ntool = 3\n",
        "[project]\ndependencies = 'x'\noptional-dependencies = 3\nrequires-python = 3\n",
        "[tool]\npoetry = 1\npdm = 1\nhatch = 1\nuv = 1\nsetuptools = 1\npixi = 1\n",
        "[tool.poetry]\ndependencies = 1\ngroup = {a = 1}\nextras = {a = 1}\nsource = [1]\n",
        "[tool.uv]\nsources = {a = 1, b = [1]}\nindex = [1]\nenvironments = [1]\n",
        "[tool.hatch.envs]\na = 1\nb = {dependencies = 1, matrix = [1], features = [1]}\n",
        "[tool.pixi]\nfeature = {a = 1}\ntarget = {osx = 1}\nenvironments = {a = 1}\nworkspace = {platforms = 1}\n",
        "[dependency-groups]\na = 1\nb = [[]]\n",
    ],
)
def test_a_file_of_another_shape_has_no_pins(text):
    file = read(source(text))

    assert (file.pins, file.problem) == ((), None)


@pytest.mark.parametrize(
    "text",
    [
        "[project]\ndependencies=[" + '"a",' * 200_000 + "]",
        '[project]\ndependencies=["a' + "-" * 1_000_000 + '"]',
        '[project]\ndependencies=["a; ' + "(" * 20_000 + '"]',
        '[tool.poetry.dependencies]\na="' + "^1 ||" * 200_000 + '"',
        "[tool.poetry.dependencies]\n" + "".join(f'a{number}="^1"\n' for number in range(50_000)),
        "[dependency-groups]\n"
        + "".join(f'a{number}=[{{include-group="a{number + 1}"}}]\n' for number in range(25_000)),
    ],
    ids=["many", "long", "brackets", "alternatives", "table", "groups"],
)
def test_a_megabyte_made_to_be_slow_is_read_all_the_same(text):
    with ending():
        read(source(text))


@given(spoilt(UV) | spoilt(HATCH) | spoilt(PDM))
def test_whatever_the_file_holds_it_is_read(text):
    is_sound(read(source(text)), text)
