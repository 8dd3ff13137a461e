"""What a Mach-O file says about itself, and what follows for a plugin that TensorFlow is to load."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """One library that an image asks dyld to load, in the order of its load commands."""

    install_name: str
    """As written: ``/usr/lib/libc++.1.dylib``, ``@rpath/libtensorflow_cc.2.dylib``…"""
    kind: str = "load"
    """``load``, ``weak`` (may be absent), ``reexport``, ``upward`` or ``lazy``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One symbol that an image leaves for others to define."""

    symbol: str
    """The linker's name, with its leading underscore."""
    layer: str
    """``two-level``: one named library must export it; ``flat``: any image of the process may."""
    library: str | None = None
    """Install name of that library; None under flat lookup, and where the image names itself or the main program."""
    weak: bool = False
    """A weak reference may stay unresolved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """One architecture of one Mach-O file."""

    path: str
    architecture: str
    """``arm64``, ``x86_64``, ``arm64e``…"""
    install_name: str | None = None
    """None for what is not a library (a bundle, a program)."""
    libraries: tuple[Library, ...] = ()
    rpaths: tuple[str, ...] = ()
    minimum_macos: str | None = None
    """The deployment target in the binary (``12.1``), which the wheel's tag does not have to repeat."""
    sdk: str | None = None
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkProof:
    """Whether dyld would load a plugin beside given TensorFlow images, and what stops it.

    TensorFlow opens plugins with RTLD_NOW, so the first failing layer is a failed ``import tensorflow``.
    """

    plugin: str
    architecture: str
    loads: bool
    layer: int
    """0 it loads · 1 a library is missing · 2 a two-level symbol is missing · 3 a flat symbol is missing."""
    missing: tuple[str, ...] = ()
    """The missing symbols of that layer, sorted; empty at layers 0 and 1."""
    missing_libraries: tuple[str, ...] = ()
    """Install names no image of the process answers to; empty except at layer 1."""
    minimum_macos: str | None = None
    """Deployment target of the plugin's binary."""
