"""The hooks' file pattern: what pre-commit passes on is what the formats read, and no picture or page beside it."""

import re
from pathlib import Path

import pytest

from compat.probe.pins import formats

TEXT = (Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text("utf-8")
PATTERN = re.search(r"files: &dependency_files \|\n(.*?)^  \w", TEXT, re.DOTALL | re.MULTILINE)[1]
"""Its indentation is nothing to a pattern that is read as verbose."""


def passes(path):
    return re.search(PATTERN.strip(), path) is not None


@pytest.mark.parametrize(
    "path",
    [
        *("requirements.txt", "requirements-mac.txt", "requirements/base.txt", "reqs.in", "dev_requirements.pip"),
        *("a/constraints.txt", "requirements", "requirements.lock", "dev-reqs.txt", "requirements.macos.txt", "tf.pip"),
        *(
            "pyproject.toml",
            "a/b/pyproject.toml",
            "uv.lock",
            "poetry.lock",
            "pdm.lock",
            "pdm.macos.lock",
            "pylock.toml",
        ),
        *("pylock.dev.toml", "Pipfile", "Pipfile.lock", "pixi.toml", "pixi.lock", "conda-lock.yml", "script.py.lock"),
        *(
            "setup.cfg",
            "setup.py",
            "noxfile.py",
            "tool.py",
            "tox.ini",
            "Dockerfile",
            "mac.Dockerfile",
            "Dockerfile.mac",
        ),
        *("Containerfile", "Makefile", "GNUmakefile", "rules.mk", "justfile", "a.ipynb", ".github/workflows/ci.yml"),
        *(".python-version", "runtime.txt", ".tool-versions", "environment.yml", "env-mac.yaml", "install.sh"),
        *("conda-osx-arm64.lock", "conda_list.txt", "meta.yaml", "setup.bat"),
    ],
)
def test_a_dependency_file_is_passed_on(path):
    assert passes(path)


@pytest.mark.parametrize(
    "path",
    [
        *("README.md", "requirements.png", "docs/requirements.md", "Cargo.lock", "yarn.lock", "notes.txt", "main.c"),
        *(
            "frequency.csv",
            "requests.js",
            "package.json",
            "requirements.txt.bak",
            "constraints.pdf",
            "pyproject.toml.orig",
        ),
    ],
)
def test_another_file_is_not(path):
    assert not passes(path)


def test_what_is_passed_on_has_a_format_and_every_format_but_markdown_is_passed_on():
    examples = {
        "uv.lock": "uv.lock", "workflow": ".github/workflows/ci.yml", "conda": "environment.yml", "pylock": "pylock.toml",
        "script": "a.py", "code": "b.py", "shell": "a.sh", "notebook": "a.ipynb", "dockerfile": "Dockerfile",
        "makefile": "Makefile", "python-version": ".python-version", "conda-recipe": "meta.yaml", "tox": "tox.ini",
        "conda-explicit": "conda-osx.lock", "conda-list": "conda_list.txt", "conda-lock": "conda-lock.yml",
        "requirements": "requirements.txt", "pyproject": "pyproject.toml", "noxfile": "noxfile.py",
    }  # fmt: skip
    kinds = {row.kind for row in formats.FORMATS} - {"markdown"}

    assert not [kind for kind in kinds if not passes(examples.get(kind, kind))]


def test_the_second_hook_differs_in_that_it_mends():
    assert re.findall(r"^- id: (.*)$", TEXT, re.MULTILINE) == ["tfcompat-pins", "tfcompat-pins-fix"]
    assert re.findall(r"^  entry: (.*)$", TEXT, re.MULTILINE) == ["tfcompat-pins", "tfcompat-pins --fix"]
    assert TEXT.count("files: *dependency_files") == 1
