"""A bundle, told: what was made, and the page that lies in it for whoever opens it."""

from __future__ import annotations

from typing import Any

from compat.facts.codec import encode
from compat.plan.bundled import Manifest
from compat.report import json


def as_text(manifest: Manifest, path: str) -> str:
    """Return what was made, what is not in it, and the line for the target."""
    lines = [
        f"{path}: {manifest.candidate}, for {_machine(manifest)}",
        f"{len(manifest.packages)} wheels, {len(manifest.files)} files, {_megabytes(manifest)}, each by its sha256",
        *(f"not included: {missing.what} ({missing.why})" for missing in manifest.missing),
        "",
        "copy it to the target; from the folder it lies in:",
        manifest.run,
    ]
    return "\n".join(lines) + "\n"


def as_json(manifest: Manifest, path: str) -> str:
    """Return ``bundle --format json``: the manifest, and where it is."""
    values: dict[str, Any] = {**encode(manifest), "path": path, "bytes": manifest.bytes}
    return json.text(values)


def readme(manifest: Manifest) -> str:
    """Return the page for whoever opens the folder."""
    lines = [
        f"{manifest.candidate}",
        f"for {_machine(manifest)}; made by {manifest.made_by} on {manifest.day}",
        "",
        "Everything that is installed is in this folder: no network is needed. Every file is held against the sha256",
        "in manifest.json before any of it is used, and the new environment is handed over only once it has passed its",
        "verification on this machine. From the folder in which this one lies:",
        "",
        f"    {manifest.run}",
        "",
        *(f"Not included: {missing.what} ({missing.why})." for missing in manifest.missing),
        *([] if manifest.interpreter else [f"Python {manifest.python} must be on the machine already."]),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _machine(manifest: Manifest) -> str:
    needs = [f"Python {manifest.python}"]
    needs += [f"macOS {manifest.minimum_macos} or newer"] if manifest.minimum_macos else []
    needs += [f"glibc {manifest.minimum_glibc} or newer"] if manifest.minimum_glibc else []
    return f"{manifest.platform}, {', '.join(needs)}"


def _megabytes(manifest: Manifest) -> str:
    return f"{manifest.bytes / 1e6:.0f} MB"
