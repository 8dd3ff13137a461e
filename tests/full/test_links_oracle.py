"""Every pair of matrices/links judged again by lief, from the wheels themselves; some 9 GB of downloads, half an hour.

    pytest -m full tests/full/test_links_oracle.py

Answers are kept in `tests/full/state/oracle/`, so an interrupted run resumes; remove that folder to start anew.
The verdicts go to `tests/full/results/oracle.json`, which the ordinary tests compare with the tables.
"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.full, pytest.mark.network]

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(__file__).parent / "state" / "oracle"


@pytest.mark.parametrize("architecture", ["arm64", "x86_64"])
def test_lief_judges_every_pair_as_the_table_does(architecture):
    pytest.importorskip("lief")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "oracle", "--cache", CACHE, "--arch", architecture],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
