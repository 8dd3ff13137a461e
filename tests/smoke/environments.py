"""Real TensorFlow environments for the tests marked `real`, built once by uv and kept where the caller says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from compat.facts.known import known
from compat.probe.interpreters import find_all

BUILDS = {
    # name: (TensorFlow, Python, what must be held back for it to work today)
    "keras2": ("2.10.1", "3.10", ("numpy<2", "protobuf<3.20", "setuptools<82")),
    "keras3": ("2.18.1", "3.11", ("setuptools<82",)),
    "2.12.1": ("2.12.1", "3.10", ("setuptools<82",)),
    "2.15.1": ("2.15.1", "3.11", ("setuptools<82",)),
    "2.16.2": ("2.16.2", "3.12", ("setuptools<82",)),
    "2.18.1": ("2.18.1", "3.11", ("setuptools<82",)),
    "2.20.0": ("2.20.0", "3.12", ()),
    "2.21.0": ("2.21.0", "3.13", ()),
}
EVERY_RUN = ("keras2", "keras3")
"""Those that are built for every check; the others are the versions the whole battery is measured on."""
KEPT = "TFCOMPAT_TEST_ENVIRONMENTS"
"""Names a folder in which environments are kept between runs: each takes a gigabyte and a minute."""


def environment(name: str, folder: Path) -> str:
    """The interpreter of an environment, built in ``folder`` (or where kept) unless it is there."""
    tensorflow, python, others = BUILDS[name]
    home = Path(os.environ.get(KEPT, folder)) / f"tensorflow-{tensorflow}-python{python}"
    interpreter = home / "bin" / "python"
    if not interpreter.exists():
        _uv("venv", "--python", _python(python), str(home))
        _uv(
            "pip",
            "install",
            "--compile-bytecode",
            "--python",
            str(interpreter),
            f"tensorflow-cpu=={tensorflow}",
            *others,
        )
    return str(interpreter)


def _python(version: str) -> str:
    """An interpreter of this machine by its path (uv does not see through every version manager), or uv's own."""
    found = (one for one in find_all() if not one.problem and (known(one.version) or "").startswith(f"{version}."))
    return next((one.path for one in found), version)


def _uv(*arguments: str) -> None:
    from uv import find_uv_bin

    subprocess.run([find_uv_bin(), "-q", *arguments], check=True)
