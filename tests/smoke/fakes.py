"""Interpreters that are none: programs that do, instead of running the given script, what a case is about."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

OPENING = """
import argparse, json, os, signal, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("script")
parser.add_argument("--cookie")
parser.add_argument("--progress")
given, rest = parser.parse_known_args()
def say(answer):
    print(given.cookie + (answer if isinstance(answer, str) else json.dumps(answer)) + given.cookie[::-1], flush=True)
def progress(*events):
    with open(given.progress, "a") as stream:
        stream.writelines(json.dumps(event) + "\\n" for event in events)
START = {"event": "start", "id": "conv2d/k3_odd", "mode": "graph", "device": "GPU:0"}
CHECK = {"id": "conv2d/k3_odd/int/y", "op": "Conv2D", "mode": "eager", "device": "GPU:0", "status": "passes"}
RESULT = {"event": "result", "check": CHECK}
"""


def interpreter(folder: Path, body: str) -> str:
    """An executable that takes the place of a Python interpreter."""
    path = folder / "python"
    path.write_text(f"#!{sys.executable}\n{OPENING}{body}\n")
    path.chmod(0o755)
    return str(path)
