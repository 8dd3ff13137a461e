"""The environment that is meant is found, and what its files add to the interpreter's answer is right."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from compat.errors import CannotLook, UsageError
from compat.facts.image import LinkProof
from compat.facts.known import Unknown
from compat.probe.environment import find_interpreter, look, target_environment, target_machine
from compat.process import run
from tests.probe.sites import SH, install, make_venv, script
from tests.probe.test_architectures import ARM64, X86_64, fat, thin

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture(autouse=True)
def _home_below(tmp_path, monkeypatch):
    """The folder these tests look from holds the home folder: what lies in it is the user's own, and no project's."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def environment_in(folder, *, cfg=True):
    """A folder that looks like a virtual environment."""
    path = script(folder / "bin/python", f"#!{SH}\n")
    if cfg:
        (folder / "pyvenv.cfg").write_text("version = 3.11.4\n", encoding="utf-8")
    return path


def chosen(disk, python=None, venv=None, **variables):
    given = {"HOME": str(disk / "home"), "PATH": ""} | {key: str(value) for key, value in variables.items()}
    return find_interpreter(python, venv, given, disk)


def refusal(disk, *args, **variables):
    with pytest.raises(CannotLook) as caught:
        chosen(disk, *args, **variables)
    assert caught.value.hint
    return caught.value.message


def test_without_a_word_the_active_environment_counts_then_one_beside_then_path(tmp_path):
    onpath = script(tmp_path / "bin/python3", f"#!{SH}\n")
    conda = environment_in(tmp_path / "conda", cfg=False)
    active = environment_in(tmp_path / "active")
    variables = {"PATH": tmp_path / "bin", "CONDA_PREFIX": tmp_path / "conda", "VIRTUAL_ENV": tmp_path / "active"}

    assert chosen(tmp_path, **variables) == str(active)
    del variables["VIRTUAL_ENV"]
    assert chosen(tmp_path, **variables) == str(conda)
    del variables["CONDA_PREFIX"]
    assert chosen(tmp_path, **variables) == str(onpath)
    built = environment_in(tmp_path / ".venv-tf")
    assert chosen(tmp_path, **variables) == str(built)
    beside = environment_in(tmp_path / ".venv")
    assert chosen(tmp_path, **variables) == str(beside)


def test_our_own_environment_is_the_last_resort(tmp_path):
    other = script(tmp_path / "bin/python", f"#!{SH}\n")
    own = Path(sys.prefix) / "bin"

    assert chosen(tmp_path, PATH=f"{own}:{tmp_path}/bin", VIRTUAL_ENV=sys.prefix) == str(other)
    assert chosen(tmp_path, PATH=own) == sys.executable


def test_our_own_environment_is_the_users_where_tensorflow_is_in_it(tmp_path, monkeypatch):
    path = environment_in(tmp_path / "env")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "env"))
    assert chosen(tmp_path, VIRTUAL_ENV=tmp_path / "env") == sys.executable

    install(tmp_path / "env/lib/python3.11/site-packages", "tensorflow", "2.18.1")

    assert chosen(tmp_path, VIRTUAL_ENV=tmp_path / "env") == str(path)


@pytest.mark.parametrize("name", ["env", "with space", 'it\'s "quoted"', "é", "-dash"])
def test_an_environment_is_named_by_its_folder_or_its_interpreter(tmp_path, name):
    path = environment_in(tmp_path / name)

    assert chosen(tmp_path, None, name) == str(path)
    assert chosen(tmp_path, None, str(tmp_path / name)) == str(path)
    assert chosen(tmp_path, str(path)) == str(path)
    assert chosen(tmp_path, name) == str(path)


def test_a_link_is_kept_because_it_makes_the_environment(tmp_path):
    base = script(tmp_path / "base/python3", f"#!{SH}\n")
    (tmp_path / "env/bin").mkdir(parents=True)
    (tmp_path / "env/bin/python").symlink_to(base)

    assert chosen(tmp_path, "env/bin/python") == str(tmp_path / "env/bin/python")


def test_what_is_no_environment_is_said(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()

    assert refusal(tmp_path, None, "absent") == "--venv absent: there is no such folder"
    assert refusal(tmp_path, None, "folder") == "--venv folder is no environment: there is no interpreter in it"
    assert refusal(tmp_path, None, "file") == "--venv file is a file, not an environment"
    assert refusal(tmp_path, "folder") == "--python folder is no environment: there is no interpreter in it"
    assert refusal(tmp_path, "pythonzzz") == "there is no pythonzzz on PATH"
    assert refusal(tmp_path, VIRTUAL_ENV="/gone/env") == "VIRTUAL_ENV=/gone/env: there is no such folder"


def test_both_options_at_once_are_wrong_usage(tmp_path):
    with pytest.raises(UsageError):
        chosen(tmp_path, "3.11", "env")


def test_a_version_is_looked_for_on_path_and_then_where_pythons_live(tmp_path):
    for version in ("3.11.4", "3.11.12", "3.1.9"):
        script(tmp_path / f"home/.pyenv/versions/{version}/bin/python", f"#!{SH}\n")
    newest = str(tmp_path / "home/.pyenv/versions/3.11.12/bin/python")

    assert chosen(tmp_path, "3.11") == chosen(tmp_path, "python3.11") == newest
    assert chosen(tmp_path, "3.11.4") == str(tmp_path / "home/.pyenv/versions/3.11.4/bin/python")
    assert chosen(tmp_path, "3.1") == str(tmp_path / "home/.pyenv/versions/3.1.9/bin/python")
    assert refusal(tmp_path, "3.14") == "no Python 3.14 found on this machine"
    onpath = script(tmp_path / "bin/python3.11", f"#!{SH}\n")
    assert chosen(tmp_path, "3.11", PATH=tmp_path / "bin") == str(onpath)


def test_a_shim_that_fails_is_passed_over_unless_it_was_asked_for(tmp_path):
    shims = tmp_path / "shims"
    script(shims / "python", f"#!{SH}\necho 'no version is set' >&2; exit 126\n")
    other = script(tmp_path / "bin/python3", f"#!{SH}\n")

    assert chosen(tmp_path, PATH=f"{shims}:{tmp_path}/bin") == str(other)
    assert refusal(tmp_path, "python", PATH=shims) == f"{shims}/python: the shim fails: no version is set"


def test_a_look_completes_what_the_interpreter_answered(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    interpreter, site = make_venv(tmp_path / "env", HERE)
    install(site, "tensorflow-metal", "1.2.0", files=["tensorflow-plugins/libmetal_plugin.so"])
    kernel = tmp_path / ".local/share/jupyter/kernels/k/kernel.json"
    kernel.parent.mkdir(parents=True)
    kernel.write_text('{"argv": ["/other/python"], "language": "python"}', encoding="utf-8")

    told, found = look(str(tmp_path / f"env/bin/python{HERE}"))

    assert Path(told.path).parent == interpreter.parent
    assert isinstance(told.architectures, tuple)
    assert told.origin in {"pyenv", "uv", "homebrew", "python.org", "apple", "system", "conda", "other"}
    if sys.platform == "linux":
        assert found.plugins[0].link_proof == Unknown("not a Mach-O file")
        assert [item.argv0 for item in found.kernels if item.name == "k"] == ["/other/python"]


def target(folder, **binaries):
    files = {"tensorflow": "tensorflow/python/_pywrap_tensorflow_internal.so", "numpy": "numpy/_core/_multiarray_umath.cpython-312-darwin.so",
             "plugin": "tensorflow-plugins/libmetal_plugin.dylib", "h5py": "h5py/_conv.cpython-312-darwin.so"}  # fmt: skip
    install(folder, "tensorflow", "2.18.1", files=["tensorflow/__init__.py"])
    for name, data in binaries.items():
        (folder / files[name]).parent.mkdir(parents=True, exist_ok=True)
        (folder / files[name]).write_bytes(data)
    return target_environment(str(folder), "macos-arm64", "3.12")


def test_a_target_has_the_facts_of_its_files_and_no_others(tmp_path):
    interpreter, environment = target(tmp_path, numpy=thin(ARM64))

    assert (interpreter.version, interpreter.abi, interpreter.machine) == ("3.12", "cp312", "arm64")
    assert isinstance(interpreter.prefix, Unknown)
    assert (environment.kind, environment.version("tensorflow"), environment.plugins) == ("target", "2.18.1", ())
    assert isinstance(environment.kernels, Unknown)
    assert environment.binary_architectures == ("arm64",)


@pytest.mark.parametrize(
    "binaries, architectures",
    [
        ({"numpy": thin(ARM64), "h5py": thin(X86_64)}, ("arm64", "x86_64")),
        ({"numpy": thin(ARM64), "h5py": fat(X86_64, ARM64)}, ("arm64",)),
        ({"h5py": fat(X86_64, ARM64)}, ("arm64", "x86_64")),
        ({"numpy": thin(ARM64), "plugin": thin(X86_64)}, ("arm64", "x86_64")),
        ({}, ()),
    ],
    ids=["mixed", "universal-beside", "universal-alone", "plugin", "none"],
)
def test_a_mixture_of_architectures_is_seen_and_a_universal_file_is_none(tmp_path, binaries, architectures):
    assert target(tmp_path, **binaries)[1].binary_architectures == architectures


@pytest.mark.parametrize(
    "plugin, why",
    [(thin(ARM64), "no TensorFlow"), (struct.pack("<I", 0xFEEDFACF), ""), (b"text", "not a Mach-O file")],
    ids=["no-images", "cut-short", "no-binary"],
)
def test_a_plugin_that_cannot_be_proved_is_unknown_with_the_reason(tmp_path, plugin, why):
    _, environment = target(tmp_path, plugin=plugin)

    proof = environment.plugins[0].link_proof
    assert isinstance(proof, Unknown)
    assert why in proof.why


@pytest.mark.parametrize(
    "platform, version, folder, error",
    [("macos", "3.12", "", UsageError), ("macos-arm64", "three", "", UsageError), ("macos-arm64", "3", "", UsageError), ("macos-arm64", "3.12", "gone", CannotLook)],
)  # fmt: skip
def test_a_target_that_makes_no_sense_is_refused(tmp_path, platform, version, folder, error):
    with pytest.raises(error):
        target_environment(str(tmp_path / folder), platform, version)


def test_a_targets_machine_is_its_platform_and_nothing_else():
    machine = target_machine("linux-aarch64")

    assert (machine.os, machine.architecture, machine.platform) == ("linux", "aarch64", "linux-aarch64")
    assert isinstance(machine.chip, Unknown)
    with pytest.raises(UsageError):
        target_machine("amiga")


@pytest.fixture(scope="module")
def macos_on_linux(tmp_path_factory):
    """A macOS environment installed for real, on whatever this is."""
    folder = tmp_path_factory.mktemp("mac") / "site"
    done = run(
        [sys.executable, "-m", "uv", "pip", "install", "--target", str(folder), "--python-platform", "aarch64-apple-darwin",
         "--python-version", "3.12", "--only-binary", ":all:", "tensorflow==2.18.1", "tensorflow-metal==1.2.0"],
        timeout=1800, env=dict(os.environ),
    )  # fmt: skip
    assert done.ok, done.stderr
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.mark.real
@pytest.mark.network
def test_a_macos_environment_installed_elsewhere_is_read_and_its_links_proved(macos_on_linux):
    interpreter, environment = target_environment(str(macos_on_linux), "macos-arm64", "3.12")

    assert (environment.version("tensorflow"), environment.version("tensorflow-metal")) == ("2.18.1", "1.2.0")
    assert environment.distribution("tensorflow").provides_top_level is True
    (plugin,) = environment.plugins
    assert plugin.owners == ("tensorflow-metal==1.2.0",)
    assert isinstance(plugin.link_proof, LinkProof)
    assert (plugin.link_proof.loads, plugin.link_proof.layer, plugin.link_proof.minimum_macos) == (True, 0, "12.1")
    assert environment.binary_architectures == ("arm64",)
    assert {"cp312-cp312-macosx_12_0_arm64"} <= set(environment.distribution("tensorflow").wheel_tags)
    assert interpreter.abi == "cp312"
