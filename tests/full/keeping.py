"""What the long tests measured, kept as data beside them: read before a test, written after it."""

import json
from pathlib import Path

FOLDER = Path(__file__).parent / "results"


def kept(name):
    """All records of one file of results, by key; none where nothing was measured yet."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def keep(name, key, record):
    """Add or replace one record."""
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(kept(name) | {key: record}, indent=1, sort_keys=True) + "\n"
    (FOLDER / f"{name}.json").write_text(text, "utf-8")
