"""The project is the folder a command is called in with the repository around it, and never the home folder."""

import os
from pathlib import Path

import pytest

from compat import project


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """A home folder with a repository in it, and a folder elsewhere."""
    for name in ("home/code/repository/.git", "home/code/repository/deep/er", "elsewhere/bin", "home/.local/bin"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.mark.parametrize(
    "current, expected",
    [
        ("home/code/repository", "home/code/repository"),
        ("home/code/repository/deep/er", "home/code/repository"),
        ("home/code", "home/code"),
        ("elsewhere", "elsewhere"),
        ("home", None),
        ("", None),
    ],
)
def test_the_project_of_a_folder(disk, current, expected):
    assert project.folder(disk / current) == (None if expected is None else disk / expected)


def test_a_home_under_version_control_is_no_project_of_the_folders_in_it(disk):
    (disk / "home/.git").mkdir()

    assert project.folder(disk / "home/code") == disk / "home/code"
    assert project.folder(disk / "home") is None
    assert not project.leads_through(disk / "home/.local/bin", disk / "home/code")


def test_a_link_to_the_folder_is_the_folder(disk):
    (disk / "link").symlink_to(disk / "elsewhere")

    assert project.folder(disk / "link") == disk / "elsewhere"
    assert project.holds(disk / "link/bin", disk / "elsewhere")
    assert project.holds(disk / "elsewhere/bin", disk / "link")


def test_what_only_lies_there_and_leads_out_is_of_the_project_as_a_way_and_not_as_a_place(disk):
    (disk / "elsewhere/out").symlink_to("/usr/bin")

    assert project.leads_through(disk / "elsewhere/out", disk / "elsewhere")
    assert not project.holds(disk / "elsewhere/out", disk / "elsewhere")


def test_a_neighbour_with_a_longer_name_is_not_in_it(disk):
    (disk / "elsewhere-too").mkdir()

    assert not project.leads_through(disk / "elsewhere-too", disk / "elsewhere")


def test_path_keeps_what_is_absolute_and_outside(disk):
    (disk / "link").symlink_to(disk / "elsewhere")
    entries = [
        "",
        ".",
        "bin",
        "./bin",
        disk / "elsewhere",
        disk / "elsewhere/bin",
        disk / "link/bin",
        "/usr/bin",
        disk / "home/.local/bin",
        "",
    ]
    path = os.pathsep.join(map(str, entries))

    assert project.search_path({"PATH": path}, disk / "elsewhere") == f"/usr/bin{os.pathsep}{disk}/home/.local/bin"
    assert project.search_path({"PATH": path}, disk / "home").split(os.pathsep)[-1] == f"{disk}/home/.local/bin"


def test_a_childs_environment_is_cleared_of_it_and_of_nothing_else(disk):
    given = {
        "PATH": f":/usr/bin:{disk}/elsewhere",
        "LD_LIBRARY_PATH": f":{disk}/elsewhere/lib",
        "HOME": "/h",
        "EMPTY": "",
    }

    assert project.left_out(given, disk / "elsewhere") == {"PATH": "/usr/bin", "HOME": "/h", "EMPTY": ""}


def test_a_program_is_found_on_path_and_not_here(disk, monkeypatch):
    for place in ("elsewhere/bin", "home/.local/bin"):
        (disk / place / "tool").write_text("")
        (disk / place / "tool").chmod(0o755)
    monkeypatch.chdir(disk / "elsewhere")
    monkeypatch.setenv("PATH", os.pathsep.join([".", "bin", f"{disk}/elsewhere/bin"]))
    assert project.program("tool") is None
    monkeypatch.setenv("PATH", os.pathsep.join([".", f"{disk}/elsewhere/bin", f"{disk}/home/.local/bin"]))
    assert project.program("tool") == str(disk / "home/.local/bin/tool")


def test_a_folder_that_is_gone_holds_nothing(disk, monkeypatch):
    gone = disk / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert project.folder() is None
    assert not project.leads_through(Path("/usr/bin"))
