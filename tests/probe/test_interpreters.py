"""Pythons are found where people have them, described without being started, and broken ones are facts."""

import os
from pathlib import Path

import pytest

from compat.facts.known import Unknown
from compat.probe.interpreters import apple_stub, find_all, origin_of, path_python, settle
from compat.probe.shims import behind_shim
from tests.probe.sites import SH, script

ELF = "\x7fELF\x02\x01" + "\0" * 12 + ">\0" + "\0" * 44


def binary(path):
    """A file that looks like a program and would do damage to this test if it were started."""
    return script(path, ELF)


def link(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


def venv(folder, base, version="3.11.4"):
    """Lay down a virtual environment as venv does, its interpreter a chain of links to ``base``."""
    link(folder / "bin/python", base)
    link(folder / "bin/python3", "python")
    link(folder / "bin/python3.11", "python")
    (folder / "pyvenv.cfg").write_text(f"home = {base.parent}\nversion = {version}\n", encoding="utf-8")
    return folder


@pytest.fixture
def disk(tmp_path):
    """A machine's file system: fixed places under ``root``, the user's under ``home``, the current folder ``work``."""
    for name in ("root", "home", "work"):
        (tmp_path / name).mkdir()
    return tmp_path


def found(disk, **variables):
    given = {"HOME": str(disk / "home"), "PATH": ""} | {key: str(value) for key, value in variables.items()}
    return find_all(given, disk / "work", disk / "root")


@pytest.mark.parametrize(
    "place, source, version",
    [
        ("root/opt/homebrew/opt/python@3.12/bin/python3.12", "homebrew", "3.12"),
        ("root/usr/local/opt/python@3.11/bin/python3.11", "homebrew", "3.11"),
        ("root/Library/Frameworks/Python.framework/Versions/3.11/bin/python3", "python.org", "3.11"),
        ("root/Library/Developer/CommandLineTools/usr/bin/python3", "apple", Unknown("not asked")),
        ("root/Applications/Xcode.app/Contents/Developer/usr/bin/python3", "apple", Unknown("not asked")),
        ("home/.pyenv/versions/3.10.13/bin/python", "pyenv", "3.10.13"),
        ("home/.local/share/uv/python/cpython-3.12.7-macos-aarch64-none/bin/python", "uv", "3.12.7"),
    ],
)
def test_each_fixed_place_is_looked_into(disk, place, source, version):
    path = binary(disk / place)
    for brew in ("root/opt/homebrew/Cellar", "root/usr/local/Cellar"):
        (disk / brew).mkdir(parents=True, exist_ok=True)

    (item,) = found(disk)

    assert (item.path, item.source, item.version, item.problem) == (str(path), source, version, None)
    assert item.architectures == ("x86_64",)


def test_variables_move_the_managers_folders(disk):
    pyenv = binary(disk / "p/versions/3.9.1/bin/python")
    uv = binary(disk / "u/cpython-3.13.0-linux-x86_64-gnu/bin/python")

    assert [item.path for item in found(disk, PYENV_ROOT=disk / "p", UV_PYTHON_INSTALL_DIR=disk / "u")] == [
        str(pyenv),
        str(uv),
    ]


def test_uvs_link_to_its_newest_patch_release_is_not_another_python(disk):
    folder = disk / "home/.local/share/uv/python"
    real = binary(folder / "cpython-3.12.7-macos-aarch64-none/bin/python")
    link(folder / "cpython-3.12-macos-aarch64-none", "cpython-3.12.7-macos-aarch64-none")

    assert [(item.path, item.version) for item in found(disk)] == [(str(real), "3.12.7")]


def test_environments_come_first_and_each_file_once(disk):
    base = binary(disk / "home/.pyenv/versions/3.11.4/bin/python")
    active = venv(disk / "active", base)
    beside = venv(disk / "work/.venv", base, "3.11.9")
    (disk / "work/venv").mkdir()  # a folder of that name which is no environment

    items = found(disk, VIRTUAL_ENV=active, PATH=f"{active}/bin")

    assert [(item.source, item.path, item.version) for item in items] == [
        ("VIRTUAL_ENV", str(active / "bin/python"), "3.11.4"),
        (".venv", str(beside / "bin/python"), "3.11.9"),
        ("pyenv", str(base), "3.11.4"),
    ]


def test_conda_is_found_by_its_prefix(disk):
    path = binary(disk / "conda/bin/python")

    assert [(item.source, item.path) for item in found(disk, CONDA_PREFIX=disk / "conda")] == [
        ("CONDA_PREFIX", str(path))
    ]


def test_a_dangling_link_and_a_file_that_cannot_run_are_problems(disk):
    link(disk / "bin/python3", disk / "gone/python3")
    binary(disk / "bin/python3.12").chmod(0o644)

    problems = {Path(item.path).name: item.problem for item in found(disk, PATH=disk / "bin")}

    assert problems == {"python3": f"a link to {disk / 'gone/python3'}, which is gone", "python3.12": "not executable"}


def test_names_that_are_no_pythons_and_folders_that_are_not_there_are_passed_over(disk):
    for name in ("python3-config", "python2", "pythonw", "ipython3", "python3.12.bak"):
        binary(disk / "bin" / name)

    assert found(disk, PATH=f"{disk}/bin:{disk}/absent::relative") == ()


def shims(disk, **texts):
    for name, text in texts.items():
        script(disk / "home/.pyenv/shims" / name, f"#!{SH}\n{text}\n")
    return disk / "home/.pyenv/shims"


def test_a_shim_that_fails_is_a_fact(disk):
    folder = shims(disk, python="echo 'pyenv: python: command not found' >&2; echo more >&2; exit 127")

    (item,) = found(disk, PATH=folder)

    assert (item.path, item.problem) == (str(folder / "python"), "the shim fails: pyenv: python: command not found")
    assert path_python({"PATH": str(folder)}, disk) == Unknown("the shim fails: pyenv: python: command not found")


@pytest.mark.parametrize(
    "chosen", [{"variable": "3.11.4"}, {"local": "3.11.4\n"}, {"parent": "# ours\n3.11.4"}, {"global": "3.11.4\n3.10.1\n"}], ids=str
)  # fmt: skip
def test_pyenvs_choice_is_read_without_starting_the_shim(disk, chosen):
    folder = shims(disk, python='echo started > "$0.started"; exit 1')
    expected = binary(disk / "home/.pyenv/versions/3.11.4/bin/python")
    binary(disk / "home/.pyenv/versions/3.10.1/bin/python")
    places = {"local": "work/.python-version", "parent": ".python-version", "global": "home/.pyenv/version"}
    for where, text in chosen.items():
        if where != "variable":
            (disk / places[where]).write_text(text, encoding="utf-8")
    if "global" not in chosen:
        (disk / "home/.pyenv/version").write_text("3.10.1\n", encoding="utf-8")
    variables = {"PYENV_VERSION": chosen["variable"]} if "variable" in chosen else {}

    assert behind_shim(folder / "python", variables, disk / "work") == str(expected)
    assert not (folder / "python.started").exists()


def test_a_shim_of_another_manager_is_asked(disk):
    target = binary(disk / "asdf/python")
    folder = shims(disk, python=f"echo {target}")

    assert path_python({"PATH": str(folder)}, disk / "work") == str(target)


def test_a_shim_that_hangs_is_given_up(disk, monkeypatch):
    monkeypatch.setattr("compat.probe.shims.SHIM_TIMEOUT", 0.2)
    folder = shims(disk, python="sleep 60")

    assert path_python({"PATH": str(folder)}, disk) == Unknown("the shim did not answer within 0.2 s")


def test_all_names_of_one_environments_interpreter_settle_on_one(disk):
    base = binary(disk / "base/python3.11")
    folder = venv(disk / "env", base)
    link(disk / "linked", folder)
    names = [folder / "bin/python", folder / "bin/python3", folder / "bin/python3.11", disk / "linked/bin/python3"]

    assert {settle(str(name)) for name in names} == {str(folder / "bin/python")}
    assert settle(str(link(disk / "b/python", base))) == str(base)


def test_a_circle_of_links_settles(disk):
    (disk / "env/bin").mkdir(parents=True)
    (disk / "env/pyvenv.cfg").touch()
    link(disk / "env/bin/python", "python3")
    link(disk / "env/bin/python3", "python")

    assert Path(settle(str(disk / "env/bin/python"))).parent == disk / "env/bin"


def test_python_on_path_prefers_python_to_python3(disk):
    third = binary(disk / "a/python3")
    plain = binary(disk / "b/python")

    assert path_python({"PATH": f"{disk}/a{os.pathsep}{disk}/b"}) == str(plain)
    assert path_python({"PATH": f"{disk}/a"}) == str(third)
    assert path_python({"PATH": f"{disk}"}) == Unknown("no python on PATH")


@pytest.mark.parametrize(
    "prefix, origin",
    [
        ("/Users/ada/.pyenv/versions/3.11.4", "pyenv"),
        ("/Users/ada/.local/share/uv/python/cpython-3.12.7-macos-aarch64-none", "uv"),
        ("/opt/homebrew/opt/python@3.11/Frameworks/Python.framework/Versions/3.11", "homebrew"),
        ("/usr/local/Cellar/python@3.11/3.11.4/Frameworks/Python.framework/Versions/3.11", "homebrew"),
        ("/Library/Frameworks/Python.framework/Versions/3.11", "python.org"),
        ("/Library/Developer/CommandLineTools/Library/Frameworks/Python3.framework/Versions/3.9", "apple"),
        ("/usr", "system"),
        ("/srv/python", "other"),
        ("", "other"),
    ],
)
def test_a_prefix_tells_whose_python_it_is(prefix, origin):
    assert origin_of(prefix) == origin


def test_conda_is_told_by_its_records_wherever_it_lies(tmp_path):
    (tmp_path / ".pyenv/versions/miniforge3/conda-meta").mkdir(parents=True)

    assert origin_of(str(tmp_path / ".pyenv/versions/miniforge3")) == "conda"


def test_apples_stub_is_left_alone_unless_there_are_tools_behind_it(tmp_path):
    stub = tmp_path / "usr/bin/python3"

    assert apple_stub(stub, "darwin", tmp_path)
    assert not apple_stub(stub, "linux", tmp_path)
    assert not apple_stub(tmp_path / "usr/local/bin/python3", "darwin", tmp_path)
    (tmp_path / "Library/Developer/CommandLineTools").mkdir(parents=True)
    assert not apple_stub(stub, "darwin", tmp_path)
