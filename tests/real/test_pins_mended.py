"""What `--fix` makes of pins that cannot work: a file that passes, that uv resolves for a Mac, to a set that passes too."""

import subprocess

import pytest

import compat
from compat.cli import hook
from tests.real.conftest import ENV

pytestmark = [pytest.mark.real, pytest.mark.network]

PROJECT = '[project]\nname = "a"\nversion = "1"\nrequires-python = ">=3.10,<3.13"\n'
SAMPLES = {
    "a pair that cannot load": ("requirements.txt", "tensorflow==2.18.1\ntensorflow-metal==1.1.0\n"),
    "today's newest cannot load": ("requirements.txt", "tensorflow>=2.16\ntensorflow-metal\n"),
    "a plugin without TensorFlow": ("requirements.txt", "tensorflow-metal==1.2.0\nnumpy\n"),
    "an empty shell": ("requirements.txt", "tensorflow-macos==2.15.1\ntensorflow-metal==1.1.0\n"),
    "drift": ("requirements.txt", "tensorflow-macos==2.10.0\ntensorflow-metal==0.6.0\nnumpy>=1.22\n"),
    "a project": ("pyproject.toml", PROJECT + 'dependencies = [\n  "tensorflow>=2.20",\n  "tensorflow-metal",\n]\n'),
    "one line": ("pyproject.toml", PROJECT + "dependencies = ['tensorflow', 'tensorflow-metal']\n"),
    "an extra": (
        "pyproject.toml",
        PROJECT + 'dependencies = []\n[project.optional-dependencies]\nmac = ["tensorflow", "tensorflow-metal"]\n',
    ),
}


def errors(path):
    (file,) = compat.check_pins([path], severity="warning")["files"]
    return [row["message"] for row in file["findings"]]


def resolved(path, folder):
    """What uv takes for Apple silicon, as a requirements file; the newest Python both know wheels for."""
    from uv import find_uv_bin

    for python in ("3.12", "3.11", "3.10"):
        out = folder / f"taken-{python}.txt"
        argv = [
            find_uv_bin(),
            "pip",
            "compile",
            path,
            "--all-extras",
            "--only-binary",
            ":all:",
            "--no-header",
            "-o",
            out,
        ]
        argv = argv if path.suffix == ".toml" else [word for word in argv if word != "--all-extras"]
        where = ["--python-platform", "aarch64-apple-darwin", "--python-version", python]
        done = subprocess.run([*argv, *where], env=ENV, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return out, python
    return pytest.fail(f"uv finds no solution: {done.stderr}")


@pytest.mark.parametrize("name, text", SAMPLES.values(), ids=SAMPLES)
def test_the_mended_file_passes_and_uv_resolves_it_to_what_passes(tmp_path, monkeypatch, name, text):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.write_text(text)
    assert errors(path)

    hook.main([str(path), "--fix"])

    assert errors(path) == [], path.read_text()
    taken, _ = resolved(path, tmp_path)
    assert errors(taken) == [], taken.read_text()
    assert "tensorflow" in taken.read_text()
