"""Does this TensorFlow compute what it should, on each of its devices? The numerical smoke battery.

Stand-alone: run in the interpreter under test, by absolute path; standard library, NumPy and TensorFlow only, CPython
3.8 syntax. Answers one JSON object between the given cookie and the cookie reversed; anything else on stdout is noise.
Exits 0 with `{"kind": "import-failed"}` when TensorFlow cannot be imported. With `--progress FILE`, a line of JSON is
appended before and after each check: if TensorFlow takes the process down, the file says during what.
"""

import argparse
import faulthandler
import json
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
    tell({"event": "start", "id": "import", "mode": "", "device": ""})
    begun = time.perf_counter()
    try:
        tf = import_tensorflow(answer)
    except (Exception, SystemExit) as error:
        answer.update(kind="import-failed", error=describe(error), import_seconds=since(begun))
        return say(given.cookie, answer)
    answer["import_seconds"] = since(begun)
    begun = time.perf_counter()
    try:
        compute(tf, given, tell, answer)
    except Exception as error:  # a broken device can make even the CPU raise at first touch
        answer["checks"].append(crashed(describe(error)))
    answer["seconds"] = since(begun)
    say(given.cookie, answer)


def options(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--cookie", default="")
    parser.add_argument("--progress")
    parser.add_argument("--devices", help="comma-separated, as CPU:0,GPU:0; the CPU is always computed first")
    parser.add_argument("--level", choices=("quick", "standard"), default="quick")
    parser.add_argument("--only", help="a check, or the beginning of its id up to a slash")
    parser.add_argument("--seed", type=int, default=0, help="other values, to measure false alarms")
    return parser.parse_args(argv)


def variables():
    return {name: os.environ[name] for name in VARIABLES if name in os.environ}


def since(begun):
    return round(time.perf_counter() - begun, 4)


def describe(error):
    return (type(error).__name__ + ": " + " ".join(str(error).split()))[:2000]


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
    listed = tf.config.list_logical_devices()
    answer["devices"] = [described(tf, device) for device in listed]
    keras_problem = find_keras(tf, answer)
    sys.path.insert(0, HERE)
    import battery
    import cases

    sys.path.remove(HERE)
    cases.SEED = given.seed
    recorder = battery.Recorder(tell, given.only)
    answer["checks"] = recorder.checks
    present = [device["name"] for device in answer["devices"]]
    for device in wanted_devices(given.devices, present):
        if device not in present:
            detail = "TensorFlow lists no such device"
            recorder.add("device", "", "eager", device, "", "skipped", None, detail)
            continue
        for case in cases.all_cases():
            if case.level == "quick" or given.level == "standard":
                battery.run_case(tf, recorder, case, device)
        keras_part(tf, recorder, device, given.level, keras_problem)


def keras_part(tf, recorder, device, level, problem):
    if problem:
        recorder.add("keras", "", "predict", device, "", "skipped", None, problem)
        return
    sys.path.insert(0, HERE)
    import keras_checks

    sys.path.remove(HERE)
    keras_checks.Runner(tf, recorder, device).run(fit=level == "standard")


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
    """The CPU first, as a control: if that fails, checker or installation are broken, not the GPU."""
    if asked is None:
        return ["CPU:0"] + [name for name in present if not name.startswith("CPU:")]
    names = [name if ":" in name else name + ":0" for name in asked.upper().split(",") if name]
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
        return "Keras cannot be used: " + describe(error)
    if backend != "tensorflow":
        return DECLINED % backend
    return None


if __name__ == "__main__":
    main()
