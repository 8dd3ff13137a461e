"""`fix --create-venv` for one combination of every TensorFlow minor, run for real; results are kept as data.

    pytest -m full tests/full            resumes where it stopped
    rm tests/full/results/builds.json    starts anew

A result is kept with the day, the versions and the command. It is valid for the pins it was made from: a changed lock is
built again.
"""

import hashlib
import json
import shutil
from datetime import date

import pytest

from compat.matrix.load import load
from tests.full.keeping import keep, kept
from tests.real.conftest import interpreter, tfcompat

pytestmark = pytest.mark.full

MATRIX = load()
LOCKS = [lock for lock in MATRIX.locks() if lock.platform == "linux-x86_64" and not lock.cuda]


def digest(lock):
    return hashlib.sha256((MATRIX.root / "locks" / lock.file).read_bytes()).hexdigest()[:16]


@pytest.mark.parametrize("lock", LOCKS, ids=[f"{lock.tensorflow}-{lock.python}" for lock in LOCKS])
def test_fix_builds_it_and_it_passes(tmp_path, lock):
    name = f"{lock.tensorflow} on {lock.python}"
    if kept("builds").get(name, {}).get("pins") == digest(lock):
        return
    interpreter(lock.python)
    words = ["fix", "--create-venv", "env", "--cpu", "--tensorflow", lock.tensorflow, "--python", lock.python]
    done = tfcompat(*words, "--yes", "--format", "json", cwd=tmp_path)
    shutil.rmtree(tmp_path / "env", ignore_errors=True)

    assert done.returncode == 0, done.stderr
    built = json.loads(done.stdout)
    assert built["plan"]["lock"] == lock.file
    record = {
        "day": date.today().isoformat(),  # noqa: DTZ011 - a day in the tester's own calendar
        "command": "tfcompat " + " ".join(words),
        "pins": digest(lock),
        "message": built["attempts"][-1]["message"],
        "attempts": len(built["attempts"]),
        "seconds": built["seconds"],
    }
    keep("builds", name, record)
