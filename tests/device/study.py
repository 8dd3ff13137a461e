"""Runs the battery on the test device once per planted fault, in one process. Stand-alone, run inside the environment:

    python study.py --library LIB --battery FOLDER --level quick --faults a,b,c --out lines.jsonl

The caller's variables make TensorFlow load the library; the fault is switched in it between the runs. One line of JSON is
appended per fault (all results that do not pass, how many do); what is there already is left out.
"""

import argparse
import ctypes
import gc
import json
import sys
import time
from pathlib import Path


def main():
    given = options()
    sys.path.insert(0, given.battery)
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    device = ctypes.CDLL(given.library)
    done = already(given.out, given.level)
    for fault in given.faults.split(","):
        if fault in done:
            continue
        if not device.device_fault(fault.encode()):
            sys.exit(f"the device knows no fault {fault!r}")
        line = measured(tf, given)
        device.device_fault(b"")
        with Path(given.out).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(dict(line, name=fault, level=given.level)) + "\n")
        sys.stderr.write(f"{fault}: {len(line['checks'])}\n")


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--battery", required=True)
    parser.add_argument("--level", default="quick")
    parser.add_argument("--only", help="checks, or beginnings of their ids, by comma")
    parser.add_argument("--faults", required=True)
    parser.add_argument("--out", required=True)
    return parser.parse_args()


def already(path, level):
    if not Path(path).exists():
        return set()
    lines = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return {line["name"] for line in lines if line["level"] == level}


def measured(tf, given):
    import numerics
    from battery import running
    from battery.levels import Level
    from battery.recorder import Recorder

    begun = time.time()
    recorder = Recorder(only=given.only)
    try:
        numerics.on_device(running.Session(tf, recorder, "GPU:0"), Level(given.level), None)
    finally:
        tf.keras.backend.clear_session()
        gc.collect()
    told = [check for check in recorder.checks if check["status"] != "passes"]
    passes = [check for check in recorder.checks if check["status"] == "passes"]
    eager = [dict(check, code="", detail="") for check in passes if check["mode"] == "eager"]
    return {
        "tensorflow": tf.__version__,
        "checks": told,
        "eager": eager if any(check["status"] == "fails" for check in told) else [],
        "passes": len(passes),
        "seconds": round(time.time() - begun, 2),
    }


if __name__ == "__main__":
    main()
