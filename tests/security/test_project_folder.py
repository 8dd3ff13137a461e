"""Nothing of the folder a command is called in is executed, whatever lies there and however PATH leads there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builder.tiny_index import wheel
from tests.probe.sites import SH, install, make_venv, script
from tests.security.hostile import (
    MODULES,
    OBEYED,
    PROGRAMS,
    TFCOMPAT,
    call,
    home_of,
    hostile,
    program_trap,
    python_trap,
)

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("given")


@pytest.fixture(scope="module")
def shared(place):
    return hostile(place)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """An environment of the user's own, with a TensorFlow that cannot be imported."""
    interpreter, site = make_venv(tmp_path_factory.mktemp("own") / "env", HERE)
    install(site, "tensorflow", "2.18.1", files=["tensorflow/__init__.py"])
    (site / "tensorflow/__init__.py").write_text("raise ImportError('the TensorFlow of the environment')\n")
    return interpreter


COMMANDS = {
    "doctor": ["doctor"],
    "doctor of an environment": ["doctor", "--python", "OWN", "--format", "json"],
    "facts": ["facts"],
    "fix": ["fix"],
    "pins": ["pins", "."],
    "smoke": ["smoke", "--python", "OWN"],
    "explain a file": ["explain", "requirements.txt"],
    "explain a rule": ["explain", "TF301"],
    "matrix": ["matrix", "show", "--links", "--arch", "arm64"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_trap_springs_under(command, shared, place, elsewhere):
    words = [elsewhere if word == "OWN" else word for word in COMMANDS[command]]
    done = call(shared, [TFCOMPAT, *words], home=home_of(place))

    assert shared.sprung == []
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout


def test_a_build_asked_for_in_it_springs_none_either(shared, place):
    """Offline and with nothing in the cache no candidate can be had; Pythons are looked for and environments begun."""
    words = ["fix", "--create-venv", "made", "--yes", "--offline", "--cpu"]
    done = call(shared, [TFCOMPAT, *words], home=home_of(place), UV_CACHE_DIR=place / "cache")

    assert shared.sprung == []
    assert done.returncode == 3, done.stderr
    assert not (shared.folder / "made").exists()


def test_the_smoke_test_ran_where_nothing_sprang(shared, place, elsewhere):
    done = call(shared, [TFCOMPAT, "smoke", "--python", elsewhere], home=home_of(place))

    assert "the TensorFlow of the environment" in done.stdout


@pytest.mark.parametrize("words", [["facts"], ["pins", "."]], ids=lambda words: words[0])
def test_called_as_a_module_of_python_it_takes_no_module_of_the_folder_either(words, tmp_path):
    made = hostile(tmp_path)
    shutil.rmtree(made.folder / "compat")  # Python itself takes that one, before a line of ours runs
    ours = (
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n"  # what compat/__init__.py opens with
    )
    (made.folder / "module_of_nothing.py").write_text(ours)
    while call(made, [sys.executable, "-m", "module_of_nothing"], home=home_of(tmp_path)).returncode:
        for taken in made.sprung:  # and these, on its way to any module
            (made.folder / f"{taken.removeprefix('module-')}.py").unlink()
            (made.canaries / taken).unlink()
    assert len(list(made.folder.glob("*.py"))) > len(MODULES) // 2
    done = call(made, [sys.executable, "-m", "compat", *words], home=home_of(tmp_path))

    assert made.sprung == []
    assert done.returncode in (0, 1), done.stderr


def test_every_module_trap_springs_in_a_python_that_looks_there(tmp_path):
    made = hostile(tmp_path)
    for name in MODULES:  # each alone: one may be imported on the way to another
        alone = tmp_path / name
        alone.mkdir()
        (made.folder / f"{name}.py").rename(alone / f"{name}.py")
        code = f"import sys; sys.path.insert(0, '.'); sys.modules.pop({name!r}, None); import {name}"
        subprocess.run([sys.executable, "-S", "-c", code], cwd=alone, capture_output=True, check=False)

    assert made.sprung == sorted(f"module-{name}" for name in MODULES)


def test_every_program_trap_springs_on_a_path_that_leads_there(tmp_path):
    made = hostile(tmp_path)
    for name in PROGRAMS:
        subprocess.run([SH, "-c", f"PATH={made.path}; {name}"], cwd=made.folder, check=False)

    assert made.sprung == sorted({f"program-{name}" for name in PROGRAMS})


@pytest.mark.parametrize("name", ["uv.toml", "pyproject.toml"])
def test_a_uv_that_obeys_the_folder_fails(name, tmp_path):
    (tmp_path / name).write_text(OBEYED[name])
    uv = Path(sys.executable).with_name("uv")
    done = subprocess.run([uv, "pip", "list"], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "999" in done.stderr


def test_a_build_in_the_folder_obeys_nothing_of_it_and_runs_nothing_of_it(tmp_path, monkeypatch):
    """uv creates, resolves, installs and checks with the folder as the current one, as `fix --create-venv` has it."""
    from compat.builder import uv

    made = hostile(tmp_path)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel(wheels, "demo", "1.0")
    monkeypatch.chdir(made.folder)
    given = {"PATH": made.path, "HOME": home_of(tmp_path), "UV_FIND_LINKS": wheels, "UV_CACHE_DIR": tmp_path / "cache"}
    given |= {"XDG_CONFIG_HOME": "settings"}
    for name, value in given.items():
        monkeypatch.setenv(name, str(value))

    found = uv.find(offline=True)
    found.venv(made.folder / "new", HERE)
    python = str(made.folder / "new/bin/python")
    (made.folder / "wanted.in").write_text("demo\n")
    found.compile((made.folder / "wanted.in",), python=python, output=made.folder / "lock.txt")
    found.install(made.folder / "lock.txt", python=python)

    assert found.check(python=python, folder=made.folder) is None
    assert made.sprung == []
    assert list((made.folder / "new").glob("lib/python*/site-packages/demo/__init__.py"))


def test_a_kernel_is_registered_by_the_environments_own_ipykernel(tmp_path, monkeypatch):
    from compat.builder.outcome import Built
    from compat.cli.handover import register_kernel

    made = hostile(tmp_path)
    interpreter, site = make_venv(tmp_path / "env", HERE)
    install(site, "ipykernel", "6.29.5", files=["ipykernel/__init__.py"])
    (site / "ipykernel/__main__.py").write_text(
        "import json, sys\nopen(sys.prefix + '/asked', 'w').write(json.dumps(sys.argv))\n"
    )
    monkeypatch.chdir(made.folder)
    outcome = Built.__new__(Built)
    object.__setattr__(outcome, "interpreter", str(interpreter))
    register_kernel(outcome, "mine", lambda _text: None)

    assert made.sprung == []
    assert '"--name", "mine"' in (tmp_path / "env/asked").read_text()


def venv_trap(made, kind):
    """Lay a `.venv` into the folder, as it may come with a clone; return what must be said of it."""
    folder = made.folder / ".venv"
    if kind == "what is installed":
        _, site = make_venv(folder, HERE)
        (site / "evil.pth").write_text(f"import os; open({str(made.canaries / 'venv-pth')!r}, 'w').close()\n")
        for name in ("sitecustomize", "usercustomize", "json", "os"):
            (site / f"{name}.py").write_text(python_trap(made.canaries, f"venv-{name}"))
        return None
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\nversion = 3.11.4\n")
    if kind == "a script":
        script(folder / "bin/python", program_trap(made.canaries, "venv-python"))
    elif kind == "a link to a script":
        script(made.folder / "tools/python", program_trap(made.canaries, "venv-python"))
        (folder / "bin/python").symlink_to("../../tools/python")
    elif kind == "a program":
        shutil.copyfile(shutil.which("touch"), folder / "bin/python")
        (folder / "bin/python").chmod(0o755)
    return "is not started unasked"


KINDS = ("a script", "a link to a script", "a program", "what is installed")


@pytest.mark.parametrize(
    "kind, words",
    [
        *((kind, ["facts"]) for kind in KINDS),
        *(("a script", [word]) for word in ("smoke", "fix")),
        ("what is installed", ["doctor"]),
    ],
    ids=str,
)
def test_an_environment_that_came_with_the_folder_is_not_run(kind, words, tmp_path):
    made = hostile(tmp_path)
    expected = venv_trap(made, kind)
    done = call(made, [TFCOMPAT, *words], home=home_of(tmp_path))

    assert made.sprung == []
    assert not (made.folder / "-I").exists()
    if expected and words != ["fix"]:
        assert done.returncode == 3
        assert expected in done.stderr
        assert "--python" in done.stderr


def test_the_environment_trap_springs_where_its_interpreter_is_started(tmp_path):
    made = hostile(tmp_path)
    venv_trap(made, "what is installed")
    for flags in (["-I"], ["-I", "-S"]):
        subprocess.run([made.folder / ".venv/bin/python", *flags, "-c", ""], capture_output=True, check=False)
        if flags == ["-I"]:  # a sitecustomize of the system's own stands before the trap's, the line of a .pth does not
            assert "venv-sitecustomize" in made.sprung or "venv-pth" in made.sprung
            for path in made.canaries.iterdir():
                path.unlink()

    assert made.sprung == []


@pytest.mark.parametrize("options", [(), ("--copies",)], ids=["linked", "copied"])
def test_an_environment_made_on_this_machine_is_looked_at_unasked(options, tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    _, site = make_venv(folder / ".venv", HERE, *options)
    install(site, "mine-alone", "1.0")
    variables = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    done = subprocess.run(
        [TFCOMPAT, "facts"], cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=120
    )

    assert done.returncode == 0, done.stderr
    assert '"mine-alone"' in done.stdout


def test_an_interpreter_of_the_folder_is_started_where_it_is_named(tmp_path):
    made = hostile(tmp_path)
    venv_trap(made, "a script")
    call(made, [TFCOMPAT, "facts", "--python", ".venv/bin/python"], home=home_of(tmp_path))

    assert made.sprung == ["venv-python"]


SHIMS = {
    ".python-version": '#!SH\nread version < .python-version\nexec "ROOT/versions/$version/bin/python" "$@"\n',
    ".tool-versions": '#!SH\nread tool place < .tool-versions\nexec "${place#path:}/bin/python" "$@"\n',
    "mise.toml": '#!SH\nread table\nexec ./bin/python "$@"\n',
}
"""What a version manager's shim does with a version file, in two lines."""


@pytest.mark.parametrize("name", SHIMS)
@pytest.mark.parametrize("words", [["facts"], ["facts", "--python", "python3"]], ids=" ".join)
def test_a_version_file_leads_to_no_program_of_the_folder(name, words, tmp_path):
    made = hostile(tmp_path)
    root = tmp_path / "manager"
    (root / "versions").mkdir(parents=True)
    for program in ("python", "python3"):
        script(root / "shims" / program, SHIMS[name].replace("SH", SH).replace("ROOT", str(root)))
    lead = "../../hostile" if name == ".python-version" else f"python path:{made.folder}"
    texts = {".python-version": f"{lead}\n", ".tool-versions": f"{lead}\n", "mise.toml": '[tools]\npython = "path:."\n'}
    (made.folder / name).write_text(texts[name])
    call(made, [TFCOMPAT, *words], home=home_of(tmp_path), PATH=f"{root / 'shims'}{os.pathsep}{made.path}")

    assert made.sprung == []


@pytest.mark.parametrize("name", [".python-version", ".tool-versions"])
def test_the_shim_itself_would_follow_the_version_file(name, tmp_path):
    made = hostile(tmp_path)
    root = tmp_path / "manager"
    (root / "versions").mkdir(parents=True)
    shim = script(root / "shims/python", SHIMS[name].replace("SH", SH).replace("ROOT", str(root)))
    lead = "../../hostile" if name == ".python-version" else f"python path:{made.folder}"
    (made.folder / name).write_text(f"{lead}\n")
    subprocess.run([shim], cwd=made.folder, check=False)

    assert made.sprung == ["program-python"]
