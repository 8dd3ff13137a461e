"""Follow a version manager's shim (pyenv, asdf, mise) to the Python it starts.

pyenv decides by a variable and a few files, so for it the answer is read in a millisecond where the shim itself takes
up to half a second. Only where that settles nothing, and for the other managers, the shim itself is asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from compat import project
from compat.facts.known import Known, Unknown
from compat.process import environment, run

SHIM_TIMEOUT = 5.0
"""Seconds; a pyenv shim takes 50 to 500 ms."""
MANAGERS = ("PYENV_ROOT", "PYENV_VERSION", "PYENV_DIR", "ASDF_DIR", "ASDF_DATA_DIR")
"""Variables by which a shim finds its manager."""
_PLACES = (
    ".tool-versions",
    ".python-version",
    "mise.toml",
    ".mise.toml",
    ".config/mise.toml",
    ".config/mise/config.toml",
)
_PLACES_LIMIT = 100_000


def is_shim(path: Path) -> bool:
    """Tell whether a file lies in a version manager's folder of shims; all of them call it so."""
    return path.parent.name == "shims"


def behind_shim(path: Path, variables: Mapping[str, str], current: Path) -> Known[str]:
    """Return the Python a shim starts in the folder ``current``; unknown, with the reason, where it starts none.

    Nor is a project followed that names a program by its place: a shim would run it to be asked.
    """
    chosen = _pyenv_choice(path, variables, current)
    if chosen is not None:
        return chosen
    naming = _naming_a_place(current)
    if naming is not None:
        return Unknown(f"{naming} names a place, not a version")
    found = _ask(path, current)
    if isinstance(found, str) and project.holds(found, current):
        return Unknown(f"the shim leads into the project folder: {found}")
    return found


def _pyenv_choice(path: Path, variables: Mapping[str, str], current: Path) -> str | None:
    """Choose as pyenv does (README, "Understanding Python version selection"); None where that settles nothing."""
    root = path.parent.parent
    for version in _pyenv_versions(root, variables, current):
        candidate = root / "versions" / version / "bin" / path.name
        if _leads_out(version):
            return None
        if os.access(candidate, os.X_OK):
            return str(candidate)
        if version == "system" or not candidate.parent.is_dir():
            return None
    return None


def _pyenv_versions(root: Path, variables: Mapping[str, str], current: Path) -> Iterator[str]:
    named = variables.get("PYENV_VERSION")
    if named:
        yield from named.split(":")
        return
    for place in (*(folder / ".python-version" for folder in (current, *current.parents)), root / "version"):
        try:
            words = [line.split("#")[0].strip() for line in place.read_text(encoding="utf-8").splitlines()]
        except (OSError, UnicodeDecodeError):
            continue
        yield from (word for word in words if word)
        return


def _leads_out(version: str) -> bool:
    """Tell whether a version's name is the path of another folder (CVE-2022-35861, mended in pyenv 2.3.3)."""
    return os.path.isabs(version) or ".." in version.replace("\\", "/").split("/")  # noqa: PTH117


def _naming_a_place(current: Path) -> Path | None:
    """Return the version file of a project that names a program's place, as asdf and mise allow (``path:``)."""
    for place in (folder / name for folder in (current, *current.parents) for name in _PLACES):
        try:
            with place.open(encoding="utf-8", errors="replace") as file:
                words = [line.split("#")[0].strip() for line in file.read(_PLACES_LIMIT).splitlines()]
        except OSError:
            continue
        by_path = place.name == ".python-version" and any(map(_leads_out, words))
        if by_path or any("path:" in word for word in words):
            return place
    return None


def _ask(path: Path, current: Path) -> Known[str]:
    """Ask the shim; a version manager that has no such Python says so and fails."""
    asked = run(
        [str(path), "-I", "-c", "import sys; print(sys.executable)"],
        timeout=SHIM_TIMEOUT,
        env=project.left_out(environment(MANAGERS)),
        cwd=current,
    )
    if asked.timed_out:
        return Unknown(f"the shim did not answer within {SHIM_TIMEOUT:g} s")
    lines = [line.strip() for line in (asked.stdout if asked.ok else asked.stderr).splitlines() if line.strip()]
    if not asked.ok:
        return Unknown(f"the shim fails: {lines[0][:200]}" if lines else f"the shim fails with code {asked.returncode}")
    return lines[-1] if lines else Unknown("the shim leads nowhere")
