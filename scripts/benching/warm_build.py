"""`fix --create-venv` with a warm cache: what is ours beside uv's processes and the verification."""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

LIMIT_SECONDS = 0.4
MOST_RUNS = 3
"""A build takes a minute."""


def rows(tfcompat: Path, folder: Path, runs: int, env: Mapping[str, str]) -> list[dict]:
    """Return the row of the build itself, and the row of the whole command with its start, its look and its plan."""
    builds = [build(tfcompat, folder, env) for _ in range(min(runs, MOST_RUNS) + 1)]
    measured = builds[1:]  # the first one warms uv's cache
    medians = {key: round(statistics.median(run[key] for run in measured), 3) for key in measured[0]}
    shared = {
        "peer": "uv's processes; verification apart",
        "peer_seconds": medians["uv"],
        "verification_seconds": medians["verification"],
        "limit_seconds": LIMIT_SECONDS,
    }
    what = "fix --create-venv, warm cache: own overhead"
    return [
        {"what": f"{what} of the build", **shared, "seconds": medians["own"]},
        {
            "what": f"{what} of the whole command, its start, look and plan included",
            **shared,
            "seconds": medians["whole"],
        },
    ]


def build(tfcompat: Path, folder: Path, env: Mapping[str, str]) -> dict[str, float]:
    """Build once in a folder of its own; return seconds by part. Exits where the build fails."""
    words = ["fix", "--create-venv", "env", "--cpu", "--tensorflow", "2.18.1", "--yes", "--format", "json", "-q"]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        began = time.perf_counter()
        argv = [str(tfcompat), *words]
        done = subprocess.run(argv, env=dict(env), cwd=place, capture_output=True, text=True, check=False)
        wall = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(done.stderr)
    parts: dict[str, float] = json.loads(done.stdout)["seconds"]
    return {**parts, "whole": wall - parts["uv"] - parts["verification"]}
