"""Locks and repairs as TOML text: the same record is always the same bytes, and a file is whole or absent."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from locking.records import Lock, Package

_HEAD = "# Made by `scripts/locks`; change `scripts/locking/targets.py` or the repairs and run it again.\n"
# Tables of a lock behind its pins, in this order, where they are not empty.
TABLES = ("verified", "plain", "without", "twin")


def lock_text(lock: Lock) -> str:
    """The lock's file."""
    target = lock.target
    head = [
        ("platform", quoted(target.platform)),
        ("python", quoted(target.python)),
        ("distribution", quoted(target.distribution)),
        ("tensorflow", quoted(target.tensorflow)),
        *(("plugin", quoted(one)) for one in [target.plugin] if one),
        *(("plugin_version", quoted(one)) for one in [target.plugin_version] if one),
        *(("cuda", "true") for _ in [0] if target.cuda),
        *(("minimum_macos", quoted(one)) for one in [lock.minimum_macos] if one),
        *(("glibc", quoted(one)) for one in [lock.glibc] if one),
        ("repairs", strings(lock.repairs)),
        *(("recommended", "true") for _ in [0] if lock.recommended),
        ("tier", quoted(lock.tier)),
        ("exclude_newer", lock.exclude_newer),
        ("uv", quoted(lock.uv)),
        ("command", quoted(lock.command)),
    ]
    lines = [f"{key} = {value}" for key, value in head]
    lines += ["packages = [", *(f"  {package_text(one)}," for one in lock.packages), "]"]
    for name in TABLES:
        if table := getattr(lock, name):
            lines += ["", f"[{name}]", *_table_lines(table)]
    return _HEAD + "\n".join(lines) + "\n"


def package_text(package: Package) -> str:
    """One package as an inline table."""
    return (
        f"{{ name = {quoted(package.name)}, version = {quoted(package.version)}, file = {quoted(package.file)}, "
        f"sha256 = {quoted(package.sha256)}, size = {package.size} }}"
    )


def inline(table: Mapping[str, str]) -> str:
    """An inline table of strings; the key `day` is a date."""
    return "{ " + ", ".join(f"{key} = {_value(key, value)}" for key, value in table.items()) + " }"


def quoted(value: str) -> str:
    """A basic TOML string; JSON's escapes are a subset of TOML's."""
    return json.dumps(value, ensure_ascii=False)


def strings(values: Sequence[str]) -> str:
    """An array of strings on one line."""
    return "[" + ", ".join(map(quoted, values)) + "]"


def write_atomically(path: Path, text: str) -> None:
    """Replace the file in one step, so that an interrupted run leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, half = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(half).chmod(0o644)
        Path(half).replace(path)
    except BaseException:
        Path(half).unlink(missing_ok=True)
        raise


def _table_lines(table: Mapping[str, str]) -> list[str]:
    return [f"{key} = {_value(key, value)}" for key, value in table.items()]


def _value(key: str, value: str) -> str:
    return value if key == "day" else quoted(value)
