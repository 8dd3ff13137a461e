"""A small matrix for cases: a dozen true releases and pairs, held in memory and decoded as the files' rows are.

The figures are the index's and the link proofs' (releases read from pypi.org, pairs from the wheels' Mach-O files); a
case that needs another row passes its own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from compat.facts.codec import decode
from compat.matrix.load import Matrix
from compat.matrix.model import Release, Wheel

Row = dict[str, Any]

BODY, SHELL = 230_000_000, 2_000
MAC_ARM, MAC_INTEL = "macosx_12_0_arm64", "macosx_10_15_x86_64"
LINUX, LINUX_ARM = "manylinux_2_17_x86_64.manylinux2014_x86_64", "manylinux_2_17_aarch64.manylinux2014_aarch64"
WINDOWS = "win_amd64"
LOG_MESSAGE = "__ZN3tsl8internal10LogMessageC1EPKcii"
PYWRAP = "@rpath/_pywrap_tensorflow_internal.so"


class TinyMatrix(Matrix):
    """A matrix whose sections are given instead of read."""

    def __init__(self, sections: Mapping[str, Any]) -> None:
        super().__init__(Path("tiny"))
        self._given = sections

    def releases(self, name: str) -> tuple[Release, ...]:
        """Decode the given rows; how compiled files pack them does not matter here."""
        rows = self._given.get(f"releases/{name}", {}).get("releases", ())
        return tuple(_release(row) for row in rows)

    def _read(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._given.get(name, {})
        return found


def _release(row: Row) -> Release:
    wheels = [Wheel(**{**wheel, "requires": _listed(wheel.get("requires"))}) for wheel in row.get("wheels", ())]
    return replace(decode(Release, {**row, "wheels": []}), wheels=tuple(wheels))


def _listed(requires: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if requires is None else tuple(requires)


def tiny_matrix(
    *,
    releases: Mapping[str, Iterable[Row]] | None = None,
    links: Iterable[Row] | None = None,
    binaries: Iterable[Row] | None = None,
    observed: Iterable[Row] = (),
    issues: Iterable[Row] = (),
    repairs: Iterable[Row] = (),
    locks: Iterable[Row] = (),
    date: str = "2026-11-30",
) -> Matrix:
    """Return the default matrix, its sections replaced by those given (``releases`` are merged by name)."""
    tables = {**default_releases(), **{name: list(rows) for name, rows in (releases or {}).items()}}
    return TinyMatrix(
        {
            "index": {"schema": 1, "date": date, "releases": sorted(tables)},
            **{f"releases/{name}": {"releases": rows} for name, rows in tables.items()},
            "links": {
                "pairs": list(default_links() if links is None else links),
                "binaries": list(default_binaries() if binaries is None else binaries),
            },
            "observed": {"observed": list(observed)},
            "issues": {"issues": list(issues)},
            "repairs": {"repairs": list(repairs)},
            "locks": {"locks": list(locks)},
            "platforms": {"macos": MACOS, "chips": []},
        }
    )


def wheel(python: str, platform: str, size: int = BODY, **more: Any) -> Row:
    """One wheel of a CPython minor: ``wheel("cp312", MAC_ARM)``."""
    return {"tag": f"{python}-{python}-{platform}", "size": size, **more}


def wheels(minors: Iterable[int], *platforms: str, size: int = BODY) -> list[Row]:
    """Wheels of CPython 3.N for each platform: ``wheels(range(9, 13), MAC_ARM)``."""
    pythons = [f"cp3{minor}" for minor in minors]
    return [wheel(python, platform, size) for python in pythons for platform in platforms]


def release(name: str, version: str, files: Iterable[Row] = (), uploaded: str = "2025-01-01", **more: Any) -> Row:
    """One release with its wheels."""
    return {"name": name, "version": version, "uploaded": uploaded, "wheels": list(files), **more}


def pure(name: str, *versions: str, **more: Any) -> list[Row]:
    """Releases with one pure-Python wheel each: for companions whose platform does not matter."""
    return [release(name, version, [{"tag": "py3-none-any", "size": 1000}], **more) for version in versions]


def link(tensorflow: str, metal: str, layer: int = 0, missing: Iterable[str] = (), **more: Any) -> Row:
    """A judged pair; layer 0 loads."""
    known = {"distribution": "tensorflow", "plugin": "tensorflow-metal", "arch": "arm64", "source": "links/test"}
    row = {**known, "tensorflow": tensorflow, "plugin_version": metal, "loads": layer == 0, "layer": layer}
    return {**row, "missing": list(missing), **more}


def binary(version: str, minimum_macos: str, **more: Any) -> Row:
    """What a plugin release's own file asks of macOS."""
    known = {"plugin": "tensorflow-metal", "arch": "arm64"}
    return {**known, "version": version, "minimum_macos": minimum_macos, **more}


def known_issue(rule: str, number: str = "ISS900", **affects: Any) -> Row:
    """A known problem that a rule detects, of whatever those conditions name."""
    words = {"title": "known", "symptom": "it fails", "severity": "error", "remedy": "measure"}
    source = {"url": "https://github.com/tensorflow/tensorflow/issues/1", "day": "2026-11-30"}
    return {"id": number, "rule": rule, "affects": [affects], "sources": [source], **words}


@functools.cache
def _default_releases() -> dict[str, list[Row]]:
    name = "tensorflow"
    everywhere = (MAC_ARM, LINUX, LINUX_ARM, WINDOWS)
    newer = (MAC_ARM, "manylinux_2_27_x86_64", "manylinux_2_27_aarch64", WINDOWS)
    return {
        name: [
            release(name, "2.22.0rc0", wheels(range(10, 15), *newer), "2026-09-22", requires_python=">=3.10"),
            release(name, "2.21.0", wheels(range(10, 14), *newer), "2026-03-06", requires_python=">=3.10"),
            release(name, "2.20.0", wheels(range(9, 14), *everywhere), "2025-08-13", requires_python=">=3.9"),
            release(name, "2.19.1", wheels(range(9, 13), *everywhere), "2025-08-13", requires_python=">=3.9"),
            release(name, "2.18.1", wheels(range(9, 13), *everywhere), "2025-03-12", requires_python=">=3.9"),
            release(name, "2.17.1", wheels(range(9, 13), MAC_ARM, LINUX, LINUX_ARM), "2024-10-24"),
            release(name, "2.16.2", wheels(range(9, 13), MAC_ARM, MAC_INTEL, LINUX, LINUX_ARM), "2024-06-28"),
            release(
                name,
                "2.13.0",
                [*wheels(range(8, 12), MAC_ARM, LINUX_ARM, size=SHELL), *wheels(range(8, 12), MAC_INTEL, LINUX)],
                "2023-07-05",
                requires_python=">=3.8",
            ),
            release(name, "2.12.0", wheels(range(8, 12), MAC_INTEL, LINUX), "2023-03-22", requires_python=">=3.8"),
            release(name, "2.10.1", wheels(range(7, 11), "macosx_10_14_x86_64", LINUX, WINDOWS), "2022-11-16"),
        ],
        "tensorflow-macos": [
            release("tensorflow-macos", "2.16.2", wheels(range(9, 13), MAC_ARM, size=SHELL), "2024-06-28"),
            release("tensorflow-macos", "2.13.0", wheels(range(8, 12), MAC_ARM), "2023-07-05"),
            release("tensorflow-macos", "2.12.0", wheels(range(8, 12), MAC_ARM, "macosx_12_0_x86_64"), "2023-03-30"),
        ],
        "tensorflow-metal": [
            release("tensorflow-metal", "1.2.0", wheels(range(9, 13), MAC_ARM, size=1_357_398), "2025-01-31"),
            release("tensorflow-metal", "1.1.0", wheels(range(9, 12), MAC_ARM, size=1_424_879), "2023-09-29"),
            release("tensorflow-metal", "1.0.1", wheels(range(8, 12), MAC_ARM, size=1_392_862), "2023-06-13"),
            release(
                "tensorflow-metal",
                "1.0.0",
                wheels(range(8, 12), MAC_ARM, "macosx_12_0_x86_64", size=1_392_606),
                "2023-06-07",
            ),
        ],
    }


def default_releases() -> dict[str, list[Row]]:
    """Return a few true releases of TensorFlow, tensorflow-macos and Apple's plugin."""
    return dict(_default_releases())


def default_links() -> list[Row]:
    """Return judged pairs of Apple's plugin on arm64."""
    loading = [("2.13.0", "1.0.1"), ("2.13.0", "1.1.0"), ("2.13.0", "1.2.0"), ("2.16.2", "1.1.0"), ("2.16.2", "1.2.0")]
    loading += [("2.17.1", "1.1.0"), ("2.17.1", "1.2.0"), ("2.18.1", "1.2.0"), ("2.19.1", "1.2.0")]
    return [
        *(link(tensorflow, metal) for tensorflow, metal in loading),
        link("2.18.1", "1.1.0", 2, [LOG_MESSAGE]),
        link("2.19.1", "1.1.0", 2, [LOG_MESSAGE]),
        link("2.20.0", "1.2.0", 1, [PYWRAP]),
        link("2.21.0", "1.1.0", 1, [PYWRAP]),
        link("2.21.0", "1.2.0", 1, [PYWRAP]),
    ]


def default_binaries() -> list[Row]:
    """Return the deployment targets of Apple's plugin releases (LC_BUILD_VERSION, arm64)."""
    return [binary("1.2.0", "12.1"), binary("1.1.0", "11.3"), binary("1.0.1", "11.3"), binary("1.0.0", "11.3")]


MACOS: list[Row] = [
    {"version": version, "name": name, "darwin": darwin}
    for version, name, darwin in (
        ("11", "Big Sur", 20),
        ("12", "Monterey", 21),
        ("13", "Ventura", 22),
        ("14", "Sonoma", 23),
        ("15", "Sequoia", 24),
        ("26", "Tahoe", 25),
    )
]
