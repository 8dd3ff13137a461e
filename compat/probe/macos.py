"""What a Mac says about itself, from the texts of ``sysctl`` and ``sw_vers`` to facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from compat.facts.known import NOT_APPLICABLE, Known, Unknown

SYSCTL_KEYS = (
    "machdep.cpu.brand_string", "machdep.cpu.features", "machdep.cpu.leaf7_features",
    "hw.optional.arm64", "hw.model", "hw.memsize",
)  # fmt: skip
DARWIN_OF_MACOS_11 = 20
DARWIN_OF_MACOS_26 = 25
"""macOS 16 to 25 do not exist: Darwin 24 is macOS 15, Darwin 25 is macOS 26 (Apple's release notes of both)."""
SHIMS = ("10.16", "16.")
"""What a program built with an SDK before 11, or before 26, is told by newer systems (python/cpython#135675)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MacFacts:
    """The part of a Machine that only a Mac has."""

    version: Known[str]
    build: Known[str]
    architecture: Known[str]
    chip: Known[str]
    model: Known[str]
    avx: Known[bool]
    memory_bytes: Known[int]


def parse_mac(sysctl: str | None, sw_vers: str | None, release: str, machine: str) -> MacFacts:
    """Return a Mac's facts; a text that is None could not be had, and its facts are unknown.

    ``release`` and ``machine`` are those of ``uname``, which Rosetta changes (``machine`` is x86_64 under it).
    """
    values = parse_sysctl(sysctl or "")
    product = parse_sw_vers(sw_vers or "")
    chip: Known[str] = values.get("machdep.cpu.brand_string") or Unknown("sysctl names no processor")
    arm = values.get("hw.optional.arm64") == "1" or (isinstance(chip, str) and chip.startswith("Apple"))
    return MacFacts(
        version=true_version(product.get("ProductVersion"), release),
        build=product.get("BuildVersion") or Unknown("sw_vers gave no build"),
        architecture="arm64" if arm else machine,
        chip=chip,
        model=values.get("hw.model") or Unknown("sysctl names no model"),
        avx=NOT_APPLICABLE if arm else _avx(values),
        memory_bytes=_number(values.get("hw.memsize")),
    )


def parse_sysctl(text: str) -> dict[str, str]:
    """Return ``sysctl name…``'s lines (``name: value``) as a table; names the kernel does not have are absent."""
    return _table(text)


def parse_sw_vers(text: str) -> dict[str, str]:
    """Return the lines of ``sw_vers`` (``ProductVersion:`` and, after tabs, ``26.1``) as a table."""
    return _table(text)


def true_version(product: str | None, release: str) -> Known[str]:
    """Return the macOS version behind the shims, with the Darwin release as the cross-check.

    A shim hides the minor version of 10.16 altogether; a 16.x is the same system's 26.x.
    """
    major = macos_major(release)
    if not product:
        return str(major) if major else Unknown("sw_vers gave no version")
    shim = product.startswith(SHIMS)
    if major is None:
        return Unknown(f"macOS calls itself {product}, which old programs are told") if shim else product
    if not shim or product.split(".")[0] == str(major):
        return product
    return re.sub(r"^16\.", "26.", product) if product.startswith("16.") and major == 26 else str(major)  # noqa: PLR2004


def macos_major(release: str) -> int | None:
    """Return the major version of macOS that has this Darwin release (``25.1.0``), None before macOS 11."""
    found = re.match(r"(\d+)\.", release)
    darwin = int(found.group(1)) if found else 0
    if darwin < DARWIN_OF_MACOS_11:
        return None
    return darwin + 1 if darwin >= DARWIN_OF_MACOS_26 else darwin - 9


def _avx(values: Mapping[str, str]) -> Known[bool]:
    features = values.get("machdep.cpu.features")
    return "AVX1.0" in features.split() if features else Unknown("sysctl lists no processor features")


def _number(text: str | None) -> Known[int]:
    return int(text) if text and text.isdecimal() else Unknown("sysctl gave no memory size")


def _table(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines())
    return {key.strip(): value.strip() for key, colon, value in pairs if colon and value.strip()}
