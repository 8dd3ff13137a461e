"""How the tests of the command line run it, and what they expect of a refusal."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MACHINES = sorted((ROOT / "tests" / "data" / "machines").glob("*.json"))
SEED = ROOT / "tests" / "data" / "machines" / "seed-m1-loss-explosion.json"


def command(*words, **rest):
    """Run `python -m compat` to its end, as a user does."""
    argv = [sys.executable, "-m", "compat", *map(str, words)]
    rest.setdefault("timeout", 120)
    return subprocess.run(argv, capture_output=True, text=True, check=False, **rest)


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


def environment(folder):
    """A virtual environment with nothing in it; return its site-packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return next(folder.glob("lib/python*/site-packages"))


def distribution(site, name, version, *, record=True, metadata=None):
    """Put the metadata of a distribution into site-packages."""
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_bytes(metadata or f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode())
    if record:
        (info / "RECORD").write_text(f"{info.name}/METADATA,,\n{info.name}/RECORD,,\n")


def refused(result, code, what):
    """Exit code, nothing on stdout, one line that says what, at most one hint."""
    told, out, lines = result
    assert told == code
    assert out == ""
    assert len(lines) in (1, 2)
    assert lines[0].startswith("tfcompat: ")
    assert what in lines[0]
    assert all(line.startswith("hint: ") for line in lines[1:])


def stopped(result, code, what):
    """As refused, of a command that had begun to talk: its steps come before the one line."""
    told, out, lines = result
    assert told == code
    errors = [line for line in lines if line.startswith("tfcompat: ")]
    assert len(errors) == 1
    assert what in errors[0]
    assert all(line.startswith("hint: ") for line in lines[lines.index(errors[0]) + 1 :])
    return out


def without(*names):
    return {name: value for name, value in os.environ.items() if name not in names}
