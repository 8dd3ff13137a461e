"""What is installed beside an interpreter: distributions, plugins, kernels."""

from __future__ import annotations

from dataclasses import dataclass

from compat.facts.image import LinkProof
from compat.facts.known import UNKNOWN, Known


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """One installed distribution, as its own files describe it."""

    name: str
    """Normalized (PEP 503)."""
    version: str
    location: str
    """The site directory that holds it."""
    installer: str | None = None
    """``pip``, ``uv``, ``conda``…"""
    requires: tuple[str, ...] = ()
    requires_python: str | None = None
    wheel_tags: tuple[str, ...] = ()
    direct_url: str | None = None
    has_record: bool = True
    record_complete: bool | None = None
    """False where a file that RECORD names is gone; None where it was not looked at."""
    provides_top_level: bool | None = None
    """For TensorFlow's distributions: whether its RECORD holds ``tensorflow/__init__.py`` (a shell has none)."""
    conda: bool = False
    """Owned by conda (a ``conda-meta`` record names it)."""
    problem: str | None = None
    """METADATA cut short, not UTF-8, no version…"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginFile:
    """A library in a ``tensorflow-plugins`` folder that TensorFlow would load."""

    path: str
    site: str
    owners: tuple[str, ...] = ()
    """Distributions whose RECORD names the file, as ``name==version``."""
    from_user_site: bool = False
    from_variable: bool = False
    """Named by ``TF_PLUGGABLE_DEVICE_LIBRARY_PATH``."""
    link_proof: Known[LinkProof] = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A Jupyter kernelspec and the interpreter it starts."""

    name: str
    path: str
    argv0: str
    same_interpreter: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """One interpreter's installed world."""

    kind: str
    """``venv``, ``conda``, ``system``, or ``target`` (a folder installed for a foreign platform)."""
    path: str
    distributions: tuple[Distribution, ...] = ()
    plugins: Known[tuple[PluginFile, ...]] = UNKNOWN
    kernels: Known[tuple[Kernel, ...]] = UNKNOWN
    duplicates: tuple[str, ...] = ()
    """Names installed more than once in the same site directory (in two directories, the first one counts)."""
    leftovers: tuple[str, ...] = ()
    """Folders that an interrupted pip left behind (``~ensorflow``)."""
    unreadable: tuple[str, ...] = ()
    """Site directories that are there but could not be listed."""
    has_pkg_resources: Known[bool] = UNKNOWN
    binary_architectures: tuple[str, ...] = ()
    """Of one-architecture files sampled from TensorFlow, NumPy, h5py, grpc and the plugin, so two are a mixture.

    Universal files, which fit either, count only where there are no others.
    """
    conda_prefix: str | None = None

    def distribution(self, name: str) -> Distribution | None:
        """Return the first distribution on the path with that normalized name."""
        for candidate in self.distributions:
            if candidate.name == name:
                return candidate
        return None

    def version(self, name: str) -> str | None:
        """Return the installed version of ``name``, None where it is absent."""
        found = self.distribution(name)
        return found.version if found else None
