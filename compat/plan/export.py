"""A lock as text other installers read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath

from compat.errors import CannotAct
from compat.matrix.model import Lock, LockedPackage

FILES = {"pylock": "pylock.toml", "requirements": "requirements.txt", "environment.yml": "environment.yml"}
"""Each format with the name its readers look for."""

INDEX = "https://pypi.org/simple"
MARKERS = {
    "macos-arm64": "sys_platform == 'darwin' and platform_machine == 'arm64'",
    "macos-x86_64": "sys_platform == 'darwin' and platform_machine == 'x86_64'",
    "linux-x86_64": "sys_platform == 'linux' and platform_machine == 'x86_64'",
    "linux-aarch64": "sys_platform == 'linux' and platform_machine == 'aarch64'",
}
"""The platforms that have locks, as PEP 508 says them."""


def requirements(lock: Lock) -> str:
    """Return hashed requirements, one pin a line: what ``pip install --require-hashes -r`` reads.

    Every pin names the one file that was chosen for the lock's platform, by its sha256.
    """
    return "\n".join((f"# {_title(lock)}", *map(_hashed, lock.packages))) + "\n"


def constraints(lock: Lock) -> str:
    """Return the pins without hashes, to hold a larger resolution to them."""
    return "".join(f"{package.name}=={package.version}\n" for package in lock.packages)


def pylock(lock: Lock, urls: Mapping[str, str]) -> str:
    """Return the lock by PEP 751 (https://packaging.python.org/specifications/pylock-toml/), version 1.0.

    ``urls`` says where each wheel is, by its file name. Raises CannotAct where one is not known: a wheel needs a URL.
    """
    entry = lock.entry
    lines = [
        f"# {_title(lock)}",
        'lock-version = "1.0"',
        f"environments = [{_quoted(_marker(lock))}]",
        f"requires-python = {_quoted(f'=={entry.python}.*')}",
        'created-by = "tfcompat"',
    ]
    for package in lock.packages:
        lines += ["", *_pylock_package(package, urls)]
    return "\n".join([*lines, "", *_pylock_tool(lock)]) + "\n"


def environment_yml(lock: Lock) -> str:
    """Return a conda environment: conda gives Python and pip, pip the hash-checked wheels.

    conda and micromamba hand the ``pip`` list to pip as a requirements file, so hashes stand in it as they do there
    (https://github.com/conda/conda/blob/main/conda/env/installers/pip.py). pip itself is left out of that list: conda
    has installed the one that reads it.
    """
    pins = [f"      - {_hashed(package)}" for package in lock.packages if package.name != "pip"]
    head = [
        f"# {_title(lock)}",
        f"name: {stem(lock)}",
        "channels:",
        "  - conda-forge",
        "dependencies:",
        f"  - python={lock.entry.python}",
        "  - pip",
        "  - pip:",
    ]
    return "\n".join((*head, *pins)) + "\n"


def stem(lock: Lock) -> str:
    """Return the lock's name, ``tensorflow-2.18.1-metal-1.2.0-cp312``."""
    return PurePosixPath(lock.entry.file).stem


def _title(lock: Lock) -> str:
    entry = lock.entry
    plugin = f", {entry.plugin} {entry.plugin_version}" if entry.plugin else ""
    macos = f", macOS {entry.minimum_macos} or newer" if entry.minimum_macos else ""
    platform = f"{entry.platform}, Python {entry.python}{plugin}{macos}"
    return f"{entry.distribution} {entry.tensorflow}, {platform}, resolved as of {entry.exclude_newer}"


def _hashed(package: LockedPackage) -> str:
    return f"{package.name}=={package.version} --hash=sha256:{package.sha256}"


def _marker(lock: Lock) -> str:
    python = f"python_version == '{lock.entry.python}' and implementation_name == 'cpython'"
    return f"{MARKERS[lock.entry.platform]} and {python}"


def _pylock_package(package: LockedPackage, urls: Mapping[str, str]) -> tuple[str, ...]:
    if package.file not in urls:
        raise CannotAct(
            f"the matrix does not say where {package.file} is, and a pylock must",
            hint="--export requirements needs no addresses",
        )
    wheel = (
        f"name = {_quoted(package.file)}, url = {_quoted(urls[package.file])}, size = {package.size}, "
        f"hashes = {{ sha256 = {_quoted(package.sha256)} }}"
    )
    return (
        "[[packages]]",
        f"name = {_quoted(package.name)}",
        f"version = {_quoted(package.version)}",
        f"index = {_quoted(INDEX)}",
        f"wheels = [{{ {wheel} }}]",
    )


def _pylock_tool(lock: Lock) -> tuple[str, ...]:
    """What PEP 508 has no marker for; nothing in it changes what is installed."""
    macos = lock.entry.minimum_macos
    return (
        "[tool.tfcompat]",
        f"lock = {_quoted(lock.entry.file)}",
        *([f"minimum-macos = {_quoted(macos)}"] if macos else []),
        f"exclude-newer = {_quoted(lock.entry.exclude_newer)}",
        f"tier = {_quoted(lock.entry.tier)}",
    )


def _quoted(text: str) -> str:
    """A basic TOML string; JSON's escapes are a subset of TOML's."""
    return json.dumps(text, ensure_ascii=False)
