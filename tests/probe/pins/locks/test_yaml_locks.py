import pytest
from hypothesis import given

from compat.probe.pins.locks.yaml_locks import read
from tests.probe.pins.reading import assert_read, mutated, rows, source

MAC = "sys_platform == 'darwin' and platform_machine == 'arm64'"
LINUX = "sys_platform == 'linux' and platform_machine == 'x86_64'"
PIXI = """\
version: 6
environments:
  default:
    channels:
    - url: https://conda.anaconda.org/conda-forge/
    packages:
      linux-64:
      - conda: https://conda.anaconda.org/conda-forge/linux-64/python-3.11.9-h0_0_cpython.conda
      - pypi: https://files.pythonhosted.org/packages/aa/tensorflow-2.15.0-cp311-cp311-manylinux_2_17_x86_64.whl
      osx-arm64:
      - conda: https://conda.anaconda.org/conda-forge/osx-arm64/python-3.11.9-h1_0_cpython.conda
      - pypi: https://files.pythonhosted.org/packages/bb/tensorflow_macos-2.15.0-cp311-cp311-macosx_12_0_arm64.whl
      - pypi: https://files.pythonhosted.org/packages/bb/keras-2.15.0.tar.gz
      - pypi: ./
packages:
- pypi: ./
  name: mine
  version: 0.1.0
- conda: https://conda.anaconda.org/conda-forge/linux-64/python-3.11.9-h0_0_cpython.conda
  depends:
  - tensorflow
"""
CONDA_LOCK = """\
version: 1
metadata:
  platforms: [osx-arm64, linux-64]
package:
- name: numpy
  version: 1.26.4
  manager: conda
  platform: osx-arm64
  dependencies:
    tensorflow: ''
  url: https://conda.anaconda.org/conda-forge/osx-arm64/numpy-1.26.4-py311h0_0.conda
  category: main
  optional: false
- name: python
  version: 3.11.9
  manager: conda
  platform: osx-arm64
  category: main
- name: tensorflow
  version: 2.18.0
  manager: pip
  platform: linux-64
  category: dev
"""


def test_pixi_locks_each_environment_for_each_platform():
    file = read(source("pixi.lock", PIXI))

    assert rows(file) == [
        (9, 58, "tensorflow", "2.15.0", LINUX),
        (12, 58, "tensorflow-macos", "2.15.0", MAC),
        (13, 58, "keras", "2.15.0", MAC),
        (14, 15, "mine", "0.1.0", MAC),
    ]
    assert {pin.group for pin in file.pins} == {"env default"}
    assert [(one.version, one.group) for one in file.pythons] == [("3.11.9", "env default")]
    assert file.platforms == ("linux-x86_64", "macos-arm64")
    assert (file.is_lock, file.relock) == (True, "pixi lock")
    assert {pin.origin for pin in file.pins} == {"index", "path"}


def test_conda_lock_lists_packages_with_platform_and_category():
    file = read(source("conda-lock.yml", CONDA_LOCK))

    assert rows(file) == [(5, 9, "numpy", "1.26.4", MAC), (19, 9, "tensorflow", "2.18.0", LINUX)]
    assert [(pin.group, pin.origin, pin.channel) for pin in file.pins] == [
        ("", "conda", "conda-forge"),
        ("group dev", "index", ""),
    ]
    assert [one.version for one in file.pythons] == ["3.11.9"]
    assert file.platforms == ("linux-x86_64", "macos-arm64")
    assert file.relock == "conda-lock lock"


def test_a_file_with_the_markers_of_a_merge_is_one_problem():
    file = read(source("pixi.lock", "<<<<<<< HEAD\nversion: 6\n=======\nversion: 5\n>>>>>>> other\n"))

    assert file.pins == ()
    assert file.problem is not None
    assert file.problem.startswith("not YAML")


def test_lists_that_aliases_repeat_are_read_once():
    bomb = "x: &a [" + "{pypi: b}, " * 500 + "]\nenvironments:\n"
    bomb += "".join(f"  e{number}: {{packages: {{osx-64: *a}}}}\n" for number in range(900))

    assert len(read(source("pixi.lock", bomb)).unread) == 500


@pytest.mark.parametrize(("name", "text"), [("pixi.lock", PIXI), ("conda-lock.yml", CONDA_LOCK)])
def test_no_text_raises(name, text):
    @given(mutated(text))
    def check(changed):
        assert_read(read, name, changed)

    check()
