"""Real TensorFlow in real environments: healthy ones pass, drifted ones name their root cause, and the remedy works."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.real.conftest import ENV, interpreter, tfcompat, uv

pytestmark = pytest.mark.real

NEW = ("2.20.0", "3.13")
OLD = ("2.10.1", "3.10")
"""The newest repaired release and one from before Keras 3, NumPy 2 and protobuf 4."""


def failing(done):
    return [
        row for row in json.loads(done.stdout)["findings"] if row["status"] == "fails" and row["severity"] == "error"
    ]


def doctor(environment, *words):
    return tfcompat("doctor", "--venv", environment, "--format", "json", *words)


def paste(command):
    """Run a remedy as it would be pasted into a shell."""
    from uv import find_uv_bin

    path = f"{Path(find_uv_bin()).parent}:{ENV['PATH']}"
    subprocess.run(["sh", "-c", command], check=True, env=ENV | {"PATH": path}, capture_output=True, text=True)


@pytest.fixture(scope="module")
def old(make):
    return make(OLD[1], f"tensorflow-cpu=={OLD[0]}")


def test_numpy_2_under_an_old_tensorflow_is_the_root_cause_and_its_remedy_works(old):
    done = doctor(old)

    rows = failing(done)
    assert done.returncode == 1
    assert rows[0]["id"] == "TF311", done.stdout[-2000:]
    assert {row["caused_by"] for row in rows if row["id"] == "NUM601"} == {"TF311"}
    for command in rows[0]["remedy"]["commands"]:
        paste(command)
    after = json.loads(doctor(old).stdout)
    assert after["facts"]["numerics"]["outcome"] == "ran"
    assert not [row for row in after["findings"] if row["id"] == "TF311" and row["status"] == "fails"]


def test_a_tensorboard_without_pkg_resources_is_named_and_its_remedy_works(old):
    row = next(row for row in json.loads(doctor(old, "--no-smoke").stdout)["findings"] if row["id"] == "TF315")
    assert (row["status"], row["severity"]) == ("fails", "warning")
    assert "pkg_resources" in json.dumps(row)

    for command in row["remedy"]["commands"]:
        paste(command)
    after = doctor(old, "--strict", "--no-smoke")
    assert "TF315" not in [row["id"] for row in json.loads(after.stdout)["findings"] if row["status"] == "fails"]


@pytest.mark.parametrize("tensorflow, python", [NEW, OLD])
def test_fix_builds_an_environment_that_passes_and_doctor_agrees(tmp_path, tensorflow, python):
    interpreter(python)
    done = tfcompat(
        *("fix", "--create-venv", "env", "--cpu", "--tensorflow", tensorflow, "--python", python),
        *("--yes", "--format", "json"),
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stderr
    built = json.loads(done.stdout)
    assert built["plan"]["tensorflow"] == tensorflow
    assert sorted(path.name for path in tmp_path.iterdir()) == ["env", "env.requirements.txt"]
    again = doctor(tmp_path / "env", "--strict", "--ignore", "PY206")
    assert again.returncode == 0, again.stdout[-3000:]


def test_a_macos_environment_made_on_linux_is_judged_and_its_links_proved(tmp_path):
    foreign = ("--python-platform", "aarch64-apple-darwin", "--python-version", "3.12", "--only-binary", ":all:")
    good, bad = tmp_path / "good", tmp_path / "bad"
    uv("pip", "install", "--target", good, *foreign, "tensorflow==2.18.1", "tensorflow-metal==1.2.0")
    uv("pip", "install", "--target", bad, *foreign, "tensorflow==2.20.0", "tensorflow-metal==1.2.0")
    words = ("--platform", "macos-arm64", "--python-version", "3.12", "--format", "json")

    fine = tfcompat("doctor", "--target", good, *words)
    broken = tfcompat("doctor", "--target", bad, *words)

    plugin = json.loads(fine.stdout)["facts"]["environment"]["plugins"][0]
    assert plugin["link_proof"]["loads"] is True
    assert "BIN401" not in [row["id"] for row in failing(fine)]
    assert failing(broken)[0]["id"] == "BIN401"
    assert "_pywrap_tensorflow_internal.so" in failing(broken)[0]["message"]


def test_a_remedy_is_one_shell_line_with_its_paths_quoted(make):
    for row in json.loads(doctor(make("3.11", "setuptools")).stdout)["findings"]:
        for command in row["remedy"]["commands"]:
            assert shlex.split(command)
