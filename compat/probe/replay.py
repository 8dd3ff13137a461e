"""Read a capture back: what ``tfcompat facts`` printed, or what was reconstructed from a report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from compat.errors import BadFacts, one_line
from compat.facts.capture import SCHEMA_VERSION, Facts
from compat.facts.codec import decode

LIMIT_BYTES = 20_000_000
"""A capture of 400 distributions is below 1 MB; more than this is something else."""


def read(path: Path) -> Facts:
    """Return the facts of a capture file. Raises BadFacts with what is wrong with it."""
    value = _parsed(path)
    version = value.get("schema_version")
    if type(version) is not int or version != SCHEMA_VERSION:  # True and 1.0 equal 1
        shown = json.dumps(version) if isinstance(version, (str, int, float, type(None))) else "of no known kind"
        raise BadFacts(
            f"{path}: facts of schema version {one_line(shown, 40)}, this tfcompat reads {SCHEMA_VERSION}",
            hint="make the capture and judge it with the same tfcompat",
        )
    if "facts" not in value:
        raise BadFacts(f"{path}: no facts in it")
    try:
        facts = decode(Facts, value["facts"])
    except BadFacts as error:
        raise BadFacts(f"{path}: {error.message}") from error
    return facts if facts.origin != Facts().origin else replace(facts, origin=f"replayed from {path.name}")


def _parsed(path: Path) -> Mapping[str, object]:
    try:
        value = json.loads(_bounded(path))
    except OSError as error:
        raise BadFacts(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BadFacts(f"{path}: not a whole JSON document ({error})") from error
    if not isinstance(value, dict):
        raise BadFacts(f"{path}: not a capture")
    return value


def _bounded(path: Path) -> bytes:
    """Read at most the limit: what has no size (a device, a pipe) may have no end."""
    with path.open("rb") as file:
        content = file.read(LIMIT_BYTES + 1)
    if len(content) > LIMIT_BYTES:
        raise BadFacts(f"{path}: more than {LIMIT_BYTES // 1_000_000} MB is no capture")
    return content
