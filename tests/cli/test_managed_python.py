"""A Python that is not on the machine is fetched by uv, from the mirror the user names; one that fails is one line."""

import os
import subprocess
import sys

import pytest

from compat.builder.outcome import Verification
from compat.cli import fix, handover
from tests.builder import small_bundle
from tests.builder.loopback import serving
from tests.builder.python_archive import listed, one_of_this_machine, pack
from tests.builder.test_apply import candidate, plan
from tests.cli.conftest import verified

ARCHIVE = f"/pythons/20261110/{small_bundle.ARCHIVE}"
PLATFORMS = {
    "macos-arm64": ("darwin", "aarch64", "none"),
    "macos-x86_64": ("darwin", "x86_64", "none"),
    "linux-x86_64": ("linux", "x86_64", "gnu"),
    "linux-aarch64": ("linux", "aarch64", "gnu"),
}


@pytest.fixture
def mirror(tmp_path, monkeypatch, work):
    """A mirror with an archive for this machine, and no Python on PATH."""
    from compat.probe import machine

    for name in [name for name in os.environ if name.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    folder = small_bundle.wheels(tmp_path / "wheels")
    here = PLATFORMS[machine.look(gpus=False).platform]
    with serving(folder) as index:
        settings = {
            **index.environment(),
            **small_bundle.interpreter(index, tmp_path, platform=here),
            "UV_CACHE_DIR": str(tmp_path / "cache"),
            "UV_HTTP_RETRIES": "0",
            "PATH": str(tmp_path),
        }
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(fix, "decide", lambda *_: plan(candidate("demo==1.0")))
        monkeypatch.setattr(handover, "python_for", lambda *_: "3.12.16")
        verified(monkeypatch, Verification(ok=True, stage="complete", message="fine"))
        yield index


@pytest.fixture
def packable():
    """Found before the mirror's PATH leaves none to be found."""
    return one_of_this_machine()


FAULTS = {
    "missing": "404 Not Found",
    "broken": "500 Internal Server Error",
    "truncated": "Failed to extract archive",
    "garbage": "Failed to extract archive",
    "reset": "connection closed before message completed",
    "drop": "end of file before message length reached",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fetch_that_fails_is_told_in_one_line_and_leaves_nothing(told, mirror, work, fault):
    mirror.fail(ARCHIVE, fault)
    code, out, lines = told("fix", "--create-venv", "--yes")

    said = [line for line in (*out.splitlines(), *lines) if "could not create an environment with Python" in line]
    assert code == 3
    assert said
    assert all(FAULTS[fault] in line for line in said)
    assert list(work.iterdir()) == []
    assert mirror.asked(small_bundle.ARCHIVE)


def test_an_archive_that_is_not_the_one_of_the_list_is_refused_as_that(told, mirror, work):
    data = mirror.others[ARCHIVE]
    other = small_bundle.packed("another")
    assert len(data) > 100
    mirror.others[ARCHIVE] = other
    code, out, lines = told("fix", "--create-venv", "--yes")

    assert code == 3
    assert "Hash mismatch" in " ".join((out, *lines))
    assert not (work / ".venv-tf").exists()


def test_the_candidates_after_it_are_tried_with_a_python_that_is_here(told, mirror, work, monkeypatch):
    mirror.fail(ARCHIVE, "missing")
    first, second = candidate("demo==1.0"), candidate("demo==1.0", plugin="1.2.0")
    monkeypatch.setattr(fix, "decide", lambda *_: plan(first, second))
    monkeypatch.setattr(handover, "python_for", lambda one, _facts: "3.12.16" if one is first else sys.executable)
    code, out, lines = told("fix", "--create-venv", "--yes")

    assert code == 0, lines
    assert "failed at create" in out
    assert (work / ".venv-tf").is_dir()


@pytest.mark.real
def test_an_environment_is_built_with_the_python_that_was_fetched(packable, told, mirror, work, tmp_path, monkeypatch):
    archive = tmp_path / "cpython-install_only.tar.gz"
    version = pack(packable, archive)
    mirror.others[f"/pythons/20260101/{archive.name}"] = archive
    (tmp_path / "pythons.json").write_text(listed(archive, version))
    monkeypatch.setattr(handover, "python_for", lambda *_: version.rpartition(".")[0])
    code, _, lines = told("fix", "--create-venv", "--yes")

    assert code == 0, lines
    python = work / ".venv-tf" / "bin" / "python"
    asked = "import sys, platform, demo; print(platform.python_version(), sys.base_prefix)"
    done = subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True)
    found, prefix = done.stdout.strip().split(" ", 1)
    assert found == version
    assert prefix.startswith(str(tmp_path / "pythons"))
    assert mirror.asked(archive.name)
