"""Build site directories by hand: distributions as installers leave them, and as accidents do."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from compat.facts.known import known
from compat.probe.interpreters import find_all


def install(
    site: Path, name: str, version: str, *, files=(), requires=(), headers="", record=True, installer="pip"
) -> Path:
    """Lay down a dist-info as pip would, and the files its RECORD names; return the dist-info folder."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {item}" for item in requires)]
    text = "Metadata-Version: 2.1\n" + "\n".join(lines) + "\n" + headers + "\nA description.\nName: not-a-header\n"
    (folder / "METADATA").write_text(text, encoding="utf-8")
    (folder / "INSTALLER").write_text(f"{installer}\n", encoding="utf-8")
    (folder / "WHEEL").write_text("Wheel-Version: 1.0\nTag: cp311-cp311-macosx_12_0_arm64\n", encoding="utf-8")
    for file in files:
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        (site / file).write_bytes(b"")
    if record:
        names = [*files, f"{folder.name}/METADATA", f"{folder.name}/RECORD"]
        (folder / "RECORD").write_text("".join(f"{item},,\n" for item in names), encoding="utf-8")
    return folder


@functools.cache
def pythons() -> dict[str, str]:
    """Return the CPythons of this machine by minor version (``3.8``…)."""
    found = {}
    for item in find_all():
        version = known(item.version)
        if item.problem is None and version and re.match(r"3\.\d+", version):
            found.setdefault(".".join(version.split(".")[:2]), item.path)
    return found


def python(version: str) -> str:
    """Return an interpreter of that minor version, or skip the test."""
    if version not in pythons():
        pytest.skip(f"no Python {version} on this machine")
    return pythons()[version]


def make_venv(folder: Path, version: str, *options: str) -> tuple[Path, Path]:
    """Make a virtual environment without pip; return its interpreter and its site directory."""
    subprocess.run(
        [python(version), "-m", "venv", "--without-pip", *options, str(folder)], check=True, capture_output=True
    )
    return folder / "bin/python", folder / f"lib/python{version}/site-packages"


def script(path: Path, text: str) -> Path:
    """Write an executable file that stands in for an interpreter."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


SH = shutil.which("sh") or "/bin/sh"
