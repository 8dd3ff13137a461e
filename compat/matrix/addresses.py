"""How a row is cited: the address of its file and row, and the page it rests on."""

from __future__ import annotations

from compat.matrix.model import Issue, LinkRow, LockEntry, Observation, PluginBinary

PROJECT = "https://pypi.org/project"
"""The pages of the index behind ``releases/``."""


def release(name: str, version: str | None = None) -> str:
    """Return ``releases/tensorflow.toml: 2.18.1``; without a version the whole table."""
    return f"releases/{name}.toml" + (f": {version}" if version else "")


def release_url(name: str, version: str | None = None) -> str:
    """Return the index's page of a release, or of the project."""
    return f"{PROJECT}/{name}/" + (f"{version}/" if version else "")


def pair(row: LinkRow) -> str:
    """Return ``links/tensorflow-metal.arm64.toml: tensorflow 2.18.0 + 1.1.0``."""
    return f"{pairs_of(row.plugin, row.arch)}: {row.distribution} {row.tensorflow} + {row.plugin_version}"


def pairs_of(plugin: str, arch: str) -> str:
    """Return the table of all pairs of a plugin."""
    return f"links/{plugin}.{arch}.toml"


def binary(row: PluginBinary) -> str:
    """Return ``links/tensorflow-metal.arm64.toml: 1.2.0``."""
    return f"{pairs_of(row.plugin, row.arch)}: {row.version}"


def observation(row: Observation) -> str:
    """Return ``observed: OBS001``."""
    return f"observed: {row.id}"


def issue(row: Issue) -> str:
    """Return ``issues: ISS001``."""
    return f"issues: {row.id}"


def lock(row: LockEntry) -> str:
    """Return ``locks/macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml``."""
    return f"locks/{row.file}"


def first_url(row: Issue | Observation) -> str:
    """Return the first source of a curated row."""
    return next((source.url for source in row.sources), "")
