"""What a Python interpreter is, asked from inside it or read off its file."""

from __future__ import annotations

from dataclasses import dataclass

from compat.facts.known import NOT_APPLICABLE, UNKNOWN, Known


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """One interpreter that answered."""

    path: str
    version: Known[str] = UNKNOWN
    """``3.11.4``."""
    implementation: Known[str] = UNKNOWN
    """``cpython``, ``pypy``…"""
    abi: Known[str] = UNKNOWN
    """``cp311``, ``cp313t``."""
    platform_tag: Known[str] = UNKNOWN
    """``sysconfig.get_platform()``: ``macosx-11.0-arm64``."""
    machine: Known[str] = UNKNOWN
    """``platform.machine()`` inside it: x86_64 under Rosetta."""
    architectures: Known[tuple[str, ...]] = UNKNOWN
    """Of the binary file: two for universal2."""
    translated: Known[bool] = NOT_APPLICABLE
    """Whether it ran under Rosetta when asked."""
    macos_reported: Known[str] = NOT_APPLICABLE
    """``platform.mac_ver()`` inside it: 10.16 or 16.x for builds against an old SDK."""
    prefix: Known[str] = UNKNOWN
    base_prefix: Known[str] = UNKNOWN
    origin: Known[str] = UNKNOWN
    """Whose installation lies beneath (a virtual environment has its base's): ``conda``, ``pyenv``, ``uv``,
    ``homebrew``, ``python.org``, ``apple``, ``system`` or ``other``."""
    user_site: Known[str] = UNKNOWN
    user_site_enabled: Known[bool] = UNKNOWN
    """Whether ordinary runs (not ours, which are isolated) see the user site."""
    site_directories: Known[tuple[str, ...]] = UNKNOWN
    python_path: Known[tuple[str, ...]] = UNKNOWN
    """Entries of ``PYTHONPATH``, which ordinary runs search first."""
    free_threaded: Known[bool] = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundInterpreter:
    """A place where a Python lives, before or instead of asking it."""

    path: str
    source: str
    """Where it was found: ``PATH``, ``VIRTUAL_ENV``, ``CONDA_PREFIX``, ``.venv``, ``pyenv``, ``uv``, ``homebrew``…"""
    architectures: Known[tuple[str, ...]] = UNKNOWN
    version: Known[str] = UNKNOWN
    problem: str | None = None
    """A shim that fails, a dangling link, a file that cannot be run."""
