"""The scripts run in foreign interpreters: old syntax, nothing of ours, a known answer where nothing is installed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "compat" / "smoke" / "scripts"
FILES = sorted(SCRIPTS.rglob("*.py"))
OURS = {path.stem for path in SCRIPTS.iterdir()}
STANDARD = {
    "argparse", "ast", "base64", "collections", "contextlib", "difflib", "faulthandler", "functools", "inspect", "io",
    "gc", "itertools", "json", "math", "operator", "os", "random", "re", "resource", "runpy", "shutil", "sys", "tempfile", "textwrap",
    "time", "zipfile", "zlib",
}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SCRIPTS)))
def test_it_is_python_3_8(path):
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SCRIPTS)))
def test_it_imports_the_standard_library_numpy_tensorflow_and_its_siblings_only(path):
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add((node.module or "").split(".")[0])

    assert found <= STANDARD | OURS | {"numpy", "tensorflow"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SCRIPTS)))
def test_no_name_of_ours_hides_a_module_of_the_standard_library(path):
    assert path.parent != SCRIPTS or path.stem not in sys.stdlib_module_names


def ask(script, *arguments):
    argv = [sys.executable, "-I", "-S", str(SCRIPTS / script), "--cookie", "abc", *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.partition("abc")[2].partition("cba")[0])


def test_without_tensorflow_the_battery_says_so_and_exits_well(tmp_path):
    progress = tmp_path / "progress"

    answer = ask("numerics.py", "--progress", str(progress))

    assert answer["kind"] == "import-failed"
    assert answer["error"] == "ModuleNotFoundError: No module named 'tensorflow'"
    assert json.loads(progress.read_text().splitlines()[0])["id"] == "import"


def test_without_tensorflow_the_whole_check_says_so_and_runs_nothing_else():
    answer = ask("whole.py")

    assert answer["imports"] == "ModuleNotFoundError: No module named 'tensorflow'"
    assert {answer[step] for step in ("fit", "save_h5", "load_keras", "savedmodel", "tensorboard_cli")} == {"not run"}
