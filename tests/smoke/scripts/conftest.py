"""The stand-alone scripts import each other by bare name, as they do where they are run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[3] / "compat" / "smoke" / "scripts"
sys.path.insert(0, str(SCRIPTS))

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported: small references, busy threads
