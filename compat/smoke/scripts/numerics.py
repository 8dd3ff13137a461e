"""Does this TensorFlow compute what it should, on each of its devices? The numerical smoke battery.

Stand-alone: run in the interpreter under test, by absolute path; standard library, NumPy and TensorFlow only, CPython
3.8 syntax. Answers one JSON object between the given cookie and the cookie reversed; anything else on stdout is noise.
Exits 0 with `{"kind": "import-failed"}` when TensorFlow cannot be imported. With `--progress FILE`, a line of JSON is
appended before and after each check: if TensorFlow takes the process down, the file says during what.
"""

import argparse
import faulthandler
import json
import math
import os
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
VARIABLES = (
    "TF_ENABLE_ONEDNN_OPTS",
    "XLA_FLAGS",
    "TF_XLA_FLAGS",
    "NVIDIA_TF32_OVERRIDE",
    "TF_USE_LEGACY_KERAS",
    "KERAS_BACKEND",
    "TF_DETERMINISTIC_OPS",
    "TF_METAL_DEVICE_MEMORY_LIMIT",
)
"""Environment variables that change what is computed, or by what."""


def main(argv=None):
    given = options(argv)
    faulthandler.enable()  # a segmentation fault then names itself on stderr
    for name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):  # NumPy's, not TensorFlow's: small references
        os.environ.setdefault(name, "1")  # spend seconds in threads that wait for each other
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != HERE]
    answer = {"kind": "ran", "python": sys.version.split()[0], "variables": variables(), "checks": []}
    tell = progress_to(given.progress)
    begins = {"event": "start", "id": "import", "mode": "", "device": "", "members": []}
    tell(dict(begins, variables=answer["variables"]))
    guard(2 * given.limit)()
    begun = time.perf_counter()
    try:
        tf = import_tensorflow(answer)
    except (Exception, SystemExit) as error:
        answer.update(kind="import-failed", error=describe(error) + origin(error), import_seconds=since(begun))
        return say(given.cookie, answer)
    answer.update(import_seconds=since(begun), memory_import=peak_memory())
    begun = time.perf_counter()
    try:
        compute(tf, given, tell, answer)
    except Exception as error:  # a broken device can make even the CPU raise at first touch
        answer["checks"].append(crashed(describe(error)))
    answer.update(seconds=since(begun), memory_peak=peak_memory())
    say(given.cookie, answer)


def options(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--cookie", default="")
    parser.add_argument("--progress")
    parser.add_argument("--devices", help="comma-separated, as CPU:0,GPU:0; the CPU is always computed first")
    parser.add_argument("--level", choices=("quick", "standard", "full"), default="quick")
    parser.add_argument("--only", help="checks, or beginnings of their ids, by comma")
    parser.add_argument("--limit", type=float, default=0, help="seconds that one step may take; 0: no limit")
    parser.add_argument("--batch-size", type=int, default=32, help="of the training whose speed level full measures")
    parser.add_argument("--apart", action="store_true", help="compile each case by itself, to find which one kills")
    parser.add_argument("--seed", type=int, default=0, help="other values, to measure false alarms")
    parser.add_argument("--xla", action="store_true", help="compile with XLA, to measure false alarms")
    return parser.parse_args(argv)


def variables():
    return {name: os.environ[name] for name in VARIABLES if name in os.environ}


def since(begun):
    return round(time.perf_counter() - begun, 4)


def peak_memory():
    """The most this process has held so far, in MB; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kilobytes elsewhere
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)


def describe(error):
    return (type(error).__name__ + ": " + " ".join(str(error).split()))[:2000]


def origin(error):
    """What an error was made of: NumPy tells a library that cannot be loaded as an import from the wrong folder."""
    first = error
    while first.__cause__ is not None:
        first = first.__cause__
    return "" if first is error else "; it began with " + describe(first)


def crashed(detail):
    """The check that stands for what is not a check: listing the devices, or the battery itself."""
    return {"id": "devices", "op": "", "mode": "eager", "device": "", "status": "crashed", "detail": detail}


def progress_to(path):
    """A function that appends one JSON line, on disk before it returns to whatever may kill the process."""
    if path is None:
        return lambda event: None
    stream = open(path, "a")

    def tell(event):
        stream.write(json.dumps(event) + "\n")
        stream.flush()

    return tell


def say(cookie, answer):
    sys.stdout.flush()
    sys.stdout.write("\n" + cookie + json.dumps(answer, allow_nan=False) + cookie[::-1] + "\n")
    sys.stdout.flush()


def import_tensorflow(answer):
    import tensorflow as tf  # first: where nothing is installed, this is the name to miss
    import numpy

    answer.update(numpy=numpy.__version__, tensorflow=tf.__version__)  # an empty folder named tensorflow has no version
    tf.get_logger().setLevel("ERROR")  # many small compiled functions are the point here
    return tf


def compute(tf, given, tell, answer):
    answer["devices"] = [described(tf, device) for device in tf.config.list_logical_devices()]
    keras_problem = find_keras(tf, answer)
    sys.path.insert(0, HERE)
    try:
        from battery import running, values
        from battery.levels import Level
        from battery.recorder import ABSENT, Recorder, Result
    finally:
        sys.path.remove(HERE)
    values.SEED = given.seed
    level, recorder = Level(given.level), Recorder(tell, given.only, guard(given.limit))
    answer["checks"] = recorder.checks
    present = [device["name"] for device in answer["devices"]]
    wanted = wanted_devices(given.devices, present)
    absent = [device for device in wanted if device not in present]
    for device in absent:
        recorder.add(ABSENT, "", "eager", device, "", Result("skipped", None, "TensorFlow lists no such device"))
    for device in [] if absent else wanted:  # without what was asked for, its control says nothing
        session = running.Session(tf, recorder, device, given.apart, given.xla, given.batch_size)
        on_device(session, level, keras_problem)
    faulthandler.cancel_dump_traceback_later()
    answer.update(comparisons=recorder.comparisons, curves=[until_no_number(curve) for curve in recorder.curves])


def until_no_number(curve):
    """A loss that is no number ends the curve: JSON has no infinity."""
    losses = [float(loss) for loss in curve["losses"]]
    ends = [i for i, loss in enumerate(losses) if not math.isfinite(loss)]
    return dict(curve, losses=losses[: ends[0]] if ends else losses)


def on_device(session, level, keras_problem):
    """Single operations first: what they show explains what the programs show."""
    from battery import catalogue, running
    from battery.recorder import Result

    running.run_cases(session, [case for case in catalogue.all_cases() if level.runs(case.level)], level)
    if keras_problem:
        declined = Result("skipped", None, keras_problem)
        return session.recorder.add("keras", "", "predict", session.device, "", declined)
    from battery.programs import collection, program

    program.run_programs(session, collection.all_programs(level))


def guard(limit):
    """A function that gives the next step its time: a thread of C ends the process even when Python is stuck."""

    def armed():
        if limit:
            faulthandler.dump_traceback_later(limit, exit=True)

    return armed


def described(tf, device):
    """Name and type as TensorFlow gives them, and what the maker calls the device."""
    name = device.name.split("device:")[-1]
    return {"name": name, "kind": device.device_type, "description": description(tf, device.device_type, name)}


def description(tf, kind, name):
    physical = tf.config.list_physical_devices(kind)
    index = int(name.split(":")[-1])
    if kind == "CPU" or index >= len(physical):
        return ""
    try:
        details = tf.config.experimental.get_device_details(physical[index])
    except Exception:
        return ""
    return str(details.get("device_name", ""))


def wanted_devices(asked, present):
    """The CPU first, as a control, asked for or not: if that fails, checker or installation are broken, not the GPU."""
    if asked is None:
        return ["CPU:0"] + [name for name in present if not name.startswith("CPU:")]
    names = [name if ":" in name else name + ":0" for name in asked.upper().split(",") if name]
    if not any(name.startswith("CPU:") for name in names):
        names.append("CPU:0")
    return sorted(names, key=lambda name: not name.startswith("CPU:"))


DECLINED = "Keras computes with %s here, not with TensorFlow: its checks are declined"


def find_keras(tf, answer):
    """Record Keras's version; return why its checks cannot be made here, or None."""
    answer["keras"] = None
    try:
        layer = tf.keras.layers.Softmax()  # loaded lazily: this is where it imports
        package = sys.modules[type(layer).__module__.split(".")[0]]
        answer["keras"] = package.__version__
        backend = tf.keras.backend.backend()
    except Exception as error:
        asked = os.environ.get("KERAS_BACKEND", "tensorflow")  # one that is not installed makes the import itself fail
        if asked != "tensorflow":
            return DECLINED % asked + " (%s)" % describe(error)
        if os.environ.get("TF_USE_LEGACY_KERAS", "").lower() in ("1", "true"):
            return "TF_USE_LEGACY_KERAS asks for the package tf_keras, which cannot be used here: " + describe(error)
        return "Keras cannot be used: " + describe(error)
    if backend != "tensorflow":
        return DECLINED % backend
    return None


if __name__ == "__main__":
    main()
