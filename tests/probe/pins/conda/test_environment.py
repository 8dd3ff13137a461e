import pytest
from hypothesis import given

from compat.probe.pins import formats
from compat.probe.pins.conda.environment import read
from tests.probe.pins.reading import assert_read, mutated, named, rows, source, takes_another_behind_each

TEXT = """\
name: tensorflow
channels:
  - apple
  - conda-forge
dependencies:
  - python=3.10
  - numpy >=1.22, <2
  - apple::tensorflow-deps=2.9.0=0
  - "scipy"
  - mkl  # [linux and x86_64]
  - pip
  # - tensorflow
  - pip:
      - tensorflow-macos==2.9  # pinned
      - "tensorflow-metal==0.5.0; platform_machine == 'arm64'"
      # - tensorflow
      - keras
      - -e .
      - --requirement more.txt
      - --index-url https://example.org/simple
prefix: /Users/x/envs/tensorflow
"""


def environment(text):
    return read(source("environment.yml", text))


def test_packages_of_conda_and_of_pip_are_told_with_their_places():
    assert rows(environment(TEXT)) == [
        (7, 5, "numpy", ">=1.22,<2", ""),
        (8, 12, "tensorflow-deps", "=2.9.0=0", ""),
        (9, 6, "scipy", "", ""),
        (10, 5, "mkl", "", "sys_platform == 'linux' and platform_machine == 'x86_64'"),
        (11, 5, "pip", "", ""),
        (14, 9, "tensorflow-macos", "==2.9", ""),
        (15, 10, "tensorflow-metal", "==0.5.0", "platform_machine == 'arm64'"),
        (17, 9, "keras", "", ""),
    ]


def test_origin_channel_and_the_standards_terms_are_told():
    file = environment(TEXT)

    assert (named(file, "tensorflow-deps").origin, named(file, "tensorflow-deps").channel) == ("conda", "apple")
    assert named(file, "tensorflow-deps").admits == ("==2.9.0",)
    assert (named(file, "numpy").origin, named(file, "numpy").channel, named(file, "numpy").admits) == (
        "conda",
        "",
        None,
    )
    assert named(file, "keras").origin == "index"
    assert file.channels == ("apple", "conda-forge")


@pytest.mark.parametrize(
    ("spec", "required", "stated"),
    [
        ("python=3.10", "==3.10.*", ["3.10"]),
        ("python 3.10.*", "==3.10.*", ["3.10"]),
        ("python=3.9.7=h0_1", "==3.9.7", ["3.9.7"]),
        ("python>=3.9,<3.12", ">=3.9,<3.12", []),
        ("python 3.9.*|3.10.*", None, ["3.9", "3.10"]),
        ("python", None, []),
    ],
)
def test_the_package_python_is_what_runs(spec, required, stated):
    file = environment(f"dependencies:\n- {spec}\n- numpy\n")

    assert (file.requires_python, [one.version for one in file.pythons]) == (required, stated)
    assert [pin.name for pin in file.pins] == ["numpy"]


def test_a_listed_platform_is_said_and_a_build_gives_it_away():
    said = environment("platforms: [osx-arm64, linux-64]\ndependencies: [numpy]\n")
    given_away = environment("dependencies:\n- tensorflow=2.6.2=cuda110py39h0\n")
    elsewhere = environment("dependencies:\n- tensorflow\n- cudatoolkit # [linux]\n")

    assert said.platforms == ("macos-arm64", "linux-x86_64")
    assert (given_away.platforms, given_away.platforms_why) == (("linux-x86_64",), "CUDA packages")
    assert elsewhere.platforms == ()


def test_files_of_the_pip_section_are_read(tmp_path):
    (tmp_path / "more.txt").write_text("keras<3\n")
    (tmp_path / "environment.yml").write_text("dependencies:\n- pip:\n  - -r more.txt\n  - -r none.txt\n")
    text = (tmp_path / "environment.yml").read_text()

    file = read(formats.Source(tmp_path / "environment.yml", text))

    assert [pin.name for one in file.included for pin in one.file.pins] == ["keras"]
    assert [(one.line, one.text) for one in file.unread] == [(4, "none.txt")]


def test_a_category_is_a_group():
    assert named(environment("category: dev\ndependencies: [numpy]\n"), "numpy").group == "group dev"


def test_a_selector_nobody_understands_is_not_judged():
    file = environment("dependencies:\n- numpy # [py<39]\n- scipy # plain words\n")

    assert [pin.name for pin in file.pins] == ["scipy"]
    assert [(one.line, one.why) for one in file.unread] == [(2, "its platform selector is not understood")]


def test_other_files_with_dependencies_have_no_pins():
    assert environment("dependencies:\n  numpy: 1\n").pins == ()
    assert environment("dependencies:\n- name: redis\n  version: 1.2\n").pins == ()


def test_a_broken_file_says_where():
    file = environment("dependencies: [numpy\nname: x\n")

    assert "not YAML" in file.problem
    assert file.problem_line == 2


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        "dependencies:\n- pip: [\"keras<3\", 'numpy']\n",
        "dependencies:\n- pip:\n  - keras<3",
        "dependencies:\n-   pip:\n    -   keras <3  # c\n    -   numpy\n",
    ],
    ids=["block", "CRLF", "brackets", "no line end", "wide"],
)
def test_another_requirement_can_follow_each_of_pips(text):
    assert takes_another_behind_each(read, "environment.yml", text) >= 1


def test_between_brackets_only_a_quoted_one_can_be_edited():
    file = environment('dependencies:\n- pip: [keras<3, "numpy"]\n')

    assert [pin.writing is not None for pin in file.pins] == [False, True]


def test_a_list_that_aliases_repeat_is_read_once():
    file = environment("x: &a [keras]\ndependencies:\n" + "- pip: *a\n" * 500)

    assert [pin.name for pin in file.pins] == ["keras"]


@given(mutated(TEXT))
def test_no_text_raises(text):
    assert_read(read, "environment.yml", text)
