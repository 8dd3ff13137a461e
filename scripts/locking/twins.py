"""What ran for a lock that cannot run here: the same TensorFlow on the same Python, whole on Linux."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from locking.records import LockingError, Package, Target
from locking.repairs import read_toml
from locking.wheels import PLATFORMS


def twin(target: Target, packages: Iterable[Package], linux: Path) -> dict[str, str]:
    """The twin's file, its day, and the packages both have in different versions; empty where none ran whole."""
    if not PLATFORMS[target.platform].is_macos:
        return {}
    name = f"tensorflow-{target.tensorflow}-cpu-cp{target.python.replace('.', '')}"
    try:
        document = read_toml(linux / f"{name}.toml")
    except LockingError:
        return {}
    if document.get("tier") != "runs":
        return {}
    there = {one["name"]: one["version"] for one in document["packages"]}
    differs = [f"{one.name} {there[one.name]}" for one in packages if there.get(one.name, one.version) != one.version]
    day = document["verified"]["day"]
    return {"day": str(day), "file": f"linux-x86_64/{name}.toml", "has": ", ".join(differs)}
