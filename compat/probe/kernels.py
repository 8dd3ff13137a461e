"""Jupyter kernelspecs in sight of an environment, and which interpreter each of them starts."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from compat.facts.environment import Kernel
from compat.probe.interpreters import settle

BARE = re.compile(r"python(3(\.\d+)?)?")
"""Names that jupyter_client replaces by the interpreter it runs in itself (``KernelManager.format_kernel_cmd``)."""
SPEC_LIMIT = 1_000_000
"""Bytes of a ``kernel.json`` read at most; real ones have a few hundred."""


def find_kernels(
    interpreter: str, prefix: str, variables: Mapping[str, str], system: str, root: Path = Path("/")
) -> tuple[Kernel, ...]:
    """Return the Python kernels of the user, the environment and the system; of one name the first, as Jupyter."""
    own = settle(interpreter)
    found: dict[str, Kernel] = {}
    for folder in _data_folders(prefix, variables, system, root):
        for name, spec in _specs(folder / "kernels"):
            kernel = _kernel(name, spec, own)
            if kernel is not None and name not in found:
                found[name] = kernel
    return tuple(found.values())


def _data_folders(prefix: str, variables: Mapping[str, str], system: str, root: Path) -> Iterator[Path]:
    """Yield Jupyter's data folders in its order (docs.jupyter.org, "Common Directories and File Locations")."""
    yield from (Path(entry) for entry in variables.get("JUPYTER_PATH", "").split(os.pathsep) if entry)
    home = Path(variables.get("HOME") or variables.get("USERPROFILE") or os.path.expanduser("~"))  # noqa: PTH111
    if variables.get("JUPYTER_DATA_DIR"):
        yield Path(variables["JUPYTER_DATA_DIR"])
    elif system == "darwin":
        yield home / "Library/Jupyter"
    elif system == "win32":
        yield Path(variables.get("APPDATA") or home / "AppData/Roaming") / "jupyter"
    else:
        yield Path(variables.get("XDG_DATA_HOME") or home / ".local/share") / "jupyter"
    yield Path(prefix) / "share/jupyter"
    if system == "win32":
        yield Path(variables.get("PROGRAMDATA", "C:/ProgramData")) / "jupyter"
    else:
        yield from (root / "usr/local/share/jupyter", root / "usr/share/jupyter")


def _specs(folder: Path) -> Iterator[tuple[str, Path]]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - as quick as it gets for a folder that is mostly absent
    except OSError:
        return
    yield from ((name, folder / name / "kernel.json") for name in names)


def _kernel(name: str, path: Path, own: str) -> Kernel | None:
    """Read one spec; None where it is none, or starts something other than Python."""
    try:
        with path.open("rb") as file:
            spec: Any = json.loads(file.read(SPEC_LIMIT))
        argv0 = spec["argv"][0]
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None
    if not isinstance(argv0, str) or not _is_python(spec, argv0):
        return None
    same = bool(BARE.fullmatch(argv0)) or (os.path.isabs(argv0) and settle(argv0) == own)  # noqa: PTH117
    return Kernel(name=name, path=str(path), argv0=argv0, same_interpreter=same)


def _is_python(spec: Mapping[str, Any], argv0: str) -> bool:
    return str(spec.get("language", "")).lower() == "python" or "python" in os.path.basename(argv0).lower()  # noqa: PTH119
