"""Real environments, made once a session with uv and removed at its end."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from compat.facts.known import known
from compat.probe.interpreters import find_all

ENV = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")}


def interpreter(version):
    """An interpreter of this machine; a missing one is a skip that names it."""
    for found in find_all():
        if not found.problem and (known(found.version) or "").startswith(f"{version}."):
            return found.path
    pytest.skip(f"no Python {version} on this machine")
    return None


def uv(*words):
    from uv import find_uv_bin

    subprocess.run([find_uv_bin(), *map(str, words)], check=True, env=ENV, capture_output=True, text=True)


def tfcompat(*words, cwd=None):
    """Run the command line as a user does; return the finished process."""
    argv = [sys.executable, "-m", "compat", *map(str, words)]
    return subprocess.run(argv, cwd=cwd, env=ENV, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def make(tmp_path_factory):
    """A function that makes an environment with given requirements; all are removed at the end."""
    made = []

    def environment(python, *requirements):
        folder = Path(tmp_path_factory.mktemp("real")) / "env"
        made.append(folder)
        uv("venv", "--python", interpreter(python), folder)
        uv("pip", "install", "--compile-bytecode", "--python", folder / "bin/python", *requirements)
        return folder

    yield environment
    for folder in made:
        shutil.rmtree(folder, ignore_errors=True)
