#!/usr/bin/env python3
"""Measure `tfcompat fleet` on many reports: seconds and peak memory, and whether they grow with the number alone.

    scripts/benching/fleet.py [--reports 1000,10000] [--runs 3] [--folder DIR]    writes scripts/results/fleet.json

The reports are real ones (what doctor says of tests/data/machines), each under the name of a machine of its own. So
that they are not all alike, some carry a remedy for their own path, and one in a hundred is cut short (a full disk).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "scripts" / "results" / "fleet.json"
ENV = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")}
FORMATS = ("columns", "json", "html")
CUT = 100
"""One report in so many is cut short."""


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", default="1000,10000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder")
    parser.add_argument("--measure", nargs=2, metavar=("FOLDER", "FORMAT"), help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if given.measure:
        return measured(*given.measure)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        numbers = [int(number) for number in given.reports.split(",")]
        rows = [row(Path(folder), number, given.runs, kind) for number in numbers for kind in FORMATS]
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, CPython {platform.python_version()}"
    day = datetime.now(tz=timezone.utc).date().isoformat()
    record = {"day": day, "machine": machine, "runs": given.runs, "rows": rows}
    RESULTS.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    print(json.dumps(record, indent=1))
    return 0


def row(folder: Path, number: int, runs: int, kind: str) -> dict:
    reports = folder / str(number)
    if not reports.is_dir():
        write(reports, number)
    done = [once(reports, kind) for _ in range(runs)]
    seconds, processor = (statistics.median(one[what] for one in done) for what in ("seconds", "processor"))
    size = sum(path.stat().st_size for path in reports.iterdir())
    return {
        "reports": number,
        "megabytes": round(size / 1e6, 1),
        "format": kind,
        "seconds": round(seconds, 2),
        "processor_seconds": round(processor, 2),
        "processor_milliseconds_a_report": round(1000 * processor / number, 3),
        "peak_megabytes": max(one["peak_megabytes"] for one in done),
    }


def write(folder: Path, number: int) -> None:
    """Write the reports; what doctor says is asked once a machine."""
    folder.mkdir(parents=True)
    said = [judged(path) for path in sorted((ROOT / "tests" / "data" / "machines").glob("*.json"))]
    for at in range(number):
        report = said[at % len(said)]
        text = json.dumps(report, indent=2).replace("--python python ", f"--python ~/lab-{at}/bin/python ")
        (folder / f"mac-{at:05}.json").write_text(text[: len(text) // 2] if at % CUT == CUT - 1 else text, "utf-8")


def judged(machine: Path) -> dict:
    words = [sys.executable, "-m", "compat", "doctor", "--facts", machine, "--format", "json"]
    return json.loads(subprocess.run(words, cwd=ROOT, env=ENV, capture_output=True, text=True, check=False).stdout)


def once(reports: Path, kind: str) -> dict:
    """One run in a process of its own, which tells its own peak."""
    words = [sys.executable, __file__, "--measure", reports, kind]
    began = time.perf_counter()
    done = subprocess.run(words, cwd=ROOT, env=ENV, capture_output=True, text=True, check=True)
    return {"seconds": time.perf_counter() - began, **json.loads(done.stderr.splitlines()[-1])}


def measured(reports: str, kind: str) -> int:
    sys.path.insert(0, str(ROOT))
    from compat.cli import run

    code = run(["fleet", reports, "--format", kind, "-o", os.devnull])
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1024)
    told = {"code": code, "processor": used.ru_utime + used.ru_stime, "peak_megabytes": round(peak, 1)}
    print(json.dumps(told), file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
