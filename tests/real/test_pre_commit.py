"""The hook under the real pre-commit: installed from a repository, on changed files and on all, without a network."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.real.conftest import interpreter, uv

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.real, pytest.mark.network]

BAD = "tensorflow==2.18.1\ntensorflow-metal==1.1.0\nsetuptools<82\n"
GOOD = "tensorflow==2.18.1\ntensorflow-metal==1.2.0\nsetuptools<82\n"
NOWHERE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")


def git(folder, *words):
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false", "-c", "core.hooksPath="]
    done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def hooks(tmp_path_factory):
    """This project as a repository of its own, and its commit."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in ("compat", "matrices"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*cache"))
    for name in (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    return folder, git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def pre_commit(tmp_path_factory):
    """Run the real pre-commit in a folder, with a cache of its own."""
    place = tmp_path_factory.mktemp("pre-commit")
    uv("venv", "--python", interpreter("3.12"), place / "env")
    uv("pip", "install", "--python", place / "env/bin/python", "pre-commit")
    path = f"{place / 'env/bin'}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PRE_COMMIT_HOME": str(place / "cache"), "PATH": path, "SKIP": ""}

    def run(folder, *words, **more):
        argv = [place / "env/bin/pre-commit", *words]
        done = subprocess.run(argv, cwd=folder, env=env | more, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def project(tmp_path, hooks):
    """A repository whose first commit has a good file, a bad file and the hook's three lines."""
    folder, commit = hooks
    git(tmp_path, "init", "-q")
    lines = f"repos:\n- repo: {folder}\n  rev: {commit}\n  hooks: [{{ id: tfcompat-pins }}]\n"
    (tmp_path / ".pre-commit-config.yaml").write_text(lines)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "requirements.txt").write_text(BAD)
    (tmp_path / "requirements.txt").write_text(GOOD)
    (tmp_path / "notes.md").write_text("pip install tensorflow==2.18.1 tensorflow-metal==1.1.0\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def test_try_repo_finds_the_pair_that_cannot_load(project, hooks, pre_commit):
    done = pre_commit(project, "try-repo", str(hooks[0]), "tfcompat-pins", "--files", "old/requirements.txt")

    assert done.returncode == 1, done.stderr
    assert "old/requirements.txt:2:1: PIN501 tensorflow-metal 1.1.0 cannot load" in done.stdout


def test_changed_files_and_all_files_without_a_network(project, pre_commit):
    done = pre_commit(project, "install-hooks")
    assert done.returncode == 0, done.stdout + done.stderr

    (project / "requirements.txt").write_text(GOOD + "numpy\n")
    git(project, "add", "-A")
    done = pre_commit(project, "run", **NOWHERE)
    assert done.returncode == 0, done.stdout
    assert "Passed" in done.stdout

    done = pre_commit(project, "run", "--all-files", **NOWHERE)
    assert done.returncode == 1
    assert "old/requirements.txt:2:1: PIN501" in done.stdout
    assert "notes.md" not in done.stdout


def test_a_commit_with_such_a_pair_is_refused(project, pre_commit):
    pre_commit(project, "install")
    (project / "requirements.txt").write_bytes(b"\xff\xfe" + BAD.encode("utf-16-le"))
    git(project, "add", "-A")

    done = pre_commit(project, "run", "--hook-stage", "pre-commit", **NOWHERE)
    assert done.returncode == 1
    assert "requirements.txt:2:1: PIN501" in done.stdout


def test_the_second_hook_mends_what_the_first_one_finds(project, pre_commit):
    config = project / ".pre-commit-config.yaml"
    config.write_text(config.read_text().replace("tfcompat-pins", "tfcompat-pins-fix"))
    git(project, "add", "-A")

    done = pre_commit(project, "run", "--all-files", **NOWHERE)
    assert done.returncode == 1, "pre-commit tells that a hook changed files"
    assert (project / "old" / "requirements.txt").read_text() == GOOD
    git(project, "add", "-A")
    assert pre_commit(project, "run", "--all-files", **NOWHERE).returncode == 0
