"""Which Jupyter kernels an environment's user sees, and whose interpreter each starts."""

import json

import pytest

from compat.probe.kernels import find_kernels


@pytest.fixture
def disk(tmp_path):
    (tmp_path / "env/bin").mkdir(parents=True)
    (tmp_path / "env/pyvenv.cfg").touch()
    (tmp_path / "env/bin/python").touch()
    (tmp_path / "env/bin/python3").symlink_to("python")
    return tmp_path


def spec(folder, name, argv0, language="python"):
    place = folder / "kernels" / name
    place.mkdir(parents=True)
    (place / "kernel.json").write_text(json.dumps({"argv": [argv0, "-m", "x"], "language": language}), encoding="utf-8")
    return place / "kernel.json"


def kernels(disk, system="linux", **variables):
    given = {"HOME": str(disk / "home")} | {key: str(value) for key, value in variables.items()}
    return find_kernels(str(disk / "env/bin/python3"), str(disk / "env"), given, system, disk / "root")


@pytest.mark.parametrize(
    "argv0, same",
    [("{env}/bin/python", True), ("{env}/bin/python3", True), ("python", True), ("python3.11", True), ("/opt/other/bin/python", False), ("bin/python", False)],
)  # fmt: skip
def test_a_kernel_starts_this_interpreter_or_another(disk, argv0, same):
    argv0 = argv0.format(env=disk / "env")
    path = spec(disk / "env/share/jupyter", "tf", argv0)

    (kernel,) = kernels(disk)

    assert (kernel.name, kernel.path, kernel.argv0, kernel.same_interpreter) == ("tf", str(path), argv0, same)


@pytest.mark.parametrize(
    "system, place, variables",
    [
        ("linux", "home/.local/share/jupyter", {}),
        ("darwin", "home/Library/Jupyter", {}),
        ("linux", "data/jupyter", {"XDG_DATA_HOME": "data"}),
        ("win32", "roaming/jupyter", {"APPDATA": "roaming"}),
        ("win32", "all/jupyter", {"PROGRAMDATA": "all"}),
        ("darwin", "mine", {"JUPYTER_DATA_DIR": "mine"}),
        ("linux", "more", {"JUPYTER_PATH": "more"}),
        ("linux", "root/usr/share/jupyter", {}),
        ("darwin", "root/usr/local/share/jupyter", {}),
        ("darwin", "env/share/jupyter", {}),
    ],
)
def test_every_data_folder_of_jupyter_is_looked_into(disk, system, place, variables):
    spec(disk / place, "k", "/somewhere/python")

    found = kernels(disk, system, **{key: disk / value for key, value in variables.items()})

    assert [kernel.name for kernel in found] == ["k"]


def test_of_two_kernels_with_one_name_the_users_counts(disk):
    spec(disk / "env/share/jupyter", "python3", "python")
    spec(disk / "home/.local/share/jupyter", "python3", "/old/bin/python")

    assert [kernel.argv0 for kernel in kernels(disk)] == ["/old/bin/python"]


def test_kernels_of_other_languages_and_broken_specs_are_passed_over(disk):
    folder = disk / "env/share/jupyter"
    spec(folder, "ir", "/usr/bin/R", "R")
    for name, text in {
        "cut": '{"argv": [',
        "list": "[]",
        "empty": '{"argv": []}',
        "number": '{"argv": [7]}',
        "latin": "\udce4",
    }.items():
        spec(folder, name, "x").write_bytes(text.encode("utf-8", "surrogateescape"))
    (folder / "kernels/stray.txt").touch()

    assert kernels(disk) == ()
