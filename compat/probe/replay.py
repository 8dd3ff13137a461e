"""Read a capture back: what ``tfcompat facts`` printed, or what was reconstructed from a report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from compat.errors import BadFacts
from compat.facts.capture import SCHEMA_VERSION, Facts
from compat.facts.codec import decode

LIMIT_BYTES = 20_000_000
"""A capture of 400 distributions is below 1 MB; more than this is something else."""


def read(path: Path) -> Facts:
    """Return the facts of a capture file. Raises BadFacts with what is wrong with it."""
    value = _parsed(path)
    version = value.get("schema_version")
    if version != SCHEMA_VERSION:
        raise BadFacts(
            f"{path}: facts of schema version {version}, this tfcompat reads {SCHEMA_VERSION}",
            hint="make the capture and judge it with the same tfcompat",
        )
    if "facts" not in value:
        raise BadFacts(f"{path}: no facts in it")
    facts = decode(Facts, value["facts"])
    return facts if facts.origin != Facts().origin else replace(facts, origin=f"replayed from {path.name}")


def _parsed(path: Path) -> Mapping[str, object]:
    try:
        size = path.stat().st_size
        if size > LIMIT_BYTES:
            raise BadFacts(f"{path}: {size // 1_000_000} MB is no capture (the limit is {LIMIT_BYTES // 1_000_000} MB)")
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise BadFacts(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BadFacts(f"{path}: not a whole JSON document ({error})") from error
    if not isinstance(value, dict):
        raise BadFacts(f"{path}: not a capture")
    return value
