"""A lock as text other installers read."""

from __future__ import annotations

from compat.matrix.model import Lock


def requirements(lock: Lock) -> str:
    """Return hashed requirements, one pin a line: what ``pip install --require-hashes -r`` reads.

    Every pin names the one file that was chosen for the lock's platform, by its sha256.
    """
    entry = lock.entry
    head = f"# {entry.distribution} {entry.tensorflow}, {entry.platform}, Python {entry.python}"
    plugin = f", {entry.plugin} {entry.plugin_version}" if entry.plugin else ""
    pins = (f"{package.name}=={package.version} --hash=sha256:{package.sha256}" for package in lock.packages)
    return "\n".join((f"{head}{plugin}, resolved as of {entry.exclude_newer}", *pins)) + "\n"


def constraints(lock: Lock) -> str:
    """Return the pins without hashes, to hold a larger resolution to them."""
    return "".join(f"{package.name}=={package.version}\n" for package in lock.packages)
